"""A point stays in a plane, of the world or of a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.constraint.rigid import Rigid
from tarsus.model import Model
from tarsus.model.checks import numbers
from tarsus.model.description import WORLD
from tarsus.parts import Statement, Where, place_of


@dataclass(frozen=True, eq=False, repr=False)
class PointInPlane(Rigid):
    """Holds the point `where` in the plane with `normal` (3,) through `point` (3,), both in `of`.

    Without a `point` the plane goes through where it is when it is added.
    """

    kind: ClassVar[str] = "point_in_plane"

    where: Where
    normal: ArrayLike = (0.0, 0.0, 1.0)
    point: ArrayLike | None = None
    of: Where = WORLD

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.linalg.norm(numbers(self.normal, (3,), "normal")) > 0.0:
            raise ValueError("normal is zero, must have a direction")

    def statement(self, model: Model) -> Statement:
        """Return the coordinate along the normal, held."""
        a = place_of(model, self.of, "of")
        axes = a.placement.copy()
        axes[:3, :3] = a.placement[:3, :3] @ along(numbers(self.normal, (3,), "normal"))
        target = None
        if self.point is not None:
            target = axes.copy()
            target[:3, 3] += a.placement[:3, :3] @ numbers(self.point, (3,), "point")
        return Statement(
            "frame",
            "rigid",
            type(a)(a.body, axes),
            place_of(model, self.where, "where"),
            rows=(("position", 2, 0),),
            target=target,
            numbers=self.numbers,
        )


def along(direction: Array) -> Array:
    """Return a rotation (3, 3) whose z is along `direction`."""
    z = direction / np.linalg.norm(direction)
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
