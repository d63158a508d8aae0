"""The picture of an identification: what was recorded, what the machine does, what is between."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.view.figures import INK, LINES, QUIET, legend, new_figure, style_axes, write_figure

if TYPE_CHECKING:
    from tarsus.identification.found import Identification


def draw(found: Identification, path: str | Path | None = None) -> Any:
    """Return a figure of what an identification found; `path` writes it."""
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
    _draw_numbers(numbers, found)
    if path is not None:
        write_figure(figure, path)
    return figure


def _draw_numbers(axes: Any, found: Identification) -> None:
    """Draw how far numbers are from where they were stated, with their intervals."""
    scales = found.family.scales
    places, half = np.arange(len(found.names)), found.confidence() / scales
    told = np.isfinite(half)
    axes.axhline(0.0, color=QUIET, lw=0.8)
    style = {"fmt": "o", "ms": 4, "color": LINES[0], "elinewidth": 1.2}
    shown = (found.values - found.stated) / scales
    axes.errorbar(places[told], shown[told], half[told], label="found, ± 95 %", **style)
    if not told.all():
        axes.plot(places[~told], shown[~told], "x", ms=5, color=LINES[3], label="not told alone")
    axes.set_xticks(places, found.names, fontsize=8, color=INK)
    style_axes(axes, "how far from what was stated", "natural sizes")
    legend(axes)
