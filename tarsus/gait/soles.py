"""Soles of feet and support polygons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.files import Array
from tarsus.geometry.collision import Collision
from tarsus.model.model import Model
from tarsus.spatial import pose

# Soles: the flat bottom of a foot, from what of it can touch the ground.
#
# What touches is balls: corners of shapes, and points along rims. The sole is the widest of the
# planes that bound them from below; where a foot has nothing that touches, it is the bottom of the
# box with the foot's inertia.


FLAT = 4e-3
"""Points that are less than this above the plane of a sole belong to it [m]."""
STEEPEST = np.cos(np.radians(50.0))
"""How far a sole may be from level where the machine is neutral."""
WIDER = 1.25
"""A sole that is not level there must be so much wider than the level one."""
UPRIGHT = 0.1
"""An edge is upright if the sine of its angle to the vertical is less."""
NARROW = 0.15
"""A sole with such a width, as a part of its length, may be the lowest part of what is round."""
CORNERS = 4
"""A sole has at most so many corners; those that matter least are left out."""
AROUND = 12
"""Points along a rim."""


@dataclass(frozen=True, eq=False)
class Sole:
    """The bottom of a foot: a convex polygon in a plane of its body.

    `placement` (4, 4) is the sole's frame on the body: x forward, z up, its origin in the middle of
    the polygon. `corners` (k, 2) [m] go around counter-clockwise; one of a point foot, two of an
    edge.
    """

    body: str
    placement: Array
    corners: Array

    @property
    def points(self) -> Array:
        """The corners on the body (k, 3) [m]."""
        flat = np.column_stack([self.corners, np.zeros(len(self.corners))])
        return np.asarray(flat @ self.placement[:3, :3].T + self.placement[:3, 3])

    @property
    def size(self) -> Array:
        """Length and width (2,) [m]."""
        return np.asarray(np.ptp(self.corners, axis=0))


def balls_of(collision: Collision) -> dict[int, Array]:
    """Return by number of body the balls (k, 4) that can touch: centres and radii [m]."""
    given = collision.arguments
    found: dict[int, list[Array]] = {}
    for body, at, radius in zip(
        given["point_body"], given["point_position"], given["point_radius"], strict=True
    ):
        found.setdefault(int(body), []).append(np.append(at, radius))
    turn = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    for body, at, axis, radius, tube in zip(
        *(given[f"ring_{key}"] for key in ("body", "position", "axis", "radius", "tube")),
        strict=True,
    ):
        side = np.linalg.svd(axis[None])[2][1:]
        around = at + radius * np.column_stack([np.cos(turn), np.sin(turn)]) @ side
        found.setdefault(int(body), []).extend(np.column_stack([around, np.full(AROUND, tube)]))
    for body, placement, size in zip(
        *(given[f"ellipsoid_{key}"] for key in ("body", "placement", "size")), strict=True
    ):
        found.setdefault(int(body), []).append(np.append(placement[:3, 3], min(size)))
    return {body: np.array(balls) for body, balls in found.items()}


def box_of(model: Model, body: int) -> Array:
    """Return the corners (8, 4) of the box with the inertia of a body, as balls without radius."""
    view = model.bodies[body]
    moments, axes = np.linalg.eigh(view.inertia)
    squares = 6.0 * (moments.sum() - 2.0 * moments) / max(view.mass, 1e-12)
    half = np.sqrt(np.maximum(squares, 1e-6)) / 2
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return np.column_stack([view.com + (signs * half) @ axes.T, np.zeros(8)])


def sole_of(model: Model, body: int, balls: Array, rotation: Array, ahead: Array) -> Sole:
    """Return the sole of a foot that has `balls` (k, 4), turned by `rotation` in the world.

    `ahead` (3,) is where the machine looks to, in the world.
    """
    level = -rotation[2]
    down, area = level, _area(balls, level)
    facets = _facets(balls)
    for normal in facets[np.argsort(-facets @ level)]:  # of facets as wide the most level one
        wide = _area(balls, normal) if normal @ level > STEEPEST else 0.0
        if wide > WIDER * max(area, 1e-6):
            down, area = normal, wide
    if area < 1e-6:
        down = _across(balls, level)
    elif _is_narrow(_lowest(balls, down)):
        # what is round along an edge, as a cylinder that lies, can be rolled until it is level
        rolled = _across(_lowest(balls, down), level)
        down = rolled if WIDER * _area(balls, rolled) >= area else down
    forward = rotation.T @ ahead
    x = forward - (forward @ down) * down
    x /= np.linalg.norm(x)
    axes = np.column_stack([x, np.cross(-down, x), -down])
    touching = _lowest(balls, down)
    local = touching @ axes
    polygon = _fewer(support_polygon(local[:, :2]))
    middle = (polygon.min(axis=0) + polygon.max(axis=0)) / 2
    origin = axes @ np.append(middle, local[:, 2].min())
    return Sole(model.body_names[body], pose(origin, axes), polygon - middle)


def _lowest(balls: Array, down: Array) -> Array:
    """Return the lowest points (k, 3) of balls near the plane that bounds them."""
    points = balls[:, :3] + balls[:, 3:] * down
    depth = points @ down
    return np.asarray(points[depth > depth.max() - FLAT])


def _area(balls: Array, down: Array) -> float:
    """Return the area of the polygon on which a foot would stand [m²]."""
    side = np.linalg.svd(down[None])[2][1:]
    x, y = support_polygon(_lowest(balls, down) @ side.T).T
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)


def _facets(balls: Array) -> Array:
    """Return the outward normals (k, 3) of the hull of the balls' centres; none if it is flat."""
    from scipy.spatial import ConvexHull, QhullError  # slow to import, and only needed here

    try:
        normals = ConvexHull(balls[:, :3]).equations[:, :3]
        _, first = np.unique(np.round(normals, 6), axis=0, return_index=True)
        return np.asarray(normals[first])
    except (QhullError, ValueError):
        return np.zeros((0, 3))


def _across(balls: Array, level: Array) -> Array:
    """Return the direction nearest to `level` that is across an edge; `level` for a point.

    So it is for an edge that is upright.
    """
    spread = balls[:, :3] - balls[:, :3].mean(axis=0)
    _, sizes, ways = np.linalg.svd(spread, full_matrices=False)
    if len(balls) < 2 or sizes[0] < 1e-2:
        return level
    across = level - (level @ ways[0]) * ways[0]
    length = np.linalg.norm(across)
    # an edge that hangs down stands on its end, a point
    return np.asarray(across / length) if length > UPRIGHT else level


def _is_narrow(points: Array) -> bool:
    """Return whether points (k, 3) are nearly on a line."""
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(sizes[1] < NARROW * sizes[0])


def _fewer(polygon: Array) -> Array:
    """Return a polygon with few corners: those that cut off least are left out."""
    while len(polygon) > CORNERS:
        before, after = np.roll(polygon, 1, axis=0), np.roll(polygon, -1, axis=0)
        (ax, ay), (bx, by) = (polygon - before).T, (after - before).T
        polygon = np.delete(polygon, int(np.abs(ax * by - ay * bx).argmin()), axis=0)
    return polygon


# The support polygon: the convex hull of the feet on the ground, and how far inside a point is.
#
# A machine that stands still keeps its centre of mass above the polygon; one that walks keeps its
# zero moment point in it.


def support_polygon(points: ArrayLike) -> Array:
    """Return the corners (k, 2) of the convex hull of `points` (n, 2 or 3), counter-clockwise.

    Of one or two points, or of points on a line, the hull is a point or a segment.
    """
    flat = np.asarray(points, float)
    if flat.ndim != 2 or flat.shape[1] not in (2, 3) or not len(flat):
        raise ValueError(f"points has the shape {flat.shape}, must be (n, 2) or (n, 3), n > 0")
    ordered = np.unique(flat[:, :2], axis=0)
    # the lower and the upper chain of the hull, from left to right and back
    hull = [*_chain(ordered)[:-1], *_chain(ordered[::-1])[:-1]]
    return np.array(hull) if hull else ordered


def support_margin(points: ArrayLike, point: ArrayLike) -> float:
    """Return how far inside the support polygon of points (n, 2) a point (2,) is, or outside [m].

    Outside it is below zero.
    """
    corners, p = support_polygon(points), np.asarray(point, float)[:2]
    edges = np.roll(corners, -1, axis=0) - corners
    lengths = np.linalg.norm(edges, axis=1)
    if len(corners) > 2:
        to_point = p - corners
        inside = (edges[:, 0] * to_point[:, 1] - edges[:, 1] * to_point[:, 0]) / lengths
        if inside.min() >= 0.0:
            return float(inside.min())
    # outside, the distance to the nearest point of an edge
    squares = np.where(lengths > 0.0, lengths**2, 1.0)
    along = np.clip(np.einsum("ij,ij->i", p - corners, edges) / squares, 0.0, 1.0)
    return -float(np.linalg.norm(p - corners - along[:, None] * edges, axis=1).min())


def _chain(ordered: Array) -> list[Array]:
    """Return one side of the hull of ordered points: it turns left everywhere."""
    chain: list[Array] = []
    for p in ordered:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0.0:
            chain.pop()
        chain.append(p)
    return chain


def _turn(a: Array, b: Array, c: Array) -> float:
    """Return twice the area of a triangle, above zero if it turns left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
