"""The pose of a frame: its position and its orientation, each with its weight.

The rows are those of the two tasks one after the other, the position in world axes (or in those of
the frame from which it is seen) and the rotation vector in axes of the target. So a hand goes to
its target on a straight line, however it turns on the way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.arguments import rotations, weights
from tarsus.ik.points import ALIGNED, seen_drift
from tarsus.ik.tasks.aimed import AimedTask
from tarsus.ik.tasks.task import LEVER
from tarsus.ik.tasks.turn import Turn
from tarsus.model import Model
from tarsus.spatial import pose, skew


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
