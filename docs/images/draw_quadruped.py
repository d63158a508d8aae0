"""Draw examples/quadruped.urdf to quadruped.png: `python docs/images/draw_quadruped.py`.

The robot stands with bent legs. The arrow is its weight, at the centre of mass. The ellipses are
the velocities that each foot has when the joints of its leg move at unit speed in sum,
{J u, |u| = 1}, from the Jacobians of the feet. Solids are drawn by casting parallel rays.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse
from numpy.typing import NDArray

import tarsus as ts

Array: TypeAlias = NDArray[np.float64]

ROOT = Path(__file__).parents[2]
POSTURE = {"hip": 0.75, "knee": -1.4}
VIEW_FROM = np.array([0.75, -1.0, 0.45])
LIGHT = np.array([0.25, -0.5, 0.83]) / np.linalg.norm([0.25, -0.5, 0.83])
COLORS = {"box": (0.86, 0.90, 0.94), "cylinder": (0.47, 0.59, 0.70), "sphere": (0.36, 0.46, 0.56)}
PIXEL = 0.001  # m
MARGIN = (0.12, 0.24, 0.09, 0.10)  # m: left, right, below, above
SECONDS = 0.22  # an ellipse is as large as the way in this time


def camera() -> Array:
    """Return the axes of the picture: right, up, towards the viewer."""
    towards = VIEW_FROM / np.linalg.norm(VIEW_FROM)
    right = np.cross([0.0, 0.0, 1.0], towards)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(towards, right), towards])


def slab(start: Array, direction: float, half: float) -> tuple[Array, Array]:
    """Return where rays enter and leave |x| ≤ half along one coordinate."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (-half - start) / direction, (half - start) / direction
    return np.fmin(a, b), np.fmax(a, b)


def round_part(start: Array, direction: Array, radius: float) -> tuple[Array, Array]:
    """Return where rays enter and leave a sphere (3 coordinates) or a long cylinder (2)."""
    a, b = direction @ direction, start @ direction
    root = b * b - a * ((start * start).sum(axis=-1) - radius**2)
    with np.errstate(invalid="ignore"):
        width = np.sqrt(root)
    return np.nan_to_num((-b - width) / a, nan=np.inf), np.nan_to_num((-b + width) / a, nan=-np.inf)


def hit(shape: ts.Shape, pose: Array, start: Array, direction: Array) -> tuple[Array, Array]:
    """Return the distances (…) at which rays meet a solid, inf for none, and its normals."""
    rotation, size = pose[:3, :3], shape.size
    start, direction = (start - pose[:3, 3]) @ rotation, rotation.T @ direction
    if shape.kind == "box":
        parts = [slab(start[..., k], direction[k], size[k] / 2) for k in range(3)]
    elif shape.kind == "sphere":
        parts = [round_part(start, direction, size[0])]
    else:
        parts = [
            round_part(start[..., :2], direction[:2], size[0]),
            slab(start[..., 2], direction[2], size[1] / 2),
        ]
    enter = np.stack([part[0] for part in parts])
    distance = enter.max(axis=0)
    distance = np.where(distance < np.min([part[1] for part in parts], axis=0), distance, np.inf)
    with np.errstate(invalid="ignore"):
        point = start + np.where(np.isinf(distance), 0.0, distance)[..., None] * direction
    last = enter.argmax(axis=0)[..., None]  # the part that was entered last is the one seen
    if shape.kind == "box":
        normal = -np.sign(direction) * (last == np.arange(3))
    else:
        normal = point * ([1, 1, 1] if shape.kind == "sphere" else [1, 1, 0])
        normal = np.where(last == 0, normal, -np.sign(direction) * [0, 0, 1])
    normal = normal / np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-12)
    return distance, normal @ rotation.T


def render(solids: list[tuple[ts.Shape, Array]], start: Array, direction: Array) -> Array:
    """Return colours (…, 3) of what rays meet: solids, else the ground with their shadows."""
    ground = start - (start[..., 2:] / direction[2]) * direction
    shaded = np.zeros(start.shape[:-1], bool)
    for shape, pose in solids:
        shaded |= np.isfinite(hit(shape, pose, ground + 10.0 * LIGHT, -LIGHT)[0])
    image = np.where(shaded[..., None], np.array([0.925, 0.94, 0.955]), 1.0)
    nearest = np.full(start.shape[:-1], np.inf)
    for shape, pose in solids:
        distance, normal = hit(shape, pose, start, direction)
        light = 0.72 + 0.34 * np.maximum(normal @ LIGHT, 0.0)
        color = np.minimum(light[..., None] * COLORS[shape.kind], 1.0)
        seen = distance < nearest
        image = np.where(seen[..., None], color, image)
        nearest = np.where(seen, distance, nearest)
    return image


def standing(robot: ts.Model, feet: list[str]) -> Array:
    """Return a configuration with bent legs and the feet on the ground."""
    q = robot.neutral()
    for name in robot.joint_names:
        for word, angle in POSTURE.items():
            if word in name:
                q[robot.joint(name).q_slice] = angle
    q[2] = 0.025 - min(robot.frame_pose(q, foot)[2, 3] for foot in feet)
    return q


def main(model: Path, target: Path) -> None:
    """Draw a model with feet on four legs."""
    robot = ts.load(model, base="free")
    feet = [name for name in robot.frame_names if name.endswith("foot")]
    q = standing(robot, feet)
    poses = dict(zip(robot.body_names, robot.forward_kinematics(q), strict=True))
    shapes = [s for s in robot.shapes if s.role == "visual" and s.kind in COLORS]
    solids = [(shape, poses[shape.body] @ shape.placement) for shape in shapes]
    axes = camera()

    places = np.array([pose[:3, 3] for _, pose in solids]) @ axes[:2].T
    (left, low), (right, high) = places.min(axis=0), places.max(axis=0)
    extent = left - MARGIN[0], right + MARGIN[1], low - MARGIN[2], high + MARGIN[3]
    x, y = np.meshgrid(np.arange(*extent[:2], PIXEL / 2), np.arange(*extent[2:], PIXEL / 2))
    start = x[..., None] * axes[0] + y[..., None] * axes[1] + 5.0 * axes[2]
    image = render(solids, start, -axes[2])
    rows, columns = (size // 2 * 2 for size in image.shape[:2])  # average 2 × 2 rays a pixel
    image = image[:rows, :columns].reshape(rows // 2, 2, columns // 2, 2, 3).mean(axis=(1, 3))

    figure = plt.figure(figsize=(columns / 200, rows / 200), dpi=100)
    page = figure.add_axes((0, 0, 1, 1))
    page.imshow(image, origin="lower", extent=extent)
    page.set_axis_off()
    for foot in feet:
        J = robot.frame_jacobian(q, foot, "local_world_aligned")[:3, 6:]
        turn, (a, b), _ = np.linalg.svd(axes[:2] @ J, full_matrices=False)
        at, angle = axes[:2] @ robot.frame_pose(q, foot)[:3, 3], np.arctan2(turn[1, 0], turn[0, 0])
        size = {"width": 2 * SECONDS * a, "height": 2 * SECONDS * b, "angle": np.degrees(angle)}
        page.add_patch(Ellipse(tuple(at), **size, facecolor="#ee874333", edgecolor="#e07a3f"))

    center = robot.center_of_mass(q)
    top, end = center @ axes[:2].T, (center - [0, 0, 0.2]) @ axes[:2].T
    arrow = {"arrowstyle": "-|>", "color": "#c9501c", "lw": 2.5, "mutation_scale": 18}
    page.annotate("", end, top, arrowprops={**arrow, "shrinkA": 0, "shrinkB": 0})
    page.plot(*top, "o", color="#c9501c", markeredgecolor="white", markersize=10)
    note = {"color": "#3a4652", "fontsize": 11, "va": "center"}
    line = {"arrowstyle": "-", "color": "#8b97a3", "lw": 0.8}
    words = f"centre of mass, weight {9.81 * robot.total_mass:.0f} N"
    page.annotate(words, top, top + [0.16, 0.13], arrowprops=line, **note)
    tip = max((axes[:2] @ robot.frame_pose(q, foot)[:3, 3] for foot in feet), key=lambda p: p[0])
    page.annotate("velocities of a foot", tip, tip + [0.09, -0.05], arrowprops=line, **note)
    figure.savefig(target)


if __name__ == "__main__":
    main(
        Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "examples" / "quadruped.urdf",
        Path(__file__).with_name("quadruped.png"),
    )
