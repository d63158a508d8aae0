"""Joints whose positions shall be in a ratio: Σ ratios · positions = target."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.tasks.aimed import AimedTask
from tarsus.model import Model, ModelError
from tarsus.model.checks import number


class CouplingTask(AimedTask):
    """Leads a sum of joint positions, `ratios` by name, to `target` (…, 1), zero at first.

    `CouplingTask({"left_knee": 1.0, "right_knee": -1.0})` bends both knees alike; one joint with
    the ratio 1 is a task of that joint. Joints that follow others count as any: they need one
    coordinate.
    """

    target_shape = (1,)
    velocity_size = 1

    def __init__(
        self,
        ratios: Mapping[str, float],
        target: ArrayLike = (0.0,),
        *,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str | None = None,
    ) -> None:
        if not isinstance(ratios, Mapping) or not ratios:
            raise TypeError(f"ratios is {ratios!r}, must be numbers by the names of joints")
        self.ratios = {
            joint: number(value, f"ratio of joint {joint!r}") for joint, value in ratios.items()
        }
        place = np.atleast_1d(np.asarray(target)) if np.ndim(target) == 0 else target
        super().__init__(name or " and ".join(self.ratios), place, weight, gain, level)

    def prepare(self, model: Model) -> int:
        """Look up the joints."""
        views = [model.joint(name) for name in self.ratios]
        for view in views:
            if (view.nq, view.nv) != (1, 1):
                message = f"task {self.name!r}: joint {view.name!r} is {view.kind}, it has "
                raise ModelError(f"{message}{view.nq} coordinates and must have one")
        self.positions = [view.position_slice.start for view in views]
        self.velocities = [view.velocity_slice.start for view in views]
        self._numbers = np.array(list(self.ratios.values()))
        return 1

    def error(self, q: ArrayLike) -> Array:
        """Return the sum less the target (…, 1)."""
        positions = self.model.joint_positions(q)[..., self.positions]
        return np.asarray((positions @ self._numbers)[..., None] - self.target)

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative (…, 1, nv) of the error along steps of the velocities."""
        rows = self.model.coupling_matrix(q)[..., self.velocities, :]
        return np.asarray((self._numbers @ rows)[..., None, :])

    def feedforward(self, q: ArrayLike) -> Array:
        """Return the target's rate (…, 1)."""
        return np.zeros(1) if self._target_velocity is None else self._target_velocity

    def drift(self, q: Array, v: Array) -> Array:
        """Return what the rate of the sum gains (…, 1) while coordinates do not accelerate."""
        still = np.zeros(self.model.nv)
        own = self.model.joint_accelerations(q, v, still)[..., self.velocities]
        gain = np.asarray((own @ self._numbers)[..., None])
        moving = self._target_acceleration
        return gain if moving is None else np.asarray(gain - moving)
