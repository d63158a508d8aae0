"""Corners of mesh files, for touching: read once, then remembered."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import numpy as np

from tarsus.geometry.mesh_files import read_mesh
from tarsus.model.checks import read_only
from tarsus.model.description import Array, ModelError, Shape

FARTHEST = 1e9
"""Coordinates of vertices; hulls of what is farther are lost in rounding."""
WAY_OUT = "shapes='primitives' leaves meshes out, contact_points=[…] names points that touch"


def mesh_corners(shape: Shape) -> Array:
    """Return the corners (n, 3) of the convex hull of a mesh, in the frame of the shape [m]."""
    file = Path(shape.file or "")
    what = f"the mesh {shape.file!r} of body {shape.body!r}"
    if "://" in str(shape.file):
        raise ModelError(
            f"{what} is not there, or outside the folders that may be read: name its folder in "
            f"package_dirs of ts.load; {WAY_OUT}",
            shape.source,
        )
    if not file.is_file():
        raise ModelError(f"{what} is not there; {WAY_OUT}", shape.source)
    try:
        corners = _corners(str(file), os.stat(file).st_mtime_ns)
    except ImportError:
        need = f"{what} needs trimesh to be read: pip install 'tarsus[io]'"
        raise ImportError(f"{need}; {WAY_OUT}") from None
    except (OSError, ValueError, RuntimeError) as error:  # the last from Qhull
        raise ModelError(f"{what} cannot be read: {error}; {WAY_OUT}", shape.source) from error
    return np.asarray(corners * np.array(shape.size))


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
    if not len(points) or not np.abs(points).max() <= FARTHEST:
        raise ValueError(f"it has no vertices, or some that are beyond {FARTHEST:g} or no numbers")
    return read_only(hull_corners(points))
