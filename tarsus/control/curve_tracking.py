"""Control along a curve in joint space (asymptotic and integral)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import flag, not_negative, number, reals, vectors
from tarsus._lib.files import Array
from tarsus.control.controller import (
    ControlLaw,
    Gains,
    Setpoint,
    Source,
    check_driven,
    checked_model,
)
from tarsus.model.model import Model

# Motions are led along a curve by exchanges of energy: V. Duindam, "Port-Based Modeling and
# Control for Efficient Bipedal Walking Robots", University of Twente 2006, section 5.2.
#
# A vector field w(q) says where to go, not when. With e = w/|w| in the kinetic metric, a velocity
# has a wanted part α e, α = eᵀ H v, and the rest r = v − α e; energies add, T = ½ α² + ½ rᵀ H r.
# With
#
#     n = H ė + C e        (the change of e along the motion, which is orthogonal to e)
#
# the efforts α n − H e (rᵀ n) keep both energies apart and do no work, whatever the velocity. The
# thesis writes the same in a basis of momenta; where there is more than one unwanted direction this
# is the choice of its free matrix Z for which r is carried along without being turned.


Field: TypeAlias = Callable[[Array], ArrayLike]
"""q (…, nq) → w (…, nv), nowhere zero; `CurveField` is one."""

STEP = 1e-3
"""Of differences of order four along the motion, for fields without a `with_rate`."""


@dataclass(frozen=True)
class CurveEfforts:
    """What `CurveTracking` consists of, each (…, nv)."""

    nominal: Array
    """Keeps wanted and unwanted energy apart; no power."""
    asymptotic: Array
    """Carries unwanted energy over to the wanted motion; no power."""
    damping: Array
    """Takes unwanted energy away."""
    potential: Array
    """Holds against the potential where it would push aside."""
    energy: Array
    """Brings the total energy to the wanted one."""

    @property
    def total(self) -> Array:
        """The sum of all (…, nv)."""
        return self.nominal + self.asymptotic + self.damping + self.potential + self.energy


class CurveTracking(ControlLaw):
    """Follow a field without a clock, and waste no energy: tau = control(t, q, v).

    `field` is a function q (…, nq) → w (…, nv), or a `CurveField`. `transfer` a₀ carries unwanted
    energy over to the wanted motion, at the rate a α² rᵀHr with a = a₀ / √(rᵀHr + softening), or
    a = a₀ without a `softening` [J]; what moves the wrong way, α < 0, goes on to do so.
    `damping` [1/s] takes it away instead. `compensate` holds against the part of gravity and
    springs that pushes aside, and `kp` adds kp (E − H) w for the wanted energy E [J], kinetic and
    potential, which is the `reference`: a number, or a function of time.

    Every coordinate needs a drive. Limits of efforts break what is said about power.
    """

    def __init__(
        self,
        model: Model,
        field: Field,
        kp: float = 0.0,
        reference: Source = 0.0,
        *,
        transfer: float = 0.0,
        softening: float | None = None,
        damping: float = 0.0,
        compensate: bool = True,
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        checked_model(model, "CurveTracking")
        if not callable(field):
            raise TypeError(f"field is {field!r}, must be a function q → w")
        self.field = field
        self.kp, self.transfer = not_negative(kp, "kp"), not_negative(transfer, "transfer")
        self.softening = None if softening is None else not_negative(softening, "softening")
        if self.softening == 0.0:
            raise ValueError("softening is 0.0, must be positive, or None for a = transfer")
        self.damping = not_negative(damping, "damping")
        self.compensate = flag(compensate, "compensate")
        super().__init__(model, reference, effort=effort, period=period)
        check_driven(model, self.effort, type(self).__name__)

    def setpoint(self, value: Any) -> Setpoint:
        """Return a wanted energy [J] () or (…), checked."""
        given = value[0] if isinstance(value, tuple) else value
        energy = reals(given, "reference")
        if not np.isfinite(energy).all():
            raise ValueError(f"reference is {given!r}, must be finite energies [J]")
        return energy, np.zeros(()), np.zeros(())

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits."""
        return self._parts(q, v, setpoint[0]).total

    def parts(self, q: ArrayLike, v: ArrayLike, t: float = 0.0) -> CurveEfforts:
        """Return what the efforts consist of, without limits."""
        state = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        return self._parts(*state, self.reference(t)[0])

    def energies(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Return the kinetic energies of the wanted and of the unwanted motion (…) [J]."""
        q, v = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        mass = np.asarray(self.model.mass_matrix(q))
        unit, _ = _normed(mass, self._direction(q))
        alpha, rest = _split(mass, unit, v)
        return 0.5 * alpha**2, 0.5 * _dot(rest, _times(mass, rest))

    def along(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return α (…), the wanted motion: its square is twice its energy, negative is back."""
        q, v = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        mass = np.asarray(self.model.mass_matrix(q))
        return _split(mass, _normed(mass, self._direction(q))[0], v)[0]

    def _parts(self, q: Array, v: Array, energy: Array) -> CurveEfforts:
        model = self.model
        w, w_rate = self._with_rate(q, v)
        mass = np.asarray(model.mass_matrix(q))
        unit, size = _normed(mass, w)
        alpha, rest = _split(mass, unit, v)
        wanted, unwanted = _times(mass, unit), _times(mass, rest)
        turn = _times(mass, w_rate) + _times(np.asarray(model.coriolis_matrix(q, v)), w)
        turn = (turn - wanted * _dot(unit, turn)[..., None]) / size[..., None]
        nominal = alpha[..., None] * turn - wanted * _dot(rest, turn)[..., None]
        twice = _dot(rest, unwanted)
        rate = self.transfer
        gain = rate if self.softening is None else rate / np.sqrt(twice + self.softening)
        carried = wanted * twice[..., None] - unwanted * alpha[..., None]
        slope = np.asarray(model.gravity_forces(q)) - model.passive_forces(q, np.zeros(model.nv))
        aside = slope - wanted * _dot(unit, slope)[..., None]
        missing = energy - (0.5 * (alpha**2 + twice) + self.potential(q))
        return CurveEfforts(
            nominal=nominal,
            asymptotic=np.asarray(gain * alpha)[..., None] * carried,
            damping=-self.damping * unwanted,
            potential=aside if self.compensate else np.zeros_like(aside),
            energy=self.kp * missing[..., None] * w,
        )

    def potential(self, q: ArrayLike) -> Array:
        """Return the energy in gravity and in the springs of joints (…) [J]."""
        return np.asarray(self.model.potential_energy(q)) + self.model.elastic_energy(q)

    def _direction(self, q: Array) -> Array:
        w = vectors(np.asarray(self.field(q), np.float64), self.model.nv, "what field returns")
        if (w == 0.0).all(axis=-1).any():
            raise ValueError(f"field is zero at q = {q.tolist()}, must lead somewhere")
        return w

    def _with_rate(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return w and how it changes along the motion (…, nv)."""
        if hasattr(self.field, "with_rate"):
            w, rate = self.field.with_rate(q, v)
            return np.asarray(w), np.asarray(rate)
        speed = np.linalg.norm(v, axis=-1, keepdims=True)
        step = np.divide(STEP * v, speed, out=np.zeros_like(v), where=speed > 0.0)
        one, back, two, far = (
            self._direction(np.asarray(self.model.integrate(q, k * step))) for k in (1, -1, 2, -2)
        )
        rate = (8.0 * (one - back) - (two - far)) * speed / (12.0 * STEP)
        return self._direction(q), np.asarray(rate)


def _times(matrix: Array, x: Array) -> Array:
    return np.asarray((matrix @ x[..., None])[..., 0])


def _dot(a: Array, b: Array) -> Array:
    return np.asarray((a * b).sum(axis=-1))


def _normed(mass: Array, w: Array) -> tuple[Array, Array]:
    """Return w as a unit vector of the kinetic metric, and its length there."""
    size = np.sqrt(_dot(w, _times(mass, w)))
    return w / size[..., None], size


def _split(mass: Array, unit: Array, v: Array) -> tuple[Array, Array]:
    """Return the wanted part of a velocity along a unit vector, and the rest."""
    alpha = _dot(unit, _times(mass, v))
    return alpha, v - alpha[..., None] * unit


# Curve tracking that also removes what is steadily missing of the energy, as uphill.


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
