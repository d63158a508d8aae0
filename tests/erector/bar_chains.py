"""An oracle for planar chains of equal bars: minimal coordinates in plain NumPy, DOP853 at 1e-12.

Bars are those of P. Schröder, "The Virtual Erector Set", MIT 1990, sections 7.2 to 7.5: 10 m long,
1 kg, joints 4 m from their centres. Coordinates are the place of one bar and the angles of all;
the places of the others follow, so that nothing can drift. D'Alembert's principle gives the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]

MASS, INERTIA, ARM = 1.0, 101.0 / 12.0, 4.0


@dataclass(frozen=True)
class Bars:
    """A chain of `count` bars along x, counted from bar `root`; `nailed` holds the root.

    `couples` (count,) are torques on the bars [N m].
    """

    count: int
    root: int = 0
    nailed: bool = False
    couples: tuple[float, ...] = ()

    def arms(self) -> Array:
        """Return c (count, count): the centre of bar i is at r_root + Σ_j c_ij u(θ_j)."""
        arms = np.zeros((self.count, self.count))
        for i in range(self.root + 1, self.count):
            arms[i] = arms[i - 1]
            arms[i, [i - 1, i]] += ARM
        for i in range(self.root - 1, -1, -1):
            arms[i] = arms[i + 1]
            arms[i, [i + 1, i]] -= ARM
        return arms

    def accelerations(self, angles: Array, rates: Array) -> Array:
        """Return the accelerations (2 + count,) of the root's place and of the angles."""
        n, arms = self.count, self.arms()
        along = np.stack([np.cos(angles), np.sin(angles)])
        across = np.stack([-np.sin(angles), np.cos(angles)])
        mass, force = np.zeros((2 + n, 2 + n)), np.zeros(2 + n)
        for i in range(n):
            jacobian = np.hstack([np.eye(2), across * arms[i]])
            mass += MASS * jacobian.T @ jacobian
            force += MASS * jacobian.T @ (along * arms[i] @ rates**2)
        mass[2:, 2:] += INERTIA * np.eye(n)
        force[2:] += self.couples or np.zeros(n)
        free = self.free()
        found = np.zeros(2 + n)
        found[free] = np.linalg.solve(mass[np.ix_(free, free)], force[free])
        return found

    def free(self) -> NDArray[np.bool_]:
        """Return which coordinates (2 + count,) may move."""
        free = np.ones(2 + self.count, bool)
        if self.nailed:
            free[[0, 1, 2 + self.root]] = False
        return free

    def run(self, start: Array, rates: Array, times: Array) -> tuple[Array, Array]:
        """Return coordinates and their rates (T, 2 + count) at times, from those at time zero."""
        size = 2 + self.count

        def slope(_: float, state: Array) -> Array:
            rates = state[size:]
            return np.concatenate([rates, self.accelerations(state[2:size], rates[2:])])

        both = np.concatenate([start, rates])
        span = (0.0, float(times[-1]))
        found = solve_ivp(slope, span, both, "DOP853", times, rtol=1e-12, atol=1e-12)
        assert found.success, found.message
        return found.y[:size].T, found.y[size:].T

    def velocities(self, state: Array, rates: Array) -> Array:
        """Return velocities (count, 2) of the centres of the bars in the world."""
        across = np.stack([-np.sin(state[2:]), np.cos(state[2:])], axis=1)
        return np.asarray(rates[:2] + self.arms() @ (across * rates[2:, None]))

    def energy(self, state: Array, rates: Array) -> float:
        """Return the kinetic energy [J]."""
        speeds = self.velocities(state, rates)
        return float(MASS * np.sum(speeds**2) + INERTIA * np.sum(rates[2:] ** 2)) / 2
