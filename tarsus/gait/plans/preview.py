"""Preview control of the zero moment point: a way of the centre of mass that keeps it in place.

The cart on a table, p = c − (z/g) c̈, driven by jerk; the gains come from a discrete algebraic
Riccati equation (S. Kajita and others, "Biped Walking Pattern Generation by using Preview Control
of Zero-Moment Point", ICRA 2003). O. Ayit (Sabancı University 2015) takes the method from T. Akbas
and others, "Zero Moment Point Based Pace Reference Generation for Quadruped Robots via Preview
Control", AMC 2012, for a trot.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array


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
