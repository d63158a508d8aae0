"""Links of the Virtual Erector Set: a child on a joint whose place is stated in both bodies.

    parent X child = DJ · exp(ŝ q) · PJ⁻¹

DJ is the distal joint in the parent, PJ the proximal joint in the child, ŝ = (ω; v) an axis in the
joint's frame: a revolute, a prismatic or a screw joint (P. Schröder, MIT 1990, section 6.6). In the
model a body without mass is on the axis, and the child is fixed to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.model.description import Joint
from tarsus.spatial import inverse, pose
from tarsus.studio.language import LineError, one_of

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Link:
    """A joint of a child, with the fixed one between, if there is one."""

    joint: Joint
    fixed: Joint | None

    @property
    def proximal(self) -> Array:
        """The place of the joint in the child (4, 4)."""
        return np.eye(4) if self.fixed is None else inverse(self.fixed.placement)


@dataclass(frozen=True, eq=False)
class Axis:
    """A spatial axis as a kind of joint: its direction, a point of it (3,), its pitch [m/rad]."""

    kind: str
    direction: Array
    point: Array
    pitch: float

    @property
    def fields(self) -> dict[str, Any]:
        """What a joint states of it."""
        return {"kind": self.kind, "axis": self.direction, "pitch": self.pitch}


def axis_of(numbers: Array) -> Axis:
    """Return what ŝ = (ω; v) (6,) stands for; its length does not count."""
    turn, slide = numbers[:3], numbers[3:]
    rate, speed = float(np.linalg.norm(turn)), float(np.linalg.norm(slide))
    if not max(rate, speed) > 0.0:
        raise LineError("-s must not be zero", "-s")
    if rate <= TOLERANCE * speed:
        return Axis("prismatic", slide / speed, np.zeros(3), 0.0)
    direction, moment = turn / rate, slide / rate
    point, pitch = np.cross(direction, moment), float(direction @ moment)
    straight = abs(pitch) <= TOLERANCE * max(1.0, speed / rate)
    return Axis("revolute" if straight else "screw", direction, point, 0.0 if straight else pitch)


def link_between(stage: Stage, parent: str, child: str) -> Link:
    """Return the joint that carries a child on its parent."""
    stated = stage.document.description
    bodies = {body.name: body for body in stated.bodies}
    for body in (parent, child):
        one_of(body, bodies, "body")
    carried = {joint.child: joint for joint in stated.joints}
    joint, fixed = carried[child], None
    if joint.kind == "fixed" and joint.parent in carried and bodies[joint.parent].mass == 0.0:
        joint, fixed = carried[joint.parent], joint
    if joint.parent != parent:
        raise LineError(f"sl: {child} is no child of {parent}, it hangs on {joint.parent}", "CHILD")
    return Link(joint, fixed)


def moved(place: Array, at: Array | None, rotation: Array | None) -> Array:
    """Return a place with another position or another orientation."""
    return pose(place[:3, 3] if at is None else at, place[:3, :3] if rotation is None else rotation)
