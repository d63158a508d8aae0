"""Joints, as a page is told them: of the tree, welds, loops, and those that are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.model import WORLD
from tarsus.model.description import Loop
from tarsus.spatial import inverse
from tarsus.studio.assembly import LEFT_OUT
from tarsus.studio.carriers import carriers
from tarsus.studio.messages import clean
from tarsus.studio.setting import JOINT_FIELDS
from tarsus.studio.structure import welds_of

if TYPE_CHECKING:
    from tarsus.studio.machine import Machine
    from tarsus.studio.stage import Stage


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
