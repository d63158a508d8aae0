"""Triangle meshes of swept-sphere volumes, and a color bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import expect
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.geometry.distances import Distances
from tarsus.geometry.outlines import spread_directions
from tarsus.geometry.swept_spheres import SweptSphere
from tarsus.geometry.volumes import Volumes
from tarsus.model.model import Model
from tarsus.view.triangle_meshes import Color, Surface

# Volumes over a model, to look at: swept spheres as triangles, their colours, shortest lines.
#
# Where distances are known, the colour of a volume is how far it is from the nearest other: red
# where they touch, green at the activation distance, grey beyond it. The two volumes of the
# smallest distance are opaque, and lines join the nearest points (Schwienbacher 2012, figures 6.15
# and 6.16).


PLAIN: Color = (0.95, 0.62, 0.25)
"""Colour of volumes without distances."""
FAR: Color = (0.62, 0.65, 0.68)
"""Colour of volumes that are near no other."""
SCALE = np.array([[0.80, 0.10, 0.12], [0.95, 0.70, 0.20], [0.15, 0.62, 0.30]])
"""Colours from zero to the largest distance."""
OPACITY = 0.4
"""How much of what is behind a volume is hidden."""
DIRECTIONS = spread_directions(400)
ROUND = 1.008
"""Polyhedra are drawn larger by so much: what is inside of the volume is inside of them, too."""


@dataclass(frozen=True, eq=False)
class Look:
    """Volumes in one state: colours (n, 3), which are `opaque` (n,), and `lines` (m, 2, 3) [m]
    between nearest points with their colours (m, 3); `gap` is the smallest distance [m], and
    `pair` whose it is, empty if none is known; `largest` is where the scale of colours ends [m].
    """

    colors: Array
    opaque: NDArray[np.bool_]
    lines: Array
    line_colors: Array
    gap: float = np.inf
    pair: str = ""
    largest: float = np.inf


class Shells:
    """The volumes of a model, or those between which distances are known."""

    def __init__(self, model: Model, what: Volumes | Distances) -> None:
        expect(what, (Volumes, Distances), "volumes")
        self.distances = what if isinstance(what, Distances) else None
        volumes = what.volumes if isinstance(what, Distances) else what
        if self.distances is not None and not self.distances.activation > 0.0:
            raise ValueError("distances have the activation distance 0 m: nothing would be near")
        if self.distances is not None and self.distances.model is not model:
            name = self.distances.model.name
            raise ValueError(f"distances are of {name!r}, not of the model that is shown")
        volumes.check_links(model)
        self.surfaces = [
            _placed(model, link, volume) for link in volumes for volume in volumes[link]
        ]
        """A surface for each volume, on its body."""

    def look(self, q: Array) -> Look:
        """Return colours and shortest lines in a configuration q (nq,)."""
        count = len(self.surfaces)
        colors, opaque = np.tile(PLAIN, (count, 1)), np.zeros(count, bool)
        if self.distances is None:
            return Look(colors, opaque, np.zeros((0, 2, 3)), np.zeros((0, 3)))
        near = self.distances.near(q, gradient=False)
        largest = self._largest(near.distance)
        least = np.full(count, np.inf)
        for side in near.volumes.T:
            np.minimum.at(least, side, near.distance)
        colors = color_of(least / largest)
        lines = np.stack([near.point_a, near.point_b], axis=1)
        line_colors = color_of(near.distance / largest)
        if not len(near.distance):
            return Look(colors, opaque, lines, line_colors, largest=largest)
        first = int(np.argmin(near.distance))
        opaque[near.volumes[first]] = True
        pair = self.distances.names[int(near.pair[first])]
        gap = float(near.distance[first])
        return Look(colors, opaque, lines, line_colors, gap, pair, largest)

    def _largest(self, distance: Array) -> float:
        """Where the scale ends: at the activation distance, or at the largest of all."""
        assert self.distances is not None
        if np.isfinite(self.distances.activation):
            return max(self.distances.activation, 1e-9)
        return max(float(distance.max(initial=0.0)), 1e-9)


def color_of(share: Array) -> Array:
    """Return colours (n, 3) on the scale of distances, for shares (n,) of the largest."""
    place = np.clip(share, 0.0, 1.0) * (len(SCALE) - 1)
    known = np.arange(len(SCALE))
    found = np.column_stack([np.interp(place, known, channel) for channel in SCALE.T])
    return np.where(np.isfinite(share)[:, None], found, FAR)


def shell(volume: SweptSphere) -> tuple[Array, NDArray[np.int64]]:
    """Return vertices and triangles of a swept sphere, normals outwards.

    It is the hull of a polyhedron about each of its points.
    """
    from scipy.spatial import ConvexHull, QhullError  # slow to import

    radius = ROUND * max(volume.radius, 1e-6)
    points = (volume.points[:, None] + radius * DIRECTIONS).reshape(-1, 3)
    try:
        hull = ConvexHull(points)
    except QhullError:  # far from the origin it is too small to be seen
        return points[:0], np.zeros((0, 3), np.int64)
    triangles = np.asarray(hull.simplices, np.int64)
    a, b, c = points[triangles].swapaxes(0, 1)
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    used, index = np.unique(triangles, return_inverse=True)
    return points[used], np.asarray(index.reshape(-1, 3), np.int64)


def _placed(model: Model, link: str, volume: SweptSphere) -> Surface:
    vertices, triangles = shell(volume)
    if link == WORLD:
        return Surface(-1, vertices, triangles, PLAIN)
    frame = model.frame(link)
    body = -1 if frame.body == WORLD else model.body(frame.body).index
    placed = vertices @ frame.placement[:3, :3].T + frame.placement[:3, 3]
    return Surface(body, placed, triangles, PLAIN)


# The scale of distances as a bar, from zero to the largest, with a marker at the smallest gap.
#
# On pages it is a drawing (SVG), in pictures and films it is made of cells of one colour each
# (Schwienbacher 2013, figure 6.15).


WIDTH, HEIGHT, EDGE = 260.0, 12.0, 14.0
"""Of the bar on a page, and the room left and right of it [px]."""
CELLS = 30
"""How many cells the bar has in pictures."""
LOW, LEFT, LONG, HIGH = 0.035, 0.70, 0.27, 0.018
"""Where it is in pictures, in shares of them."""
MARKER: Color = (0.13, 0.13, 0.13)


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


def bar_triangles(look: Look) -> tuple[Array, Array]:
    """Return triangles (n, 3, 2) of the bar in shares of a picture, and their colors (n, 3)."""
    left = LEFT + LONG * np.arange(CELLS) / CELLS
    right = left + LONG / CELLS
    low, high = np.full(CELLS, LOW), np.full(CELLS, LOW + HIGH)
    below = [(left, low), (right, low), (right, high)]
    above = [(left, low), (right, high), (left, high)]
    cells = np.concatenate([np.array(half).transpose(2, 0, 1) for half in (below, above)])
    colors = np.tile(color_of((np.arange(CELLS) + 0.5) / CELLS), (2, 1))
    if not look.pair:
        return cells, colors
    x, top = LEFT + LONG * _share(look), LOW + HIGH
    marker = [[(x, top), (x + 0.008, top + 0.02), (x - 0.008, top + 0.02)]]
    return np.concatenate([cells, marker]), np.concatenate([colors, [MARKER]])


def bar_labels(look: Look) -> tuple[tuple[float, float, str, str], ...]:
    """Return x and y of labels in shares of a picture, their text, and which side x is of."""
    end = f"{1e3 * look.largest:.0f} mm"
    return (LEFT, LOW - 0.004, "0", "left"), (LEFT + LONG, LOW - 0.004, end, "right")


def _share(look: Look) -> float:
    """Where the smallest distance is on the bar, from 0 to 1; at its start what overlaps."""
    return float(np.clip(look.gap / look.largest, 0.0, 1.0))


def _hex(color: Any) -> str:
    return "#" + "".join(f"{round(255 * float(part)):02x}" for part in color)
