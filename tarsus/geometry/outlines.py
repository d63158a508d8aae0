"""Rims and outlines of shapes, from which they touch planes and other shapes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import read_only
from tarsus._lib.files import Array
from tarsus.geometry.meshes import mesh_corners
from tarsus.geometry.swept_spheres import VolumeOnBody
from tarsus.model.description import Shape

# Directions in which outlines are compared.


def spread_directions(count: int) -> Array:
    """Return unit vectors (count, 3), spread evenly over the sphere, the six axes among them."""
    # Fibonacci's lattice: equal steps along z, the golden angle about it
    z = 1.0 - (2.0 * np.arange(count - 6) + 1.0) / (count - 6)
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(count - 6)
    radius = np.sqrt(1.0 - z**2)
    spread = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])
    return np.concatenate([np.eye(3), -np.eye(3), spread])


DIRECTIONS = read_only(spread_directions(1500))
"""Directions in which outlines are compared, about 5° apart."""


# What of a shape can touch the ground first: balls, and rims of cylinders and tori.
#
# A rim is a circle of a `radius` about an `axis` with a `tube` around it, which has no radius for
# the edge of a cylinder; without an axis it is a ball, and a ball of no radius is a point. Then one
# formula tells how far each reaches in a unit direction d:
#
#     c · d + r √(1 − (a · d)²) + t      c: centre, r: radius, a: unit axis, or zero for a ball, t:
#     tube


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


# Which rims of a body matter: those on its outline, and the best few corners of its meshes.
#
# A ground that is flat over the size of a body touches it on its outline only. Rims behind the
# outline (a corner inside another box, the rim of a cylinder that ends in a sphere) are left out.


SLACK = 1e-3
"""Rims this far behind the outline, in sizes of the body, count as being on it."""
EXACT = 1e-6
"""Corners of meshes are added until the outline is that exact, in sizes of the body."""


def outline(
    rims: Array, of_mesh: NDArray[np.bool_], mesh_points: int, *, hollows: bool = False
) -> tuple[NDArray[np.int64], float]:
    """Return the numbers of the rims (n, 8) to keep, in order, and the error of the outline [m].

    All rims on the outline stay that are no corners of meshes, with `hollows` those behind it,
    too. At most `mesh_points` corners of
    meshes are added one by one, each the farthest in the direction in which those so far reach
    least. The error is how far the body reaches beyond the kept ones in the worst direction.
    """
    far = reach(rims, DIRECTIONS)
    farthest = far.argmax(axis=1)
    best = np.take_along_axis(far, farthest[:, None], axis=1)[:, 0]
    size = float((best[:3] + best[3:6]).max())
    others = np.flatnonzero(~of_mesh)
    near = (far[:, others] >= best[:, None] - SLACK * size).any(axis=0) | hollows
    kept: list[int] = others[near].tolist()
    covered = far[:, kept].max(axis=1, initial=-np.inf)
    for _ in range(min(mesh_points, len(rims) - len(others))):
        behind = best - covered
        if behind.max() <= EXACT * size:
            break
        kept.append(int(farthest[np.argmax(behind)]))
        covered = np.maximum(covered, far[:, kept[-1]])
    return np.sort(np.array(kept, np.int64)), max(float((best - covered).max()), 0.0)
