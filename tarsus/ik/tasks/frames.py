"""Tasks of frames: pose, orientation, rotation, looking at a point."""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import numbers, rotations, weights
from tarsus._lib.differences import derivative, steps
from tarsus._lib.files import Array
from tarsus.ik.points import ALIGNED, seen_drift
from tarsus.ik.tasks.task import LEVER, AimedTask
from tarsus.model.model import Model
from tarsus.spatial import (
    pose,
    rotation_along,
    skew,
    step_rate_matrix,
    step_rate_matrix_rate,
    vector_from_rotation,
)

# The pose of a frame: its position and its orientation, each with its weight.
#
# The rows are those of the two tasks one after the other, the position in world axes (or in those
# of the frame from which it is seen) and the rotation vector in axes of the target. So a hand goes
# to its target on a straight line, however it turns on the way.


class FrameTask(AimedTask):
    """Leads `frame` to the pose `target` (…, 4, 4), in the world or seen from `relative_to`.

    `position` and `orientation` are the weights of the two, numbers or (3,); `weight` multiplies
    both. With `orientation=0` only the position counts. Without a target the frame stays where
    the neutral configuration has it. `target_velocity` (…, 6) is [linear, angular] in the axes in
    which the target is stated.
    """

    target_shape = (4, 4)
    velocity_size = 6
    lengths = np.repeat([1.0, LEVER], 3)

    def __init__(
        self,
        frame: str,
        target: ArrayLike | None = None,
        *,
        relative_to: str | None = None,
        position: ArrayLike = 1.0,
        orientation: ArrayLike = 1.0,
        weight: float = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str | None = None,
    ) -> None:
        own = name or frame
        self.frame, self.relative_to = frame, relative_to
        linear = weights(position, 3, f"position of task {own!r}")
        angular = weights(orientation, 3, f"orientation of task {own!r}")
        whole = float(weights(weight, 1, f"weight of task {own!r}")[0])
        both = whole * np.concatenate([linear, angular])
        super().__init__(own, target, both, gain, level)

    def prepare(self, model: Model) -> int:
        """Look up the frames; the target is where the frame is at first."""
        self._turn = Turn(model, self.frame, self.relative_to)
        if self._target is None:
            self.target = self.pose(model.neutral())
        return 6

    def check_target(self, value: Array, what: str) -> None:
        """Raise unless the target is a pose."""
        rotations(value[..., :3, :3], what)
        if (value[..., 3, :] != (0.0, 0.0, 0.0, 1.0)).any() and np.isfinite(value[..., 3, :]).all():
            raise ValueError(f"the last row of {what} must be 0 0 0 1")

    def pose(self, q: ArrayLike) -> Array:
        """Return where the frame is (…, 4, 4), as the target is stated."""
        own = np.asarray(self.model.frame_pose(q, self.frame))
        if self.relative_to is None:
            return own
        base = self.model.frame_pose(q, self.relative_to)
        back = np.swapaxes(base[..., :3, :3], -1, -2)
        at = back @ (own[..., :3, 3:] - base[..., :3, 3:])
        return pose(at[..., 0], back @ own[..., :3, :3])

    def error(self, q: ArrayLike) -> Array:
        """Return the way from the target (…, 6): positions [m], then the rotation vector [rad]."""
        linear = self.pose(q)[..., :3, 3] - self.target[..., :3, 3]
        angular = self._turn.error(q, self.target[..., :3, :3])
        return np.concatenate([linear, angular], axis=-1)

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative (…, 6, nv) of the error along steps of the velocities."""
        rows = self.model.frame_jacobian(q, self.frame, ALIGNED)[..., :3, :]
        if self.relative_to is not None:
            base = self.model.frame_pose(q, self.relative_to)
            other = self.model.frame_jacobian(q, self.relative_to, ALIGNED)
            arm = self.model.frame_pose(q, self.frame)[..., :3, 3] - base[..., :3, 3]
            rows = rows - other[..., :3, :] + skew(arm) @ other[..., 3:, :]
            rows = np.swapaxes(base[..., :3, :3], -1, -2) @ rows
        angular = self._turn.jacobian(q, self.target[..., :3, :3])
        lead = np.broadcast_shapes(rows.shape[:-2], angular.shape[:-2])
        both = [np.broadcast_to(each, (*lead, *each.shape[-2:])) for each in (rows, angular)]
        return np.concatenate(both, axis=-2)

    def feedforward(self, q: ArrayLike) -> Array:
        """Return what the target's velocity asks of the rows (…, 6)."""
        velocity = self._target_velocity
        if velocity is None:
            return np.zeros(6)
        turn = self._turn.feedforward(q, self.target[..., :3, :3], velocity[..., 3:])
        linear = np.broadcast_to(velocity[..., :3], turn.shape)
        return np.concatenate([linear, turn], axis=-1)

    def drift(self, q: Array, v: Array) -> Array:
        """Return what the rate of the error gains (…, 6) while joints do not accelerate."""
        velocity, acceleration = self._target_velocity, self._target_acceleration
        linear = self._linear_drift(q, v)
        if acceleration is not None:
            linear = linear - acceleration[..., :3]
        angular = self._turn.drift(
            q,
            v,
            self.target[..., :3, :3],
            None if velocity is None else velocity[..., 3:],
            None if acceleration is None else acceleration[..., 3:],
        )
        lead = np.broadcast_shapes(linear.shape, angular.shape)
        both = [np.broadcast_to(each, lead) for each in (linear, angular)]
        return np.concatenate(both, axis=-1)

    def _linear_drift(self, q: Array, v: Array) -> Array:
        """Return the same of the frame's position (…, 3), for a target at rest."""
        model, still = self.model, np.zeros(self.model.nv)
        own = model.frame_acceleration(q, v, still, self.frame, ALIGNED)[..., :3]
        base = self.relative_to
        if base is None:
            return np.asarray(own)
        own = own - model.frame_acceleration(q, v, still, base, ALIGNED)[..., :3]
        rate = model.frame_velocity(q, v, self.frame, ALIGNED)
        rate = rate - model.frame_velocity(q, v, base, ALIGNED)
        arm = model.frame_pose(q, self.frame) - model.frame_pose(q, base)
        return seen_drift(model, q, v, base, arm[..., :3, 3], rate[..., :3], own)


# The orientation of a frame.


class OrientationTask(AimedTask):
    """Turns `frame` to the rotation `target` (…, 3, 3), in the world or seen from `relative_to`.

    The error is the rotation vector from the target to the frame, in axes of the target. Without
    a target the frame stays as the neutral configuration has it.
    """

    target_shape = (3, 3)
    velocity_size = 3
    lengths = LEVER

    def __init__(
        self,
        frame: str,
        target: ArrayLike | None = None,
        *,
        relative_to: str | None = None,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str | None = None,
    ) -> None:
        self.frame, self.relative_to = frame, relative_to
        super().__init__(name or f"{frame} orientation", target, weight, gain, level)

    def prepare(self, model: Model) -> int:
        """Look up the frames; the target is how the frame is turned at first."""
        self._turn = Turn(model, self.frame, self.relative_to)
        if self._target is None:
            self.target = self._turn.rotation(model.neutral())
        return 3

    def check_target(self, value: Array, what: str) -> None:
        """Raise unless the target is a rotation."""
        rotations(value, what)

    def error(self, q: ArrayLike) -> Array:
        """Return the rotation vector (…, 3) [rad] from the target to the frame."""
        return self._turn.error(q, self.target)

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative (…, 3, nv) of the error along steps of the velocities."""
        return self._turn.jacobian(q, self.target)

    def feedforward(self, q: ArrayLike) -> Array:
        """Return what the target's angular velocity (…, 3) [rad/s] asks of the rows."""
        if self._target_velocity is None:
            return np.zeros(3)
        return self._turn.feedforward(q, self.target, self._target_velocity)

    def drift(self, q: Array, v: Array) -> Array:
        """Return what the rate of the error gains (…, 3) while joints do not accelerate."""
        return self._turn.drift(q, v, self.target, self._target_velocity, self._target_acceleration)


# How a frame is turned away from a target, and the jacobian of this error.
#
# The rotation R of the frame, seen from the world or from another frame, is R = R_target exp(e):
# the error is the rotation vector e, in axes of the target, of at most half a turn. With D of SO(3)
# (`tarsus.spatial`) and the angular velocity ω in axes of the frame, ė = D(e) ω. At half a
# turn two errors are right; the logarithm of the quaternion takes one of them and is finite there.


class Turn:
    """A frame's rotation, seen from the world or from the frame `relative_to`."""

    def __init__(self, model: Model, frame: str, relative_to: str | None) -> None:
        model.frame(frame)
        if relative_to is not None:
            model.frame(relative_to)
        self.model, self.frame, self.relative_to = model, frame, relative_to

    def rotation(self, q: ArrayLike) -> Array:
        """Return the rotation (…, 3, 3) of the frame."""
        own = self.model.frame_pose(q, self.frame)[..., :3, :3]
        if self.relative_to is None:
            return np.asarray(own)
        other = self.model.frame_pose(q, self.relative_to)[..., :3, :3]
        return np.asarray(np.swapaxes(other, -1, -2) @ own)

    def error(self, q: ArrayLike, target: Array) -> Array:
        """Return the rotation vector (…, 3) [rad] from a target (…, 3, 3) to the frame."""
        return vector_from_rotation(np.swapaxes(target, -1, -2) @ self.rotation(q))

    def jacobian(self, q: ArrayLike, target: Array) -> Array:
        """Return the derivative (…, 3, nv) of the error along steps of the velocities."""
        rows = self.model.frame_jacobian(q, self.frame, ALIGNED)[..., 3:, :]
        if self.relative_to is not None:
            rows = rows - self.model.frame_jacobian(q, self.relative_to, ALIGNED)[..., 3:, :]
        own = self.model.frame_pose(q, self.frame)[..., :3, :3]
        step_rate = step_rate_matrix("spherical", self.error(q, target))
        return np.asarray(step_rate @ (np.swapaxes(own, -1, -2) @ rows))

    def feedforward(self, q: ArrayLike, target: Array, velocity: Array) -> Array:
        """Return what the turn (…, 3) [rad/s] of the target adds to the error's rate.

        `velocity` (…, 3) is in the axes from which the target is seen.
        """
        rotation = self.rotation(q)
        local = np.swapaxes(rotation, -1, -2) @ velocity[..., None]
        return np.asarray((step_rate_matrix("spherical", self.error(q, target)) @ local)[..., 0])

    def drift(
        self, q: Array, v: Array, target: Array, velocity: Array | None, acceleration: Array | None
    ) -> Array:
        """Return what the rate of the error gains (…, 3) while joints do not accelerate.

        With w = Rᵀ (ω − ω_target) and ė = D w it is D ẇ + Ḋ w; the target's `velocity` and
        `acceleration` (…, 3), None for rest, are in the axes from which it is seen.
        """
        model, still = self.model, np.zeros(self.model.nv)
        own = model.frame_pose(q, self.frame)[..., :3, :3]
        turn = model.frame_velocity(q, v, self.frame, ALIGNED)[..., 3:]
        gain = model.frame_acceleration(q, v, still, self.frame, ALIGNED)[..., 3:]
        local = turn
        if self.relative_to is not None:
            other = model.frame_velocity(q, v, self.relative_to, ALIGNED)[..., 3:]
            gain = gain - model.frame_acceleration(q, v, still, self.relative_to, ALIGNED)[..., 3:]
            gain = gain + (skew(turn) @ other[..., None])[..., 0]
            local = turn - other
        back = np.swapaxes(own, -1, -2)
        w, w_rate = back @ local[..., None], back @ gain[..., None]
        if velocity is not None or acceleration is not None:
            seen = np.swapaxes(self.rotation(q), -1, -2)
            moved = seen @ (np.zeros(3) if velocity is None else velocity)[..., None]
            faster = seen @ (np.zeros(3) if acceleration is None else acceleration)[..., None]
            w_rate = w_rate - faster + skew(w[..., 0]) @ moved
            w = w - moved
        error = self.error(q, target)
        step_rate = step_rate_matrix("spherical", error)
        change = step_rate_matrix_rate("spherical", error, (step_rate @ w)[..., 0])
        return np.asarray((step_rate @ w_rate + change @ w)[..., 0])


# A frame that looks at a point: a camera, a head.
#
# With the direction d from the frame to the point, u = Rᵀ d in axes of the frame and the axis a
# that looks, cos γ = a·u, and B (2, 3) perpendicular to a, the error is the angle γ in two parts,
#
#     e = −f B u,    f = γ / sin γ,        u̇ = Rᵀ ḋ + [u] ω,    ḋ = −(1 − d dᵀ) ṗ / distance,
#
# ω in axes of the frame; f rises to infinity where the frame looks away from the point, where e is
# still finite and its direction is not defined.


SMALL = 1e-4
"""Sines [rad] below which γ / sin γ is its series."""

NEAR = 1e-6
"""Distances [m] are taken as at least this: a point in the eye has no direction."""


class LookAtTask(AimedTask):
    """Turns `frame` so that its `axis` (3,) points at `target` (…, 3) [m], a place in the world."""

    target_shape = (3,)
    velocity_size = 3
    lengths = LEVER

    def __init__(
        self,
        frame: str,
        target: ArrayLike,
        *,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str | None = None,
    ) -> None:
        own = name or f"{frame} looks"
        along = numbers(axis, (3,), f"axis of task {own!r}")
        length = float(np.linalg.norm(along))
        if length < 1e-9:
            raise ValueError(f"axis of task {own!r} is {along.tolist()}, it has no direction")
        self.frame = frame
        self.basis = rotation_along(along / length).T
        super().__init__(own, target, weight, gain, level)

    def prepare(self, model: Model) -> int:
        """Look up the frame."""
        model.frame(self.frame)
        return 2

    def error(self, q: ArrayLike) -> Array:
        """Return the angle (…, 2) [rad] between axis and point, about two axes of the frame."""
        b = self._seen(q)[0]
        return np.asarray(-_factors(b)[0][..., None] * b[..., :2])

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative (…, 2, nv) of the error along steps of the velocities."""
        b, direction, distance, rotation = self._seen(q)
        rows = self.model.frame_jacobian(q, self.frame, ALIGNED)
        across = np.eye(3) - direction[..., :, None] * direction[..., None, :]
        u = skew((np.swapaxes(rotation, -1, -2) @ direction[..., None])[..., 0])
        back = np.swapaxes(rotation, -1, -2)
        rate = -back @ (across / distance[..., None, None]) @ rows[..., :3, :]
        return self._slope(b) @ (rate + u @ back @ rows[..., 3:, :])

    def feedforward(self, q: ArrayLike) -> Array:
        """Return what the velocity of the point asks of the rows (…, 2)."""
        if self._target_velocity is None:
            return np.zeros(2)
        b, direction, distance, rotation = self._seen(q)
        across = np.eye(3) - direction[..., :, None] * direction[..., None, :]
        moved = across / distance[..., None, None] @ self._target_velocity[..., None]
        change = self._slope(b) @ (np.swapaxes(rotation, -1, -2) @ moved)
        return np.asarray(-change[..., 0])

    def drift(self, q: Array, v: Array) -> Array:
        """Return what the rate of the error gains (…, 2) while joints do not accelerate.

        By differences of sixth order, along the motions of machine and target.
        """
        motion = self._target_velocity, self._target_acceleration
        velocity, faster = (np.zeros(3) if each is None else each for each in motion)
        later = copy.copy(self)

        def rate(time: Array) -> Array:
            ahead = time[..., None]
            later._target = self.target + ahead * (velocity + 0.5 * ahead * faster)
            later._target_velocity = velocity + ahead * faster
            at = self.model.integrate(q, ahead * v)
            return np.asarray((later.jacobian(at) @ v[..., None])[..., 0] - later.feedforward(at))

        return derivative(rate, steps(self.model, q, v))

    def _seen(self, q: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """Return B u and a·u (…, 3), the direction, the distance and the frame's rotation."""
        place = self.model.frame_pose(q, self.frame)
        way = self.target - place[..., :3, 3]
        distance = np.maximum(np.linalg.norm(way, axis=-1), NEAR)
        direction = way / distance[..., None]
        rotation = np.asarray(place[..., :3, :3])
        local = (np.swapaxes(rotation, -1, -2) @ direction[..., None])[..., 0]
        return np.asarray(local @ self.basis.T), direction, distance, rotation

    def _slope(self, b: Array) -> Array:
        """Return the derivative (…, 2, 3) of the error by u."""
        factor, slope = _factors(b)
        turned = -factor[..., None, None] * self.basis[:2]
        return np.asarray(turned - slope[..., None, None] * b[..., :2, None] * self.basis[2])


def _factors(b: Array) -> tuple[Array, Array]:
    """Return γ / sin γ and its derivative by cos γ (…), of B u and a·u (…, 3)."""
    sine, cosine = np.linalg.norm(b[..., :2], axis=-1), b[..., 2]
    angle = np.arctan2(sine, cosine)
    small = (sine < SMALL) & (cosine > 0.0)
    safe = np.where(small, 1.0, np.maximum(sine, 1e-9))
    factor = np.where(small, 1.0 + angle**2 / 6.0, angle / safe)
    slope = np.where(small, -1.0 / 3.0, -(safe - angle * cosine) / safe**3)
    return factor, slope
