"""`tarsus.take_apart`: a mechanism as a kit: its bodies free, its joints loop joints.

The kit moves as the mechanism does, and shares little of the arithmetic: an oracle, and a
beginning for building something else from the parts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, suggestion, unused
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.model.assembly.state_transfer import carry
from tarsus.model.description import Description, Joint, Loop
from tarsus.model.loop_joints import LOOP_KINDS, LOST_DYNAMICS, LOST_LIMITS, loop_of
from tarsus.model.loops import without_missing
from tarsus.model.model import Model
from tarsus.model.name_references import consistent, joints_of


@dataclass(frozen=True, eq=False)
class TakenApart:
    """A tree as a kit: `model` is the kit.

    `stayed` tells of each joint that is still one of a tree why it is, `without_limits` names loop
    joints whose limits the kit does not have.
    """

    model: Model
    tree: Model
    stayed: dict[str, str]
    without_limits: tuple[str, ...]

    def to_kit(self, q: ArrayLike, v: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return a state q (…, nq), v (…, nv) of the tree as one of the kit."""
        found = carry(self.tree, self.model, q, v)
        return found.q, found.v

    def to_tree(self, q: ArrayLike, v: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return a state q (…, nq), v (…, nv) of the kit as one of the tree."""
        found = carry(self.model, self.tree, q, v)
        return found.q, found.v

    def __str__(self) -> str:
        loops = len(self.model.description.loops)
        lines = [f"{self.model.name}: {self.model.n_bodies} bodies and {loops} loop joints"]
        lines += [f"{name} stays a joint: {reason}" for name, reason in self.stayed.items()]
        if self.without_limits:
            lines.append(f"without their limits: {', '.join(self.without_limits)}")
        return "\n".join(lines)


def take_apart(model: Model, joints: Sequence[str] | None = None) -> TakenApart:
    """Return the model as a kit: every body free, every joint a loop joint that can be one.

    By default joints stay where a loop joint would not be the same: coupled ones, kinds that loops
    do not have, those with springs, dampers, friction, armature or drives, and fixed ones.
    `joints` names the joints to take apart, and no others; each must be one that can.
    """
    expect(model, Model, "model")
    stated = model.description
    coupled = {name for c in stated.couplings for name in (*c.leaders, *c.followers)}
    acted = {name: force.kind for force in stated.forces for name in joints_of(force)}
    acted |= {name: "drive" for actuator in stated.actuators for name in actuator.joints}
    reasons = {joint.name: _reason(joint, coupled, acted) for joint in stated.joints}
    if joints is None:
        apart = [joint for joint in stated.joints if not reasons[joint.name]]
        apart = [joint for joint in apart if joint.kind != "fixed"]
    else:
        apart = _named(joints, stated, reasons)
    chosen = {joint.name for joint in apart}
    stayed = {
        joint.name: reasons[joint.name] or "it was not named"
        for joint in stated.joints
        if joint.name not in chosen and joint.kind != "fixed" and not _on_world(joint)
    }
    kit = Model(_loose(model, apart), strict=model.strict)
    limits = [joint.name for joint in apart if joint.kind != "free" and _has_limits(joint)]
    return TakenApart(kit, model, stayed, tuple(limits))


def _named(joints: Sequence[str], stated: Description, reasons: dict[str, str]) -> list[Joint]:
    """Return the joints with these names, in the order in which they were stated."""
    names = [joints] if isinstance(joints, str) else list(joints)
    for name in names:
        if name not in reasons:
            raise ModelError(f"joints: there is no joint {name!r}{suggestion(name, reasons)}")
        if reasons[name]:
            raise ModelError(f"joints: {name!r} cannot be taken apart: {reasons[name]}")
    return [joint for joint in stated.joints if joint.name in names]


def _on_world(joint: Joint) -> bool:
    return joint.kind == "free" and joint.parent == WORLD


def _reason(joint: Joint, coupled: set[str], acted: dict[str, str]) -> str:
    """Return why a joint cannot be a loop joint, or nothing."""
    if joint.name in coupled:
        return "it is coupled with others"
    if joint.name in acted:
        return f"a {acted[joint.name]} acts on it"
    if joint.kind != "free" and joint.kind not in LOOP_KINDS:
        return f"there is no loop joint of kind {joint.kind!r}"
    for key in LOST_DYNAMICS:
        if getattr(joint, key) is not None and np.any(getattr(joint, key)):
            return f"a loop joint has no {key}"
    return ""


def _has_limits(joint: Joint) -> bool:
    limits = [getattr(joint, key) for key in LOST_LIMITS]
    return any(value is not None and np.isfinite(value).any() for value in limits)


def _loose(model: Model, apart: Sequence[Joint]) -> Description:
    """Return the description with these joints as loop joints, their children free."""
    stated, neutral = model.description, model.neutral()
    cut = {joint.name for joint in apart if not _on_world(joint)}
    taken = {joint.name for joint in stated.joints} - cut
    used = {loop.name for loop in stated.loops}
    joints, loops = [], []
    for joint in stated.joints:
        if joint.name not in cut:
            joints.append(joint)
            continue
        at = np.asarray(model.frame_pose(neutral, joint.child))
        name = unused(f"{joint.child}_free", taken)
        joints.append(Joint(name, "free", WORLD, joint.child, at, source=joint.source))
        if joint.kind != "free":  # which restricts nothing
            loops.append(dataclasses.replace(loop_of(joint), name=unused(joint.name, used)))
    here = {joint.name for joint in joints}
    loops += [_opened(loop, here) for loop in stated.loops]
    return consistent(dataclasses.replace(stated, joints=joints, loops=loops))


def _opened(loop: Loop, joints: set[str]) -> Loop:
    """Return a loop of the tree for the kit, where no cluster has it."""
    outside = True if loop.constraint else None
    loop = without_missing(loop, joints)
    return dataclasses.replace(loop, independent=None, constraint=outside)
