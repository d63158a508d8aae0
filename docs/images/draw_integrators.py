"""Draw integrators.png: `python docs/images/draw_integrators.py`.

The error of the energy of a four-bar linkage that falls for ten minutes, by several integrators.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import tarsus as ts

INK = "#222b33"
DURATION, SAMPLE = 600.0, 0.5
CHOSEN: list[tuple[Any, float, str, str]] = [
    ("rk4", 5e-3, "#c8641e", "rk4, dt = 5 ms"),
    (ts.integrators.DormandPrince(1e-7, 1e-8), SAMPLE, "#8a5fa8", "dormand_prince, rtol = 1e-7"),
    (ts.integrators.Radau(1e-7, 1e-8), SAMPLE, "#1f5f8b", "radau, rtol = 1e-7"),
    ("gauss", 2e-2, "#3c8a4f", "gauss, dt = 20 ms"),
]


def main() -> None:
    """Run the linkage by all of them, and draw the error of each."""
    m = ts.robots.four_bar(3.0, 1.0, 3.0, 2.5, angle=np.pi / 3)
    figure, axes = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
    for integrator, dt, color, text in CHOSEN:
        sim = ts.Simulation(m, dt=dt, integrator=integrator)
        run = sim.run(duration=DURATION, every=round(SAMPLE / dt), progress=False)
        error = np.abs(run.energy.residual) / run.energy.kinetic.max()
        axes.semilogy(run.t / 60, np.maximum(error, 1e-16), color=color, lw=0.7)
        axes.text(10.1, np.median(error[-200:]), text, color=color, va="center", fontsize=9)
    axes.set(xlim=(0, 10), ylim=(1e-16, 10), xlabel="time [min]")
    axes.set_ylabel("error of the energy,\npart of the largest kinetic energy")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(colors=INK)
    figure.savefig(Path(__file__).with_name("integrators.png"), dpi=150, bbox_inches="tight")


if __name__ == "__main__":
    main()
