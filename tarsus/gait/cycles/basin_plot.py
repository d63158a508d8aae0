"""A map of a basin: where a walker may begin, and how many steps it makes elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.view.figures import INK, LINES, new_figure, style_axes, write_figure

if TYPE_CHECKING:
    from tarsus.gait.cycles.basin import Basin


def plot_basin(basin: Basin, path: str | Path | None = None) -> Any:
    """Return a figure of a basin over two numbers; `path` writes it to a file."""
    if len(basin.over) == 1:
        return _plot_line(basin, path)
    if len(basin.over) != 2:
        raise ValueError(f"a map is over one or two numbers, this basin is over {len(basin.over)}")
    (across, x), (up, y) = basin.over.items()
    figure = new_figure(6.5, 4.6)
    axes = figure.add_subplot(1, 1, 1)
    shown = axes.pcolormesh(x, y, basin.steps.T, cmap="viridis", vmin=0, shading="nearest")
    bar = figure.colorbar(shown, ax=axes)
    bar.set_label("steps", fontsize=8, color=INK)
    section = basin.gait.walker.numbered()
    for q, v in zip(basin.gait.q, basin.gait.v, strict=True):
        at = section.read(q, v)
        place = [at[section.names.index(name)] for name in (across, up)]
        axes.plot(*np.array(place)[:, None], "o", color=LINES[1], ms=6)
    style_axes(axes, repr(basin).strip("<>"), "")
    axes.grid(visible=False)
    axes.set_xlabel(across, fontsize=8, color=INK)
    axes.set_ylabel(up, fontsize=8, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure


def _plot_line(basin: Basin, path: str | Path | None) -> Any:
    """Return a figure of a basin over one number."""
    ((name, x),) = basin.over.items()
    figure = new_figure(6.5, 3.2)
    axes = figure.add_subplot(1, 1, 1)
    axes.plot(x, basin.steps, ".-", color=LINES[0], ms=4, lw=0.8)
    style_axes(axes, repr(basin).strip("<>"), "steps")
    axes.set_xlabel(name, fontsize=8, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure
