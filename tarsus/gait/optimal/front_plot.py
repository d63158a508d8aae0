"""A picture of a front: costs and multipliers over speeds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tarsus.view.figures import INK, LINES, QUIET, new_figure, style_axes, write_figure

if TYPE_CHECKING:
    from tarsus.gait.optimal.front import Front


def plot_front(front: Front, path: str | Path | None = None) -> Any:
    """Return a figure of a front; gaits that no other beats are filled."""
    figure = new_figure(8.0, 3.4)
    for k, (values, title) in enumerate(
        ((front.costs, "efforts squared for each metre"), (front.multipliers, "largest multiplier"))
    ):
        axes = figure.add_subplot(1, 2, k + 1)
        axes.plot(front.speeds, values, color=QUIET, lw=0.8)
        for chosen, face in ((front.best, LINES[0]), (~front.best, "white")):
            axes.plot(front.speeds[chosen], values[chosen], "o", color=LINES[0], mfc=face, ms=5)
        style_axes(axes, title, "")
        axes.set_xlabel("speed [m/s]", fontsize=8, color=INK)
        if k == 0:
            axes.set_yscale("log")
        else:
            axes.axhline(1.0, color=QUIET, lw=0.8, ls="--")
    if path is not None:
        write_figure(figure, path)
    return figure
