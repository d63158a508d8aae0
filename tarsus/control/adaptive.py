"""Tracking that learns masses and inertias: J.-J. Slotine, W. Li, "On the adaptive control of robot
manipulators", International Journal of Robotics Research 6(3), 1987.

The forces of passivity-based control are linear in the inertial parameters π of the bodies,
H a_r + C v_r + g = Y π. With an estimate π̂ that follows

    τ = Y π̂ − K_D s,      dπ̂/dt = −P Yᵀ s,

V = ½ sᵀ H s + ½ π̃ᵀ P⁻¹ π̃ falls with V̇ = −sᵀ K_D s, where π̃ = π̂ − π is not known but bounded.

With `physical`, the estimate stays physical: dΦ̂/dt = −γ Φ̂ L Φ̂ for the pseudo-inertia Φ̂ of each
body, where tr(Φ L) = πᵀ Yᵀ s (T. Lee, J. Kwon, F. C. Park, "A natural adaptive control law for
robot manipulators", IROS 2018). V then has the divergence of the two, over γ, as its last term.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.control.arguments import elapsed, gain, not_negative
from tarsus.control.control_law import ControlLaw
from tarsus.control.joint_gains import Gains
from tarsus.control.passivity import PassivityControl
from tarsus.control.pseudo_inertia import (
    divergence,
    gradient,
    is_definite,
    moved,
    parameters_of,
    pseudo_inertia,
)
from tarsus.control.reference import Setpoint, Source, joint_setpoint
from tarsus.model import Model
from tarsus.model.checks import expect
from tarsus.model.description import Array


class AdaptiveControl(ControlLaw):
    """Slotine and Li's adaptive law: tau = control(t, q, v).

    `model` has the geometry, and the parameters to begin with; `parameters` (…, n_bodies, 10) is
    the estimate, in the order of `Model.inertial_parameters`. From one call to the next it learns
    at the rate of the first: calls are in the order of time. `adaptation` is P, as a matrix or
    diagonal for all parameters in order, or a number [1/J]: then P is this number times the
    squares of what is usual for each parameter of each body, by its mass and its size. Armature is
    known and stays. `bandwidth`, `kd`, `reference` and what needs a drive as of
    `PassivityControl`. From the second call on there is an estimate for each of the states (…),
    until `reset`.

    Tracking errors vanish; the estimate need not become true, unless the motion excites it.
    """

    remembers = True
    _time: float | None = None
    """Of the last call, since when the estimate learns."""

    def __init__(
        self,
        model: Model,
        bandwidth: ArrayLike,
        kd: ArrayLike,
        reference: Source | None = None,
        *,
        adaptation: ArrayLike = 1.0,
        physical: bool = False,
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        self.passivity = PassivityControl(model, bandwidth, kd, effort=effort)
        self.physical = physical
        self._start = np.array(model.inertial_parameters)
        if physical:
            self.adaptation = np.array(not_negative(adaptation, "adaptation"))
            _check_physical(model, self._start)
        elif np.ndim(adaptation) == 0:
            pace = not_negative(adaptation, "adaptation")
            self.adaptation = np.diag(pace * _usual(self._start) ** 2)
        else:
            self.adaptation = gain(adaptation, self._start.size, "adaptation")
        self._inverse = _inverse(np.atleast_2d(self.adaptation))
        start = model.neutral() if reference is None else reference
        super().__init__(model, start, effort=effort, period=period)
        self.reset()

    def setpoint(self, value: Any) -> Setpoint:
        """Return q, (q, v) or (q, v, a) as a checked setpoint; what is missing is zero."""
        return joint_setpoint(self.model, value)

    def reset(self) -> None:
        """Take the parameters of the model as the estimate again."""
        self.parameters = self._start.copy()
        self.parameter_rate = np.zeros_like(self._start)
        self._slope = np.zeros_like(self._start)

    def get_state(self) -> dict[str, Array]:
        """Return what the next call depends on."""
        time = np.array(np.nan if self._time is None else self._time)
        return {"parameters": self.parameters.copy(), "slope": self._slope.copy(), "time": time}

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from a state that `get_state` returned."""
        self.parameters, self._slope = np.array(state["parameters"]), np.array(state["slope"])
        self.parameter_rate = self._rate(self.parameters, self._slope)
        self._time = None if np.isnan(state["time"]) else float(state["time"])

    @property
    def parameters(self) -> Array:
        """The estimate (…, n_bodies, 10) at the last call; what is set holds at the next one."""
        return self._parameters

    @parameters.setter
    def parameters(self, value: Array) -> None:
        self._parameters, self._time = value, None

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return the generalised forces (…, nv) without limits, after learning until t [s].

        `parameter_rate` is then dπ̂/dt at this state.
        """
        parameters = self._learned(t)
        v_r, a_r = self.passivity.reference_motion(t, q, v, setpoint)
        s = v - v_r
        _check_states(parameters, s)
        regressor = self.model.inertial_regressor(q, v, a_r, v_reference=v_r)
        slope = (s[..., None, :] @ regressor)[..., 0, :]
        slope = slope.reshape(*slope.shape[:-1], -1, 10)
        # the model's own forces have the armature, the regressor what the estimate changes
        change = (parameters - self._start).reshape(*parameters.shape[:-2], -1)
        tau = self.model.passive_inverse_dynamics(q, v, v_r, a_r)
        self.parameter_rate = self._rate(parameters, slope)
        self.parameters, self._slope, self._time = parameters, slope, float(t)
        return np.asarray(tau + (regressor @ change[..., None])[..., 0] - s @ self.passivity.kd)

    def lyapunov(
        self, plant: Model, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None
    ) -> Array | float:
        """Return V (…) [J], for a `plant` with the true parameters: it never rises."""
        expect(plant, Model, "plant")
        s = self.passivity.sliding_velocity(t, q, v, self.reference.at(t, reference))
        _check_states(self.parameters, s)
        true = plant.inertial_parameters
        if self.physical:
            distance = divergence(true, self.parameters).sum(axis=-1) * self._inverse[0, 0]
        else:
            error = (self.parameters - true).reshape(*self.parameters.shape[:-2], -1)
            distance = 0.5 * (error * (error @ self._inverse)).sum(axis=-1)
        return plant.kinetic_energy(q, s) + np.asarray(distance)[()]

    def _learned(self, t: float) -> Array:
        """Return the estimate at the time t [s], at the rate of the last call."""
        dt = 0.0 if self._time is None else elapsed(self._time, t)
        if dt == 0.0:
            return self.parameters
        if not self.physical:
            return self.parameters + dt * self.parameter_rate
        parameters = moved(self.parameters, dt * self.adaptation * self._slope)
        if not is_definite(parameters).all():
            raise ArithmeticError(
                f"a step of {dt} s with adaptation = {self.adaptation} /J is too large: "
                "floating-point numbers cannot hold the inertias it leads to"
            )
        return parameters

    def _rate(self, parameters: Array, slope: Array) -> Array:
        """Return dπ̂/dt (…, n_bodies, 10)."""
        if self.physical:
            pseudo = pseudo_inertia(parameters)
            return parameters_of(-self.adaptation * pseudo @ gradient(slope) @ pseudo)
        flat = slope.reshape(*slope.shape[:-2], -1)
        return np.asarray(-(flat @ self.adaptation).reshape(slope.shape))


def _check_states(parameters: Array, s: Array) -> None:
    """Raise unless there is one estimate for all states, or one for each."""
    lead, states = parameters.shape[:-2], s.shape[:-1]
    if lead and lead != states:
        raise ValueError(
            f"parameters are estimates for states of shape {lead}, but these have shape "
            f"{states}; reset() starts anew"
        )


def _usual(parameters: Array) -> Array:
    """Return the size (10 · n_bodies,) that each parameter has: m, m l and m l² of its body."""
    mass = np.abs(parameters[:, :1])
    square = np.abs(parameters[:, [4, 6, 9]]).sum(axis=-1, keepdims=True) / 2.0  # m l²
    return np.hstack([mass, *[np.sqrt(mass * square)] * 3, *[square] * 6]).ravel()


def _inverse(matrix: Array) -> Array:
    """Return P⁻¹, zero where P is: nothing is learned there, so nothing of V is there.

    The diagonal is first scaled to one, for a small rotor is not zero beside a heavy link.
    """
    scale = np.sqrt(np.diagonal(matrix))
    scale = np.where(scale > 0.0, scale, 1.0)
    units = np.outer(scale, scale)
    return np.asarray(np.linalg.pinv(matrix / units) / units)


def _check_physical(model: Model, parameters: Array) -> None:
    """Raise unless all pseudo-inertias are positive definite, for only these can be moved."""
    right = is_definite(parameters)
    wrong = [name for name, value in zip(model.body_names, right, strict=True) if not value]
    if wrong:
        raise ValueError(
            f"physical=True needs bodies whose mass is spread in space; these are not: "
            f"{', '.join(wrong)}"
        )
