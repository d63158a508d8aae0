"""What joint controllers have in common: gains for each joint, and a reference of all joints.

Each law is a file with one class that names itself as the core knows it and has one function,
`law`. The simulation runs these laws in the core, for whole batches; called from Python they do
the same.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tarsus.control.control_law import ControlLaw
from tarsus.control.joint_gains import Gains, gains, refuse_undriven
from tarsus.control.reference import Setpoint, Source, joint_setpoint
from tarsus.model import Model
from tarsus.model.checks import expect
from tarsus.model.description import Array


class JointController(ControlLaw):
    """A law that leads the joints of a model along a reference.

    `kp` and `kd` are numbers (for all coordinates with a drive: all but the base), mappings from
    names of joints to numbers, or arrays (nv,) or (B, nv). `reference` is a configuration (nq,) or
    (B, nq), the neutral one unless stated, or a function of time that returns q, (q, v) or
    (q, v, added); `Table` is such a function. `effort` and `period` as of `ControlLaw`.
    """

    adds: ClassVar[str] = "effort"
    """What the third part of a setpoint is: an "effort" or an "acceleration"."""

    def __init__(
        self,
        model: Model,
        kp: Gains,
        kd: Gains,
        reference: Source | None = None,
        *,
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        expect(model, Model, "model")
        self.kp, self.kd = gains(kp, model, "kp"), gains(kd, model, "kd")
        self._no_gains = np.zeros(model.nv)
        start = model.neutral() if reference is None else reference
        super().__init__(model, start, effort=effort, period=period)
        if self.adds == "effort":
            self.refuse_lost("kp", self.kp)
            self.refuse_lost("kd", self.kd)

    @property
    def core_gains(self) -> tuple[Array, Array, Array]:
        """kp, kd and ki, (nv,) or (B, nv)."""
        return self.kp, self.kd, self._no_gains

    def setpoint(self, value: Any) -> Setpoint:
        """Return q, (q, v) or (q, v, added) as a checked setpoint; what is missing is zero."""
        found = joint_setpoint(self.model, value)
        if self.adds == "effort" and found[2].any():
            self.refuse_lost("the effort that reference adds", found[2])
        return found

    def refuse_lost(self, what: str, values: Array) -> None:
        """Raise if values (…, nv) would act on a base that nothing drives."""
        refuse_undriven(self.model, self.effort, what, values)

    def errors(self, q: Array, v: Array, setpoint: Setpoint) -> tuple[Array, Array]:
        """Return the step from q to its setpoint, and what is missing of the velocity (…, nv)."""
        return np.asarray(self.model.difference(q, setpoint[0])), setpoint[1] - v
