"""Corners and triangles of mesh files, for touching: read once, then remembered."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.formats.mesh_files import read_mesh
from tarsus.model.checks import read_only
from tarsus.model.description import ModelError, Shape

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
