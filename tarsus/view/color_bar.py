"""The scale of distances as a bar, from zero to the largest, with a marker at the smallest gap.

On pages it is a drawing (SVG), in pictures and films it is made of cells of one colour each
(Schwienbacher 2013, figure 6.15).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tarsus.view.shells import SCALE, Look, color_of

WIDTH, HEIGHT, EDGE = 260.0, 12.0, 14.0
"""Of the bar on a page, and the room left and right of it [px]."""
CELLS = 30
"""How many cells the bar has in pictures."""
LOW, LEFT, LONG, HIGH = 0.035, 0.70, 0.27, 0.018
"""Where it is in pictures, in shares of them."""


def bar_svg(look: Look) -> str:
    """Return the bar as a drawing for a page."""
    stops = "".join(
        f'<stop offset="{100 * k / (len(SCALE) - 1):.0f}%" stop-color="{_hex(color)}"/>'
        for k, color in enumerate(SCALE)
    )
    marker, words = "", "none is near"
    if look.pair:
        x = EDGE + WIDTH * _share(look)
        top = 20.0
        marker = (
            f'<path d="M {x:.1f} {top} l -5 -8 h 10 z" fill="currentColor"/>'
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{top + HEIGHT}" stroke="#222"/>'
        )
        words = f"{1e3 * look.gap:.1f} mm"
    anchors = ((EDGE, "start", "0"), (EDGE + WIDTH, "end", f"{1e3 * look.largest:.0f} mm"))
    ends = "".join(
        f'<text x="{x}" y="46" font-size="11" text-anchor="{anchor}" fill="currentColor">'
        f"{text}</text>"
        for x, anchor, text in (*anchors, (EDGE + WIDTH / 2, "middle", words))
    )
    return (
        f'<svg class="distances" viewBox="0 0 {WIDTH + 2 * EDGE} 52" width="100%">'
        f'<defs><linearGradient id="distances">{stops}</linearGradient></defs>'
        f'<rect x="{EDGE}" y="20" width="{WIDTH}" height="{HEIGHT}" fill="url(#distances)"/>'
        f"{marker}{ends}</svg>"
    )


def draw_bar(axes: Any, look: Look, label: Callable[[float, float, str, str], Any]) -> list[Any]:
    """Draw the bar into a picture of matplotlib; `label` writes at shares of it."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Polygon, Rectangle

    where = axes.transAxes
    starts = np.arange(CELLS) / CELLS
    cells = [Rectangle((LEFT + LONG * x, LOW), LONG / CELLS, HIGH) for x in starts]
    colors = color_of(starts + 0.5 / CELLS)
    bar = PatchCollection(cells, facecolors=colors, edgecolors=colors, transform=where, zorder=6)
    drawn = [axes.add_collection(bar, autolim=False)]
    drawn.append(label(LEFT, LOW - 0.004, "0", "left"))
    drawn.append(label(LEFT + LONG, LOW - 0.004, f"{1e3 * look.largest:.0f} mm", "right"))
    if look.pair:
        x, top = LEFT + LONG * _share(look), LOW + HIGH
        corners = [(x, top), (x - 0.008, top + 0.02), (x + 0.008, top + 0.02)]
        marker = Polygon(corners, transform=where, facecolor="#222222", zorder=7)
        drawn.append(axes.add_patch(marker))
    return drawn


def _share(look: Look) -> float:
    """Where the smallest distance is on the bar, from 0 to 1; at its start what overlaps."""
    return float(np.clip(look.gap / look.largest, 0.0, 1.0))


def _hex(color: Any) -> str:
    return "#" + "".join(f"{round(255 * float(part)):02x}" for part in color)
