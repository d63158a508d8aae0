"""Draw optimal_gaits.png: `python docs/images/draw_optimal_gaits.py`.

A gait of a compass walker at 1.1 m/s with and without a spring, and costs over speeds.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from tarsus_lab.reproduce.port_searches import SPEEDS, structures

from tarsus.gait import OptimizedGait

INK, BLUE, RUST, PALE, GREEN = "#222b33", "#1f5f8b", "#c8641e", "#9db8cb", "#4f8a5b"
LABELS = {
    "nominal": ("as it is", INK),
    "spring": ("spring and damper", BLUE),
    "mass": ("masses", GREEN),
    "both": ("all", RUST),
}


def draw_figures(axes: plt.Axes, gait: OptimizedGait) -> None:
    """Draw legs at instants of a step."""
    for t in np.linspace(0.0, gait.duration, 9):
        lean, hip = gait.q(float(t))
        top = np.array([-np.sin(lean), np.cos(lean)])
        foot = top + np.array([np.sin(lean + hip), -np.cos(lean + hip)])
        axes.plot([0.0, top[0]], [0.0, top[1]], color=BLUE, lw=1.2)
        axes.plot([top[0], foot[0]], [top[1], foot[1]], color=PALE, lw=1.2)
        axes.plot(*top, "o", color=INK, ms=4)
    axes.set_aspect("equal")
    axes.set_title("1.1 m/s with a spring", fontsize=9, color=INK)
    axes.axis("off")


def main() -> None:
    """Draw both."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10.0, 3.2), layout="constrained")
    draw_figures(left, structures(1.1)["spring"])
    for name in ("nominal", "spring"):
        gait = structures(1.1)[name]
        t = np.linspace(0.0, gait.duration, 200)
        label, color = LABELS[name]
        middle.plot(t, gait.tau(t)[:, 1], color=color, lw=1.4, label=label)
    middle.set(xlabel="time [s]", ylabel="hip torque [N m]")
    middle.legend(fontsize=8, frameon=False)
    for name, (label, color) in LABELS.items():
        costs = [structures(speed)[name].cost for speed in SPEEDS]
        right.semilogy(SPEEDS, costs, "o-", color=color, ms=3, lw=1.2, label=label)
    right.set(xlabel="speed [m/s]", ylabel="∫ τ² dt [N² m² s]")
    right.legend(fontsize=8, frameon=False)
    figure.savefig(Path(__file__).with_name("optimal_gaits.png"), dpi=110)


if __name__ == "__main__":
    main()
