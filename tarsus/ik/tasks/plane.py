"""A point on a plane: e = n · (p − o), with the unit normal n and a place o of the plane."""

from __future__ import annotations

from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.tasks.directed import DirectedTask


class PlaneTask(DirectedTask):
    """Leads the origin of `frame`, or the point at `offset` (3,) [m], onto a plane of the world.

    The plane goes through `place` (…, 3) [m], across `normal` (…, 3). The error is how far the
    point is on the side to which the normal points: `Within` keeps it on that side, a half-space.
    `frame` may be "com". `target` (…, 2, 3) holds place and normal.
    """

    def __init__(
        self,
        frame: str,
        place: ArrayLike,
        normal: ArrayLike,
        *,
        offset: ArrayLike | None = None,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str | None = None,
    ) -> None:
        own = name or f"{frame} on plane"
        super().__init__(frame, place, normal, offset, weight, gain, level, own)

    def rows(self, direction: Array) -> Array:
        """Return the normal (…, 1, 3)."""
        return direction[..., None, :]
