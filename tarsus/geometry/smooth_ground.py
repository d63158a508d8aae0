"""A smooth ground: a surface z = h(x, y)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.geometry.terrain import HIGH, LOW, Mesh, Terrain, corners, grid_mesh
from tarsus.surfaces import Graph, Paraboloid, Plane, Sinusoid

KINDS: tuple[type[Graph], ...] = (Plane, Paraboloid, Sinusoid)
"""Surfaces that the core knows as grounds."""
NUMBER = {Plane: 0, Paraboloid: 5, Sinusoid: 6}
"""Their places among the core's kinds of surfaces."""
PIECES = 200
"""A mesh has so many pieces along each side."""


@dataclass(frozen=True, eq=False)
class SmoothGround(Terrain):
    """The ground of a `surface` z = h(x, y): a `Paraboloid`, a `Sinusoid` or a `Plane`.

    Balls, ellipsoids and rims touch it where they are nearest to it, in up to two places each, so
    that what is wider than a trough stands on both of its flanks. A place that was not found is
    told as a step that was not solved.
    """

    kind: ClassVar[str] = "smooth"

    surface: Graph

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.surface, KINDS):
            raise TypeError(
                f"surface is of type {type(self.surface).__name__}, must be a Plane, a Paraboloid "
                "or a Sinusoid of tarsus.surfaces; HeightField.from_function takes any formula"
            )

    @property
    def numbers(self) -> Array:
        """The number of its kind in the core, and those of the surface (1 + k,)."""
        return np.array([NUMBER[type(self.surface)], *self.surface.numbers])

    def height(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the height z [m] above each point (x, y)."""
        return self.surface.height(np.stack(self._places(x, y), axis=-1))

    def normal(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the unit normals (…, 3) of the surface above each point (x, y)."""
        return self.surface.normal(np.stack(self._places(x, y), axis=-1))

    def mesh(self, low: ArrayLike = LOW, high: ArrayLike = HIGH) -> Mesh:
        """Return the triangles of the piece between the corners `low` and `high` (2,) [m]."""
        x0, y0, x1, y1 = corners(low, high)
        x, y = np.linspace(x0, x1, PIECES + 1), np.linspace(y0, y1, PIECES + 1)
        return grid_mesh(x, y, self.height(x[:, None], y))
