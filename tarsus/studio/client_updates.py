"""Updates for the pages: scenes, joints, changes."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.description import Loop
from tarsus.model.model import Model
from tarsus.parts.constraints import CONSTRAINTS
from tarsus.parts.part import Part, place_of, split
from tarsus.simulation.errors import SimulationError
from tarsus.spatial import inverse
from tarsus.studio import assembly as structure
from tarsus.studio import messages
from tarsus.studio.appearance import ground_numbers
from tarsus.studio.assembly import LEFT_OUT, welds_of
from tarsus.studio.document import carriers
from tarsus.studio.editing import JOINT_FIELDS, number_at
from tarsus.studio.messages import all_quantities, clean
from tarsus.studio.session import Stage
from tarsus.studio.sizing import sized
from tarsus.studio.work import spoken

if TYPE_CHECKING:
    from tarsus.studio.live_model import Machine


# What pages have been told, and what is new to them: shapes, the scene, frames, what happened.


Message = str | bytes


class News:
    """Looks at a stage for all of its pages; whoever asks holds the stage's lock.

    Shapes are large and seldom change, so they have a message of their own, with a number to which
    scenes refer; that of one machine on one ground is made once.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._seen: tuple[Any, ...] = ()
        self._revision = -1
        self._shapes: tuple[Model, Any, str] | None = None
        self._number = 0

    def first(self) -> list[Message]:
        """Return all that a new page needs."""
        return [self._shapes_now()[0], self._scene(), messages.frame(self.stage, 0.0)]

    def since(self, rate: float) -> list[Message]:
        """Return what is new since the last time; `rate` is how fast the machine's time goes."""
        stage = self.stage
        told, stage.told[:] = list(stage.told), []
        seen = (
            *(stage.revision, stage.moved, stage.t, stage.looking, stage.playing),
            *(round(rate, 2), stage.work.text),
        )
        if seen == self._seen and not told:
            return []
        changed = stage.revision != self._revision
        self._seen, self._revision = seen, stage.revision
        out: list[Message] = [
            json.dumps({"kind": "echo", "line": "", "text": text, "ok": True, "field": ""})
            for text in told
        ]
        if changed:
            shapes, new = self._shapes_now()
            out += [shapes] if new else []
            out.append(self._scene())
        return [*out, messages.frame(stage, rate)]

    def _scene(self) -> str:
        return json.dumps(messages.clean({**scene(self.stage), "shapes": self._number}))

    def _shapes_now(self) -> tuple[str, bool]:
        """Return the shapes as they are now, and whether they are new."""
        machine = self.stage.machine
        model, ground = machine.model, machine.document.ground
        if self._shapes is not None and self._shapes[0] is model and self._shapes[1] is ground:
            return self._shapes[2], False
        self._number += 1
        text = json.dumps(messages.clean(messages.shapes(machine, self._number)))
        self._shapes = model, ground, text
        return text, True


# The scene, as a page is told it: bodies, joints, parts, settings, charts, and what is amiss.


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


# Joints, as a page is told them: of the tree, welds, loops, and those that are left out.


def joints(stage: Stage) -> list[dict[str, Any]]:
    """Return all joints as plain data; `amiss` says why one does nothing."""
    document, machine = stage.document, stage.machine
    stated = document.description
    names = carriers(stated)
    found = []
    for joint in stated.joints:
        if joint.kind not in ("free", "fixed"):
            one = _joint(machine, joint.name, joint.kind, joint.parent, joint.placement)
            axis = None if joint.axis is None else np.ravel(joint.axis).tolist()
            fields = _fields(stage, joint.name)
            found.append(
                one | {"b": names.get(joint.child, joint.child), "axis": axis, "fields": fields}
            )
    for weld in welds_of(stated):
        one = _joint(machine, weld.name, "weld", weld.parent, weld.placement)
        found.append(one | {"b": weld.child})
    found += [_loop(machine, loop) | {"loop": True} for loop in stated.loops]
    left_out = document.left_out
    return found + [_loop(machine, loop) | {"amiss": LEFT_OUT} for loop in left_out]


def _fields(stage: Stage, name: str) -> dict[str, Any]:
    view = stage.machine.model.joint(name)
    return {
        field: {"value": clean(np.ravel(getattr(view, field)).tolist()), "unit": ""}
        for field in JOINT_FIELDS
        if hasattr(view, field)
    }


def _loop(machine: Machine, loop: Loop) -> dict[str, Any]:
    one = _joint(machine, loop.name, loop.kind, loop.body_a, loop.placement_a)
    other = _joint(machine, loop.name, loop.kind, loop.body_b, loop.placement_b)
    return one | {"b": other["a"], "pose_b": other["pose_a"], "axis": [0.0, 0.0, 1.0]}


def _joint(machine: Machine, name: str, kind: str, body: str, placement: Array) -> dict[str, Any]:
    """Return a joint at a placement (4, 4) on a body, told of the body that people know."""
    known = machine.owner(body)
    if known != body and body != WORLD:
        frame = machine.model.frame
        placement = inverse(frame(known).placement) @ frame(body).placement @ placement
    return {
        "name": name,
        "kind": kind,
        "a": known,
        "pose_a": placement.ravel().tolist(),
        "axis": None,
        "loop": False,
        "amiss": "",
        "fields": {},
    }
