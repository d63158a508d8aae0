"""What tasks of points share: a point, seen from the world or from a frame or point of the machine.

With the point p, the origin o and the axes R from which it is seen, the error is

    e = Rᵀ (p − o) − target,        J = Rᵀ (J_p − J_o + [p − o] J_ω),

J_ω the jacobian of the angular velocity of the axes. In the world o = 0 and R = 1.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.points import ALIGNED, FrameOrigin, Point, point_of, seen_drift
from tarsus.ik.tasks.aimed import AimedTask
from tarsus.model import Model
from tarsus.spatial import skew


class PointTask(AimedTask):
    """Leads a point to a target: in the world, from `relative_to`, or in the `axes` of a frame.

    `relative_to` is the name of a frame, whose axes are taken, too, unless `axes` names another
    frame or the "world"; it can be the "com".
    """

    target_shape = (3,)
    velocity_size = 3

    def __init__(
        self,
        name: str,
        target: ArrayLike | None,
        relative_to: str | None,
        axes: str | None,
        weight: ArrayLike,
        gain: float | None,
        level: int,
    ) -> None:
        super().__init__(name, target, weight, gain, level)
        self.relative_to = relative_to
        self.axes = axes

    @abstractmethod
    def point(self, model: Model) -> Point:
        """Return the point that is led."""

    def prepare(self, model: Model) -> int:
        """Look up the points and the axes; the target is where the point is at first."""
        self.led = self.point(model)
        self.origin = None if self.relative_to is None else point_of(model, self.relative_to)
        axes = self.axes
        if axes is None and isinstance(self.origin, FrameOrigin):
            axes = self.relative_to
        self.seen_in = None if axes is None or axes == "world" else axes
        if self.seen_in is not None:
            model.frame(self.seen_in)
        if self._target is None:
            self.target = self.place(model.neutral())
        return 3

    def place(self, q: ArrayLike) -> Array:
        """Return where the point is (…, 3) [m], as the target is stated."""
        at = self._arm(q)
        if self.seen_in is not None:
            rotation = self.model.frame_pose(q, self.seen_in)[..., :3, :3]
            at = (np.swapaxes(rotation, -1, -2) @ at[..., None])[..., 0]
        return np.asarray(at)

    def error(self, q: ArrayLike) -> Array:
        """Return how far the point is from its target (…, 3) [m]."""
        return np.asarray(self.place(q) - self.target)

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative (…, 3, nv) of the error along steps of the velocities."""
        rows = self.led.jacobian(q)
        if self.origin is not None:
            rows = rows - self.origin.jacobian(q)
        if self.seen_in is not None:
            turn = self.model.frame_jacobian(q, self.seen_in, ALIGNED)[..., 3:, :]
            rotation = self.model.frame_pose(q, self.seen_in)[..., :3, :3]
            rows = np.swapaxes(rotation, -1, -2) @ (rows + skew(self._arm(q)) @ turn)
        return np.asarray(rows)

    def feedforward(self, q: ArrayLike) -> Array:
        """Return the target's velocity (…, 3) [m/s]."""
        return np.zeros(3) if self._target_velocity is None else self._target_velocity

    def drift(self, q: Array, v: Array) -> Array:
        """Return what the rate of the error gains (…, 3) while joints do not accelerate."""
        gain = self.led.drift(q, v)
        if self.origin is not None:
            gain = gain - self.origin.drift(q, v)
        if self.seen_in is not None:
            rows = self.led.jacobian(q)
            rows = rows if self.origin is None else rows - self.origin.jacobian(q)
            rate = (rows @ v[..., None])[..., 0]
            gain = seen_drift(self.model, q, v, self.seen_in, self._arm(q), rate, gain)
        moving = self._target_acceleration
        return gain if moving is None else np.asarray(gain - moving)

    def _arm(self, q: ArrayLike) -> Array:
        """Return the way (…, 3) [m] from the origin to the point, in world axes."""
        self.model  # noqa: B018 - says so if there is no machine yet
        at = self.led.place(q)
        return at if self.origin is None else np.asarray(at - self.origin.place(q))
