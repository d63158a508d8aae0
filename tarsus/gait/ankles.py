"""Where on its soles a machine can carry its weight: as far from the ankles as these are strong.

A sole that carries the weight W at a point p loads a joint at c with the axis a by
a · ((p − c) × W). Joints between the knee and the foot are near the sole, so that what they can
hold bounds p; the other joints depend on the posture more than on p.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.body_parts import Leg
from tarsus.gait.soles import Sole
from tarsus.spatial import inverse, pose

INSIDE = 0.8
"""The share of a sole in which the zero moment point is led."""
HELD = 0.9
"""The share of an ankle's torque that may hold the weight; the rest is for motions."""
SMALLEST = 0.005
"""Half of the size of the smallest region, if ankles are too weak for any [m]."""


def on_strong_ankles(body: Anatomy, q: Array) -> tuple[Anatomy, Array]:
    """Return the machine with soles whose origins are where it carries best, and how far around.

    The second (2,) [m] is half of the length and width in which the zero moment point may be.
    The posture q (nq,) is one in which both soles are level.
    """
    legs, halves = [], []
    for leg in body.legs:
        low, high = _region(body, leg, q)
        legs.append(replace(leg, sole=_moved(leg.sole, (low + high) / 2)))
        halves.append((high - low) / 2)
    return replace(body, legs=tuple(legs)), np.min(halves, axis=0)


def _region(body: Anatomy, leg: Leg, q: Array) -> tuple[Array, Array]:
    """Return the corners (2,) of the box on a sole in which it can carry the weight [m]."""
    model, corners = body.model, leg.sole.corners
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    half = INSIDE * leg.sole.size / 2
    low, high = middle - half, middle + half
    weight = model.total_mass * float(np.linalg.norm(model.gravity))
    poses = np.asarray(model.forward_kinematics(q))
    onto = inverse(poses[model.body(leg.end).index] @ leg.sole.placement)
    for name in leg.joints[leg.joints.index(leg.bend) + 1 :]:
        joint = model.joint(name)
        limit = float(np.min(joint.effort_limit, initial=np.inf))
        if joint.kind != "revolute" or not 0.0 < limit < np.inf:
            continue
        frame = onto @ poses[joint.index]
        axis = frame[:3, :3] @ joint.axis
        # a joint about y bounds x, one about x bounds y
        across = int(abs(axis[0]) > abs(axis[1]))
        lever = HELD * limit / (weight * max(abs(float(axis[1 - across])), 1e-6))
        low[across] = max(low[across], frame[across, 3] - lever)
        high[across] = min(high[across], frame[across, 3] + lever)
    between = (low + high) / 2
    return np.minimum(low, between - SMALLEST), np.maximum(high, between + SMALLEST)


def _moved(sole: Sole, to: Array) -> Sole:
    """Return a sole with its origin at a point (2,) of its plane [m]."""
    frame = sole.placement @ pose([*to, 0.0])
    return replace(sole, placement=frame, corners=sole.corners - to)
