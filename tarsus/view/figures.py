"""What all figures have in common: their colours, their axes, and how they are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.files import replacing

INK, QUIET = "#222b33", "#8a949e"
LINES = ("#1f5f8b", "#c8641e", "#3c8a4f", "#b3262e", "#7a4f9a", "#8c6d31", "#2a9d9d", "#d06f9f")


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure [inches]; needs matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        message = "pictures need matplotlib: pip install 'tarsus[view]'"
        raise ModuleNotFoundError(message, name="matplotlib") from None
    return Figure(figsize=(width, height), layout="constrained")


def write_figure(figure: Any, path: str | Path) -> None:
    """Write a figure to a file (.png, .pdf, .svg)."""
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(f"there is no folder {Path(path).parent} for {Path(path).name}")
    kinds = [f".{kind}" for kind in figure.canvas.get_supported_filetypes()]
    if Path(path).suffix.lower() not in kinds:
        raise ValueError(f"{Path(path).name} must end with one of {', '.join(sorted(kinds))}")
    with replacing(path) as part:
        figure.savefig(part, dpi=150)


def style_axes(axes: Any, title: str, unit: str) -> None:
    """Give axes a title on the left with the unit, a light grid, and no box."""
    axes.set_title(f"{title} [{unit}]" if unit else title, loc="left", fontsize=9, color=INK)
    axes.grid(visible=True, color="#e3e7ea", lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8, colors=INK)


def legend(axes: Any, columns: int | None = None) -> None:
    """Name the lines of axes, to the right of them."""
    count = len(axes.get_legend_handles_labels()[0])
    if not count:
        return
    columns = columns or (1 if count <= 4 else 2)
    axes.legend(
        fontsize=7.5,
        ncols=columns,
        frameon=False,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        handlelength=1.2,
        labelcolor=INK,
    )


def shade(share: float) -> tuple[float, float, float]:
    """Return a colour between dark blue and light orange."""
    dark, light = np.array([0.08, 0.25, 0.42]), np.array([0.96, 0.66, 0.36])
    red, green, blue = (1 - share) * dark + share * light
    return float(red), float(green), float(blue)
