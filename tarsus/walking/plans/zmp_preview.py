"""Preview control of the zero moment point (ZMP)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.files import Array
from tarsus.walking.plans.dcm import AHEAD, Supports

# Preview control of the zero moment point: a way of the centre of mass that keeps it in place.
#
# The cart on a table, p = c − (z/g) c̈, driven by jerk; the gains come from a discrete algebraic
# Riccati equation (S. Kajita and others, "Biped Walking Pattern Generation by using Preview Control
# of Zero-Moment Point", ICRA 2003). O. Ayit (Sabancı University 2015) takes the method from T.
# Akbas and others, "Zero Moment Point Based Pace Reference Generation for Quadruped Robots via
# Preview Control", AMC 2012, for a trot.


class Sway(NamedTuple):
    """Positions, velocities and accelerations of the centre of mass, and the zero moment point."""

    com: Array
    velocity: Array
    acceleration: Array
    zmp: Array


@dataclass(frozen=True)
class ZmpPreview:
    """Follow a reference of the zero moment point, seen `horizon` seconds ahead.

    `height` [m] is that of the centre of mass above the ground, `dt` [s] the step. `jerk_weight`
    weighs the squared jerk against the squared error of the zero moment point.
    """

    height: float
    dt: float = 0.005
    horizon: float = 1.6
    jerk_weight: float = 1e-6
    gravity: float = 9.81

    def __post_init__(self) -> None:
        for name in ("height", "dt", "horizon", "jerk_weight", "gravity"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"{name} is {getattr(self, name)}, must be above 0")

    def follow(self, reference: ArrayLike) -> Sway:
        """Return how the centre of mass moves for a reference (T,) or (T, k) of its ZMP [m].

        It begins at rest at the first value; after the last one the reference stays where it is.
        """
        wanted = np.asarray(reference, float)
        # after the end the reference stays where it is
        ahead = len(self._gains[2])
        padded = np.concatenate([wanted, np.repeat(wanted[-1:], ahead, axis=0)])
        state = np.zeros((3, *wanted.shape[1:]))
        state[0] = wanted[0]
        error = np.zeros(wanted.shape[1:])
        states = np.empty((len(wanted), *state.shape))
        for k in range(len(wanted)):
            states[k] = state
            state, error = self.step(state, error, padded[k : k + 1 + ahead])
        zmp = np.tensordot(states, self._cart[2], (1, 0))
        return Sway(states[:, 0], states[:, 1], states[:, 2], zmp)

    @property
    def samples(self) -> int:
        """How many values of the reference a step looks at: the present one and those ahead."""
        return 1 + len(self._gains[2])

    def step(self, state: ArrayLike, error: ArrayLike, reference: ArrayLike) -> tuple[Array, Array]:
        """Return the state after `dt`, and the summed error of the zero moment point.

        `state` (3, …) is position, velocity and acceleration of the centre of mass: measured, or
        that of the step before. `error` (…) is the sum so far, zero at first. `reference`
        (samples, …) is that of the zero moment point, from now on.
        """
        transition, drive, output = self._cart
        integral_gain, state_gain, ahead = self._gains
        now, wanted = np.asarray(state, float), np.asarray(reference, float)
        if len(wanted) != 1 + len(ahead):
            raise ValueError(f"reference has {len(wanted)} values, must have {1 + len(ahead)}")
        summed = error + np.tensordot(output, now, 1) - wanted[0]
        coming = np.tensordot(ahead, wanted[1:], 1)
        jerk = -integral_gain * summed - np.tensordot(state_gain, now, 1) - coming
        after = np.tensordot(transition, now, 1) + np.multiply.outer(drive, jerk)
        return np.asarray(after), np.asarray(summed)

    @cached_property
    def _cart(self) -> tuple[Array, Array, Array]:
        """Return A, B and C of the cart on the table: position, velocity, acceleration, jerk."""
        h = self.dt
        transition = np.array([[1.0, h, h**2 / 2], [0.0, 1.0, h], [0.0, 0.0, 1.0]])
        drive = np.array([h**3 / 6, h**2 / 2, h])
        return transition, drive, np.array([1.0, 0.0, -self.height / self.gravity])

    @cached_property
    def measured_gains(self) -> tuple[Array, Array]:
        """Gains of a state (3,) that is measured in each cycle, and of what is ahead (samples,).

        jerk = −K x − Σ f_j r_j is that of least Σ e² + R jerk², with no error that is summed.
        """
        from scipy.linalg import solve_discrete_are  # slow to import, and only needed here

        a, b, c = self._cart
        p = solve_discrete_are(a, b[:, None], np.outer(c, c), [[self.jerk_weight]])
        scale = 1.0 / (self.jerk_weight + float(b @ p @ b))
        gain = scale * (b @ p @ a)
        closed, column, ahead = a - np.outer(b, gain), c, []
        for _ in range(round(self.horizon / self.dt)):
            ahead.append(-scale * float(b @ column))
            column = closed.T @ column
        return gain, np.array(ahead)

    @cached_property
    def _gains(self) -> tuple[float, Array, Array]:
        """Return the gains of the summed error, of the state and of the references ahead."""
        from scipy.linalg import solve_discrete_are  # slow to import, and only needed here

        transition, drive, output = self._cart
        # the error of the zero moment point comes first, then what changes the state
        a = np.zeros((4, 4))
        a[0, 0], a[0, 1:], a[1:, 1:] = 1.0, output @ transition, transition
        b = np.concatenate([[output @ drive], drive])[:, None]
        weight = np.diag([1.0, 0.0, 0.0, 0.0])
        p = solve_discrete_are(a, b, weight, [[self.jerk_weight]])
        scale = 1.0 / (self.jerk_weight + float((b.T @ p @ b)[0, 0]))
        gain = scale * (b.T @ p @ a)[0]
        closed = a - b @ gain[None, :]
        ahead, column = [-gain[0]], -closed.T @ p[:, 0]
        for _ in range(round(self.horizon / self.dt) - 1):
            ahead.append(scale * float(b[:, 0] @ column))
            column = closed.T @ column
        return float(gain[0]), gain[1:], np.array(ahead)


# Preview control along supports, cycle by cycle from the measured state.
#
# The regulator answers a state x = (c, ċ, c̈) that is measured and references r of
# the zero moment point ahead with a jerk −K x − Σ f_j r_j. With the zero moment point p = c − c̈/ω²
# its gains are, but for what the weight of jerk adds,
#
#     K x = k₁ ω ξ − k₂ ω² p,      ξ = c + ċ/ω,
#
# so that it leads the divergent component to one of its own: ξ̄ = (k₂ ω² r₀ − Σ f_j r_j)/(k₁ ω).
# Footsteps are adapted to what is measured as those of the closed form are (`adaptation.py`), by
# the offset of ξ̄ in the step to come. K. Nishiwaki, S. Kagami, "Online walking control system for
# humanoids with short cycle pattern generation", International Journal of Robotics Research 28,
# 2009, begin anew from the measured state in each cycle; J. Urata and others, "Online decision of
# foot placement using singular LQ preview regulation", Humanoids 2011, move footsteps by what
# diverges.


SHORTEST = 1e-4
"""A phase that is over is taken to last so long [s]."""


class Reference(NamedTuple):
    """The zero moment point to come: lines between `points` (B, K, 2), `times` (B, K) from now."""

    times: Array
    points: Array


@dataclass(frozen=True)
class PreviewSupports:
    """Preview control of walkers (B,) along the supports of a walk."""

    supports: Supports
    preview: ZmpPreview

    def in_single(self, ahead: Array, left: Array) -> Reference:
        """Return what is to come in single support with `left` (B,) [s] to go.

        `ahead` (B, AHEAD + 1, 3) begins with the support that carries.
        """
        phases = np.tile([self.supports.double, self.supports.single], AHEAD)[:-1]
        rest = np.maximum(left, SHORTEST)[:, None]
        times = np.concatenate([0.0 * rest, rest, rest + np.cumsum(phases)], axis=1)
        return Reference(times, np.repeat(ahead[..., :2], 2, axis=1)[:, : times.shape[1]])

    def in_double(self, before: Array, ahead: Array, left: Array, long: Array) -> Reference:
        """Return what is to come in double support from `before` (B, 3) to the next, alike.

        `left` (B,) of its length `long` (B,) [s] is to go.
        """
        rest = np.maximum(left, SHORTEST)[:, None]
        share = np.minimum(rest / long[:, None], 1.0)
        here = ahead[:, 0, :2] + share * (before[:, :2] - ahead[:, 0, :2])
        single = self.in_single(ahead, np.full(len(ahead), self.supports.single))
        return Reference(
            np.concatenate([0.0 * rest, rest + single.times], axis=1),
            np.concatenate([here[:, None], single.points], axis=1),
        )

    def to_come(
        self, single: NDArray[np.bool_], before: Array, ahead: Array, left: Array, long: Array
    ) -> Reference:
        """Return what is to come for walkers of which some are in `single` support (B,)."""
        one, two = self.in_single(ahead, left), self.in_double(before, ahead, left, long)
        # double support has a phase more to come, which is far beyond the horizon
        count = one.times.shape[1]
        return Reference(
            np.where(single[:, None], one.times, two.times[:, :count]),
            np.where(single[:, None, None], one.points, two.points[:, :count]),
        )

    def divergent(self, to_come: Reference) -> Array:
        """Return where the regulator leads the divergent component (B, 2) at the time of now."""
        w, gain = self.supports.omega, self.preview.measured_gains[0]
        first = to_come.points[:, 0]
        return np.asarray(first - self._coming(to_come) / (gain[1] * w))

    def offset(self, ahead: Array) -> Array:
        """Return ξ̄ less the support (B, 2) when single support on the second one begins."""
        later = np.concatenate([ahead[:, 1:], ahead[:, -1:]], axis=1)
        begin = self.in_single(later, np.full(len(ahead), self.supports.single))
        return self.divergent(begin) - ahead[:, 1, :2]

    def accelerate(
        self, com: Array, velocity: Array, acceleration: Array, to_come: Reference
    ) -> Array:
        """Return the acceleration (B, 2) after a cycle, of states (B, 2) that are measured."""
        gain, _ = self.preview.measured_gains
        state = com - to_come.points[:, 0], velocity, acceleration
        jerk = -sum(k * x for k, x in zip(gain, state, strict=True)) - self._coming(to_come)
        return np.asarray(acceleration + self.preview.dt * jerk)

    def _coming(self, to_come: Reference) -> Array:
        """Return Σ f_j r_j (B, 2), seen from the first point; a line has a closed form."""
        times, points = to_come
        after = np.interp(times, self._ramps[0], self._ramps[1])
        weights = -np.diff(after, axis=1) / np.diff(times, axis=1)
        return np.asarray((weights[..., None] * np.diff(points, axis=1)).sum(axis=1))

    @cached_property
    def _ramps(self) -> tuple[Array, Array]:
        """Times a, and Σ f_j max(t_j − a, 0): lines between them, zero beyond the horizon."""
        _, ahead = self.preview.measured_gains
        t = self.preview.dt * np.arange(len(ahead) + 1)
        beyond = np.concatenate([np.cumsum(ahead[::-1])[::-1], [0.0]])
        # from a time to the one before, all that is beyond has a step longer to go
        return np.asarray(t), self.preview.dt * np.cumsum(beyond[::-1])[::-1]
