"""A picture of branches of gaits: a coordinate after strikes over the number that changes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.view.figures import INK, LINES, QUIET, new_figure, style_axes, write_figure

if TYPE_CHECKING:
    from tarsus.gait.cycles.branch import Branch

MARKS = {"fold": "s", "flip": "o", "circle": "^", "branch": "D"}


def plot_branches(
    branches: Sequence[Branch],
    path: str | Path | None = None,
    *,
    coordinate: int = 0,
    attractor: tuple[Array, Array] | None = None,
) -> Any:
    """Return a figure of branches; unstable gaits are dashed, bifurcations marked.

    `attractor` (values, coordinates) has points that walkers came to by themselves.
    """
    figure = new_figure(8.0, 4.2)
    axes = figure.add_subplot(1, 1, 1)
    if attractor is not None:
        axes.plot(*attractor, ".", color=QUIET, alpha=0.5, ms=0.8)
    for branch in branches:
        _draw_branch(axes, branch, coordinate)
        for each in branch.bifurcations:
            heights = each.gait.q[:, coordinate]
            axes.plot(
                np.full(len(heights), each.value), heights, MARKS[each.kind], color=LINES[1], ms=3
            )
    first = branches[0]
    style_axes(axes, f"{first.walker.name}: coordinate {coordinate} after strikes", "")
    axes.set_xlabel(first.name, fontsize=8, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure


def _draw_branch(axes: Any, branch: Branch, coordinate: int) -> None:
    heights, stable = branch.q[:, :, coordinate], branch.stable
    for node in range(branch.steps):
        for k in range(len(branch) - 1):
            style = "-" if stable[k] and stable[k + 1] else "--"
            axes.plot(
                branch.values[k : k + 2], heights[k : k + 2, node], style, color=LINES[0], lw=1.0
            )
