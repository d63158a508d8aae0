"""Volume, centre and inertia of what a closed mesh encloses, by the tetrahedra to its triangles.

The integrals of 1, x and x xᵀ over a tetrahedron with one corner at the origin and the others at
a, b and c are det/6, det/24 (a + b + c) and det/120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ) with s = a + b + c
and det = a · (b × c); with signs they add up to those of the solid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array


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
