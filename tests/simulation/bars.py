"""Chains of bars in a plane: models, and the same motion from a formulation of its own in NumPy.

Bars of 10 m × 1 m × 0.5 m and 1 kg with hinges 4 m from their centres (Schröder, "The virtual
erector set", MIT 1990, sections 7.4 and 7.5).
"""

from __future__ import annotations

import numpy as np
from oracle import Array
from scipy.integrate import solve_ivp

import tarsus as ts

INERTIA = (1.25 / 12, 100.25 / 12, 101 / 12)
ARM = 4.0


def chain(bars: int, root: int = 0, *, joint: str = "planar", idle: int = 0) -> ts.Model:
    """Return bars along x in free space; bar `root` moves freely, the others hang on it."""
    b = ts.Builder("bars", gravity=(0.0, 0.0, 0.0))
    b.body(f"bar_{root}", 1.0, inertia=INERTIA).joint("root", joint, "world", f"bar_{root}")
    for sign, others in ((1.0, range(root + 1, bars)), (-1.0, range(root - 1, -1, -1))):
        for k in others:
            on = k - int(sign)
            at = sign * ARM * (1.0 if on == root else 2.0)
            b.body(f"bar_{k}", 1.0, com=(sign * ARM, 0.0, 0.0), inertia=INERTIA)
            b.joint(
                f"hinge_{k}", "revolute", f"bar_{on}", f"bar_{k}", position=(at, 0, 0), axis="z"
            )
    for k in range(idle):
        b.body(f"idle_{k}", 1.0, inertia=INERTIA).joint(f"rest_{k}", joint, "world", f"idle_{k}")
    return b.build()


def turn_last(m: ts.Model, bars: int, rate: float) -> Array:
    """Return velocities (nv,) such that only the last bar turns, about its hinge."""
    v = np.zeros(m.nv)
    if f"hinge_{bars - 1}" in m.joint_names:
        v[m.joint(f"hinge_{bars - 1}").v_slice] = rate
        return v
    # the last bar is the root: it turns about its hinge, and the others turn back on it
    v[m.joint("root").v_slice][[1, -1]] = ARM * rate, rate
    v[m.joint(f"hinge_{bars - 2}").v_slice] = -rate
    return v


def four_bar(*, constraint: bool) -> ts.Model:
    """Return a crank of 1 m, a coupler of 3 m and a rocker of 2.5 m on a ground of 3 m, 1 kg/m."""
    b = ts.Builder("four_bar", gravity=(0.0, -9.81, 0.0))
    for name, length in (("crank", 1.0), ("coupler", 3.0), ("rocker", 2.5)):
        inertia = (1e-9, length**3 / 12, length**3 / 12)
        b.body(name, length, com=(length / 2, 0.0, 0.0), inertia=inertia)
    b.joint("a", "revolute", "world", "crank", axis="z")
    b.joint("b", "revolute", "crank", "coupler", position=(1.0, 0.0, 0.0), axis="z")
    b.joint("d", "revolute", "world", "rocker", position=(3.0, 0.0, 0.0), axis="z")
    at, to = np.eye(4), np.eye(4)
    at[0, 3], to[0, 3] = 3.0, 2.5
    start = {"a": np.pi / 3, "b": 0.57596113 - np.pi / 3, "d": 1.56439322}
    how = {"constraint": True} if constraint else {"independent": ["a"]}
    b.close_loop("revolute", "coupler", at, "rocker", to, name="c", start=start, **how)
    return b.build()


class PlanarChain:
    """Bars by absolute angles θ and the place of the first: x = (place, θ), from Lagrange."""

    def __init__(self, bars: int, couple: Array, rate: Array) -> None:
        self.bars, self.couple = bars, np.concatenate([[0.0, 0.0], couple])
        self.start = np.concatenate([np.zeros(2 + bars), [0.0, 0.0], rate])

    def _parts(self, theta: Array, rate: Array) -> tuple[Array, Array]:
        """Return Jacobians (bars, 2, 2 + bars) of all centres, and their rates times velocity."""
        n = self.bars
        along, across = (
            np.stack([np.cos(theta), np.sin(theta)]),
            np.stack([-np.sin(theta), np.cos(theta)]),
        )
        jacobian, bias = np.zeros((n, 2, 2 + n)), np.zeros((n, 2))
        jacobian[:, 0, 0] = jacobian[:, 1, 1] = 1.0
        for k in range(1, n):
            jacobian[k], bias[k] = jacobian[k - 1], bias[k - 1]
            for j in (k - 1, k):
                jacobian[k, :, 2 + j] += ARM * across[:, j]
                bias[k] -= ARM * along[:, j] * rate[j] ** 2
        return jacobian, bias

    def rates(self, _: float, y: Array) -> Array:
        x, v = np.split(y, 2)
        jacobian, bias = self._parts(x[2:], v[2:])
        mass = np.einsum("kia,kib->ab", jacobian, jacobian) + np.diag(
            [0.0, 0.0] + [INERTIA[2]] * self.bars
        )
        return np.concatenate(
            [v, np.linalg.solve(mass, self.couple - np.einsum("kia,ki->a", jacobian, bias))]
        )

    def angles(self, times: list[float]) -> Array:
        """Return the angles (T, bars) of all bars, to thirteen digits."""
        found = solve_ivp(
            self.rates,
            (0.0, times[-1]),
            self.start,
            method="DOP853",
            t_eval=times,
            rtol=1e-13,
            atol=1e-13,
        )
        return found.y[2 : 2 + self.bars].T
