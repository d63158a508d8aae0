"""A configuration in which a machine stands ready to walk: knees bent, soles level and parallel."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.body_parts import ANKLE, FREEDOM, Leg, Limb
from tarsus.ik import (
    ComTask,
    FrameTask,
    OrientationTask,
    PartComTask,
    PositionTask,
    PostureTask,
    Search,
    Solver,
    Task,
)
from tarsus.model.checks import number, numbers
from tarsus.model.description import ModelError
from tarsus.spatial import (
    inverse,
    pose,
    quaternion_from_rotation,
    rotation_from_quaternion,
    rotation_from_rpy,
)

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
