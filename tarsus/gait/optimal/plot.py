"""A picture of an optimised gait: positions and efforts over a step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.view.figures import INK, LINES, QUIET, legend, new_figure, style_axes, write_figure

if TYPE_CHECKING:
    from tarsus.gait.optimal.optimized import OptimizedGait


def plot(gait: OptimizedGait, path: str | Path | None = None) -> Any:
    """Return a figure of a gait; `path` writes it to a file."""
    figure = new_figure(8.0, 3.4)
    above, below = (figure.add_subplot(1, 2, k + 1) for k in range(2))
    begin = 0.0
    colors: dict[str, str] = {}
    for p, phase in enumerate(gait.walker.phases):
        t = np.linspace(0.0, float(gait.durations[p]), 200)
        q, tau = gait.q(t, p), gait.tau(t, p)
        for name in phase.model.joint_names:
            joint = phase.model.joint(name)
            if joint.v_slice.stop - joint.v_slice.start != 1:
                continue
            label = None if name in colors else name
            color = colors.setdefault(name, LINES[len(colors) % len(LINES)])
            above.plot(begin + t, q[:, joint.q_slice.start], color=color, lw=1.2, label=label)
            below.plot(begin + t, tau[:, joint.v_slice.start], color=color, lw=1.2, label=label)
        begin += float(gait.durations[p])
        for axes in (above, below):
            axes.axvline(begin, color=QUIET, lw=0.8, ls=":")
    style_axes(above, "positions [rad]", "")
    style_axes(below, "efforts [N m]", "")
    for axes in (above, below):
        axes.set_xlabel("time [s]", fontsize=8, color=INK)
    legend(above)
    figure.suptitle(repr(gait).strip("<>"), x=0.02, ha="left", fontsize=9, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure
