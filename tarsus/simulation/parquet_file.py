"""Runs as Parquet files: one row for each sample, contacts and events as lists of records there.

The metadata has the model, the ground and the settings as JSON, so that a file stands alone; any
program that reads Parquet reads the columns t, state, q, v, tau, energy, statistics, sensor:NAME,
contacts, and events, in the row of the sample that follows. Names and units of the numbers in q, v,
tau and readings of sensors are in the metadata.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.files import Array, replacing
from tarsus.formats.native import to_data
from tarsus.geometry.grounds import Terrain
from tarsus.geometry.surfaces.surface import Surface
from tarsus.simulation.contact_record import Contacts, Place
from tarsus.simulation.events import NUMBERS, Events
from tarsus.simulation.named_columns import position_names, velocity_names
from tarsus.simulation.trajectory import ARRAYS, PARTS, Trajectory

VERSION = 1
KEY = b"tarsus"
SENSOR = "sensor:"
"""Before the names of sensors, in names of columns."""
VECTORS = {"point": slice(1, 4), "normal": slice(4, 7), "force": slice(7, 10)}
"""Columns of contact rows that are vectors."""
DEFORMATION = "deformation"
"""Of surfaces that deform: four numbers of a contact."""
EVENT_NUMBERS = {"t": 0, "index": 2, "lost": 9}
EVENT_VECTORS = {"point": slice(3, 6), "impulse": slice(6, 9)}
OF_SURFACES = ("speed", "left")
"""Columns of rows of events, and those that surfaces have that deform."""


def write_parquet(run: Trajectory, path: Path) -> None:
    """Write a run."""
    pa, parquet = arrow()
    states, samples = run.batch or 1, len(run)
    columns: dict[str, Any] = {
        "state": pa.array(np.repeat(np.arange(states), samples)),
        "t": pa.array(np.tile(run.t, states)),
    }
    for name in (*ARRAYS, PARTS):
        if name in run.recorded:
            columns[name] = _list_column(pa, run.recorded[name].reshape(states * samples, -1))
    for name, readings in run.sensors.items():
        columns[SENSOR + name] = _list_column(pa, readings.reshape(states * samples, -1))
    if run.touched is not None:
        columns["contacts"] = _contact_column(pa, run.touched, states, samples)
    if run.happened is not None:
        columns["events"] = _event_column(pa, run.happened, run.t, states)
    table = pa.table(columns).replace_schema_metadata({KEY: json.dumps(_metadata(run)).encode()})
    with replacing(path) as part:
        parquet.write_table(table, part, write_page_checksum=True)


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
        "ended": [
            np.where(np.isfinite(run.ended.time), run.ended.time, -1.0).tolist(),
            run.ended.why,
        ],
        "unsolved": [run.unsolved.count.tolist(), run.unsolved.worst.tolist()],
        "parts": [list(part) for part in run.parts_recorded],
        "places": list(_places(run)),
        "limits": [] if run.happened is None else list(run.happened.limits),
        "frictions": [] if run.happened is None else list(run.happened.frictions),
        "sensors": {
            name: {"parts": list(sensor.parts), "unit": sensor.unit}
            for name, sensor in run.sensing.items()
        },
        "q": position_names(run.model),
        "v": velocity_names(run.model),
        "tau": velocity_names(run.model, efforts=True),
    }


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
    if touched.deforms:
        fields[DEFORMATION] = _list_column(pa, touched.deformation[order])
    return _records(pa, fields, offsets)


def _event_column(pa: Any, events: Events, t: Array, states: int) -> Any:
    """Return a list of records for each sample: what happened since the one before."""
    after = np.minimum(np.searchsorted(t, events.t), len(t) - 1)
    place = events.state_index * len(t) + after
    offsets = np.searchsorted(place, np.arange(states * len(t) + 1)).astype(np.int32)
    rows, told = events.rows, list(events)
    fields = {
        "kind": pa.array(events.kinds.tolist(), pa.string()),
        "body": pa.array([event.body for event in told], pa.string()),
        "other": pa.array([event.other for event in told], pa.string()),
        **{name: pa.array(rows[:, k]) for name, k in EVENT_NUMBERS.items()},
        **{name: _list_column(pa, rows[:, part]) for name, part in EVENT_VECTORS.items()},
    }
    for k in range(NUMBERS, rows.shape[1]):
        fields[OF_SURFACES[k - NUMBERS]] = pa.array(rows[:, k])
    return _records(pa, fields, offsets)


def _records(pa: Any, fields: dict[str, Any], offsets: Any) -> Any:
    records = pa.StructArray.from_arrays(list(fields.values()), list(fields))
    return pa.ListArray.from_arrays(pa.array(offsets), records)


def _places(run: Trajectory) -> Sequence[Place]:
    if run.touched is not None:
        return run.touched.places
    return () if run.happened is None else run.happened.places


def _plain(ground: Terrain | None) -> dict[str, Any] | None:
    """Return the class of a ground and what it was made with."""
    if ground is None:
        return None
    values = {f.name: getattr(ground, f.name) for f in dataclasses.fields(ground) if f.init}
    return {"kind": type(ground).__name__, "values": {k: _value(x) for k, x in values.items()}}


def _value(value: Any) -> Any:
    if isinstance(value, Surface):
        return {"kind": type(value).__name__, "numbers": list(value.numbers)}
    return value.tolist() if isinstance(value, np.ndarray) else value


def arrow() -> tuple[Any, Any]:
    """Return pyarrow and its Parquet module."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        message = "Parquet files need pyarrow: pip install 'tarsus[log]'"
        raise ImportError(message) from None
    return pyarrow, pyarrow.parquet
