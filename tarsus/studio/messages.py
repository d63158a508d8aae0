"""What a page is told: the scene whenever it changes, and frames of the motion.

A scene is JSON. A frame is binary: the length of a JSON header (four bytes, little-endian), the
header, padded with spaces to a multiple of four, then numbers (float32): poses of bodies (rows of
3×4), arrows (point, vector), lines (from, to).
"""

from __future__ import annotations

import base64
import dataclasses
import fnmatch
import json
import math
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.constraint import CONSTRAINTS
from tarsus.parts import Part, place_of
from tarsus.parts.place import split
from tarsus.studio import structure
from tarsus.studio.looks import arrows, lines, surfaces_of
from tarsus.studio.quantities import quantities, residual
from tarsus.studio.setting import JOINT_FIELDS

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

UNITS = {
    "mass": "kg",
    "stiffness": "N/m",
    "damping": "N s/m",
    "rest_length": "m",
    "length": "m",
    "limit": "N",
    "time_constant": "s",
    "slope": "rad",
    "force": "N",
    "torque": "N m",
    "linear": "N s/m",
    "angular": "N m s/rad",
}


def scene(stage: Stage) -> dict[str, Any]:
    """Return all that a page needs to draw and to edit, as plain data."""
    document, machine = stage.document, stage.machine
    surfaces, size, ground = surfaces_of(machine)
    bodies = machine.bodies()
    masses = {body.name: body.mass for body in document.description.bodies}
    return {
        "kind": "scene",
        "revision": stage.revision,
        "name": document.description.name,
        "size": size,
        "gravity": [float(x) for x in document.description.gravity],
        "bodies": [
            {
                "name": body.name,
                "mass": masses[body.name],
                "group": next(
                    (g for g, names in document.groups.items() if body.name in names), ""
                ),
                "surfaces": surfaces[k],
                "fields": {"m": {"value": masses[body.name], "unit": "kg"}},
            }
            for k, body in enumerate(bodies)
        ],
        "joints": [*_joints(stage), *_loops(stage)],
        "parts": [_part(stage, part) for part in document.parts.values()],
        "ground": ground,
        "settings": {"dt": document.dt, "speed": stage.speed, "contact": str(document.contact)},
        "sliders": [
            {"name": name, **dataclasses.asdict(each), "value": value_at(stage, each.target)}
            for name, each in document.sliders.items()
        ],
        "bindings": dict(document.bindings),
        "charts": [{"name": name, "unit": unit} for name, unit in _charted(stage)],
        "shown": sorted(document.shown),
        "groups": {name: list(names) for name, names in document.groups.items()},
        "clusters": structure.clusters(machine),
        "loops": structure.loops(machine),
        "notes": notes(stage),
        "undo": stage.edits[-1].line if stage.edits else "",
        "redo": stage.undone[-1].line if stage.undone else "",
        "walks": document.walker is not None,
        "gait": None if stage.gait is None else stage.gait.report(),
        "guide": None if document.guide is None else dataclasses.asdict(document.guide),
    }


def frame(stage: Stage, rate: float) -> bytes:
    """Return the machine as it is looked at now."""
    machine, looking = stage.machine, stage.looking
    q = None if looking is None or looking.model is not machine.model else looking.q
    poses = machine.poses(q)
    live = looking is None
    named, forces = arrows(stage) if live else ([], np.zeros((0, 6)))
    strings, ends = lines(stage, poses)
    header = {
        "kind": "frame",
        "revision": stage.revision,
        "t": stage.t if looking is None else looking.t,
        "end": stage.recording.span[1],
        "begin": stage.recording.span[0],
        "playing": stage.playing,
        "rate": rate,
        "bodies": len(poses),
        "arrows": named,
        "lines": strings,
        "values": stage.recording.moments[-1].values if live else looking.values,  # type: ignore[union-attr]
        "residual": residual(stage.machine),
    }
    data = np.concatenate([poses[:, :3].ravel(), forces.ravel(), ends.ravel()]).astype("<f4")
    return packed(header, data)


def packed(header: dict[str, Any], data: Array) -> bytes:
    """Return a header and numbers as one binary message."""
    text = json.dumps(clean(header)).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<I", len(text)) + text + data.tobytes()


def history(stage: Stage) -> dict[str, Any]:
    """Return what was charted since the beginning."""
    moments = stage.recording.moments
    names = stage.document.charts
    values = {name: [moment.values.get(name) for moment in moments] for name in names}
    return {"kind": "history", "t": [moment.t for moment in moments], "values": values}


def all_quantities(stage: Stage) -> dict[str, str]:
    """Return the names of all numbers that can be charted, and their units."""
    return {name: each.unit for name, each in quantities(stage.machine).items()}


def notes(stage: Stage) -> list[str]:
    """Return what a person should know: what repeats or contradicts, what passes what."""
    machine = stage.machine
    found = [f"{a} and {b} pass each other" for a, b in machine.passing]
    if stage.document.parts or machine.model.constraints:
        diagnosis = machine.simulation.diagnose(machine.q)
        found += [f"redundant: {group}" for group in diagnosis.redundant]
        found += [f"in conflict: {group}" for group in diagnosis.conflicts]
    return found


def clean(value: Any) -> Any:
    """Return plain data that JSON has: no infinities, no arrays."""
    if isinstance(value, dict):
        return {str(key): clean(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(each) for each in value]
    if isinstance(value, np.ndarray):
        return clean(value.tolist())
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    return value


def value_at(stage: Stage, target: str) -> float | None:
    """Return the number that a slider moves, None if it is gone."""
    name, _, field = target.rpartition(".")
    document = stage.document
    name = next((each for each in document.parts if fnmatch.fnmatchcase(each, name)), name)
    if name in document.parts:
        value = getattr(document.parts[name], field, None)
    elif name == "ground":
        value = getattr(document.ground, field, None)
    else:
        value = None
    return float(value) if isinstance(value, (int, float)) else None


def pack(array: Any, kind: str) -> str:
    """Return an array as base64."""
    return base64.b64encode(np.ascontiguousarray(array, kind).tobytes()).decode()


def _joints(stage: Stage) -> list[dict[str, Any]]:
    found = []
    names = {body.name for body in stage.document.description.bodies}
    for joint in stage.document.description.joints:
        if joint.kind in ("free", "fixed") or joint.child not in names:
            continue
        view = stage.machine.model.joint(joint.name)
        fields = {
            field: {"value": clean(np.ravel(getattr(view, field, ())).tolist()), "unit": ""}
            for field in JOINT_FIELDS
            if hasattr(view, field)
        }
        found.append(
            {
                "name": joint.name,
                "kind": joint.kind,
                "a": joint.parent,
                "b": structure.owner(stage.machine, joint.child),
                "pose_a": joint.placement.ravel().tolist(),
                "axis": None if joint.axis is None else np.ravel(joint.axis).tolist(),
                "loop": False,
                "fields": fields,
            }
        )
    return found


def _loops(stage: Stage) -> list[dict[str, Any]]:
    return [
        {
            "name": loop.name,
            "kind": loop.kind,
            "a": loop.body_a,
            "b": loop.body_b,
            "pose_a": loop.placement_a.ravel().tolist(),
            "axis": [0.0, 0.0, 1.0],
            "loop": True,
            "fields": {},
        }
        for loop in stage.document.description.loops
    ]


def _part(stage: Stage, part: Part) -> dict[str, Any]:
    stated = {each.name: getattr(part, each.name) for each in dataclasses.fields(part)}
    places = {
        key: _place(stage, value) for key, value in stated.items() if key in ("a", "b", "where")
    }
    fields = {
        key: {"value": clean(value), "unit": UNITS.get(key, "")}
        for key, value in stated.items()
        if key not in ("name", "source", "a", "b", "where")
        and isinstance(value, (int, float, str, tuple, type(None)))
    }
    return {
        "name": part.name,
        "kind": part.kind,
        "role": "constraint" if part.kind in CONSTRAINTS else "force",
        "a": places.get("a") or places.get("where"),
        "b": places.get("b"),
        "on": bool(stage.machine.simulation.parts[part.name].on),
        "fields": fields,
    }


def _place(stage: Stage, where: Any) -> dict[str, Any]:
    place = place_of(stage.machine.model, where, "where")
    name, _ = split(where)
    local = place.placement
    if name in stage.machine.model.frame_names:
        frame = stage.machine.model.frame(name)
        local = np.linalg.inv(frame.placement) @ place.placement
    return {"body": name, "point": local[:3, 3].tolist()}


def _charted(stage: Stage) -> list[tuple[str, str]]:
    known = all_quantities(stage) if stage.document.charts else {}
    return [(name, known.get(name, "")) for name in stage.document.charts]
