"""Draw port_field.png and port_placement.png: `python docs/images/draw_port_control.py`.

A compass walker that is led along its passive gait, and feet that are placed so that a walker with
its mass in its hip neither falls nor strays.
"""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tarsus_lab.scenes import along_the_gait, gait_curve, models, stepping_down

import tarsus as ts

LEAN, RATES = (-0.3, -0.1), (2.0 / math.cos(0.1) ** 2, 0.1)
INK, BLUE, RUST, PALE = "#222b33", "#1f5f8b", "#c8641e", "#9db8cb"


def draw_field(axes: Axes) -> None:
    """Draw the field of a gait, and a walk that comes back to it."""
    samples = gait_curve()
    field = ts.control.CurveField(models()[1], samples, 3.0)
    x, y = np.meshgrid(np.linspace(-0.5, 0.42, 16), np.linspace(-0.75, 0.75, 15))
    w = field(np.stack([x, y], axis=-1))
    w /= np.linalg.norm(w, axis=-1, keepdims=True)
    axes.quiver(x, y, w[..., 0], w[..., 1], color=PALE, scale=32, width=0.0035)
    walk = stepping_down(0.05, along_the_gait(), steps=6)
    t, q, _ = walk.flowed.samples
    for number, (a, b) in enumerate(pairwise([-1.0, *(e.t for e in walk.flowed.events)])):
        some = (t > a) & (t <= b)
        axes.plot(*q[some].T, color=RUST, lw=1.3, alpha=1.0 if number < 3 else 0.5)
    axes.plot(*samples.T, color=BLUE, lw=2.2)
    axes.text(0.14, -0.32, "passive gait", color=BLUE, fontsize=9)
    axes.text(-0.49, -0.68, "after a step down of 5 cm", color=RUST, fontsize=9)
    axes.set(xlabel="stance leg [rad]", ylabel="between the legs [rad]")


def draw_efforts(axes: Axes) -> None:
    """Draw what the ankle does in a nominal step, in parts and in all."""
    control = along_the_gait()
    t, q, v = stepping_down(0.0, control, steps=1).flowed.samples
    parts = control.parts(q, v)
    for effort, label, color in (
        (parts.nominal, "nominal", BLUE),
        (parts.potential, "against gravity", PALE),
        (parts.total, "sum", RUST),
    ):
        axes.plot(t[:-1], effort[:-1, 0], color=color, lw=1.6, label=label)
    axes.set(xlabel="time [s]", ylabel="ankle [N m]")
    axes.legend(frameon=False, fontsize=8, loc="lower left")


def draw_energies(axes: Axes) -> None:
    """Draw energies of a point that comes to a circle."""
    builder = ts.Builder("point", gravity=(0.0, 0.0, 0.0)).body("slide").body("mass", 1.0)
    builder.joint("x", "prismatic", "world", "slide", axis="x")
    point = builder.joint("y", "prismatic", "slide", "mass", axis="y").build()
    control = ts.control.CurveTracking(
        point, lambda q: np.stack([-q[..., 1], q[..., 0]], axis=-1), transfer=1.0
    )
    motion = ts.flow(
        ts.Phase(point, controller=control), [1.0, 0.0], [0.5, 1.0], duration=3.0, sample=0.02
    )
    t, q, v = motion.samples
    wanted, unwanted = control.energies(q, v)
    axes.stackplot(t, wanted, unwanted, colors=(BLUE, RUST), alpha=0.85)
    axes.text(1.4, 0.25, "along the circles", color="white", fontsize=9)
    axes.text(0.03, 0.575, "across", color="white", fontsize=9)
    axes.set(xlabel="time [s]", ylabel="energy [J]", xlim=(0, 3), ylim=(0, 0.68))


def walks() -> dict[str, tuple[ts.gait.FootPlacement, float]]:
    """Return placements of feet, and how long they walk."""
    place = ts.gait.FootPlacement
    return {
        "feet where they always are": (place(gain=0.0), 20.0),
        "placed": (place(), 20.0),
        "led to a line": (place(line=0.0), 20.0),
    }


def draw_placement(axes: Axes) -> None:
    """Draw walks that are pushed to the right after two seconds, seen from above."""
    for (label, (placement, duration)), color in zip(
        walks().items(), (RUST, BLUE, INK), strict=True
    ):
        walk = ts.gait.point_mass_walk(
            placement, LEAN, RATES, duration=duration, disturbances=[(2.0, (0.0, -0.3, 0.0))]
        )
        axes.plot(*np.array(walk.hip)[:, :2].T, color=color, lw=1.3, label=label)
        feet = np.array(walk.feet)
        axes.plot(*feet[:, :2].T, "o", color=color, ms=2.0)
    axes.set(xlabel="ahead [m]", ylabel="aside [m]", xlim=(0, 25), ylim=(-1.2, 0.6))
    axes.axvline(3.6, color=PALE, lw=0.8)
    axes.text(3.75, 0.48, "push", color=INK, fontsize=8)
    axes.legend(frameon=False, fontsize=8, loc="lower right")


def draw_turn(axes: Axes) -> None:
    """Draw a walk around a corner, seen from above."""
    walk = ts.gait.point_mass_walk(
        ts.gait.FootPlacement(heading=lambda t: min(0.15 * t, 0.5 * math.pi)),
        LEAN,
        RATES,
        duration=16.0,
    )
    axes.plot(*np.array(walk.hip)[:, :2].T, color=BLUE, lw=1.3)
    axes.plot(*np.array(walk.feet)[:, :2].T, "o", color=RUST, ms=2.0)
    axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")


def finish(figure: Figure, axes: list[Axes], name: str) -> None:
    """Write a picture."""
    for each in axes:
        each.tick_params(colors=INK)
        for side in ("top", "right"):
            each.spines[side].set_visible(False)
    figure.savefig(Path(__file__).with_name(name), dpi=150, bbox_inches="tight")


def main() -> None:
    """Draw both pictures."""
    figure, axes = plt.subplot_mosaic(
        [["field", "efforts"], ["field", "energies"]], figsize=(9.0, 4.6), layout="constrained"
    )
    draw_field(axes["field"])
    draw_efforts(axes["efforts"])
    draw_energies(axes["energies"])
    finish(figure, list(axes.values()), "port_field.png")
    figure, listed = plt.subplots(
        1, 2, figsize=(9.0, 3.2), layout="constrained", width_ratios=(2, 1)
    )
    draw_placement(listed[0])
    draw_turn(listed[1])
    finish(figure, list(listed), "port_placement.png")


if __name__ == "__main__":
    main()
