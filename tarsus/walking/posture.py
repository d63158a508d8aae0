"""Walking posture: stance, knee and ankle torques."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import number, numbers
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.limb_search import ANKLE, FREEDOM, Leg, Limb
from tarsus.gait.soles import Sole
from tarsus.ik.pose import Search
from tarsus.ik.solver import Solver
from tarsus.ik.tasks.frames import FrameTask, OrientationTask
from tarsus.ik.tasks.points import ComTask, PartComTask, PositionTask
from tarsus.ik.tasks.posture import PostureTask
from tarsus.ik.tasks.task import Task
from tarsus.spatial import (
    inverse,
    pose,
    quaternion_from_rotation,
    rotation_from_quaternion,
    rotation_from_rpy,
)

# A configuration in which a machine stands ready to walk: knees bent, soles level and parallel.


BENT = 0.6
"""How far knees and elbows are bent where the search begins [rad]."""
AWAY, DOWN = 0.1, 0.5
"""Centres of mass of arms hang these shares of their length out and down from the shoulders."""
SPREAD = 0.35
"""… and so far out where legs shall pass beside them."""
GAP = 0.03
"""Between soles that are put as near as possible [m]."""
SETTLED = 40
"""Steps in which arms sink."""


def stance(
    body: Anatomy,
    *,
    crouch: float = 0.08,
    width: float | None = None,
    soles: ArrayLike | None = None,
    away: float = AWAY,
) -> Array:
    """Return the configuration (nq,) of a machine that stands at the origin and looks along x.

    `crouch` is by which share of their length the legs are shorter than stretched, `width` [m] how
    far the middles of the soles are apart, as the knees are unless given. With frames of `soles`
    (2, 4, 4), left and right, it stands there instead. The centre of mass is above the middle of
    the soles, the trunk is upright, arms hang at the sides, their centres of mass by the share
    `away` of their length out from the shoulders.
    """
    if not 0.0 <= number(crouch, "crouch") < 0.5:
        raise ValueError(f"crouch is {crouch}, must be from 0 to 0.5")
    model = body.model
    if len(body.legs) != 2:
        raise ModelError(
            f"{model.name!r} has {len(body.legs)} legs, and two are needed here; robots on four "
            "have ts.scenes.walk, and tarsus simulate \"walk('solo12')\""
        )
    apart = _width(body) if width is None else number(width, "width")
    if soles is None:
        frames = [pose([0.0, leg.side * apart / 2, 0.0]) for leg in body.legs]
    else:
        frames = list(numbers(soles, (2, 4, 4), "soles"))
    place, ahead = np.mean(frames, axis=0)[:3, 3], frames[0][:2, 0] + frames[1][:2, 0]
    heading = rotation_from_rpy([0.0, 0.0, np.arctan2(ahead[1], ahead[0])]) @ _heading(body)
    start = _hang_arms(body, _bent(body, crouch), number(away, "away"))
    first = start[3:7].copy()
    start[:3] += place
    start[3:7] = quaternion_from_rotation(
        heading @ _heading(body).T @ rotation_from_quaternion(first)
    )
    tasks: list[Task] = [
        OrientationTask(body.trunk, heading),
        PositionTask(body.trunk, [0.0, 0.0, start[2]], weight=[0.0, 0.0, 1.0]),
        ComTask([*place[:2], 0.0], weight=[1.0, 1.0, 0.0]),
        *(_foot(leg, frame) for leg, frame in zip(body.legs, frames, strict=True)),
        PostureTask(start, level=1),
    ]
    found = Solver(model, tasks).solve(start, search=Search(tolerance=1e-6))
    if not found.success:
        missed = {name: np.abs(e).max() for name, e in found.errors.items() if name != "posture"}
        worst = max(missed, key=missed.__getitem__)
        raise ModelError(
            f"{model.name!r} finds no stance with crouch {crouch:g} and width {apart:.3g} m: "
            f"{worst!r} is missed by {missed[worst]:.2g} ({found.reason})"
        )
    return np.asarray(found.q)


def _heading(body: Anatomy) -> Array:
    """Return the rotation (3, 3) of a trunk that looks along x."""
    x, y = body.ahead[:2]
    return np.array([[x, y, 0.0], [-y, x, 0.0], [0.0, 0.0, 1.0]])


def _bent(body: Anatomy, crouch: float) -> Array:
    """Return the machine upright, knees and elbows bent the way they go, its soles at z = 0."""
    model = body.model
    q = model.neutral()
    first = model.base.q_slice.start if model.base else 0
    free = np.isfinite(model.lower) & np.isfinite(model.upper)
    free[first : first + 7] = False
    reserve = 0.05 * (model.upper[free] - model.lower[free])
    q[free] = np.clip(q[free], model.lower[free] + reserve, model.upper[free] - reserve)
    for limb in (*body.legs, *body.arms):
        joint = model.joint(limb.bend)
        if joint.own_velocities and joint.nq == 1 and abs(q[joint.q_slice][0]) < BENT:
            q[joint.q_slice] = BENT * _way(body, limb, q)
    q[first + 3 : first + 7] = quaternion_from_rotation(_heading(body))
    q[first + 2] = _height(body, crouch)
    return q


def _way(body: Anatomy, limb: Limb, q: Array) -> float:
    """Return which way a knee or an elbow bends: where it has room, or so that it goes ahead."""
    model = body.model
    joint = model.joint(limb.bend)
    low, high = float(joint.lower[0]), float(joint.upper[0])
    if np.isfinite(low) and np.isfinite(high) and abs(high + low) > 0.2 * (high - low):
        return 1.0 if high + low > 0.0 else -1.0
    # an end that goes back is a knee that goes ahead; elbows do the opposite
    wanted = -1.0 if isinstance(limb, Leg) else 1.0
    moved = q.copy()
    moved[joint.q_slice] += BENT
    shift = model.frame_pose(moved, limb.end)[:3, 3] - model.frame_pose(q, limb.end)[:3, 3]
    return wanted if shift @ body.ahead > 0.0 else -wanted


def _height(body: Anatomy, crouch: float) -> float:
    """Return how high the trunk is over the soles if the legs are shorter by a share [m]."""
    poses = np.asarray(body.model.forward_kinematics(body.model.neutral()))
    leg = body.legs[0]
    hip = poses[body.model.body(leg.root).index]
    # the sole is below the ankle by as much as it is along its own normal
    below = -float(leg.sole.placement[:3, 2] @ leg.sole.placement[:3, 3])
    if leg.freedom < ANKLE:
        below = 0.0
    return (1.0 - crouch) * leg.reach + below - float(hip[2, 3])


def _width(body: Anatomy) -> float:
    """Return how far the soles are apart below the knees of upright legs, but not too near [m]."""
    neutral = body.model.forward_kinematics(body.model.neutral())
    knees = [neutral[body.model.joint(leg.bend).index, 1, 3] for leg in body.legs]
    return max(float(abs(knees[0] - knees[1])), float(body.legs[0].sole.size[1]) + GAP)


def _foot(leg: Leg, sole: Array) -> Task:
    """Return the task of a foot whose sole is at a frame (4, 4), turned as it is if its leg can."""
    if leg.freedom < FREEDOM:
        return PositionTask(leg.end, sole[:3, 3], offset=leg.sole.placement[:3, 3])
    return FrameTask(leg.end, sole @ inverse(leg.sole.placement))


def _hang_arms(body: Anatomy, q: Array, away: float) -> Array:
    """Return the configuration with arms at the sides, as far as their joints permit."""
    if not body.arms:
        return q
    model = body.model
    tasks: list[Task] = [
        FrameTask(body.trunk, model.frame_pose(q, body.trunk), weight=100.0),
        PostureTask(q, weight=0.05, level=0),
    ]
    for arm in body.arms:
        shoulder = model.frame_pose(q, arm.root)[:3, 3]
        aside = np.array([0.0, arm.side * away, -DOWN]) * arm.reach
        tasks.append(PartComTask(arm.bodies, shoulder + aside, name=arm.name))
    solver = Solver(model, tasks)
    for _ in range(SETTLED):
        q = solver.step(q, 0.1).q
    return q


# How far legs are bent when a machine stands ready: as far as its knees can hold its weight.


USUAL = 0.08
"""By which share legs are shorter than stretched if knees are strong."""
LEAST = 0.015
"""… and if they are not: stretched legs lose directions."""
HELD = 0.65
"""The share of a knee's torque that may hold the weight on one leg; the rest is for motions."""


def fitting_crouch(body: Anatomy) -> float:
    """Return by which share legs are shorter than stretched, so that each knee holds the weight.

    The weight is on the line from hip to ankle; the knee is beside it by the height of the
    triangle of all three.
    """
    model = body.model
    weight = model.total_mass * float(np.linalg.norm(model.gravity))
    shares = np.linspace(LEAST, USUAL, 27)
    fits = np.ones(len(shares), bool)
    for leg in body.legs:
        limit = float(np.min(model.joint(leg.bend).effort_limit, initial=np.inf))
        if limit > 0.0:
            fits &= weight * _levers(body, leg, shares) <= HELD * limit
    return float(shares[fits][-1]) if fits.any() else LEAST


def _levers(body: Anatomy, leg: Leg, shares: Array) -> Array:
    """Return how far a knee is beside the line from hip to ankle (n,) [m], by Heron's formula."""
    poses = np.asarray(body.model.forward_kinematics(body.model.neutral()))
    hip, knee = (poses[body.model.body(name).index, :3, 3] for name in (leg.root, _knee(leg)))
    foot = poses[body.model.body(leg.end).index]
    end = leg.sole.placement[:3, 3] if leg.freedom < ANKLE else np.zeros(3)
    ankle = foot[:3, :3] @ end + foot[:3, 3]
    a, b = float(np.linalg.norm(knee - hip)), float(np.linalg.norm(ankle - knee))
    c = (1.0 - shares) * (a + b)
    half = (a + b + c) / 2
    area = np.sqrt(np.maximum(half * (half - a) * (half - b) * (half - c), 0.0))
    return np.asarray(2.0 * area / c)


def _knee(leg: Leg) -> str:
    return leg.bodies[leg.joints.index(leg.bend)]


# Where on its soles a machine can carry its weight: as far from the ankles as these are strong.
#
# A sole that carries the weight W at a point p loads a joint at c with the axis a by
# a · ((p − c) × W). Joints between the knee and the foot are near the sole, so that what they can
# hold bounds p; the other joints depend on the posture more than on p.


INSIDE = 0.8
"""The share of a sole in which the zero moment point is led."""
ANKLE_HELD = 0.9
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
        lever = ANKLE_HELD * limit / (weight * max(abs(float(axis[1 - across])), 1e-6))
        low[across] = max(low[across], frame[across, 3] - lever)
        high[across] = min(high[across], frame[across, 3] + lever)
    between = (low + high) / 2
    return np.minimum(low, between - SMALLEST), np.maximum(high, between + SMALLEST)


def _moved(sole: Sole, to: Array) -> Sole:
    """Return a sole with its origin at a point (2,) of its plane [m]."""
    frame = sole.placement @ pose([*to, 0.0])
    return replace(sole, placement=frame, corners=sole.corners - to)
