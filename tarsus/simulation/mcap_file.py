"""Runs as MCAP files, for Foxglove and other viewers: JSON messages on channels with schemas.

The channel `state` has q, v and tau by names of joints, `poses` the poses of bodies, `contacts` the
contacts, `energy` the ledger; each message carries its time.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.files import replacing
from tarsus.simulation.energy import BY_JOINT, STORED, WORKS
from tarsus.simulation.trajectory import Trajectory

SCHEMA = {"type": "object", "additionalProperties": True}


def write_mcap(run: Trajectory, path: Path) -> None:
    """Write the run of one state."""
    if run.batch is not None:
        raise ValueError("an .mcap file has one state: save run[0], or use .parquet")
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
