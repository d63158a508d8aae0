"""Corners, volumes and mass properties of triangle meshes."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import read_only
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.formats.mesh_files import read_mesh
from tarsus.model.description import Shape

# Corners and triangles of mesh files, for touching: read once, then remembered.


Found = TypeVar("Found")
FARTHEST = 1e9
"""Coordinates of vertices; hulls of what is farther are lost in rounding."""
WAY_OUT = "shapes='primitives' leaves meshes out"
POINTS = ", contact_points=[…] names points that touch"


def mesh_corners(shape: Shape) -> Array:
    """Return the corners (n, 3) of the convex hull of a mesh, in the frame of the shape [m]."""
    return np.asarray(_read(shape, _corners, WAY_OUT + POINTS) * np.array(shape.size))


def mesh_triangles(shape: Shape) -> tuple[Array, NDArray[np.int64]]:
    """Return vertices (n, 3) [m] and triangles (m, 3) of a mesh, in the frame of the shape."""
    vertices, triangles = _read(shape, _triangles, WAY_OUT)
    return np.asarray(vertices * np.array(shape.size)), triangles


def _read(shape: Shape, reader: Callable[[str, int], Found], way_out: str) -> Found:
    """What a reader finds in the file of a shape; what is wrong with it is told with its name."""
    file = Path(shape.file or "")
    what = f"the mesh {shape.file!r} of body {shape.body!r}"
    if "://" in str(shape.file):
        raise ModelError(
            f"{what} is not there, or outside the folders that may be read: name its folder in "
            f"package_dirs of ts.load; {way_out}",
            shape.source,
        )
    if not file.is_file():
        raise ModelError(f"{what} is not there; {way_out}", shape.source)
    try:
        return reader(str(file), os.stat(file).st_mtime_ns)
    except ImportError:
        need = f"{what} needs trimesh to be read: pip install 'tarsus[io]'"
        raise ImportError(f"{need}; {way_out}") from None
    except (OSError, ValueError, RuntimeError) as error:  # the last from Qhull
        raise ModelError(f"{what} cannot be read: {error}; {way_out}", shape.source) from error


def hull_corners(points: Array) -> Array:
    """Return the corners (k, 3) of the convex hull of points (n, 3), also of flat ones."""
    from scipy.spatial import ConvexHull, QhullError  # slow to import, and only for meshes

    if len(points) <= 4:
        return points
    try:
        return np.asarray(points[ConvexHull(points).vertices])
    except QhullError:  # all in a plane or on a line: moved a little, they are not
        return np.asarray(points[ConvexHull(points, qhull_options="QJ").vertices])


@lru_cache(maxsize=1024)
def _corners(file: str, _changed: int) -> Array:
    """The corners as the file states them; a file that has changed is read again."""
    points, _ = read_mesh(Path(file))
    return read_only(hull_corners(_checked(points)))


@lru_cache(maxsize=64)
def _triangles(file: str, _changed: int) -> tuple[Array, NDArray[np.int64]]:
    """Vertices and triangles; those in the same place are one, as STL states each many times."""
    points, triangles = read_mesh(Path(file))
    vertices, number = np.unique(_checked(points), axis=0, return_inverse=True)
    return read_only(vertices), np.asarray(number.reshape(-1)[triangles], np.int64)


def _checked(points: Array) -> Array:
    if not len(points) or not np.abs(points).max() <= FARTHEST:
        raise ValueError(f"it has no vertices, or some that are beyond {FARTHEST:g} or no numbers")
    return points


# Volume, centre and inertia of what a closed mesh encloses, by the tetrahedra to its triangles.
#
# The integrals of 1, x and x xᵀ over a tetrahedron with one corner at the origin and the others at
# a, b and c are det/6, det/24 (a + b + c) and det/120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ) with s = a + b +
# c and det = a · (b × c); with signs they add up to those of the solid.


@dataclass(frozen=True, eq=False)
class Enclosed:
    """Volume [m³], centre (3,) [m], and inertia (3, 3) about it for a density of 1 [m⁵]."""

    volume: float
    center: Array
    inertia: Array


def enclosed(vertices: Array, triangles: NDArray[np.int64]) -> Enclosed:
    """Return what a mesh of vertices (n, 3) [m] and triangles (m, 3) encloses.

    A mesh that is not closed encloses nothing: a `ValueError`, as is one whose triangles are
    turned in different ways. All of them may be turned inwards.
    """
    check_closed(vertices, triangles)
    middle = vertices.mean(axis=0)  # near the solid, for the sake of rounding
    corners = (vertices - middle)[triangles]
    a, b, c = np.moveaxis(corners, 1, 0)
    determinants = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = float(determinants.sum() / 6.0)
    if not abs(volume) > 1e-12 * float(np.ptp(vertices, axis=0).max()) ** 3:
        raise ValueError("it is flat: it has no volume")
    sums = a + b + c
    center = determinants @ sums / 24.0 / volume
    second = np.einsum("i,ikx,iky->xy", determinants, corners, corners)
    second = (second + np.einsum("i,ix,iy->xy", determinants, sums, sums)) / 120.0
    second -= volume * np.outer(center, center)
    second *= np.sign(volume)
    inertia = np.trace(second) * np.eye(3) - second
    return Enclosed(abs(volume), middle + center, (inertia + inertia.T) / 2.0)


def check_closed(vertices: Array, triangles: NDArray[np.int64]) -> None:
    """Raise unless each edge joins two triangles that go along it in opposite directions."""
    if not len(triangles):
        raise ValueError("it has no triangles")
    _, number = np.unique(vertices, axis=0, return_inverse=True)
    corners = number.reshape(-1)[triangles]
    corners = corners[(corners != np.roll(corners, 1, axis=1)).all(axis=1)]
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    codes = edges @ np.array([len(vertices), 1])
    there, count = np.unique(codes, return_counts=True)
    back = np.unique(edges[:, ::-1] @ np.array([len(vertices), 1]))
    if len(there) != len(back) or (there != back).any():
        open_edges = len(np.setxor1d(there, back))
        raise ValueError(f"it is not closed: {open_edges} edges have a triangle on one side only")
    if (count != 1).any():
        raise ValueError("several of its triangles go along the same edge: it is no simple solid")
