"""Runs as Parquet files: one row for each sample, contacts as a list of records in each row.

The metadata has the model, the ground and the settings as JSON, so that a file stands alone; any
program that reads Parquet reads the columns t, state, q, v, tau, energy, statistics, contacts.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

import tarsus.geometry as geometry
from tarsus.files import replacing
from tarsus.formats.native import from_data, to_data
from tarsus.geometry import Terrain
from tarsus.model import Model
from tarsus.model.description import Array
from tarsus.simulation.contact_record import NUMBERS, STATES, Contacts, Place
from tarsus.simulation.convergence import Unsolved
from tarsus.simulation.trajectory import ARRAYS, Failure, Trajectory

VERSION = 1
KEY = b"tarsus"
VECTORS = {"point": slice(1, 4), "normal": slice(4, 7), "force": slice(7, 10)}
"""Columns of contact rows that are vectors."""


def write_parquet(run: Trajectory, path: Path) -> None:
    """Write a run."""
    pa, parquet = _arrow()
    states, samples = run.batch or 1, len(run)
    columns: dict[str, Any] = {
        "state": pa.array(np.repeat(np.arange(states), samples)),
        "t": pa.array(np.tile(run.t, states)),
    }
    for name in ARRAYS:
        if name in run.recorded:
            columns[name] = _list_column(pa, run.recorded[name].reshape(states * samples, -1))
    if run.touched is not None:
        columns["contacts"] = _contact_column(pa, run.touched, states, samples)
    table = pa.table(columns).replace_schema_metadata({KEY: json.dumps(_metadata(run)).encode()})
    with replacing(path) as part:
        parquet.write_table(table, part)


def read_parquet(path: Path) -> Trajectory:
    """Read what `write_parquet` wrote."""
    _, parquet = _arrow()
    table = parquet.read_table(path)
    known = (table.schema.metadata or {}).get(KEY)
    if known is None:
        raise ValueError(f"{path} was not written by tarsus")
    data = json.loads(known)
    if data["version"] != VERSION:
        raise ValueError(f"{path} has version {data['version']}, this is version {VERSION}")
    batch, samples = data["batch"], data["samples"]
    shape = (samples,) if batch is None else (batch, samples)
    recorded = {
        name: _numbers(table.column(name)).reshape(*shape, -1)
        for name in ARRAYS
        if name in table.column_names
    }
    touched = None
    if "contacts" in table.column_names:
        places = [Place(*place) for place in data["places"]]
        touched = _contacts(table.column("contacts"), shape, places)
    return Trajectory(
        Model(from_data(data["model"], str(path)), strict=False),
        table.column("t").to_numpy()[:samples],
        recorded,
        touched,
        _ground(data["ground"]),
        data["settings"],
        data["interrupted"],
        tuple(Failure(**failure) for failure in data["failures"]),
        _unsolved(data.get("unsolved")),
    )


def _metadata(run: Trajectory) -> dict[str, Any]:
    return {
        "version": VERSION,
        "model": to_data(run.model.description),
        "ground": _plain(run.ground),
        "settings": dict(run.settings),
        "batch": run.batch,
        "samples": len(run),
        "interrupted": run.interrupted,
        "failures": [dataclasses.asdict(failure) for failure in run.failures],
        "unsolved": [run.unsolved.count.tolist(), run.unsolved.worst.tolist()],
        "places": [] if run.touched is None else list(run.touched.places),
        "q": [f"{j.name}[{k}]" for j in run.model.joints for k in range(_size(j.q_slice))],
        "v": [f"{j.name}[{k}]" for j in run.model.joints for k in range(_size(j.v_slice))],
    }


def _unsolved(data: list[Any] | None) -> Unsolved:
    if data is None:  # written before there was such a count
        return Unsolved()
    return Unsolved(np.array(data[0], np.int64), np.array(data[1], np.float64))


def _size(part: slice) -> int:
    return int(part.stop - part.start)


def _list_column(pa: Any, rows: Array) -> Any:
    values = pa.array(np.ascontiguousarray(rows).ravel())
    return pa.FixedSizeListArray.from_arrays(values, rows.shape[1])


def _contact_column(pa: Any, touched: Contacts, states: int, samples: int) -> Any:
    """Return a list of records for each sample."""
    place = touched.state_index * samples + touched.sample
    order = np.argsort(place, kind="stable")
    offsets = np.searchsorted(place[order], np.arange(states * samples + 1)).astype(np.int32)
    rows = touched.rows[order]
    fields = {
        "candidate": pa.array(rows[:, 0].astype(np.int32)),
        "body": pa.array(touched.bodies[order].tolist(), pa.string()),
        "link": pa.array(touched.links[order].tolist(), pa.string()),
        "other": pa.array(touched.others[order].tolist(), pa.string()),
        **{name: _list_column(pa, rows[:, part]) for name, part in VECTORS.items()},
        "gap": pa.array(rows[:, 10]),
        "state": pa.array(touched.states[order].tolist(), pa.string()),
        "work": pa.array(rows[:, 12]),
    }
    records = pa.StructArray.from_arrays(list(fields.values()), list(fields))
    return pa.ListArray.from_arrays(pa.array(offsets), records)


def _contacts(column: Any, shape: tuple[int, ...], places: list[Place]) -> Contacts:
    lists = column.combine_chunks()
    records = lists.flatten()
    counts = np.diff(lists.offsets.to_numpy())
    place = np.repeat(np.arange(len(counts)), counts)
    rows = np.empty((len(records), NUMBERS))
    rows[:, 0] = records.field("candidate").to_numpy()
    for name, part in VECTORS.items():
        rows[:, part] = records.field(name).flatten().to_numpy().reshape(-1, 3)
    rows[:, 10] = records.field("gap").to_numpy()
    rows[:, 11] = [STATES.index(word) for word in records.field("state").to_pylist()]
    rows[:, 12] = records.field("work").to_numpy()
    return Contacts(rows, place // shape[-1], place % shape[-1], shape, places)


def _numbers(column: Any) -> Array:
    return np.array(column.combine_chunks().flatten().to_numpy(), np.float64)


def _plain(ground: Terrain | None) -> dict[str, Any] | None:
    """Return the class of a ground and what it was made with."""
    if ground is None:
        return None
    values = {f.name: getattr(ground, f.name) for f in dataclasses.fields(ground) if f.init}
    plain = {k: x.tolist() if isinstance(x, np.ndarray) else x for k, x in values.items()}
    return {"kind": type(ground).__name__, "values": plain}


def _ground(data: dict[str, Any] | None) -> Terrain | None:
    if data is None:
        return None
    found: Terrain = getattr(geometry, data["kind"])(**data["values"])
    return found


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        message = "Parquet files need pyarrow: pip install 'tarsus[log]'"
        raise ImportError(message) from None
    return pyarrow, pyarrow.parquet
