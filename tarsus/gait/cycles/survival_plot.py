"""A picture of what a gait survives: shares over sizes, with their confidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tarsus.view.figures import INK, LINES, new_figure, style_axes, write_figure

if TYPE_CHECKING:
    from tarsus.gait.cycles.survival import Survival


def plot_survival(found: Survival, path: str | Path | None = None) -> Any:
    """Return a figure of a curve; `path` writes it to a file."""
    figure = new_figure(6.0, 3.6)
    axes = figure.add_subplot(1, 1, 1)
    low, high = found.confidence
    axes.fill_between(found.sizes, low, high, color=LINES[0], alpha=0.2, lw=0)
    axes.plot(found.sizes, found.share, "o-", color=LINES[0], ms=3, lw=1.2)
    axes.set_ylim(-0.03, 1.03)
    title = (
        f"{found.gait.walker.name}: share that makes {found.steps} steps ({found.trials} trials)"
    )
    style_axes(axes, title, "")
    axes.set_xlabel(found.disturbance, fontsize=8, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure
