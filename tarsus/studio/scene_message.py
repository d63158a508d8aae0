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
from tarsus.studio.assembly import LEFT_OUT
from tarsus.studio.joint_message import joints
from tarsus.studio.knobs import number_at
from tarsus.studio.looks import ground_numbers
from tarsus.studio.messages import all_quantities, clean
from tarsus.studio.sizing import sized
from tarsus.studio.wording import spoken

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
        "bodies": [_body(stage, body.name, masses[body.name]) for body in machine.bodies()],
        "joints": joints(stage),
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


def _body(stage: Stage, name: str, mass: float) -> dict[str, Any]:
    groups = stage.document.groups
    solid = sized(stage.document.description, name)
    sizes = {} if solid is None else solid.sizes
    fields: dict[str, Any] = {
        size: {
            "value": value[0] if len(value) == 1 else value,
            "unit": "" if size == "scale" else "m",
        }
        for size, value in sizes.items()
    }
    return {
        "name": name,
        "mass": mass,
        "group": next((group for group, names in groups.items() if name in names), ""),
        "solid": None if solid is None else solid.solid,
        "fields": fields | {"m": {"value": mass, "unit": "kg"}},
    }


def notes(stage: Stage) -> list[str]:
    """Return what a person should know: what repeats or contradicts, what passes what."""
    machine = stage.machine
    owner = machine.owner
    found = [f"{owner(a)} and {owner(b)} pass each other" for a, b in machine.passing]
    found += [f"{loop.name} {LEFT_OUT}" for loop in stage.document.left_out]
    if stage.document.parts or machine.model.constraints:
        try:
            diagnosis = machine.simulation.diagnose(machine.q)
        except SimulationError as error:  # loops that are torn open
            return [*found, spoken(stage.document.description, str(error))]
        found += [f"redundant: {group}" for group in diagnosis.redundant]
        found += [f"in conflict: {group}" for group in diagnosis.conflicts]
    return found


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
