"""Volumes over a model, to look at: swept spheres as triangles, their colours, shortest lines.

Where distances are known, the colour of a volume is how far it is from the nearest other: red where
they touch, green at the activation distance, grey beyond it. The two volumes of the smallest
distance are opaque, and lines join the nearest points (Schwienbacher 2012, figures 6.15 and 6.16).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.geometry import Distances, SweptSphere, Volumes
from tarsus.geometry.directions import spread_directions
from tarsus.model import Model
from tarsus.model.checks import expect
from tarsus.model.description import WORLD
from tarsus.view.surfaces import Color, Surface

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
