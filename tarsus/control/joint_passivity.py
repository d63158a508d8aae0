"""Passivity control as a controller of time, which the core knows, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus.control.joint_controller import JointController
from tarsus.control.joint_gains import Gains
from tarsus.control.joint_reference import Setpoint, Target
from tarsus.model.description import Array

if TYPE_CHECKING:
    from tarsus.control.passivity import PassivityControl


class PassivityTracking(JointController):
    """`PassivityControl` along a reference: `control.along(q_ref)` makes it.

    The gains must be diagonal: kp is the bandwidth, kd the damping.
    """

    name = "passivity"
    adds = "acceleration"

    def __init__(
        self,
        control: PassivityControl,
        q_ref: Target,
        *,
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        bandwidth = _diagonal(control.bandwidth, "bandwidth")
        damping = _diagonal(control.damping, "damping")
        super().__init__(control.model, bandwidth, damping, q_ref, effort=effort, period=period)
        self.control = control

    @property
    def in_core(self) -> bool:
        """Whether the core computes the same law: where no joint turns in space."""
        return self.control.factorization == "christoffel" and not self.control.turning

    def law(self, q: Array, v: Array, target: Setpoint) -> Array:
        """Return efforts (…, nv) without limits."""
        return self.control(q, v, *target)


def _diagonal(matrix: Array, name: str) -> Array:
    diagonal = np.diag(matrix)
    if (matrix != np.diag(diagonal)).any():
        raise ValueError(f"to follow a reference, {name} must be a number or a diagonal")
    return diagonal
