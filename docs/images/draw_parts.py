"""Draw parts_kit.png and parts_pendulum.png: `python docs/images/draw_parts.py`.

A kit: twelve loose sticks fly together and become an octahedron, in their own time. A pendulum: a
free rod with a nail in its end, its gap and its energy for three steps.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

import tarsus as ts

HERE = Path(__file__).parent
INK, BLUE, ORANGE, GREEN = "#222b33", "#1f5f8b", "#c8641e", "#3c8a4f"
TAU = 0.2
CORNERS = np.vstack([np.eye(3), -np.eye(3)]) / np.sqrt(2)  # of an octahedron with edges of 1 m
EDGES = [pair for pair in itertools.combinations(range(6), 2) if pair[1] - pair[0] != 3]
ENDS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])


def loose(gravity: tuple[float, float, float] = (0.0, 0.0, 0.0), sticks: int = 12) -> ts.Model:
    """Return sticks of 1 kg and 1 m along x, each on a free joint."""
    b = ts.Builder("sticks", gravity=gravity)
    for k in range(sticks):
        b.body(f"stick{k}", mass=1.0, com=(0.5, 0.0, 0.0), inertia=(1e-3, 1 / 12, 1 / 12))
        b.joint(f"free{k}", "free", "world", f"stick{k}")
    return b.build()


def thrown(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the state of a kit whose sticks are about where they belong, but turned and apart."""
    q = []
    for first, last in EDGES:
        way = CORNERS[last] - CORNERS[first] + rng.normal(0.0, 0.3, 3)
        x = way / np.linalg.norm(way)
        y = np.cross(rng.normal(size=3), x)
        y /= np.linalg.norm(y)
        middle = 0.75 * (CORNERS[first] + CORNERS[last]) + rng.normal(0.0, 0.15, 3)
        axes = np.column_stack([x, y, np.cross(x, y)])
        q += [*(middle - 0.5 * x), *ts.spatial.quaternion_from_rotation(axes)]
    return np.array(q)


def draw_kit() -> None:
    """Draw the sticks at three times, and all gaps over time."""
    model = loose()
    sim = ts.Simulation(model, dt=2e-3)
    for corner in range(6):
        here = [
            (f"stick{k}", ENDS[edge.index(corner)])
            for k, edge in enumerate(EDGES)
            if corner in edge
        ]
        for other in here[1:]:
            sim.add(ts.constraint.PointToPoint(here[0], other, time_constant=TAU))
    run = sim.run(thrown(np.random.default_rng(4)), duration=10 * TAU)
    figure = plt.figure(figsize=(11, 3.5), layout="constrained")
    grid = figure.add_gridspec(1, 4, width_ratios=(1, 1, 1, 1.7))
    poses = np.asarray(model.forward_kinematics(run.q))
    for place, t in enumerate((0.0, 2.0, 8.0)):
        axes: Any = figure.add_subplot(grid[place], projection="3d")
        for pose in poses[np.searchsorted(run.t, t * TAU)]:
            ends = ENDS @ pose[:3, :3].T + pose[:3, 3]
            axes.plot(*ends.T, color=BLUE, lw=2.5, solid_capstyle="round")
            axes.scatter(*ends.T, color=ORANGE, s=9)
        axes.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-1, 1))
        axes.set_box_aspect((1, 1, 1), zoom=1.2)
        axes.set_axis_off()
        axes.view_init(22, 28)
        axes.set_title(f"t = {t:g} τ" if t else "loose", fontsize=10, y=-0.02)
    axes = figure.add_subplot(grid[3])
    for name in (name for name in run.parts if name.startswith("point")):
        size = np.linalg.norm(run.parts[name].gap, axis=1)
        axes.plot(run.t[1:] / TAU, size[1:] / size[1], color=BLUE, lw=0.8, alpha=0.5)
    t = np.linspace(0.0, 10.0, 100)
    axes.plot(t, (1 + t) * np.exp(-t), "--", color=ORANGE, lw=2, label="(1 + t/τ) exp(−t/τ)")
    axes.set(xlabel="t / τ", ylabel="gap, of its start", yscale="log", ylim=(1e-4, 1.5))
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "parts_kit.png", dpi=110)


def draw_pendulum() -> None:
    """Draw the gap of a nail and the energy of what hangs on it, for three steps."""
    model = loose((0.0, 0.0, -9.81), sticks=1)
    figure, (gap, energy) = plt.subplots(1, 2, figsize=(11, 3.2), layout="constrained")
    for dt, color in ((8e-3, ORANGE), (4e-3, GREEN), (2e-3, BLUE)):
        sim = ts.Simulation(model, dt=dt)
        sim.add(ts.constraint.Nail(("stick0", ENDS[1]), name="nail"))
        run = sim.run(duration=20.0)
        size = np.linalg.norm(run.parts["nail"].gap, axis=1)
        style: dict[str, Any] = {"color": color, "lw": 1, "label": f"{1e3 * dt:g} ms"}
        gap.semilogy(run.t[2:], size[2:], **style)
        swing = np.ptp(run.energy.kinetic)
        change = (run.energy.stored - run.energy.stored[0]) / swing
        energy.semilogy(run.t[1:], np.abs(change[1:]), **style)
        print(f"{dt:g} s: gap {size[2:].max():.1e} m, energy {np.ptp(change):.1e}")
    gap.set(ylabel="gap of the nail [m]", xlabel="time [s]", ylim=(1e-9, 1e-3))
    energy.set(ylabel="change of energy, of its swing", xlabel="time [s]", ylim=(1e-7, 1e-1))
    for axes in (gap, energy):
        axes.spines[["top", "right"]].set_visible(False)
    gap.legend(frameon=False, ncols=3, loc="upper right")
    figure.savefig(HERE / "parts_pendulum.png", dpi=110)


if __name__ == "__main__":
    draw_kit()
    draw_pendulum()
