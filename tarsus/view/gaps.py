"""Volumes of a model and the shortest lines between them, coloured by how far they are apart.

Red touches, green is at the activation distance; what is farther is grey and hardly seen
(after the viewer of Schwienbacher 2013, section 6.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.geometry import Distances, SweptSphere
from tarsus.geometry.directions import spread_directions
from tarsus.geometry.link_pairs import body_of_links
from tarsus.model.description import WORLD
from tarsus.view.stage import Stage
from tarsus.view.surfaces import Color, Surface

FAR: Color = (0.62, 0.65, 0.68)
TOUCHING, AWAY = np.array([0.80, 0.10, 0.12]), np.array([0.15, 0.62, 0.30])
FAINT, CLEAR = 0.2, 0.85
"""Opacities of volumes that are far from all others, and of those that are near."""
ROUND = spread_directions(98)


def hull_of(volume: SweptSphere) -> tuple[Array, NDArray[np.int64]]:
    """Return vertices and triangles of a volume: the hull of small balls at its corners."""
    from scipy.spatial import ConvexHull  # slow to import

    radius = max(volume.radius, 1e-4)  # flat ones are seen, too
    points = (volume.points[:, None] + radius * ROUND).reshape(-1, 3)
    found = ConvexHull(points)
    triangles = np.array(found.simplices, np.int64)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * found.equations[:, :3]).sum(axis=1) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    used, numbered = np.unique(triangles, return_inverse=True)
    return points[used], numbered.reshape(-1, 3)


def gap_color(distance: float, activation: float) -> Color:
    """Return the colour of a distance: red at zero and below, green at the activation distance."""
    share = float(np.clip(distance / activation, 0.0, 1.0))
    red, green, blue = ((1.0 - share) * TOUCHING + share * AWAY).tolist()
    return red, green, blue


def volume_surfaces(distances: Distances) -> list[Surface]:
    """Return the volumes as surfaces on bodies, in the order of `Distances.spheres`."""
    body, found = body_of_links(distances.model, distances.volumes), []
    for link, volume in distances.spheres:
        vertices, triangles = hull_of(volume)
        if link != WORLD:
            pose = distances.model.frame(link).placement
            vertices = vertices @ pose[:3, :3].T + pose[:3, 3]
        found.append(Surface(body[link], vertices, triangles, FAR))
    return found


class GapLayer:
    """Volumes and shortest lines in the scene of a viewer."""

    def __init__(self, scene: Any, bodies: Sequence[Any], stage: Stage, gaps: Distances) -> None:
        if gaps.model is not stage.model:
            raise ValueError(f"distances are of {gaps.model.name!r}, not of what is shown")
        if not 0.0 < gaps.activation < np.inf:
            raise ValueError(
                f"distances have the activation distance {gaps.activation} m, must be finite and "
                "positive: colours reach from zero to there"
            )
        self.scene, self.distances, self.size = scene, gaps, stage.size
        self.volumes = [
            scene.add_mesh_simple(
                f"{bodies[surface.body].name if surface.body >= 0 else '/world'}/volume_{k}",
                surface.vertices.astype(np.float32),
                surface.triangles.astype(np.uint32),
                color=FAR,
                opacity=FAINT,
            )
            for k, surface in enumerate(volume_surfaces(gaps))
        ]
        self.least = np.inf

    def show(self, q: Array) -> None:
        """Colour the volumes and draw the shortest lines at q (nq,)."""
        near = self.distances.near(q, gradient=False)
        reach = self.distances.activation
        gaps = np.full(len(self.volumes), np.inf)
        for (first, second), distance in zip(near.volumes, near.distance, strict=True):
            gaps[[first, second]] = np.minimum(gaps[[first, second]], distance)
        for handle, gap in zip(self.volumes, gaps.tolist(), strict=True):
            close = gap <= reach
            handle.color = _bytes(gap_color(gap, reach) if close else FAR)
            handle.opacity = CLEAR if close else FAINT
        self.least = float(near.distance.min(initial=np.inf))
        colors = [_bytes(gap_color(distance, reach)) for distance in near.distance.tolist()]
        self.scene.add_line_segments(
            "/world/gaps",
            np.stack([near.point_a, near.point_b], axis=1).astype(np.float32),
            np.repeat(np.array(colors, np.uint8).reshape(-1, 1, 3), 2, axis=1),
            thickness=0.006 * self.size,
        )


def _bytes(color: Color) -> tuple[int, int, int]:
    red, green, blue = (round(255 * part) for part in color)
    return red, green, blue
