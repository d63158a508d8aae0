"""Draw events.png: `python docs/images/draw_events.py`.

A ball that bounces, with its located impacts, and walks of a compass walker that become one gait.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import tarsus as ts
from tarsus.gait.walkers.planar import STABLE, start, walking

INK, BLUE, RUST, PALE = "#222b33", "#1f5f8b", "#c8641e", "#9db8cb"


def bouncing() -> ts.Phase:
    """Return the phase of a ball that keeps 0.8 of its speed."""
    builder = ts.Builder("ball").body("ball", 1.0)
    ball = builder.joint("fall", "prismatic", "world", "ball", axis="z").build()
    keep = ts.resets.Linear([[1.0]], rates=[[-0.8]])
    return ts.Phase(ball, ts.Exit(ts.guards.Height("ball"), "flight", keep), name="flight")


def draw_ball(height: Axes, speed: Axes) -> None:
    """Draw heights and speeds, which jump at impacts."""
    motion = ts.flow(bouncing(), [1.0], duration=3.4, sample=0.004)
    t, q, v = motion.samples
    strikes = np.array([event.t for event in motion.events])
    height.plot(t, q[:, 0], color=BLUE, lw=1.4)
    height.plot(strikes, np.zeros_like(strikes), "o", color=RUST, ms=5, clip_on=False, zorder=3)
    height.set(ylabel="height [m]", ylim=(0, 1.05), xlim=(0, 3.4))
    height.text(0.52, 0.85, f"first impact at {strikes[0]:.12f} s", color=RUST, fontsize=8)
    ends = [0.0, *strikes, 3.4]
    for a, b in pairwise(ends):
        some = (t > a) & (t < b)
        speed.plot(t[some], v[some, 0], color=BLUE, lw=1.4)
    for event in motion.events:
        ends_at = [event.v[0], event.next_v[0]]
        speed.plot([event.t] * 2, ends_at, color=RUST, lw=0.8, ls=":")
        speed.plot([event.t] * 2, ends_at, "o", color=RUST, ms=3)
    speed.set(ylabel="speed [m/s]", xlabel="time [s]", xlim=(0, 3.4))


def draw_walks(axes: Axes) -> None:
    """Draw rates over angles of the stance leg, of a walk from afar and of the gait."""
    q0, v0 = start(STABLE)
    walks = (((-0.08, 0.25), 14, PALE, 0.8), ((0.0, 0.0), 1, BLUE, 2.0))
    for offset, steps, color, width in walks:
        walk = ts.flow(walking(), q0, v0 + offset, duration=60.0, events=steps, sample=0.004)
        t, q, v = walk.samples
        ends = [-1.0, *(event.t for event in walk.events)]
        for a, b in pairwise(ends):
            some = (t > a) & (t <= b)
            axes.plot(q[some, 0], v[some, 0], color=color, lw=width)
        for event in walk.events:
            jump = [event.q[0], event.next_q[0]], [event.v[0], event.next_v[0]]
            axes.plot(*jump, color=RUST, lw=0.7, ls=":")
            axes.plot(*jump, "o", color=RUST, ms=2.5 + width)
    axes.set(xlabel="angle of the stance leg [rad]", ylabel="its rate [rad/s]")
    axes.text(0.05, -0.75, "swing", color=BLUE, ha="center", fontsize=9)
    axes.text(0.08, -1.45, "strike: the legs change names", color=RUST, ha="center", fontsize=9)


def main() -> None:
    """Draw both, side by side."""
    figure, axes = plt.subplot_mosaic(
        [["height", "walk"], ["speed", "walk"]], figsize=(9.0, 3.8), layout="constrained"
    )
    draw_ball(axes["height"], axes["speed"])
    draw_walks(axes["walk"])
    for each in axes.values():
        each.tick_params(colors=INK)
        for side in ("top", "right"):
            each.spines[side].set_visible(False)
    figure.savefig(Path(__file__).with_name("events.png"), dpi=150, bbox_inches="tight")


if __name__ == "__main__":
    main()
