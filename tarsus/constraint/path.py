"""A point stays on a path: a bead on a wire, a car on its spline.

The path goes smoothly through its points (a cubic spline). A path with a kink, where a bead would
have to stop, is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.constraint.rigid import Rigid
from tarsus.model import Model
from tarsus.model.checks import flag, reals
from tarsus.model.description import WORLD
from tarsus.parts import Statement, Where, place_of


@dataclass(frozen=True, eq=False, repr=False)
class PointOnPath(Rigid):
    """Holds the point `where` on a path through points (n, 3) of `of`; `closed` joins its ends."""

    kind: ClassVar[str] = "point_on_path"

    where: Where
    path: ArrayLike
    closed: bool = False
    of: Where = WORLD

    def __post_init__(self) -> None:
        super().__post_init__()
        flag(self.closed, "closed")
        self._points()

    def _points(self) -> Array:
        points = reals(self.path, "path")
        if points.ndim != 2 or points.shape[1:] != (3,) or len(points) < 3:
            raise ValueError(f"path has shape {points.shape}, must be (n, 3), n at least 3")
        if not np.isfinite(points).all():
            raise ValueError("path must be finite")
        steps = np.diff(np.vstack([points, points[:1]]) if self.closed else points, axis=0)
        lengths = np.linalg.norm(steps, axis=1)
        if not (lengths > 0.0).all():
            raise ValueError(f"path: points {int(np.argmin(lengths))} and the next are the same")
        units = steps / lengths[:, None]
        turns = np.sum(units * np.roll(units, -1, axis=0), axis=1)[: None if self.closed else -1]
        if turns.min(initial=1.0) < 0.0:
            raise ValueError(
                f"path has a kink at point {int(np.argmin(turns)) + 1}: it turns by more than a "
                "right angle there; give more points, or two paths"
            )
        return points

    def statement(self, model: Model) -> Statement:
        """Return the two coordinates across the path, held."""
        points = self._points()
        return Statement(
            "path",
            "rigid",
            place_of(model, self.of, "of"),
            place_of(model, self.where, "where"),
            path=np.vstack([points, points[:1]]) if self.closed else points,
            target=1.0 if self.closed else 0.0,
            numbers=self.numbers,
        )
