"""Draw rotor_error_map.png: `python docs/images/draw_rotor_error_map.py`.

What reflected inertia gets wrong on a quadruped that trots: for each joint and each moment of a
stride, the error of the acceleration that the usual approximation gives under the forces of the
exact model, relative to the root mean square of that joint's acceleration.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from tarsus_lab.reproduce.trot import OFFSETS, ErrorMap, rotor_error_map

from tarsus.robots.geared import LEGS

TITLES = {
    "A1": "n² J on the joint, rotors have no mass",
    "A2": "n² J on the joint, rotors welded to their mounts",
}
LARGEST = 25.0  # per cent, the end of the colour scale


def draw_map(axes: Any, found: ErrorMap, name: str) -> Any:
    """Draw the errors of an approximation, a row for each joint; returns the image."""
    percent = 100.0 * found.errors[name]
    image = axes.imshow(
        percent,
        aspect="auto",
        extent=(0.0, 1.0, len(found.joints) - 0.5, -0.5),
        cmap="magma_r",
        vmin=0.0,
        vmax=LARGEST,
        interpolation="nearest",
    )
    for row in (3.5, 7.5):
        axes.axhline(row, color="white", lw=2.5)
    axes.set_title(
        f"{TITLES[name]}\nmedian {np.median(percent):.1f} %, largest {percent.max():.0f} %",
        fontsize=10,
    )
    axes.tick_params(labelbottom=False, length=0)
    return image


def draw_gait(axes: Any) -> None:
    """Draw when each leg stands."""
    for row, leg in enumerate(LEGS):
        start = OFFSETS[leg]
        axes.broken_barh([(start, 0.5)], (row - 0.38, 0.76), color="#3a4652")
    axes.set_ylim(len(LEGS) - 0.5, -0.5)
    axes.set_xlim(0.0, 1.0)
    axes.set_xlabel("phase of the stride")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)


def main(target: Path) -> None:
    """Compute the errors and draw both approximations with the gait below them."""
    found = rotor_error_map()
    figure, axes = plt.subplots(
        *(2, 2),
        figsize=(10.0, 5.6),
        height_ratios=(12, 4),
        sharex=True,
        layout="constrained",
    )
    joints = [name.replace("_", " ") for name in found.joints]
    for column, name in enumerate(TITLES):
        image = draw_map(axes[0, column], found, name)
        draw_gait(axes[1, column])
        axes[0, column].set_yticks(range(len(joints)), joints if column == 0 else [], fontsize=9)
        legs = [leg.replace("_", " ") for leg in LEGS]
        axes[1, column].set_yticks(range(len(legs)), legs if column == 0 else [], fontsize=9)
    axes[1, 0].set_ylabel("stands", rotation=0, ha="right", va="center", labelpad=18)
    label = "error of the acceleration, % of its r.m.s."
    figure.colorbar(image, ax=axes[0, :], label=label, extend="max", pad=0.02)
    figure.savefig(target, dpi=110)


if __name__ == "__main__":
    main(Path(__file__).with_name("rotor_error_map.png"))
