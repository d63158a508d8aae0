"""PD control that is stable for every gain.

J. Tan, K. Liu, G. Turk, "Stable proportional-derivative controllers", IEEE Computer Graphics and
Applications 31(4), 2011.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.control.joint_controller import JointController
from tarsus.control.joint_gains import Gains
from tarsus.control.reference import Setpoint, Source
from tarsus.model import Model
from tarsus.model.checks import number


class ImplicitPD(JointController):
    """PD control with the errors at the end of the step.

    In a simulation the law is part of the step itself, with all contacts: `run(controller=…)`, or
    `reset(q, controller=…)` and `step(setpoint)`. Called from Python it knows of no contact: it
    predicts the end of a step of `dt` [s] in free space. With H̃ = H + dt kd + dt² kp,

        a = H̃⁻¹ (τ_ff + kp (e − dt v) + kd (v_ref − v) + passive forces − bias forces),
        τ = τ_ff + kp (e − dt v − dt² a) + kd (v_ref − v − dt a).

    Where the first four terms alone are beyond the limit `effort`, they are cut and the gains are
    left out of H̃. `period` is that of the reference.
    """

    name = "implicit_pd"
    uses_model = False

    def __init__(
        self,
        model: Model,
        kp: Gains,
        kd: Gains,
        reference: Source | None = None,
        *,
        effort: Gains | None = None,
        period: float | None = None,
        dt: float = 1e-3,
    ) -> None:
        super().__init__(model, kp, kd, reference, effort=effort, period=period)
        self.dt = number(dt, "dt")
        if self.dt <= 0.0:
            raise ValueError(f"dt is {self.dt}, must be positive")

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits."""
        model, h = self.model, self.dt
        e, rate = self.errors(q, v, setpoint)
        now = setpoint[2] + self.kp * (e - h * v) + self.kd * rate
        implicit = h * (self.kd + h * self.kp) * (np.abs(now) < self.effort)
        now = np.clip(now, -self.effort, self.effort)
        inertia = model.mass_matrix(q) + implicit[..., None] * np.eye(model.nv)
        force = now + model.passive_forces(q, v) - model.bias_forces(q, v)
        a = np.linalg.solve(inertia, force[..., None])[..., 0]
        return np.asarray(now - implicit * a)
