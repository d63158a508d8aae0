"""From a description to the arrays of the core: order the tree, weld fixed joints, number all.

Moving bodies are numbered in the order in which their joints were stated, each after its
parent. A body on a fixed joint adds its mass to the body that carries it and stays as a frame.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tarsus import _core
from tarsus.model import inertia
from tarsus.model.checks import read_only
from tarsus.model.description import (
    WORLD,
    Array,
    Body,
    Description,
    Frame,
    Joint,
    ModelError,
    Shape,
)
from tarsus.model.validation import KINDS, QUATERNION

DEFAULTS = {"lower": -np.inf, "upper": np.inf, "velocity_limit": np.inf, "effort_limit": np.inf}

IDENTITY = read_only(np.eye(4))
Placed = TypeVar("Placed", Frame, Shape)


@dataclass(frozen=True)
class Tree:
    """A compiled mechanism: `joints[i]` carries `bodies[i]` on the body `parents[i]`.

    Joints have all their arrays filled in; frames and shapes are placed on moving bodies or
    on the world, and every declared body has a frame. `welded` maps a welded body to the
    moving body, or the world, that carries it.
    """

    bodies: list[Body]
    joints: list[Joint]
    parents: list[int]
    placements: list[Array]
    frames: list[Frame]
    shapes: list[Shape]
    welded: dict[str, str]
    warnings: list[str]


def build_tree(description: Description, *, strict: bool) -> Tree:
    """Order and weld a checked description; see `tarsus.Model` for `strict`."""
    order = _ordered(description)
    parts: dict[str, list[tuple[Body, Array]]] = {WORLD: []}
    bodies = {body.name: body for body in description.bodies}
    carrier = {WORLD: (WORLD, IDENTITY)}  # body -> who carries it, and where on that one
    for joint in order:
        if joint.kind == "fixed":
            whole, at = carrier[joint.parent]
            carrier[joint.child] = (whole, at @ joint.placement)
        else:
            carrier[joint.child] = (joint.child, IDENTITY)
            parts[joint.child] = []
        whole, at = carrier[joint.child]
        parts[whole].append((bodies[joint.child], at))

    warnings = inertia.check_parts(description.bodies, strict=strict)
    groups = [(inertia.merge(name, members), members) for name, members in parts.items() if members]
    inertia.check_welded(groups)

    def place(element: Placed) -> Placed:
        whole, at = carrier[element.body]
        placement = read_only(at @ element.placement)
        return dataclasses.replace(element, body=whole, placement=placement)

    moving = [joint for joint in order if joint.kind != "fixed"]
    index = {WORLD: -1} | {joint.child: i for i, joint in enumerate(moving)}
    own = [Frame(body.name, body.name, IDENTITY, body.source) for body in description.bodies]
    return Tree(
        bodies=[whole for whole, _ in groups if whole.name != WORLD],
        joints=[_filled(joint) for joint in moving],
        parents=[index[carrier[joint.parent][0]] for joint in moving],
        placements=[read_only(carrier[joint.parent][1] @ joint.placement) for joint in moving],
        frames=[place(frame) for frame in own + description.frames],
        shapes=[place(shape) for shape in description.shapes],
        welded={name: whole for name, (whole, _) in carrier.items() if name != whole},
        warnings=warnings,
    )


def core_arguments(tree: Tree, gravity: Array) -> dict[str, Any]:
    """Return the keyword arguments of the core's constructor."""
    bodies, joints = tree.bodies, tree.joints
    index = {WORLD: -1} | {body.name: i for i, body in enumerate(bodies)}

    per_velocity = ("armature", "damping", "friction", "stiffness")
    return {
        "parents": tree.parents,
        "kinds": [joint.kind for joint in joints],
        "placements": _stack(tree.placements, (4, 4)),
        "axes": _stack([(joint.axis, joint.second_axis) for joint in joints], (2, 3)),
        "pitches": _stack([joint.pitch for joint in joints], ()),
        "masses": _stack([body.mass for body in bodies], ()),
        "coms": _stack([body.com for body in bodies], (3,)),
        "inertias": _stack([0.5 * (body.inertia + body.inertia.T) for body in bodies], (3, 3)),
        "gravity": gravity,
        **{key: gathered(tree, key) for key in (*per_velocity, "rest", "lower", "upper")},
        "frame_names": [frame.name for frame in tree.frames],
        "frame_bodies": [index[frame.body] for frame in tree.frames],
        "frame_placements": _stack([frame.placement for frame in tree.frames], (4, 4)),
    }


def gathered(tree: Tree, key: str) -> Array:
    """Return one property of all joints, (nq,) or (nv,), read-only."""
    parts = [getattr(joint, key) for joint in tree.joints]
    return read_only(np.concatenate([np.zeros(0), *parts]))


def neutral(kind: str) -> Array:
    """Return the neutral configuration of a joint kind: zeros, and the identity quaternion."""
    q = np.zeros(KINDS[kind][0])
    if kind in QUATERNION:
        q[QUATERNION[kind].stop - 1] = 1.0
    return q


def _ordered(description: Description) -> list[Joint]:
    """Return the joints in the order in which they were stated, each after its parent's."""
    carried: dict[str, Joint] = {}
    for joint in description.joints:
        if joint.child == WORLD:
            raise ModelError(f"joint {joint.name!r}: the world cannot be a child", joint.source)
        if joint.child in carried:
            first = carried[joint.child].name
            raise ModelError(
                f"joint {joint.name!r}: body {joint.child!r} already hangs on joint {first!r}; "
                "a body has one parent joint",
                joint.source,
            )
        carried[joint.child] = joint
    for body in description.bodies:
        if body.name not in carried:
            raise ModelError(
                f"body {body.name!r} hangs on no joint; add one that carries it on another body "
                f"or on {WORLD!r}, say of kind 'fixed' or 'free'",
                body.source,
            )
    order: dict[str, Joint] = {}
    for joint in description.joints:
        path = _path_up(joint, carried, order)
        order.update((member.name, member) for member in reversed(path))
    return list(order.values())


def _path_up(joint: Joint, carried: dict[str, Joint], order: dict[str, Joint]) -> list[Joint]:
    """Return `joint` and its ancestors up to the first one that is already ordered."""
    path: dict[str, Joint] = {}
    while joint.name not in order:
        if joint.name in path:
            cycle = " -> ".join([*path, joint.name][list(path).index(joint.name) :])
            raise ModelError(f"joint {joint.name!r}: the tree has a cycle: {cycle}", joint.source)
        path[joint.name] = joint
        if joint.parent == WORLD:
            break
        joint = carried[joint.parent]
    return list(path.values())


def _filled(joint: Joint) -> Joint:
    """Return `joint` with unit axes and an array in place of every default."""
    nq, nv = KINDS[joint.kind]
    default = (1.0, 0.0, 0.0) if joint.kind == "universal" else (0.0, 0.0, 1.0)
    axis = _unit(np.array(default) if joint.axis is None else joint.axis)
    values: dict[str, Array] = {"axis": axis, "second_axis": _second_axis(joint, axis)}
    for key in ("lower", "upper"):
        values[key] = _or_constant(getattr(joint, key), nq, DEFAULTS[key])
    for key in ("velocity_limit", "effort_limit", "damping", "friction", "armature", "stiffness"):
        values[key] = _or_constant(getattr(joint, key), nv, DEFAULTS.get(key, 0.0))
    values["rest"] = read_only(neutral(joint.kind)) if joint.rest is None else joint.rest
    return dataclasses.replace(joint, **values)  # type: ignore[arg-type]


def _second_axis(joint: Joint, axis: Array) -> Array:
    if joint.second_axis is not None:
        return _unit(joint.second_axis)
    if joint.kind != "universal":
        return np.array([1.0, 0.0, 0.0])  # not used
    # x, y, z are followed by y, z, x, other axes by some perpendicular one
    return np.array(_core.axis_rotation(axis)[:, 0])


def _unit(vector: Array) -> Array:
    # a vector that already is a unit vector keeps its bits
    norm = math.sqrt(vector @ vector)
    return read_only(vector if norm == 1.0 else vector / norm)


def _or_constant(value: Array | None, size: int, default: float) -> Array:
    return _constant(size, default) if value is None else value


@functools.cache
def _constant(size: int, value: float) -> Array:
    return read_only(np.full(size, value))


def _stack(values: list[Any], shape: tuple[int, ...]) -> Array:
    return np.array(values, dtype=np.float64).reshape((len(values), *shape))
