"""A map of what walkers survive: pushes over friction, a panel for each mass."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.view.figures import INK, LINES, new_figure, style_axes, write_figure

if TYPE_CHECKING:
    from tarsus.gait.robustness import Robustness

STOOD, FELL = LINES[2], LINES[1]


def plot_robustness(found: Robustness, path: str | Path | None = None) -> Any:
    """Return a figure of a map; `path` writes it to a file."""
    from matplotlib.colors import ListedColormap

    masses = len(found.mass)
    figure = new_figure(1.2 + 3.4 * masses, 3.6)
    colours = ListedColormap([FELL, STOOD])
    for j, mass in enumerate(found.mass):
        axes = figure.add_subplot(1, masses, j + 1)
        axes.pcolormesh(
            np.arange(len(found.friction) + 1) - 0.5,
            np.arange(len(found.push) + 1) - 0.5,
            found.survived[:, :, j].astype(float),
            cmap=colours,
            vmin=0.0,
            vmax=1.0,
            alpha=0.55,
            edgecolors="white",
        )
        for (i, k), time in np.ndenumerate(found.time[:, :, j]):
            if np.isfinite(time):
                words = f"{time:.1f} s"
                axes.text(k, i, words, ha="center", va="center", fontsize=7, color=INK)
        style_axes(axes, f"masses × {mass:g}", "")
        axes.grid(visible=False)
        axes.set_xticks(range(len(found.friction)), [f"{x:g}" for x in found.friction])
        axes.set_yticks(range(len(found.push)), [f"{x:g}" for x in found.push])
        axes.set_xlabel("friction", fontsize=8, color=INK)
        axes.set_ylabel("push [N]" if j == 0 else "", fontsize=8, color=INK)
    title = (
        f"{found.name}: who stays up (green), and when others fall; pushed for {found.lasting:g} s"
    )
    figure.suptitle(title, x=0.02, ha="left", fontsize=10, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure
