"""Exports of runs for other programs: Parquet and CSV tables, MCAP messages.

They are not read back: `.npz` files keep the whole run.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.files import Array, replacing
from tarsus.formats.native import to_data
from tarsus.simulation.contact_record import Contacts
from tarsus.simulation.energy import BY_JOINT, STORED, WORKS
from tarsus.simulation.events import NUMBERS, Events
from tarsus.simulation.named_columns import named_columns, position_names, velocity_names
from tarsus.simulation.trajectory import ARRAYS, PARTS, Trajectory

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


# Parquet: one row for each sample, contacts and events as lists of records in the row of the sample
# that follows. The metadata is JSON: model, settings, names and units of the numbers in q, v, tau
# and readings of sensors. The columns are t, state, q, v, tau, energy, statistics, sensor:NAME,
# contacts and events.


def write_parquet(run: Trajectory, path: Path) -> None:
    """Write a run."""
    pa, parquet = _arrow()
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
        "model": to_data(run.model.description),
        "settings": dict(run.settings),
        "batch": run.batch,
        "samples": len(run),
        "interrupted": run.interrupted,
        "parts": [list(part) for part in run.parts_recorded],
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


def _arrow() -> tuple[Any, Any]:
    """Return pyarrow and its Parquet module."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        message = "Parquet files need pyarrow: pip install 'tarsus[log]'"
        raise ImportError(message) from None
    return pyarrow, pyarrow.parquet


# CSV, for spreadsheets: a row for each sample, names and units in the first row.


CHUNK = 4096
"""Rows that are turned into text at once."""


def write_csv(run: Trajectory, path: Path) -> None:
    """Write a run; the states of a batch stand below each other, their number in front."""
    columns = {name: np.ravel(values) for name, values in named_columns(run).items()}
    if run.batch is not None:
        columns = {"state": np.repeat(np.arange(run.batch), len(run)), **columns}
    count = len(next(iter(columns.values())))
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for start in range(0, count, CHUNK):
            rows = slice(start, start + CHUNK)
            # numbers of Python keep all their bits as text
            writer.writerows(zip(*(each[rows].tolist() for each in columns.values()), strict=True))


# MCAP, for Foxglove and other viewers: JSON messages on channels with schemas.
#
# The channel `state` has q, v and tau by names of joints, `poses` the poses of bodies, `contacts`
# the contacts, `energy` the ledger; each message carries its time.


SCHEMA = {"type": "object", "additionalProperties": True}


def write_mcap(run: Trajectory, path: Path) -> None:
    """Write the run of one state."""
    if run.batch is not None:
        raise ValueError("an .mcap file has one state: save run[0], or use .npz or .parquet")
    try:
        from mcap.writer import Writer
    except ImportError:
        raise ImportError("MCAP files need mcap: pip install 'tarsus[log]'") from None
    messages = {name: _MESSAGES[name](run) for name in _MESSAGES if _has(run, name)}
    with replacing(path) as part, part.open("wb") as file:
        writer: Any = Writer(file)
        writer.start(library="tarsus")
        writer.add_metadata("tarsus", {"settings": json.dumps(dict(run.settings))})
        channels = {name: _channel(writer, name) for name in messages}
        for k, t in enumerate(run.t):
            nanoseconds = round(1e9 * float(t))
            for name, channel in channels.items():
                data = json.dumps(messages[name][k]).encode()
                writer.add_message(channel, nanoseconds, data, nanoseconds, k)
        writer.finish()


def _channel(writer: Any, name: str) -> int:
    schema = {**SCHEMA, "title": name}
    number = writer.register_schema(name, "jsonschema", json.dumps(schema).encode())
    channel: int = writer.register_channel(name, "json", number)
    return channel


def _has(run: Trajectory, name: str) -> bool:
    if name == "contacts":
        return run.touched is not None
    return {"state": "q", "poses": "q", "energy": "energy"}[name] in run.recorded


def _states(run: Trajectory) -> list[dict[str, Any]]:
    slices = {"q": "q_slice", "v": "v_slice", "tau": "v_slice"}
    kept = [name for name in slices if name in run.recorded]
    return [
        {
            name: {
                j.name: run.recorded[name][k, getattr(j, slices[name])].tolist()
                for j in run.model.joints
            }
            for name in kept
        }
        for k in range(len(run))
    ]


def _poses(run: Trajectory) -> list[dict[str, Any]]:
    poses = np.asarray(run.model.forward_kinematics(run.q))
    return [dict(zip(run.model.body_names, p.tolist(), strict=True)) for p in poses]


def _contacts(run: Trajectory) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"contacts": []} for _ in run.t]
    touched = run.contacts
    for k, link, other, point, force, state in zip(
        touched.sample,
        touched.links,
        touched.others,
        touched.point,
        touched.force,
        touched.states,
        strict=True,
    ):
        found[k]["contacts"].append(
            {
                "link": str(link),
                "other": str(other),
                "point": point.tolist(),
                "force": force.tolist(),
                "state": str(state),
            }
        )
    return found


def _energies(run: Trajectory) -> list[dict[str, Any]]:
    ledger = run.energy
    columns = {name: getattr(ledger, name) for name in (*STORED, *WORKS, *BY_JOINT)}
    columns["residual"] = ledger.residual
    return [{name: float(column[k]) for name, column in columns.items()} for k in range(len(run))]


_MESSAGES = {"state": _states, "poses": _poses, "contacts": _contacts, "energy": _energies}
