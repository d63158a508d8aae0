"""Figures of calibrations and identifications: residuals, and estimates with their intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.view.figures import INK, LINES, QUIET, legend, new_figure, style_axes, write_figure

if TYPE_CHECKING:
    from tarsus._lib.files import Array
    from tarsus.estimation.calibration.identify import Identified
    from tarsus.estimation.identification.identify import Identification
    from tarsus.estimation.observability import Estimates


UNITS = {"m": (1e3, "mm"), "rad": (1e3, "mrad")}


def draw_calibration(found: Identified, path: str | Path | None = None) -> Any:
    """Return a figure of residuals and errors of a calibration; `path` writes it."""
    panels = [
        (k, measure, part, unit)
        for k, measure in enumerate(found.experiment.measures)
        for part, unit in enumerate(measure.units(found.experiment.encoders.model))
    ]
    figure = new_figure(9.0, 1.9 * (len(panels) + 1) + 0.4)
    grid = figure.subplots(len(panels) + 1, 1, squeeze=False)[:, 0]
    for axes, panel in zip(grid, panels, strict=False):
        _draw_residuals(axes, found, *panel)
    offsets = [name.endswith(".offset") for name in found.names]  # in readings: shown in rad, m
    sizes = 1e-3 * np.where(offsets, found.observability.scales, 1.0)
    _draw_estimates(grid[-1], found, sizes, "errors found", "mm, mrad, ‰")
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


def draw_identification(found: Identification, path: str | Path | None = None) -> Any:
    """Return a figure of recording, residuals and estimates; `path` writes it."""
    figure = new_figure(9.0, 7.0)
    motion, left, numbers = figure.subplots(3, 1)
    t, nq = found.recording.t, found.q.shape[1]
    for k in range(nq):
        color = LINES[k % len(LINES)]
        motion.plot(t, found.recording.q[:, k], ".", ms=3, color=color, label=f"q{k} recorded")
        motion.plot(t, found.q[:, k], lw=1.0, color=color, label=f"q{k} of the machine")
    style_axes(motion, "recorded, and by the machine that was found", "q")
    legend(motion)
    nv = found.v.shape[1]
    whitened = found.residuals[:, :nv] / found.recording.noise
    for k in range(nv):
        counted = found.used[:, k]
        left.plot(t[counted], whitened[counted, k], ".", ms=3, color=LINES[k % len(LINES)])
        left.plot(t[~counted], whitened[~counted, k], "x", ms=3, color=QUIET)
    most = np.abs(whitened[found.used[:, :nv]]).max(initial=1e-12)
    left.set_ylim(-1.3 * most, 1.3 * most)  # those next to strikes may be far out
    what = "stated deviations" if found.recording.stated else "rad, m"
    style_axes(left, "what is left", what)
    left.set_xlabel("t [s]", fontsize=8, color=QUIET)
    title = "estimates less stated values"
    _draw_estimates(numbers, found, found.family.scales, title, "natural sizes")
    if path is not None:
        write_figure(figure, path)
    return figure


def _draw_estimates(axes: Any, found: Estimates, sizes: Array, title: str, unit: str) -> None:
    """Draw estimates less stated values, divided by `sizes` (p,), with their intervals."""
    shown, half = (found.values - found.stated) / sizes, found.confidence() / sizes
    told, places, many = np.isfinite(half), np.arange(len(found.names)), len(found.names) > 8
    axes.axhline(0.0, color=QUIET, lw=0.8)
    style = {"fmt": "o", "ms": 3, "color": LINES[0], "elinewidth": 1.0}
    axes.errorbar(places[told], shown[told], half[told], label="estimate, ± 95 %", **style)
    if not told.all():
        label = "known in combination only"
        axes.plot(places[~told], shown[~told], "x", ms=4, color=LINES[3], label=label)
    rotation, size = (90, 6) if many else (0, 8)
    axes.set_xticks(places, found.names, rotation=rotation, fontsize=size, color=INK)
    style_axes(axes, title, unit)
    legend(axes)
