"""Passivity-based and adaptive control."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import elapsed, expect, gain_matrix, not_negative, suggestion, vectors
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.control.controller import (
    ControlLaw,
    Gains,
    Setpoint,
    Source,
    check_driven,
    checked_model,
    joint_setpoint,
)
from tarsus.model.description import FACTORIZATIONS, NONHOLONOMIC, Factorization
from tarsus.model.model import Model
from tarsus.spatial import TURN, relative_motion

# Tracking by passivity: J.-J. Slotine, W. Li, "On the adaptive control of robot manipulators",
# International Journal of Robotics Research 6(3), 1987.
#
# With e the step from the desired to the actual configuration, v_r a velocity that leads back and
# s = v − v_r, the law
#
#     τ = H a_r + C v_r + g − K_D s,      a_r = dv_r/dt,
#
# makes H ṡ + C s + K_D s = 0. As Ḣ = C + Cᵀ, the energy V = ½ sᵀ H s falls with V̇ = −sᵀ K_D s.


class PassivityControl(ControlLaw):
    """Slotine and Li's law: tau = control(t, q, v).

    `bandwidth` Λ [1/s] and `kd` K_D [N·m·s/rad, N·s/m] are numbers, diagonals (nv,) or matrices
    (nv, nv). The velocity that leads back is v_r = v_d − Λ e, with the error e =
    difference(q_d, q). On joints that turn in space (spherical, planar, free) v_d is first seen
    from where the joint is, and a_r is the exact derivative: with a Λ that is one number for a
    joint, s = 0 means ė = −Λ e exactly, for errors of any size below half a turn.

    `reference` is a configuration, the neutral one unless stated, or a function of time that
    returns q, (q, v) or (q, v, a). Every coordinate needs a drive: for a base that floats, state in
    `effort` what drives it. Joint springs and friction are not part of the law. With diagonal
    gains, and where no joint turns in space, simulations run it in the core.
    """

    name = "passivity"

    def __init__(
        self,
        model: Model,
        bandwidth: ArrayLike,
        kd: ArrayLike,
        reference: Source | None = None,
        *,
        factorization: Factorization = "christoffel",
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        if factorization not in FACTORIZATIONS:
            hint = suggestion(factorization, FACTORIZATIONS)
            raise ValueError(f"unknown factorization {factorization!r}{hint}")
        checked_model(model, "PassivityControl")
        self.bandwidth = gain_matrix(bandwidth, model.nv, "bandwidth")
        self.kd = gain_matrix(kd, model.nv, "kd")
        self.factorization = factorization
        self._groups = _groups(model)
        start = model.neutral() if reference is None else reference
        super().__init__(model, start, effort=effort, period=period)
        check_driven(model, self.effort, type(self).__name__)

    def setpoint(self, value: Any) -> Setpoint:
        """Return q, (q, v) or (q, v, a) as a checked setpoint; what is missing is zero."""
        return joint_setpoint(self.model, value)

    @property
    def core_gains(self) -> tuple[Array, Array, Array] | None:
        """Bandwidth, kd and zeros (nv,) where the core computes the same law, else None."""
        if self.factorization != "christoffel" or self._groups:
            return None
        gains = np.diagonal(self.bandwidth), np.diagonal(self.kd)
        if (self.bandwidth != np.diag(gains[0])).any() or (self.kd != np.diag(gains[1])).any():
            return None
        return *gains, np.zeros(self.model.nv)

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return the generalised forces (…, nv) without limits, in one pass of O(n)."""
        v_r, a_r = self._leading(q, v, setpoint)
        tau = self.model.passive_inverse_dynamics(q, v, v_r, a_r, factorization=self.factorization)
        return np.asarray(tau - (v - v_r) @ self.kd)

    def reference_motion(
        self, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None
    ) -> tuple[Array, Array]:
        """Return the velocity v_r that leads back and its time derivative a_r, both (…, nv)."""
        state = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        return self._leading(*state, self.reference.at(t, reference))

    def sliding_velocity(
        self, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None
    ) -> Array:
        """Return s = v − v_r (…, nv), which the law drives to zero."""
        v_r, _ = self.reference_motion(t, q, v, reference)
        return np.asarray(vectors(v, self.model.nv, "v") - v_r)

    def lyapunov(
        self, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None
    ) -> Array | float:
        """Return V = ½ sᵀ H s (…) [J], which never rises."""
        return self.model.kinetic_energy(q, self.sliding_velocity(t, q, v, reference))

    def _leading(self, q: Array, v: Array, setpoint: Setpoint) -> tuple[Array, Array]:
        q_d, v_d, a_d = setpoint
        e = self.model.difference(q_d, q)
        e, v, v_d, a_d = np.broadcast_arrays(e, v, v_d, a_d)
        target, target_rate, e_rate = np.array(v_d), np.array(a_d), v - v_d
        for kind, of in self._groups.items():
            relative = relative_motion(kind, e[..., of], v[..., of], v_d[..., of], a_d[..., of])
            target[..., of] = relative.target_velocity
            target_rate[..., of] = relative.target_acceleration
            e_rate[..., of] = (relative.step_rate @ relative.velocity[..., None])[..., 0]
        return target - e @ self.bandwidth, target_rate - e_rate @ self.bandwidth


def _groups(model: Model) -> dict[str, Array]:
    """Return the indices (joints, n) into v of the joints of each kind that is a group."""
    found: dict[str, list[range]] = {}
    for joint in model.joints:
        if joint.kind in NONHOLONOMIC and joint.own_velocities:
            raise ModelError(
                f"joint {joint.name!r} rolls or skates ({joint.kind}): no smooth feedback of its "
                "configuration brings it to a place (Brockett 1983)"
            )
        if joint.kind in TURN and joint.own_velocities:
            if len(joint.own_velocities) < joint.nv:
                raise ModelError(
                    f"joint {joint.name!r} ({joint.kind}) is in a loop that leaves it only some "
                    "of its velocities; make other joints independent"
                )
            found.setdefault(joint.kind, []).append(range(*joint.v_slice.indices(model.nv)))
    return {kind: np.array(indices) for kind, indices in found.items()}


# Tracking that learns masses and inertias: J.-J. Slotine, W. Li, "On the adaptive control of robot
# manipulators", International Journal of Robotics Research 6(3), 1987.
#
# The forces of passivity-based control are linear in the inertial parameters π of the bodies,
# H a_r + C v_r + g = Y π. With an estimate π̂ that follows
#
#     τ = Y π̂ − K_D s,      dπ̂/dt = −P Yᵀ s,
#
# V = ½ sᵀ H s + ½ π̃ᵀ P⁻¹ π̃ falls with V̇ = −sᵀ K_D s, where π̃ = π̂ − π is not known but bounded.
#
# With `physical`, the estimate stays physical: dΦ̂/dt = −γ Φ̂ L Φ̂ for the pseudo-inertia Φ̂ of
# each body, where tr(Φ L) = πᵀ Yᵀ s (T. Lee, J. Kwon, F. C. Park, "A natural adaptive control law
# for robot manipulators", IROS 2018). V then has the divergence of the two, over γ, as its last
# term.


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
            self.adaptation = gain_matrix(adaptation, self._start.size, "adaptation")
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


# Inertial parameters as matrices that are positive definite if, and only if, they are physical.
#
# P. M. Wensing, S. Kim, J.-J. Slotine, "Linear matrix inequalities for physically consistent
# inertial parameter identification", IEEE Robotics and Automation Letters 3(1), 2018. A body with
# the mass m, the first moment h = m c and the inertia I about its origin has the pseudo-inertia
#
#     Φ = [[ ½ tr(I) 1 − I,  h ],  [ hᵀ, m ]] = ∫ x xᵀ dm,      x = [position, 1],
#
# which is linear in the ten parameters π = [m, h, I_xx I_xy I_yy I_xz I_yz I_zz].


ENTRIES = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
"""Rows and columns of I in the order of the parameters."""


def _basis() -> Array:
    """Return the matrices (10, 4, 4) of which Φ is the sum, weighted by the parameters."""
    basis = np.zeros((10, 4, 4))
    basis[0, 3, 3] = 1.0
    for k in range(3):
        basis[1 + k, k, 3] = basis[1 + k, 3, k] = 1.0
    for k, (i, j) in enumerate(ENTRIES):
        basis[4 + k, i, j] = basis[4 + k, j, i] = -1.0
        if i == j:
            basis[4 + k, :3, :3] += 0.5 * np.eye(3)
    return basis


BASIS = _basis()
DUAL = np.linalg.pinv(BASIS.reshape(10, 16)).T.reshape(10, 4, 4)


def pseudo_inertia(parameters: Array) -> Array:
    """Return Φ (…, 4, 4) of parameters (…, 10)."""
    return np.asarray(np.tensordot(parameters, BASIS, axes=1))


def parameters_of(pseudo: Array) -> Array:
    """Return the parameters (…, 10) of Φ (…, 4, 4)."""
    return np.asarray(np.tensordot(pseudo, DUAL, axes=((-2, -1), (1, 2))))


def is_definite(parameters: Array) -> NDArray[np.bool_]:
    """Return whether each Φ (…) of parameters (…, 10) is positive definite, beyond rounding."""
    finite = np.asarray(np.isfinite(parameters).all(axis=-1))
    kept: Array = np.where(finite[..., None], parameters, 0.0)
    values: Array = np.asarray(np.linalg.eigvalsh(pseudo_inertia(kept)), np.float64)
    return np.asarray(finite & (values[..., 0] > 1e-12 * values[..., -1]))


def gradient(slope: Array) -> Array:
    """Return the symmetric L (…, 4, 4) with tr(Φ L) = π · slope, for a slope (…, 10)."""
    return np.asarray(np.tensordot(slope, DUAL, axes=1))


def moved(parameters: Array, step: Array) -> Array:
    """Return the parameters (…, 10) after Φ̇ = −Φ L Φ for a step L (…, 10) of slopes.

    Φ = G Gᵀ becomes G exp(−Gᵀ L G) Gᵀ. This is positive definite, unless the step is so large
    that the numbers of a computer cannot hold the result: see `is_definite`.
    """
    factor = np.linalg.cholesky(pseudo_inertia(parameters))
    turned = np.swapaxes(factor, -1, -2)
    values, axes = np.linalg.eigh(turned @ gradient(step) @ factor)
    with np.errstate(over="ignore", invalid="ignore"):
        root = factor @ axes * np.exp(-values / 2.0)[..., None, :]
        return parameters_of(root @ np.swapaxes(root, -1, -2))


def divergence(parameters: Array, estimate: Array) -> Array:
    """Return how far an estimate is from the parameters (…, 10): log|Φ̂|/|Φ| + tr(Φ̂⁻¹ Φ) − 4.

    It is zero for equal ones, positive otherwise, and does not depend on units or frames.
    """
    ratio = np.linalg.solve(pseudo_inertia(estimate), pseudo_inertia(parameters))
    trace = np.trace(ratio, axis1=-2, axis2=-1)
    return np.asarray(trace - 4.0 - np.linalg.slogdet(ratio)[1])
