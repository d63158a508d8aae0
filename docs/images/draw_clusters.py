"""Draw clusters.png: `python docs/images/draw_clusters.py`.

A leg with a geared motor and a linkage, its bodies in the colours of their clusters, and the tree
of these clusters.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]

INK = "#222b33"
TRUNK, THIGH, LINKAGE, FOOT = "#5b6770", "#1f5f8b", "#c8641e", "#3c8a4f"

HIP, KNEE = np.array([0.55, 2.55]), np.array([0.25, 1.25])
ANKLE, TOE = np.array([0.9, 0.3]), np.array([1.4, 0.1])
PIVOT = HIP + 0.36 * (KNEE - HIP)
LEVER = np.array([-0.42, 0.12])


def rod(axes: Any, a: Array, b: Array, color: str, width: float) -> None:
    """Draw a rod between two points."""
    axes.plot(*np.transpose([a, b]), color=color, lw=width, solid_capstyle="round", zorder=2)


def hinge(axes: Any, at: Array) -> None:
    """Draw a joint."""
    axes.add_patch(Circle(at, 0.055, facecolor="white", edgecolor=INK, lw=1.4, zorder=4))


def label(axes: Any, x: float, y: float, text: str, color: str, **style: str) -> None:
    """Write a word in the colour of a cluster."""
    axes.text(x, y, text, color=color, fontsize=11, va="center", **style)


def draw_leg(axes: Any) -> None:
    """Draw the bodies, each in the colour of its cluster."""
    axes.add_patch(Rectangle((-1.1, 2.45), 2.3, 0.75, color=TRUNK, alpha=0.35, lw=0))
    axes.add_patch(Circle(HIP, 0.3, facecolor="white", edgecolor=THIGH, lw=5, zorder=1))
    rod(axes, HIP, KNEE, THIGH, 9)
    crank, top = PIVOT + LEVER, KNEE + LEVER
    rod(axes, PIVOT, crank, LINKAGE, 6)
    rod(axes, crank, top, LINKAGE, 4)
    rod(axes, top, KNEE, LINKAGE, 8)
    rod(axes, KNEE, ANKLE, LINKAGE, 8)
    rod(axes, ANKLE, TOE, FOOT, 8)
    for at in (HIP, PIVOT, crank, top, KNEE, ANKLE):
        hinge(axes, at)
    label(axes, -0.95, 2.95, "trunk", TRUNK)
    label(axes, 0.98, 2.22, "rotor of the motor", THIGH)
    label(axes, 0.52, 1.65, "thigh", THIGH)
    label(axes, -0.1, 2.12, "crank", LINKAGE, ha="right")
    label(axes, -0.2, 1.7, "rod", LINKAGE, ha="right")
    label(axes, 0.72, 0.85, "shank", LINKAGE)
    label(axes, 1.3, 0.32, "foot", FOOT)
    axes.set(xlim=(-1.3, 2.6), ylim=(-0.15, 3.4), aspect="equal")
    axes.axis("off")


def draw_tree(axes: Any) -> None:
    """Draw the clusters as boxes, each on the body that carries it."""
    boxes = [
        (TRUNK, "trunk", "a free joint: 6 coordinates"),
        (THIGH, "thigh, rotor", "a gear: 1 coordinate, the hip"),
        (LINKAGE, "crank, rod, shank", "a loop: 1 coordinate, the crank"),
        (FOOT, "foot", "a joint: 1 coordinate"),
    ]
    carriers = ["on the world", "on the trunk", "on the thigh", "on the shank"]
    for k, ((color, bodies, text), carrier) in enumerate(zip(boxes, carriers, strict=True)):
        y = 2.72 - 0.9 * k
        style = "round,pad=0.02,rounding_size=0.08"
        box = FancyBboxPatch((0, y), 3.1, 0.56, style, facecolor=color, alpha=0.15, lw=0)
        axes.add_patch(box)
        axes.add_patch(
            FancyBboxPatch((0, y), 3.1, 0.56, style, facecolor="none", edgecolor=color, lw=1.6)
        )
        axes.text(0.12, y + 0.39, bodies, color=color, fontsize=11.5, weight="bold", va="center")
        axes.text(0.12, y + 0.15, text, color=INK, fontsize=10.5, va="center")
        axes.annotate(
            "", (0.5, y + 0.59), (0.5, y + 0.87), arrowprops={"arrowstyle": "<-", "color": INK}
        )
        axes.text(0.62, y + 0.73, carrier, color=INK, fontsize=9.5, va="center", style="italic")
    axes.set(xlim=(-0.1, 3.2), ylim=(-0.15, 3.7), aspect="equal")
    axes.axis("off")


def main() -> None:
    """Draw both beside each other."""
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(10, 4.3), gridspec_kw={"width_ratios": [1.2, 1]}, layout="constrained"
    )
    draw_leg(left)
    draw_tree(right)
    figure.savefig(Path(__file__).with_name("clusters.png"), dpi=110)


if __name__ == "__main__":
    main()
