"""The scene, as a page is told it: bodies, joints, parts, settings, charts, and what is amiss."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.constraint import CONSTRAINTS
from tarsus.parts import Part, place_of
from tarsus.parts.place import split
from tarsus.simulation import SimulationError
from tarsus.studio import structure
from tarsus.studio.knobs import number_at
from tarsus.studio.looks import ground_numbers
from tarsus.studio.messages import all_quantities, clean
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
    masses = {body.name: body.mass for body in document.description.bodies}
    return {
        "kind": "scene",
        "revision": stage.revision,
        "name": document.description.name,
        "gravity": [float(x) for x in document.description.gravity],
        "bodies": [
            {
                "name": body.name,
                "mass": masses[body.name],
                "group": next(
                    (g for g, names in document.groups.items() if body.name in names), ""
                ),
                "fields": {"m": {"value": masses[body.name], "unit": "kg"}},
            }
            for body in machine.bodies()
        ],
        "joints": [*_joints(stage), *_loops(stage)],
        "parts": [_part(stage, part) for part in document.parts.values()],
        "ground": ground_numbers(document.ground),
        "settings": {"dt": document.dt, "speed": stage.speed, "contact": str(document.contact)},
        "sliders": [
            {"name": name, **dataclasses.asdict(each), "value": number_at(stage, each.target)}
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


def notes(stage: Stage) -> list[str]:
    """Return what a person should know: what repeats or contradicts, what passes what."""
    machine = stage.machine
    found = [f"{a} and {b} pass each other" for a, b in machine.passing]
    if stage.document.parts or machine.model.constraints:
        try:
            diagnosis = machine.simulation.diagnose(machine.q)
        except SimulationError as error:  # loops that are torn open
            return [*found, str(error)]
        found += [f"redundant: {group}" for group in diagnosis.redundant]
        found += [f"in conflict: {group}" for group in diagnosis.conflicts]
    return found


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
