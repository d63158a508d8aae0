"""Several models as one, models attached to each other, and parts of a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import UnknownNameError, expect, is_triple, numbers, pose, suggestion
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.model.description import Actuator, Description, Joint, Loop
from tarsus.model.editor import Editor
from tarsus.model.keyframes import joined_poses, poses_of
from tarsus.model.model import Model
from tarsus.model.name_references import (
    EXCLUDED,
    PAIR_FRICTIONS,
    SENSORS,
    joints_of,
    with_names,
    without_body,
)
from tarsus.spatial import inverse
from tarsus.spatial import pose as move

# `tarsus.combine`, `attach`, `detach`: several machines as one model, with prefixed names.
#
#     scene = ts.combine(robot, table, box, names=("robot", "table", "box"), at=(None, (1, 0, 0)))
#     armed = ts.attach(arm, gripper, to="hand", name="gripper")
#
# Every name gets the name of its machine in front, as "robot/knee". Joints, gears, loops, shapes
# and forces are kept; machines keep their roots, so that trees stay trees.


SEPARATOR = "/"


def combine(
    *model: Model,
    names: Sequence[str] | None = None,
    at: Sequence[ArrayLike | None] | None = None,
    gravity: ArrayLike | None = None,
    name: str = "scene",
) -> Model:
    """Return one model of several, each at a point (3,) or pose (4, 4), or where it is by itself.

    `names` are put in front of all names, those of the models unless stated. `gravity` (3,) must be
    stated if the models do not agree on it. States go over by `tarsus.join_states`.
    """
    models = model
    if not models:
        raise ValueError("there is no model, must be at least one")
    for each in models:
        expect(each, Model, "model")
    chosen = _names(models, names)
    if at is not None and len(at) != len(models):
        raise ValueError(f"at has {len(at)} places for {len(models)} models")
    places = [None] * len(models) if at is None else list(at)
    parts = [
        _moved(_prefixed(each.description, prefix), place)
        for each, prefix, place in zip(models, chosen, places, strict=True)
    ]
    whole = dataclasses.replace(_joined(parts, name), gravity=_gravity(models, gravity))
    return Model(whole, strict=all(each.strict for each in models))


def attach(
    model: Model,
    tool: Model,
    to: str,
    *,
    at: ArrayLike | None = None,
    name: str | None = None,
) -> Model:
    """Return a model with another one welded to its frame `to`, at a point or pose (4, 4) of it.

    The tool's one root joint is given up; names of the tool get its `name` in front.
    """
    expect(model, Model, "model")
    expect(tool, Model, "tool")
    frame = model.frame(to)
    prefix = tool.name if name is None else name
    stated = _prefixed(tool.description, prefix)
    roots = [joint for joint in stated.joints if joint.parent == WORLD]
    if len(roots) != 1:
        raise ModelError(f"tool {tool.name!r} has {len(roots)} roots, must have one to be attached")
    root = roots[0]
    place = frame.placement if at is None else frame.placement @ placement_of(at, "at")
    if root.kind != "free":
        place = place @ root.placement
    weld = Joint(root.name, "fixed", frame.body, root.child, place)
    joints = [weld if joint is root else joint for joint in stated.joints]
    whole = _joined([model.description, dataclasses.replace(stated, joints=joints)], model.name)
    return Model(whole, strict=model.strict and tool.strict)


def detach(model: Model, body: str) -> Model:
    """Return a model in which a body that was attached, and what it carries, is free."""
    expect(model, Model, "model")
    carrier = {joint.child: joint.name for joint in model.description.joints}
    if body not in carrier:
        raise UnknownNameError(f"there is no body {body!r}{suggestion(body, carrier)}")
    return Editor(model).cut(carrier[body]).build()


def join_states(model: Model, *states: ArrayLike) -> Array:
    """Return q (…, nq) of a combined model from those of its parts, or v (…, nv), in order."""
    arrays = [np.asarray(state, float) for state in states]
    lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    whole = [np.broadcast_to(array, (*lead, array.shape[-1])) for array in arrays]
    found = np.concatenate(whole, axis=-1)
    if found.shape[-1] not in (model.nq, model.nv):
        raise ValueError(
            f"states have {found.shape[-1]} numbers, the model has nq = {model.nq}, nv = {model.nv}"
        )
    return found


def _names(models: Sequence[Model], names: Sequence[str] | None) -> list[str]:
    if names is None:
        names = [model.name for model in models]
    if isinstance(names, str) or len(names) != len(models):
        raise ValueError(f"names are {names!r}, must be one for each of {len(models)} models")
    for name in names:
        if list(names).count(name) > 1:
            raise ValueError(f"two models are called {name!r}: state names, one for each")
    return list(names)


def _gravity(models: Sequence[Model], gravity: ArrayLike | None) -> Array:
    if gravity is not None:
        return np.array(numbers(gravity, (3,), "gravity"))
    stated = [model.description.gravity for model in models]
    for model, each in zip(models, stated, strict=True):
        if not np.array_equal(each, stated[0]):
            raise ValueError(
                f"gravity is {each} for {model.name!r} and {stated[0]} for {models[0].name!r}: "
                "state gravity="
            )
    return stated[0]


def _prefixed(stated: Description, prefix: str) -> Description:
    """Return a description with a word in front of all names but that of the world."""

    def new(name: str) -> str:
        return name if name in (WORLD, "") else f"{prefix}{SEPARATOR}{name}"

    return with_names(stated, new)


def placement_of(at: ArrayLike, what: str) -> Array:
    """Return the placement (4, 4) of a point (3,) or of a pose (4, 4)."""
    return move(np.array(numbers(at, (3,), what))) if is_triple(at) else pose(at, what)


def _moved(stated: Description, at: ArrayLike | None) -> Description:
    """Return a description whose roots, and what is on the world, are at a place."""
    if at is None:
        return stated
    place = placement_of(at, "at")

    def follow(elements: Sequence[Any], on: Callable[[Any], str]) -> list[Any]:
        return [
            dataclasses.replace(each, placement=place @ each.placement)
            if on(each) == WORLD
            else each
            for each in elements
        ]

    loops = [
        dataclasses.replace(
            loop,
            placement_a=place @ loop.placement_a if loop.body_a == WORLD else loop.placement_a,
            placement_b=place @ loop.placement_b if loop.body_b == WORLD else loop.placement_b,
        )
        for loop in stated.loops
    ]
    return dataclasses.replace(
        stated,
        joints=follow(stated.joints, lambda joint: joint.parent),
        frames=follow(stated.frames, lambda frame: frame.body),
        shapes=follow(stated.shapes, lambda shape: shape.body),
        loops=loops,
    )


def _joined(parts: Sequence[Description], name: str) -> Description:
    def every(key: str) -> list[Any]:
        return [each for part in parts for each in getattr(part, key)]

    metadata: dict[str, Any] = {}
    for part in parts:
        metadata |= part.metadata
    metadata |= joined_poses(part.metadata for part in parts)
    for key in (EXCLUDED, PAIR_FRICTIONS):
        if pairs := [pair for part in parts for pair in part.metadata.get(key, ())]:
            metadata[key] = pairs
    sensors = {name: x for part in parts for name, x in part.metadata.get(SENSORS, {}).items()}
    if sensors:
        metadata[SENSORS] = sensors
    keys = (
        "bodies",
        "joints",
        "couplings",
        "loops",
        "frames",
        "shapes",
        "forces",
        "actuators",
        "warnings",
    )
    lists: Mapping[str, Any] = {key: every(key) for key in keys}
    return Description(name, **lists, gravity=parts[0].gravity, metadata=metadata)


# Reduced models: joints that are locked where they are, bodies that are left out.


def locked(model: Model, joints: Iterable[str], q: ArrayLike | None = None) -> Model:
    """Return a model in which joints are welded as they are at q (nq,), neutral unless stated.

    What follows a locked joint by a gear or a coupling is locked with it, rotors included. Loops
    that nothing moves any more are left out.
    """
    expect(model, Model, "model")
    names = [joints] if isinstance(joints, str) else list(joints)
    for name in names:
        model.joint(name)
    at = model.neutral() if q is None else numbers(q, (model.nq,), "q")
    fixed = _with_followers(model.description, set(names))
    stated = model.description
    welded = [
        _welded(model, joint, at) if joint.name in fixed else joint for joint in stated.joints
    ]
    changed = dataclasses.replace(
        stated,
        joints=welded,
        couplings=[x for x in stated.couplings if fixed.isdisjoint({*x.leaders, *x.followers})],
        loops=_loops(stated, welded, fixed),
        forces=[force for force in stated.forces if fixed.isdisjoint(_joints(force))],
        actuators=_actuators(model, fixed, at),
    )
    moving = {joint.name for joint in welded if joint.kind != "fixed"}
    left = {actuator.name for actuator in changed.actuators}
    metadata = poses_of(stated.metadata, moving, left)
    return Model(dataclasses.replace(changed, metadata=metadata), strict=model.strict)


def without(model: Model, bodies: Iterable[str]) -> Model:
    """Return a model without bodies, and without all that hangs on them."""
    expect(model, Model, "model")
    gone = [bodies] if isinstance(bodies, str) else list(bodies)
    for name in gone:
        model.frame(name)
    stated = model.description
    branch = _branch(stated, set(gone))
    lost = {joint.name for joint in stated.joints if joint.child in branch}
    couplings = [x for x in stated.couplings if lost.isdisjoint({*x.leaders, *x.followers})]
    forces = [force for force in stated.forces if lost.isdisjoint(_joints(force))]
    stated = dataclasses.replace(stated, couplings=couplings, forces=forces)
    for name in branch:
        stated = without_body(stated, name)
    return Model(stated, strict=model.strict)


def _with_followers(stated: Description, names: set[str]) -> set[str]:
    """Return joints with all that are coupled to them."""
    found = set(names)
    while True:
        tied = [{*x.leaders, *x.followers} for x in stated.couplings]
        more = {name for tie in tied if not found.isdisjoint(tie) for name in tie} - found
        if not more:
            return found
        found |= more


def _welded(model: Model, joint: Joint, q: np.ndarray) -> Joint:
    parent = np.eye(4) if joint.parent == WORLD else model.frame_pose(q, joint.parent)
    place = inverse(parent) @ model.frame_pose(q, joint.child)
    return Joint(joint.name, "fixed", joint.parent, joint.child, place, source=joint.source)


def _loops(stated: Description, joints: list[Joint], fixed: set[str]) -> list[Loop]:
    """Return the loops between bodies that still move against each other."""
    parents = {joint.child: joint for joint in joints}

    def whole(body: str) -> str:
        while body in parents and parents[body].kind == "fixed":
            body = parents[body].parent
        return body

    kept = [loop for loop in stated.loops if whole(loop.body_a) != whole(loop.body_b)]
    return [
        dataclasses.replace(
            loop,
            independent=None if fixed & {*(loop.independent or ())} else loop.independent,
            start={name: value for name, value in loop.start.items() if name not in fixed},
        )
        for loop in kept
    ]


def _actuators(model: Model, fixed: set[str], q: np.ndarray) -> list[Actuator]:
    """Return the actuators of joints that still move; what is locked adds to their lengths."""
    positions, found = model.joint_positions(q), []
    for actuator in model.actuators:
        held = {name: gear for name, gear in actuator.joints.items() if name in fixed}
        left = {name: gear for name, gear in actuator.joints.items() if name not in fixed}
        shift = sum(
            gear * float(positions[model.joint(name).position_slice][0])
            for name, gear in held.items()
        )
        if any(left.values()):
            (gain, bias) = (
                np.array([law[0] + law[1] * shift, *law[1:]])
                for law in (actuator.gain, actuator.bias)
            )
            found.append(dataclasses.replace(actuator, joints=left, gain=gain, bias=bias))
    return found


def _branch(stated: Description, bodies: set[str]) -> list[str]:
    """Return bodies and all that hang on them, those that carry none first."""
    found = set(bodies)
    order = [joint.child for joint in stated.joints]
    grew = True
    while grew:
        more = {joint.child for joint in stated.joints if joint.parent in found} - found
        found |= more
        grew = bool(more)
    depth = dict.fromkeys(order, 0)
    carrier = {joint.child: joint.parent for joint in stated.joints}
    for name in order:
        up = name
        while up in carrier:
            up, depth[name] = carrier[up], depth[name] + 1
    return sorted(found, key=lambda name: -depth.get(name, 0))


def _joints(force: object) -> set[str]:
    own = getattr(force, "joint", None)
    return {*joints_of(force), *([own] if isinstance(own, str) else [])}
