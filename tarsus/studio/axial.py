"""The force along a rod: what its middle bears, from all that pulls and pushes at it."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry.candidates import GROUND
from tarsus.model import WORLD, Model
from tarsus.model.description import Shape
from tarsus.studio.machine import Machine
from tarsus.studio.sensing import joint_wrenches

SLENDER = 3.0
"""A rod is this much longer than it is wide."""
Pull = tuple[Array, Array]
"""A point of the world (3,) [m], and the force there (3,) [N]."""


def rods(model: Model) -> dict[str, tuple[Array, Array, float]]:
    """Return long bodies that close no loop: middle (3,) and way (3,) in the body, length [m]."""
    loops = model.description.loops
    ends = {name for each in loops for name in (each.body_a, each.body_b)} - {WORLD}
    closed = {model.frame(name).body for name in ends}
    found = {}
    for shape in model.description.shapes:
        axis, length = _longest(shape)
        if shape.body == WORLD or not length > 0.0:
            continue
        if model.frame(shape.body).body not in closed:
            found[shape.body] = (shape.placement[:3, 3], shape.placement[:3, axis], length)
    return found


def axial_force(machine: Machine, body: str) -> float:
    """Return the tension in the middle of a rod in the last step [N], negative if it is pressed.

    The halves of the rod are balanced: what pulls at them, less what turns with them.
    """
    if machine.acceleration is None:
        return float("nan")
    middle, way, length = rods(machine.model)[body]
    pose = machine.pose(body)
    center, along = pose[:3, :3] @ middle + pose[:3, 3], pose[:3, :3] @ way
    pulls = _pulls(machine, machine.model.body(machine.model.frame(body).body).index)
    torn = sum(float(np.sign((at - center) @ along)) * float(force @ along) for at, force in pulls)
    mass = next(each.mass for each in machine.model.description.bodies if each.name == body)
    turning = machine.model.frame_velocity(machine.q, machine.v, body)[3:]
    across = np.cross(turning, pose[:3, :3] @ way)
    return 0.5 * torn + mass * float(across @ across) * length / 8


def _pulls(machine: Machine, index: int) -> list[Pull]:
    """Return all forces on a moving body in the last step: contacts, parts, joints."""
    model, found = machine.model, []
    poses = model.forward_kinematics(machine.q)
    name = model.body_names[index]
    for contact in machine.simulation.contacts_now():
        for body, sign in ((contact.body, 1.0), (contact.other, -1.0)):
            if body != GROUND and model.frame(body).body == name:
                found.append((contact.point, sign * contact.force))
    for handle in machine.simulation.parts.values():
        stated = handle.part.statement(model)
        for place, sign in ((stated.b, 1.0), (stated.a, -1.0)):
            if place is not None and place.body == index:
                found.append((place.pose(poses[None])[0, :3, 3], sign * handle.force))
    wrenches = list(joint_wrenches(machine).values())
    parents = [model.body(each).parent for each in model.body_names]
    for k, wrench in enumerate(wrenches):
        force = poses[k][:3, :3] @ wrench[:3]
        if k == index and model.joints[k].kind != "free":
            found.append((poses[k][:3, 3], force))
        elif parents[k] == index:
            found.append((poses[k][:3, 3], -force))
    return found


def _longest(shape: Shape) -> tuple[int, float]:
    """Return the axis and the length of a shape that is a rod, 0 and 0 for others."""
    size = np.ravel(shape.size)
    if shape.kind in ("cylinder", "capsule"):
        return (2, float(size[1])) if size[1] > 2 * SLENDER * size[0] else (0, 0.0)
    if shape.kind != "box":
        return 0, 0.0
    axis = int(np.argmax(size))
    return (axis, float(size[axis])) if size[axis] > SLENDER * np.sort(size)[1] else (0, 0.0)
