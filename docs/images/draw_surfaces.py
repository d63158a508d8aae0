"""Draw surfaces.png: `python docs/images/draw_surfaces.py`.

Nearest points of an ellipsoid and a torus while one moves past the other, a ball on both flanks of
a trough and where its centre goes, and an ellipsoid and a torus that came to rest on waves.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LightSource

import tarsus as ts
from tarsus.geometry import surfaces as sf
from tarsus.spatial import pose, rotation_from_vector

INK, BLUE, SAND, ORANGE = "#222b33", "#7fa8c9", "#d9d2c5", "#c8641e"


def skin(axes: Any, surface: sf.Surface, at: Any, color: str, alpha: float = 1.0) -> None:
    """Draw a surface at a pose."""
    low, high = surface.window(np.zeros(3), 1.0)
    sides = [np.linspace(a, b, 49) for a, b in zip(low, high, strict=True)]
    points = surface.point(np.stack(np.meshgrid(*sides), axis=-1))
    x, y, z = np.moveaxis(points @ at[:3, :3].T + at[:3, 3], -1, 0)
    light = LightSource(250, 50)
    axes.plot_surface(
        x,
        y,
        z,
        color=color,
        lightsource=light,
        antialiased=False,
        alpha=alpha,
        lw=0,
        rcount=49,
        ccount=49,
    )


def plain(axes: Any, title: str, size: tuple[float, float, float]) -> None:
    """Leave only what is drawn."""
    axes.set_title(title, color=INK, fontsize=10)
    axes.set_axis_off()
    axes.set_box_aspect(size, zoom=1.2)


def nearest(axes: Any) -> None:
    """Draw a torus and an ellipsoid that passes it, with their nearest points."""
    torus, body = sf.Torus(0.8, 0.25), sf.Ellipsoid(0.5, 0.3, 0.2)
    times = np.linspace(0.0, 1.0, 81)
    places = np.column_stack([1.6 - 2.0 * times, 0.2 + 0 * times, 0.75 - 0.25 * times])
    turns = rotation_from_vector(np.column_stack([0 * times, 1.5 * times, 0 * times]))
    poses = pose(places, turns)
    linear, spin = np.array([-2.0, 0.0, -0.25]), np.array([0.0, 1.5, 0.0])
    twists = np.array([np.concatenate([linear - np.cross(spin, p), spin]) for p in places])
    found = sf.track(torus, body, times, poses, twists, look=5)
    skin(axes, torus, np.eye(4), BLUE)
    skin(axes, body, poses[0], SAND)
    skin(axes, body, poses[-1], SAND, 0.35)
    ends = (poses[:, :3, :3] @ found.point_b[..., None])[..., 0] + poses[:, :3, 3]
    for start, end in zip(found.point_a[::4], ends[::4], strict=True):
        axes.plot(*np.stack([start, end]).T, color=ORANGE, lw=1.2, zorder=20)
    axes.plot(*found.point_a.T, ".", color=INK, ms=2, zorder=21)
    axes.set(xlim=(-1.1, 2.1), ylim=(-1.1, 1.1), zlim=(-0.3, 0.9))
    axes.view_init(32, -60)
    plain(axes, "nearest points, tracked", (3.2, 2.2, 1.2))


def trough(axes: Any) -> None:
    """Draw how far balls are above waves, and the one that stands on two flanks."""
    ground = sf.Sinusoid(0.3, 1.0)
    y = np.linspace(-0.15, 1.65, 400)
    axes.fill_between(y, ground.height(np.column_stack([0 * y, y])), -0.45, color=SAND, lw=0)
    model = ts.Builder("ball")
    model.body("ball", 1.0, inertia=(0.1, 0.1, 0.1)).joint("root", "free", "world", "ball")
    model.shape("ball", "sphere", (0.4,), role="collision")
    ball = model.build()
    across = np.linspace(0.25, 1.25, 101)
    q = np.repeat(ball.neutral()[None], len(across), axis=0)
    q[:, 1] = across
    q = ts.stand(ball, q, ts.SmoothGround(ground))
    axes.plot(q[:, 1], q[:, 2], color=BLUE, lw=2, label="centre of a ball that rolls across")
    low = q[50]
    axes.add_patch(plt.Circle((low[1], low[2]), 0.4, fill=False, color=INK, lw=1.4))
    at = sf.closest_points(ground, sf.Sphere(0.4), pose(low[:3]))
    for point in (at.point_a[1], 1.5 - at.point_a[1]):
        height = float(ground.height([0.0, point]))
        axes.plot([point, low[1]], [height, low[2]], color=ORANGE, lw=1.2)
        axes.plot(point, height, "o", color=ORANGE, ms=5)
    axes.set_title("two places on a smooth ground", color=INK, fontsize=10)
    axes.set(aspect="equal", xlim=(-0.15, 1.65), ylim=(-0.45, 0.9))
    axes.legend(frameon=False, fontsize=8, loc="upper right")
    axes.set_axis_off()


def resting(axes: Any) -> None:
    """Draw an ellipsoid and a torus that fell on waves."""
    shapes = {"stone": ("ellipsoid", (0.35, 0.22, 0.12)), "ring": ("torus", (0.3, 0.08))}
    builder = ts.Builder("beach")
    for name, (kind, size) in shapes.items():
        builder.body(name, 1.0, inertia=(0.03, 0.03, 0.05))
        builder.joint(f"root of {name}", "free", "world", name)
        builder.shape(name, kind, size, role="collision")
    model = builder.build()
    ground = ts.SmoothGround(sf.Sinusoid(0.08, 0.7), friction=0.8, rolling=0.01)
    q = model.neutral().copy()
    q[:3], q[7:10] = (0.1, 0.1, 0.5), (-0.1, 0.25, 1.0)
    q[3:7] = np.array([0.2, 0.1, 0.0, 1.0]) / np.linalg.norm([0.2, 0.1, 0.0, 1.0])
    run = ts.Simulation(model, ground=ground, dt=1e-3).run(q, duration=4.0)
    skin(axes, ground.surface, np.eye(4), SAND)
    for at, (kind, size) in zip(model.forward_kinematics(run.q[-1]), shapes.values(), strict=True):
        skin(axes, {"ellipsoid": sf.Ellipsoid, "torus": sf.Torus}[kind](*size), at, BLUE)
    axes.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-0.3, 0.7))
    axes.view_init(28, -25)
    plain(axes, "an ellipsoid and a torus at rest", (2, 2, 1.0))


def main() -> None:
    """Write surfaces.png."""
    figure = plt.figure(figsize=(11.5, 3.7), dpi=140)
    nearest(figure.add_subplot(1, 3, 1, projection="3d", computed_zorder=False))
    trough(figure.add_subplot(1, 3, 2))
    resting(figure.add_subplot(1, 3, 3, projection="3d", computed_zorder=False))
    figure.subplots_adjust(left=0.0, right=1.0, bottom=0.02, top=0.9, wspace=0.05)
    figure.savefig(Path(__file__).with_name("surfaces.png"))


if __name__ == "__main__":
    main()
