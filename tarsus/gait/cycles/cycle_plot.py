"""A picture of a gait: coordinates over a period, closed curves, and multipliers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.view.figures import INK, LINES, QUIET, legend, new_figure, style_axes, write_figure

if TYPE_CHECKING:
    from tarsus.gait.cycles.cycle import LimitCycle


def plot_cycle(cycle: LimitCycle, path: str | Path | None = None) -> Any:
    """Return a figure of a gait; `path` writes it to a file."""
    figure = new_figure(10.0, 3.6)
    over_time, closed, circle = (figure.add_subplot(1, 3, k + 1) for k in range(3))
    t, q, v = cycle.flowed.samples
    model = cycle.walker.phases[0].model
    strikes = np.searchsorted(t, [event.t for event in cycle.flowed.events])
    names = [joint.name for joint in model.joints if joint.nv == joint.nq == 1]
    places = [model.joint(name) for name in names]
    for k, joint in enumerate(places):
        color = LINES[k % len(LINES)]
        angle, rate = q[:, joint.q_slice.start], v[:, joint.v_slice.start]
        _broken(over_time, t, angle, strikes, color, joint.name)
        _broken(closed, angle, rate, strikes, color, joint.name)
    style_axes(over_time, "over a period", "")
    over_time.set_xlabel("time [s]", fontsize=8, color=INK)
    legend(over_time)
    style_axes(closed, "rates over coordinates", "")
    _draw_multipliers(circle, cycle.multipliers)
    figure.suptitle(repr(cycle).strip("<>"), x=0.02, ha="left", fontsize=10, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure


def _broken(axes: Any, x: Array, y: Array, at: Any, color: str, name: str) -> None:
    """Draw a curve that is interrupted at strikes, dotted across them."""
    pieces = list(zip(np.split(x, at), np.split(y, at), strict=True))
    for k, (a, b) in enumerate(pieces):
        axes.plot(a, b, color=color, lw=1.2, label=name if k == 0 else None)


def _draw_multipliers(axes: Any, multipliers: Array) -> None:
    around = np.linspace(0.0, 2.0 * np.pi, 200)
    axes.plot(np.cos(around), np.sin(around), color=QUIET, lw=0.8)
    outside = np.abs(multipliers) >= 1.0
    for chosen, color in ((~outside, LINES[2]), (outside, LINES[1])):
        axes.plot(multipliers[chosen].real, multipliers[chosen].imag, "o", color=color, ms=5)
    axes.set_aspect("equal", "datalim")
    style_axes(axes, "multipliers and the unit circle", "")
