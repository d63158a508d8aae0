"""The orientation of a frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.arguments import rotations
from tarsus.ik.tasks.aimed import AimedTask
from tarsus.ik.tasks.task import LEVER
from tarsus.ik.tasks.turn import Turn
from tarsus.model import Model


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
