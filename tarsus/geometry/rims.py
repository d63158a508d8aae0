"""What of a shape can touch the ground first: balls, and rims of cylinders and tori.

A rim is a circle of a `radius` about an `axis` with a `tube` around it, which has no radius for
the edge of a cylinder; without an axis it is a ball, and a ball of no radius is a point. Then one
formula tells how far each reaches in a unit direction d:

    c · d + r √(1 − (a · d)²) + t      c: centre, r: radius, a: unit axis, or zero for a ball, t:
    tube
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry.directions import spread_directions
from tarsus.geometry.meshes import mesh_corners
from tarsus.geometry.volume_on_body import VolumeOnBody
from tarsus.model.description import Shape

CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))
"""Corners (8, 3) of the unit cube."""


def rims(shape: Shape | VolumeOnBody) -> Array:
    """Return the rims (n, 8) of a shape in its body's frame: centre, axis, radius, tube [m]."""
    if isinstance(shape, VolumeOnBody):
        return balls(shape.volume.points, shape.volume.radius)
    found = RIMS[shape.kind](shape)
    rotation, position = shape.placement[:3, :3], shape.placement[:3, 3]
    centers, axes = found[:, :3] @ rotation.T + position, found[:, 3:6] @ rotation.T
    return np.column_stack([centers, axes, found[:, 6:]])


def reach(found: Array, directions: Array) -> Array:
    """Return how far in each unit direction (k, 3) each rim (n, 8) reaches, as (k, n) [m]."""
    far = directions @ found[:, :3].T
    far += found[:, 6] + found[:, 7]
    rings = found[:, 3:6].any(axis=1)
    across = np.sqrt(np.maximum(1.0 - (directions @ found[rings, 3:6].T) ** 2, 0.0))
    far[:, rings] += found[rings, 6] * (across - 1.0)
    return np.asarray(far)


def balls(centers: Array, radius: float = 0.0) -> Array:
    """Return balls (n, 8) of one radius about the centres (n, 3)."""
    found = np.zeros((len(centers), 8))
    found[:, :3], found[:, 6] = centers, radius
    return found


def _sphere(shape: Shape) -> Array:
    return balls(np.zeros((1, 3)), shape.size[0])


def _capsule(shape: Shape) -> Array:
    radius, length = shape.size
    return balls(np.array([[0.0, 0.0, -length / 2], [0.0, 0.0, length / 2]]), radius)


def _box(shape: Shape) -> Array:
    return balls(CORNERS * np.array(shape.size))


def _cylinder(shape: Shape) -> Array:
    radius, length = shape.size
    ends = [[0.0, 0.0, end * length / 2, 0.0, 0.0, end, radius, 0.0] for end in (-1.0, 1.0)]
    return np.array(ends)


def _torus(shape: Shape) -> Array:
    return np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, *shape.size]])


def _ellipsoid(shape: Shape) -> Array:
    """Points of a disc or a rod: an ellipsoid without thickness. Others touch as they are."""
    return balls(spread_directions(64) * np.array(shape.size))


def _mesh(shape: Shape) -> Array:
    return balls(mesh_corners(shape))


RIMS: dict[str, Callable[[Shape], Array]] = {
    "sphere": _sphere,
    "capsule": _capsule,
    "box": _box,
    "cylinder": _cylinder,
    "ellipsoid": _ellipsoid,
    "torus": _torus,
    "mesh": _mesh,
}
