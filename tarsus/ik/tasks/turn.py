"""How a frame is turned away from a target, and the jacobian of this error.

The rotation R of the frame, seen from the world or from another frame, is R = R_target exp(e): the
error is the rotation vector e, in axes of the target, of at most half a turn. With D of SO(3)
(`tarsus.spatial.groups`) and the angular velocity ω in axes of the frame, ė = D(e) ω. At half a
turn two errors are right; the logarithm of the quaternion takes one of them and is finite there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.points import ALIGNED
from tarsus.model import Model
from tarsus.spatial import skew, vector_from_rotation
from tarsus.spatial.groups import step_rate_matrix, step_rate_matrix_rate


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
