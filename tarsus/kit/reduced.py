"""Reduced models: joints that are locked where they are, bodies that are left out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from tarsus.model import WORLD, Model
from tarsus.model.checks import expect, numbers
from tarsus.model.description import Actuator, Description, Joint, Loop
from tarsus.model.poses import poses_of
from tarsus.model.references import joints_of, without_body
from tarsus.spatial import inverse


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
    return Model(dataclasses.replace(changed, metadata=metadata), strict=model._strict)


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
    return Model(stated, strict=model._strict)


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
