"""The picture of an identification: residuals of each pose before and after, and errors found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.view.figures import INK, LINES, QUIET, legend, new_figure, style_axes, write_figure

if TYPE_CHECKING:
    from tarsus.calibration.identified import Identified

UNITS = {"m": (1e3, "mm"), "rad": (1e3, "mrad")}


def draw(found: Identified, path: str | Path | None = None) -> Any:
    """Return a figure of what an identification found; `path` writes it."""
    panels = [
        (k, measure, part, unit)
        for k, measure in enumerate(found.experiment.measures)
        for part, unit in enumerate(measure.units(found.experiment.encoders.model))
    ]
    figure = new_figure(9.0, 1.9 * (len(panels) + 1) + 0.4)
    grid = figure.subplots(len(panels) + 1, 1, squeeze=False)[:, 0]
    for axes, panel in zip(grid, panels, strict=False):
        _draw_residuals(axes, found, *panel)
    _draw_errors(grid[-1], found)
    if path is not None:
        write_figure(figure, path)
    return figure


def _draw_residuals(
    axes: Any, found: Identified, k: int, measure: Any, part: int, unit: str
) -> None:
    factor, name = UNITS[unit]
    poses = np.arange(len(found.after[k]))
    for residuals, color, label in (
        (found.before[k], LINES[1], "before"),
        (found.after[k], LINES[0], "after"),
    ):
        size = factor * np.linalg.norm(residuals[:, 3 * part : 3 * part + 3], axis=1)
        rms = factor * found.rms(k, part, after=label == "after")
        axes.plot(poses, size, "o", ms=3.5, color=color, label=f"{label}, rms {rms:.2g}")
    wrong = [o.pose for o in found.outliers if o.measure is measure]
    if wrong:
        after = factor * np.linalg.norm(found.after[k][wrong, 3 * part : 3 * part + 3], axis=1)
        axes.plot(wrong, after, "o", ms=9, mfc="none", color=LINES[3], label="left out")
    axes.set_yscale("log")
    what = ("", " of the position", " of the turn")[(measure.rows > 3) * (part + 1)]
    style_axes(axes, f"{measure.title}: residuals{what}", name)
    axes.set_xlabel("pose", fontsize=8, color=QUIET)
    legend(axes)


def _draw_errors(axes: Any, found: Identified) -> None:
    gains = np.where([n.endswith(".offset") for n in found.names], found.observability.scales, 1.0)
    errors, half = 1e3 * found.errors / gains, 1e3 * found.confidence() / gains
    told, places = np.isfinite(half), np.arange(len(found.names))
    axes.axhline(0.0, color=QUIET, lw=0.8)
    style = {"fmt": "o", "ms": 3, "color": LINES[0], "elinewidth": 1.0}
    axes.errorbar(places[told], errors[told], half[told], label="told, ± 95 %", **style)
    if not told.all():
        label = "told in combination"
        axes.plot(places[~told], errors[~told], "x", ms=4, color=QUIET, label=label)
    axes.set_xticks(places, found.names, rotation=90, fontsize=6, color=INK)
    style_axes(axes, "errors found", "mm, mrad, ‰")
    legend(axes)
