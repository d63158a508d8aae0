"""Plans of walks: legs, body motion, loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import expect
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.walking.plans.footsteps import TROT, Footfalls
from tarsus.walking.plans.swing import quintic, raised_cosine
from tarsus.walking.plans.zmp_preview import ZmpPreview

# Where the body and the feet of a walking machine are: a plan in the world, before any joints.
#
# The body moves at a constant speed after a ramp of one stride. A foot stands still on the ground,
# below its hip in the middle of its stance, then swings to its next foothold: a quintic along the
# ground, a raised cosine in height.


@dataclass(frozen=True)
class Walk:
    """A walk on level ground: `speed` along x and y [m/s], `period` of a stride [s], `lift` [m].

    It begins at the time `start` [s]; before, the machine stands. With `preview` the body follows
    the zero moment point in the middle of the feet that stand, instead of a constant speed.
    """

    footfalls: Footfalls = field(default=TROT)
    speed: tuple[float, float] = (0.1, 0.0)
    period: float = 0.5
    lift: float = 0.03
    start: float = 1.0
    preview: ZmpPreview | None = None

    def __post_init__(self) -> None:
        expect(self.footfalls, Footfalls, "footfalls")
        if np.shape(self.speed) != (2,) or not np.isfinite(self.speed).all():
            raise ValueError(f"speed is {self.speed!r}, must be two numbers, along x and y [m/s]")
        if not self.period > 0.0:
            raise ValueError(f"period is {self.period}, must be above 0")

    def steady(self, t: ArrayLike) -> Array:
        """Return how far the body has moved (…, 2) [m] at the wanted speed."""
        strides = np.maximum((np.asarray(t, float) - self.start) / self.period, 0.0)
        ramped = np.where(strides < 1.0, strides**2 / 2, strides - 0.5)
        return np.asarray(np.multiply.outer(self.period * ramped, self.speed))

    def feet(self, t: ArrayLike, stance: ArrayLike) -> Array:
        """Return where the feet are (…, legs, 3) that stand at `stance` (legs, 3) in the beginning.

        The legs are those of the footfalls, in their order.
        """
        count, swing = self.footfalls.strides((np.asarray(t, float) - self.start) / self.period)
        before, after = self._foothold(count - 1), self._foothold(count)
        offset = np.zeros((*swing.shape, 3))
        offset[..., :2] = before + (after - before) * quintic(swing)[..., None]
        offset[..., 2] = self.lift * raised_cosine(swing)
        return np.asarray(stance, float) + offset

    def body(self, t: ArrayLike, stance: ArrayLike) -> Array:
        """Return how far the body has moved (…, 2) [m]; `t` (T,) is even if there is a preview."""
        if self.preview is None:
            return self.steady(t)
        times = np.asarray(t, float)
        grid = np.arange(0.0, times[-1] + self.preview.horizon, self.preview.dt)
        sway = self.preview.follow(self.zmp(grid, stance))
        moved = sway.com - np.asarray(stance, float)[:, :2].mean(axis=0)
        return np.stack([np.interp(times, grid, column) for column in moved.T], axis=-1)

    def zmp(self, t: ArrayLike, stance: ArrayLike) -> Array:
        """Return the middle (…, 2) of the feet that stand: where the zero moment point should be.

        While all legs are in the air it is the middle of all feet.
        """
        feet = self.feet(t, stance)[..., :2]
        standing = self.footfalls.standing((np.asarray(t, float) - self.start) / self.period)
        weight = np.where(standing.any(-1, keepdims=True), standing, True)[..., None]
        return np.asarray((feet * weight).sum(-2) / weight.sum(-2))

    def _foothold(self, count: NDArray[np.int64]) -> Array:
        """Return how far (…, legs, 2) the footholds after so many lifts are from the first ones."""
        swing = self.footfalls.swing
        lifts = np.array(list(self.footfalls.lifts.values()))
        middle = self.start + (lifts + count + (1.0 + swing) / 2) * self.period
        return np.asarray(np.where((count < 0)[..., None], 0.0, self.steady(middle)))


# Inverse kinematics of all legs at once, for any robot: Newton's method on frames of feet.
#
# The base stays where it is; every configuration of a batch is solved at the same time. Where a leg
# has more joints than it needs, the step of least norm is taken.


REACHED = 1e-10
"""Distance at which a foot is where it should be [m]."""


def reach(
    model: Model,
    q: ArrayLike,
    feet: Sequence[str],
    targets: ArrayLike,
    *,
    damping: float = 1e-6,
    iterations: int = 50,
) -> Array:
    """Return configurations (…, nq) near `q` (…, nq) whose frames `feet` are at `targets`.

    `targets` (…, feet, 3) [m] are in the world. The base stays where it is. A target out of reach
    is a ValueError that names the foot.
    """
    wanted = np.asarray(targets, float)
    lead = np.broadcast_shapes(np.shape(q)[:-1], wanted.shape[:-2])
    found = np.array(np.broadcast_to(np.asarray(q, float), (*lead, model.nq)))
    moving = np.flatnonzero(model.driven)
    for _ in range(iterations):
        errors = wanted - _positions(model, found, feet)
        if np.abs(errors).max(initial=0.0) < REACHED:
            return found
        rows = [
            model.frame_jacobian(found, foot, reference="local_world_aligned")[..., :3, moving]
            for foot in feet
        ]
        jacobian = np.concatenate(rows, axis=-2)
        square = jacobian @ np.swapaxes(jacobian, -1, -2) + damping**2 * np.eye(3 * len(feet))
        right = errors.reshape(*lead, -1, 1)
        step = np.zeros((*lead, model.nv))
        step[..., moving] = (np.swapaxes(jacobian, -1, -2) @ np.linalg.solve(square, right))[..., 0]
        # long steps lose their way near stretched legs
        largest = np.abs(step).max(axis=-1, keepdims=True)
        found = np.asarray(model.integrate(found, step * np.minimum(1.0, 0.5 / (largest + 1e-12))))
    missed = np.abs(errors).max(axis=-1).reshape(-1, len(feet)).max(axis=0)
    foot = feet[int(missed.argmax())]
    raise ValueError(f"targets: {foot!r} is out of reach by {missed.max():.2g} m")


def _positions(model: Model, q: Array, feet: Sequence[str]) -> Array:
    return np.stack([model.frame_pose(q, foot)[..., :3, 3] for foot in feet], axis=-2)


# What the feet carry at rest, and the joint torques that hold the posture with it.


class Loads(NamedTuple):
    """Forces of the ground on the feet (…, feet, 3) [N], torques (…, nv) that hold the posture."""

    forces: Array
    tau: Array


def static_loads(
    model: Model, q: ArrayLike, feet: Sequence[str], standing: ArrayLike | None = None
) -> Loads:
    """Return forces at the frames `feet` that carry a robot with a free base, and its torques.

    Of all forces that balance gravity on the base those of least squares; where they cannot
    balance it (on two legs, say), what is left is as small as possible. `standing` (…, feet) says
    which feet carry, by default all. `tau` of the base is zero.
    """
    rows = [
        model.frame_jacobian(q, foot, reference="local_world_aligned")[..., :3, :] for foot in feet
    ]
    jacobian = np.stack(rows, axis=-3)
    if standing is not None:
        jacobian = jacobian * np.asarray(standing, float)[..., None, None]
    flat = jacobian.reshape(*jacobian.shape[:-3], -1, model.nv)
    gravity = np.asarray(model.gravity_forces(q))
    base = ~model.driven
    to_base = np.swapaxes(flat[..., base], -1, -2)
    forces = (np.linalg.pinv(to_base) @ gravity[..., base, None])[..., 0]
    tau = gravity - (np.swapaxes(flat, -1, -2) @ forces[..., None])[..., 0]
    tau[..., base] = 0.0
    return Loads(forces.reshape(*forces.shape[:-1], len(feet), 3), tau)
