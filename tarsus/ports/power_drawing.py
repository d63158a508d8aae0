"""The picture of a power flow: who gives on the left, who takes on the right, stores below."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.view.figures import INK, LINES, QUIET, new_figure, write_figure

if TYPE_CHECKING:
    from tarsus.ports.power_flow import PowerFlow

SHOWN = 9
"""So many names on a side; the rest is one line."""
WIDEST = 16.0
"""Of the lines [points]."""


def draw(flow: PowerFlow, path: str | Path | None = None) -> Any:
    """Return a figure of a power flow; `path` writes it."""
    sides = [_shown(group) for group in (flow.gives, flow.takes)]
    stores = _shown(flow.stored)
    rows = max(3, *(len(side) for side in sides))
    figure = new_figure(9.0, 2.0 + 0.36 * rows)
    axes = figure.add_subplot()
    total = max([1e-300, *(abs(w) for group in (*sides, stores) for w in group.values())])
    for x, side, color in ((-1.0, sides[0], LINES[0]), (1.0, sides[1], LINES[1])):
        for (name, watts), y in zip(side.items(), _spread(len(side)), strict=True):
            _arrow(axes, (x, y), watts / total, color, inward=x < 0.0)
            _name(axes, x, y, name, watts, "right" if x < 0.0 else "left")
    for (name, watts), x in zip(stores.items(), 0.9 * _spread(len(stores)), strict=True):
        _arrow(axes, (x, -1.4), abs(watts) / total, LINES[2], inward=watts < 0.0)
        axes.text(x, -1.47, f"{name}\n{watts:+.3g} W", ha="center", va="top", fontsize=8, color=INK)
    box = {"boxstyle": "round,pad=0.5", "fc": "white", "ec": INK, "lw": 1.2}
    axes.text(
        0.0, 0.0, flow.name, ha="center", va="center", fontsize=10, color=INK, bbox=box, zorder=4
    )
    title = f"{flow.span[0]:g} … {flow.span[1]:g} s: given {sum(flow.gives.values()):.4g} W, "
    title += f"taken {sum(flow.takes.values()):.4g} W, stored {sum(flow.stored.values()):.4g} W, "
    figure.suptitle(
        f"{title}residual {flow.residual:.1e} W", fontsize=9, color=QUIET, x=0.01, ha="left"
    )
    axes.set_xlim(-1.9, 1.9)
    axes.set_ylim(-1.75, 1.15)
    axes.axis("off")
    if path is not None:
        write_figure(figure, path)
    return figure


def _shown(group: Mapping[str, float]) -> dict[str, float]:
    """Return the strongest, and the sum of the rest."""
    ranked = sorted(group.items(), key=lambda each: -abs(each[1]))
    if len(ranked) <= SHOWN:
        return dict(ranked)
    rest = ranked[SHOWN - 1 :]
    return dict(ranked[: SHOWN - 1]) | {f"{len(rest)} others": sum(watts for _, watts in rest)}


def _spread(count: int) -> Any:
    return np.linspace(1.0, -1.0, count) if count > 1 else np.zeros(count)


def _arrow(axes: Any, end: tuple[float, float], share: float, color: str, *, inward: bool) -> None:
    """Draw an arrow between the machine in the middle and an end, as wide as its share."""
    start, stop = (end, (0.0, 0.0)) if inward else ((0.0, 0.0), end)
    tail = max(0.8, WIDEST * share)
    shape = f"simple,tail_width={tail},head_width={tail + 7.0},head_length={0.5 * tail + 6.0}"
    style = {"arrowstyle": shape, "mutation_scale": 1.0, "color": color, "alpha": 0.6, "lw": 0.0}
    style |= {"shrinkA": 2, "shrinkB": 40 if inward else 2}
    axes.annotate("", xy=stop, xytext=start, arrowprops=style, zorder=2)


def _name(axes: Any, x: float, y: float, name: str, watts: float, side: str) -> None:
    shift = -0.04 if side == "right" else 0.04
    axes.text(x + shift, y, f"{name}  {watts:.3g} W", ha=side, va="center", fontsize=8, color=INK)
