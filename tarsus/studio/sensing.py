"""What can be felt in a machine: forces of contacts and parts on bodies, and in its joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry.candidates import GROUND
from tarsus.model import Model
from tarsus.parts.part import Statement
from tarsus.studio.machine import Machine


def external_wrenches(machine: Machine) -> Array:
    """Return what contacts and parts did in the last step (bodies, 6), in axes of the bodies."""
    model = machine.model
    poses = model.forward_kinematics(machine.q)
    found = np.zeros((model.n_bodies, 6))
    for contact in machine.simulation.contacts_now():
        for body, sign in ((contact.body, 1.0), (contact.other, -1.0)):
            if body not in (GROUND, "world"):
                index = model.body(body).index
                found[index] += _on(poses[index], contact.point, sign * contact.force, np.zeros(3))
    for handle in machine.simulation.parts.values():
        stated = handle.part.statement(model)
        if stated.coordinates in ("frame", "line", "path", "body"):
            _add_part(found, poses, stated, handle.force, handle.torque)
    return found


def joint_wrenches(machine: Machine) -> dict[str, Array]:
    """Return what each joint did to its body in the last step (6,) [N, N m], in axes of the body.

    Forces of fields, springs of joints and motors are inside of joints or are left out.
    """
    if machine.acceleration is None:
        return {}
    model = machine.model
    state = machine.q, machine.v, machine.acceleration
    wrenches = model.reaction_wrenches(*state, external_wrenches(machine))
    return {joint.name: wrenches[k] for k, joint in enumerate(model.joints)}


def loop_wrenches(machine: Machine) -> dict[str, Array]:
    """Return what loops of clusters did to their second body in the last step (6,), in frame b.

    Of forces that cannot be told apart, as of hinges in a plane, the smallest.
    """
    model = machine.model
    names = loop_names(model)
    if machine.acceleration is None or not names:
        return {}
    state = machine.q, machine.v, machine.acceleration
    wrenches = model.loop_wrenches(*state, external_wrenches(machine))
    stated = [loop.name for loop in model.description.loops]
    return {name: wrenches[stated.index(name)] for name in names}


def loop_names(model: Model) -> list[str]:
    """Return the loops that clusters close; others are constraints of the simulation."""
    held = {str(getattr(each, "name", each)) for each in model.constraints}
    return [loop.name for loop in model.description.loops if loop.name not in held]


def tension(machine: Machine, part: str) -> float:
    """Return what a spring, string or rod between two points pulls with [N], negative: pushes."""
    handle = machine.simulation.parts[part]
    stated = handle.part.statement(machine.model)
    poses = machine.model.forward_kinematics(machine.q)
    a, b = (_place(stated_end, poses) for stated_end in (stated.a, stated.b))
    length = float(np.linalg.norm(b - a))
    return float(handle.force @ (a - b)) / length if length > 0.0 else 0.0


def _place(end: Any, poses: Array) -> Array:
    if end.body < 0:
        return np.asarray(end.placement[:3, 3])
    return np.asarray(end.pose(poses[None])[0, :3, 3])


def _add_part(found: Array, poses: Array, stated: Statement, force: Array, torque: Array) -> None:
    """Add the wrench of a part on b, and its opposite on a, at the point of b."""
    assert stated.b is not None
    point = stated.b.pose(poses[None])[0, :3, 3]
    for place, sign in ((stated.b, 1.0), (stated.a, -1.0)):
        if place is not None and place.body >= 0:
            found[place.body] += _on(poses[place.body], point, sign * force, sign * torque)


def _on(pose: Array, point: Array, force: Array, torque: Array) -> Array:
    """Return a force at a point of the world as a wrench (6,) at a body's origin, in its axes."""
    turn = pose[:3, :3].T
    moment = torque + np.cross(point - pose[:3, 3], force)
    return np.concatenate([turn @ force, turn @ moment])
