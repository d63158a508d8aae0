"""A point on a line: e = B (p − o), with B (2, 3) across the line and a place o of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.tasks.directed import DirectedTask


class LineTask(DirectedTask):
    """Leads the origin of `frame`, or the point at `offset` (3,) [m], onto a line of the world.

    The line goes through `place` (…, 3) [m], along `direction` (…, 3). `frame` may be "com".
    `target` (…, 2, 3) holds both.
    """

    def __init__(
        self,
        frame: str,
        place: ArrayLike,
        direction: ArrayLike,
        *,
        offset: ArrayLike | None = None,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str | None = None,
    ) -> None:
        own = name or f"{frame} on line"
        super().__init__(frame, place, direction, offset, weight, gain, level, own)

    def rows(self, direction: Array) -> Array:
        """Return two unit vectors (…, 2, 3) across the line and across each other."""
        other = np.eye(3)[np.argmin(np.abs(direction), axis=-1)]
        first = np.cross(direction, other)
        first = first / np.linalg.norm(first, axis=-1, keepdims=True)
        return np.stack([first, np.cross(direction, first)], axis=-2)
