"""Curve tracking that also removes what is steadily missing of the energy, as uphill."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.control.arguments import not_negative
from tarsus.control.curve_tracking import CurveTracking, Field
from tarsus.control.joint_gains import Gains
from tarsus.control.reference import Setpoint, Source
from tarsus.model import Model
from tarsus.model.checks import number


class IntegralCurveTracking(CurveTracking):
    """`CurveTracking` with ki ∫ (E − H) dt beside kp (E − H): gives what friction or slopes take.

    Each call is one `period` [s], which must be stated. The integral stays within `most` [J s].
    It remembers, so that it is for simulations with steps, and not for `ts.flow`, which tries
    steps and takes some of them back.
    """

    remembers = True

    def __init__(
        self,
        model: Model,
        field: Field,
        kp: float,
        ki: float,
        reference: Source = 0.0,
        *,
        period: float,
        most: float = np.inf,
        transfer: float = 0.0,
        softening: float | None = None,
        damping: float = 0.0,
        compensate: bool = True,
        effort: Gains | None = None,
    ) -> None:
        super().__init__(
            *(model, field, kp, reference),
            transfer=transfer,
            softening=softening,
            damping=damping,
            compensate=compensate,
            effort=effort,
            period=period,
        )
        self.ki = not_negative(ki, "ki")
        self.most = number(most, "most") if np.isfinite(most) else np.inf
        self.reset()

    def reset(self) -> None:
        """Forget the integral."""
        self.integral = np.zeros(())

    def get_state(self) -> dict[str, Array]:
        """Return what the next call depends on."""
        return {"integral": self.integral.copy()}

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from a state that `get_state` returned."""
        self.integral = np.array(state["integral"])

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits, and go on by one period."""
        assert self.period is not None
        missing = setpoint[0] - self.model.kinetic_energy(q, v) - self.potential(q)
        grown = self.integral + self.period * missing
        self.integral = np.asarray(np.clip(grown, -self.most, self.most))
        added = self.ki * self.integral[..., None] * self._direction(q)
        return np.asarray(super().law(t, q, v, setpoint) + added)
