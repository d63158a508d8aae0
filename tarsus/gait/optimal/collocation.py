"""Gauss collocation and its polynomial bases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.polynomial import chebyshev

from tarsus._lib.checks import count
from tarsus._lib.files import Array
from tarsus.model.model import Model

# Motions of a phase as sums of basis functions, and the efforts that they need, at nodes.


TURNING = ("planar",)
"""Kinds of joints with as many velocities as positions that are not their rates."""

TURNS = 0.02
"""Velocities within which dry friction changes its side [rad/s or m/s]: efforts must be smooth,
and friction jumps. It is tanh(v / TURNS) of what the model says."""

Slopes = tuple[Array, Array, Array | None]
"""∂/∂q, ∂/∂v and ∂/∂a (n, rows, nv); None where accelerations do not matter."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Nodes s (n,) on [0, 1] and the functions of a basis there, with two derivatives."""

    s: Array
    values: Array
    slopes: Array
    bends: Array

    @classmethod
    def of(cls, basis: Basis, s: Array) -> Grid:
        """Return the grid of a basis."""
        return cls(s, *(basis.at(s, k) for k in range(3)))

    def motion(self, coefficients: Array, duration: float) -> tuple[Array, Array, Array]:
        """Return q, v and a (n, nv) for coefficients (size, nv) and a duration [s]."""
        return (
            self.values @ coefficients,
            self.slopes @ coefficients / duration,
            self.bends @ coefficients / duration**2,
        )

    def chained(self, slopes: Slopes, v: Array, a: Array, duration: float) -> tuple[Array, Array]:
        """Return derivatives by coefficients (n, rows, size, nv) and by the duration (n, rows).

        They are of rows (n, rows) with derivatives (n, rows, nv) by q, v and a of the motion.
        """
        by_q, by_v, by_a = slopes
        terms = [(by_q, self.values), (by_v, self.slopes / duration)]
        lasting = -(by_v @ v[..., None])[..., 0] / duration
        if by_a is not None:
            terms.append((by_a, self.bends / duration**2))
            lasting -= 2.0 * (by_a @ a[..., None])[..., 0] / duration
        total = sum(
            slope[:, :, None, :] * functions[:, None, :, None] for slope, functions in terms
        )
        return np.asarray(total), lasting


class Efforts:
    """What motors give in a phase: inverse dynamics less what springs, dampers and friction do."""

    def __init__(self, model: Model) -> None:
        check_coordinates(model)
        self.model = model
        rest, units = np.zeros(model.nv), np.eye(model.nv)
        still = np.asarray(model.passive_forces(rest, rest))
        self._stiffness = np.asarray(model.passive_forces(units, rest)) - still
        # dry friction is the same at both speeds
        speeds = [np.asarray(model.passive_forces(rest, k * units)) for k in (1.0, 2.0)]
        self._damping = speeds[1] - speeds[0]
        self._constant = still
        self._friction = np.zeros(model.nv)
        for joint in model.joints:
            if not joint.dependent:
                self._friction[joint.v_slice] = joint.friction

    def values(self, q: Array, v: Array, a: Array) -> Array:
        """Return τ (n, nv)."""
        passive = self._constant + q @ self._stiffness + v @ self._damping
        rubbed = self._friction * np.tanh(v / TURNS)
        return np.asarray(np.asarray(self.model.inverse_dynamics(q, v, a)) - passive + rubbed)

    def slopes(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Return ∂τ/∂q, ∂τ/∂v and ∂τ/∂a (n, nv, nv)."""
        by_q, by_v, by_a = self.model.inverse_dynamics_derivatives(q, v, a)
        rubbed = self._friction * (1.0 - np.tanh(v / TURNS) ** 2) / TURNS
        braked = rubbed[..., None] * np.eye(len(self._friction)) - self._damping.T
        return by_q - self._stiffness.T, by_v + braked, by_a


def check_coordinates(model: Model) -> None:
    """Raise ValueError where motions of a model are no sums of functions, by what is in the way."""
    for name in model.joint_names:
        joint = model.joint(name)
        if joint.nq != joint.nv or joint.kind in TURNING:
            raise ValueError(
                f"joint {name!r} is {joint.kind}: its rates are not its velocities, so that its "
                "motion is no sum of functions; state it by joints with angles, such as universal"
            )
        if joint.dependent and np.any(joint.friction):
            raise ValueError(
                f"joint {name!r} has dry friction and follows others by a {joint.dependent}: gaits "
                "of least efforts know friction of joints with coordinates of their own"
            )
    if model.forces:
        names = ", ".join(repr(force.name) for force in model.forces)
        raise ValueError(
            f"model {model.name!r} carries forces that gaits of least efforts do not know: "
            f"{names}; springs and dampers in joints they do"
        )
    if model.constraints or model.nq != model.nv:
        raise ValueError(
            f"model {model.name!r} has loops: gaits are optimised on trees, with the stance foot "
            "as the root"
        )


# Bases of functions on [0, 1] that motions of a phase are sums of: `Chebyshev`, `BSpline`.
#
# Powers of time span the same polynomials, but their coefficients are known to ever fewer digits:
# orthogonal polynomials keep them.


class Basis(Protocol):
    """Functions on [0, 1] with two derivatives."""

    @property
    def size(self) -> int:
        """How many functions there are."""

    def at(self, s: Array, derivative: int = 0) -> Array:
        """Return the functions at s (n,), or a derivative by s: (n, size)."""


@dataclass(frozen=True)
class Chebyshev:
    """Chebyshev polynomials up to `order`."""

    order: int = 10

    def __post_init__(self) -> None:
        count(self.order, "order", 3, 60)

    @property
    def size(self) -> int:
        """How many there are."""
        return self.order + 1

    def at(self, s: Array, derivative: int = 0) -> Array:
        """Return T₀ … T_order of 2 s − 1, or a derivative by s: (n, size)."""
        x = 2.0 * np.asarray(s, float) - 1.0
        series: Array = np.eye(self.size)
        if derivative:
            series = np.asarray(chebyshev.chebder(series, derivative, scl=2.0, axis=0), float)
        return np.asarray(chebyshev.chebval(x, series), float).T


@dataclass(frozen=True)
class BSpline:
    """B-splines of `degree` on `intervals` of equal length, with all derivatives inside."""

    intervals: int = 8
    degree: int = 5

    def __post_init__(self) -> None:
        count(self.intervals, "intervals", 1, 200)
        count(self.degree, "degree", 3, 9)

    @property
    def size(self) -> int:
        """How many there are."""
        return self.intervals + self.degree

    def at(self, s: Array, derivative: int = 0) -> Array:
        """Return the splines at s (n,), or a derivative by s: (n, size)."""
        from scipy.interpolate import BSpline as Splines  # slow to import, and only needed here

        inner = np.linspace(0.0, 1.0, self.intervals + 1)
        knots = np.concatenate([np.zeros(self.degree), inner, np.ones(self.degree)])
        splines = Splines(knots, np.eye(self.size), self.degree)
        return np.asarray(splines(np.asarray(s, float), nu=derivative))


def fitted(basis: Basis, s: Array, values: Array) -> Array:
    """Return coefficients (size, n) of the sums that are nearest to values (samples, n) at s."""
    return np.asarray(np.linalg.lstsq(basis.at(s), values, rcond=None)[0])


def lobatto(number: int) -> tuple[Array, Array]:
    """Return Gauss–Lobatto nodes on [0, 1], both ends among them, and weights (number,).

    They are exact for polynomials up to degree 2 number − 3. Rules without the ends let a
    polynomial hide its efforts there.
    """
    inner = np.polynomial.legendre.Legendre.basis(number - 1)
    roots = np.concatenate([[-1.0], np.sort(np.real(inner.deriv().roots())), [1.0]])
    weights = 2.0 / (number * (number - 1) * inner(roots) ** 2)
    return 0.5 * (roots + 1.0), 0.5 * weights
