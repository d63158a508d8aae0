"""Joint controllers: PD, PID, implicit PD, inverse dynamics, control through actuators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, number, vectors
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.control.controller import (
    ControlLaw,
    Gains,
    Setpoint,
    Source,
    gains,
    joint_setpoint,
    refuse_undriven,
)
from tarsus.model.model import Model

# What joint controllers have in common: gains for each joint, and a reference of all joints.
#
# Each law is a file with one class that names itself as the core knows it and has one function,
# `law`. The simulation runs these laws in the core, for whole batches; called from Python they do
# the same.


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


# Proportional and derivative control of joints.


class PD(JointController):
    """τ = kp e + kd (v_ref − v) + τ_ff, with e the step from q to its reference.

    Without a reference it leads to the neutral configuration, until `sim.step(q)` states others.
    Held over a step, it is a spring that answers late: keep kp dt² and kd dt well below the
    inertia of the joint, or use `ImplicitPD`.
    """

    name = "pd"
    uses_model = False

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits."""
        e, rate = self.errors(q, v, setpoint)
        return self.kp * e + self.kd * rate + setpoint[2]


# PID control of joints, whose integral does not wind up.


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


# PD control that is stable for every gain.
#
# J. Tan, K. Liu, G. Turk, "Stable proportional-derivative controllers", IEEE Computer Graphics and
# Applications 31(4), 2011.


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


# Inverse dynamics control, also called computed torque.


class InverseDynamics(JointController):
    """τ = H (a_ref + kp e + kd (v_ref − v)) + bias forces.

    The errors then obey ë + kd ė + kp e = 0, with kp [1/s²] and kd [1/s]; where the base has
    no drive, its rows are left out. Joint springs and friction are not compensated.
    """

    name = "inverse_dynamics"
    adds = "acceleration"

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits."""
        e, rate = self.errors(q, v, setpoint)
        a = setpoint[2] + self.kp * e + self.kd * rate
        return np.asarray(self.model.inverse_dynamics(q, v, a))


# Controllers that speak to the actuators of a model: controls u in, generalised forces out.


Controls = ArrayLike | Callable[[float, Array, Array], Any]


class Actuated(ControlLaw):
    """tau = m.actuation(q, v, u): the efforts of actuators with controls u = law(t, q, v).

    `law` is a function (t, q, v) → u (nu,) or (…, nu), or controls that stay. In an interactive
    motion `sim.step(u)` replaces them. Controls are held over `period` [s]; the forces of
    actuators that feel positions or velocities are computed at its beginning.
    """

    def __init__(self, model: Model, law: Controls | None = None, *, period: float | None = None):
        expect(model, Model, "model")
        if not model.nu:
            raise ModelError(f"{model.name!r} has no actuators: state them with b.actuator(…)")
        self.function: Any = law if callable(law) else None
        super().__init__(
            model, np.zeros(model.nu) if law is None or callable(law) else law, period=period
        )

    @property
    def remembers(self) -> bool:  # type: ignore[override]
        """Whether the law has a memory: ours say so, others have one if they can reset it."""
        return bool(getattr(self.function, "remembers", hasattr(self.function, "reset")))

    @property
    def feels(self) -> bool:
        """Whether the law wants to know contacts of the last step."""
        return bool(getattr(self.function, "feels", False))

    def feel(self, touches: Any) -> None:
        """Give the law what touched in the last step (`tarsus.sensors.Touches`)."""
        self.function.feel(touches)

    def controls(self, t: float, q: Array, v: Array) -> Array:
        """Return the controls (…, nu) at the time t [s]."""
        found = self.reference(t)[0] if self.function is None else self.function(t, q, v)
        if found is None:
            raise TypeError(f"the law returned None at t = {t:g} s, must return controls (…, nu)")
        return vectors(found, self.model.nu, "u")

    def within(
        self, limits: Array, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None
    ) -> Array:
        """Return efforts (…, nv) within limits (nv,); `reference` (…, nu) replaces the controls."""
        state = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        u = self.controls(t, *state) if reference is None else self.setpoint(reference)[0]
        return np.clip(self.law(t, *state, (u, u, u)), -limits, limits)

    def setpoint(self, value: Any) -> Setpoint:
        """Return controls (…, nu), checked, as all three parts of a setpoint."""
        u = vectors(value, self.model.nu, "u")
        return u, u, u

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without the limits of joints."""
        return self.model.actuation(q, v, setpoint[0])

    def reset(self) -> None:
        """Let the law forget what was."""
        if hasattr(self.function, "reset"):
            self.function.reset()

    def get_state(self) -> dict[str, Array]:
        """Return what the law remembers."""
        return self.function.get_state() if hasattr(self.function, "get_state") else {}

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        if hasattr(self.function, "set_state"):
            self.function.set_state(state)
