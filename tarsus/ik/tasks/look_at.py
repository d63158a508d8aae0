"""A frame that looks at a point: a camera, a head.

With the direction d from the frame to the point, u = Rᵀ d in axes of the frame and the axis a
that looks, cos γ = a·u, and B (2, 3) perpendicular to a, the error is the angle γ in two parts,

    e = −f B u,    f = γ / sin γ,        u̇ = Rᵀ ḋ + [u] ω,    ḋ = −(1 − d dᵀ) ṗ / distance,

ω in axes of the frame; f rises to infinity where the frame looks away from the point, where e is
still finite and its direction is not defined.
"""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.differences import derivative, steps
from tarsus.ik.points import ALIGNED
from tarsus.ik.tasks.aimed import AimedTask
from tarsus.ik.tasks.task import LEVER
from tarsus.model import Model
from tarsus.model.checks import numbers
from tarsus.spatial import rotation_along, skew

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
