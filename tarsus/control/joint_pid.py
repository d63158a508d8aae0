"""PID control of joints, whose integral does not wind up."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.control.joint_controller import JointController
from tarsus.control.joint_gains import Gains, gains
from tarsus.control.reference import Setpoint, Source
from tarsus.model import Model


class PID(JointController):
    """τ = kp e + ki ∫ e dt + kd (v_ref − v) + τ_ff, with e the step from q to its reference.

    While the output is beyond its limit `effort`, the integral may fall but not grow. Each call is
    one period, which must be stated to call it from Python, with a `reset` before a new motion.
    Simulations do both.
    """

    name = "pid"
    uses_model = False
    remembers = True

    def __init__(
        self,
        model: Model,
        kp: Gains,
        ki: Gains,
        kd: Gains,
        reference: Source | None = None,
        *,
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        super().__init__(model, kp, kd, reference, effort=effort, period=period)
        self.ki = gains(ki, model, "ki")
        self.refuse_lost("ki", self.ki)
        self.reset()

    @property
    def core_gains(self) -> tuple[Array, Array, Array]:
        """kp, kd and ki, (nv,) or (B, nv)."""
        return self.kp, self.kd, self.ki

    def reset(self) -> None:
        """Forget the integral."""
        self.integral = np.zeros(self.model.nv)

    def get_state(self) -> dict[str, Array]:
        """Return what the next call depends on."""
        return {"integral": self.integral.copy()}

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from a state that `get_state` returned."""
        self.integral = np.array(state["integral"])

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits, and go on by one period."""
        e, rate = self.errors(q, v, setpoint)
        feedback = self.kp * e + self.kd * rate + setpoint[2]
        if self.period is None:
            raise ValueError("a PID that is called from Python needs a period [s]")
        grown = self.integral + self.period * e
        total = feedback + self.ki * grown
        winds_up = (np.abs(total) > self.effort) & (total * e > 0.0)
        self.integral = np.where(winds_up, self.integral, grown)
        return feedback + self.ki * self.integral
