"""Draw coriolis.png: `python docs/images/draw_coriolis.py`; needs Pinocchio.

Left, how far C + Cᵀ is from the rate of the mass matrix, for each kind of joint in two libraries.
Right, the function that passivity-based control promises to decrease, on an arm with universal
joints, with a Coriolis matrix that is right and with one that is not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import tarsus as ts
from tarsus._lib.files import Array

sys.path.insert(0, str(Path(__file__).parents[1]))
from coriolis_table import RESIDUALS, Line, alike, lines

BLUE, ORANGE = "#2f6f9f", "#e07a3f"
COLUMN = list(RESIDUALS).index("Ḣ − C − Cᵀ")
STEP, DURATION = 2e-3, 10.0
STIFFNESS, GAIN = 3.0, 2.0
"""Λ [1/s] and K [N m s] of the controller."""


def draw_residuals(axes: Any, table: list[Line]) -> None:
    """Draw a row for each kind of joint, a dot for each library."""
    for library, (color, name) in enumerate(((BLUE, "Tarsus"), (ORANGE, "Pinocchio"))):
        points = [(line.values[COLUMN][library], row) for row, line in enumerate(table)]
        shown = [(value, row) for value, row in points if value is not None]
        axes.plot(*zip(*shown, strict=True), "o", color=color, label=name, ms=7 - 2 * library)
    axes.set_yticks(range(len(table)), [line.joint for line in table], fontsize=9)
    axes.set_ylim(len(table) - 0.5, -0.5)
    axes.set_xscale("log")
    axes.set_xlim(1e-16, 10)
    axes.set_title("C + Cᵀ against dH/dt: relative error", fontsize=10)
    axes.legend(loc="upper right")


def reference(t: float, n: int) -> tuple[Array, Array, Array]:
    """Return where the arm shall be (n,), with rates and accelerations."""
    phase = np.arange(n)
    wave, turned = np.sin(2.0 * t + phase), np.cos(2.0 * t + phase)
    return 0.5 * wave, 1.0 * turned, -2.0 * wave


def lyapunov(m: ts.Model, matrix: Callable[[Array, Array], Array]) -> tuple[Array, Array]:
    """Return times and ½ sᵀ H s while the controller uses a Coriolis matrix."""

    def errors(t: float, q: Array, v: Array) -> tuple[Array, Array, Array]:
        wanted, rate, acceleration = reference(t, m.nv)
        v_r = rate - STIFFNESS * (q - wanted)
        return v - v_r, v_r, acceleration - STIFFNESS * (v - rate)

    def motion(t: float, state: Array) -> Array:
        q, v = np.split(state, 2)
        s, v_r, a_r = errors(t, q, v)
        tau = m.mass_matrix(q) @ a_r + matrix(q, v) @ v_r + m.gravity_forces(q) - GAIN * s
        return np.concatenate([v, m.forward_dynamics(q, v, tau)])

    times = np.arange(0.0, DURATION, STEP)
    state, values = np.concatenate([m.neutral() + 0.5, np.zeros(m.nv)]), []
    for t in times:
        q, v = np.split(state, 2)
        s = errors(t, q, v)[0]
        values.append(0.5 * s @ m.mass_matrix(q) @ s)
        state = runge_kutta(motion, t, state)
    return times, np.array(values)


def runge_kutta(motion: Callable[[float, Array], Array], t: float, state: Array) -> Array:
    """Return the state a step later, by the method of fourth order."""
    k1 = motion(t, state)
    k2 = motion(t + STEP / 2, state + STEP / 2 * k1)
    k3 = motion(t + STEP / 2, state + STEP / 2 * k2)
    k4 = motion(t + STEP, state + STEP * k3)
    return np.asarray(state + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4))


def draw_lyapunov(axes: Any) -> None:
    """Draw the function for both matrices."""
    ours, theirs = alike("universal")
    assert theirs is not None
    for color, name, m in ((BLUE, "C of Tarsus", ours), (ORANGE, "C of Pinocchio", theirs)):
        axes.plot(*lyapunov(ours, m.coriolis_matrix), color=color, label=name)
    axes.set_yscale("log")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("½ sᵀ H s [J]")
    axes.set_title("passivity-based control, universal joints", fontsize=10)
    axes.legend(loc="upper right")


def main(target: Path) -> None:
    """Compute and draw both panels."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.4), layout="constrained")
    draw_residuals(left, list(lines()))
    draw_lyapunov(right)
    for axes in (left, right):
        axes.grid(visible=True, alpha=0.3)
    figure.savefig(target, dpi=110)


if __name__ == "__main__":
    main(Path(__file__).with_name("coriolis.png"))
