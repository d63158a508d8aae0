"""Where a part is attached: a frame of the model, a point in it, or a point of the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.model.checks import UnknownNameError, is_triple, numbers, pose, read_only
from tarsus.model.description import WORLD

Where: TypeAlias = str | tuple[str, ArrayLike] | ArrayLike
"""A frame ("hand"), a point (x, y, z) or pose (4, 4) in it ("hand", point), or of the world."""

ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Place:
    """A frame at `placement` (4, 4) on moving body number `body`, −1 for the world."""

    body: int
    placement: Array

    def pose(self, poses: Array) -> Array:
        """Return where it is (1 or B, 4, 4), with the bodies at `poses` (B, n, 4, 4)."""
        if self.body < 0:
            return self.placement[None]
        return np.asarray(poses[:, self.body] @ self.placement)


IN_WORLD = Place(-1, read_only(np.eye(4)))
"""The origin of the world."""


def place_of(model: Model, where: Where, what: str) -> Place:
    """Return the place that a user means; `what` names the argument in errors."""
    name, at = split(where)
    if name == WORLD:
        return Place(-1, placement_of(at, what))
    try:
        frame = model.frame(name)
    except UnknownNameError as error:
        raise UnknownNameError(f"{what}: {error}") from None
    body = -1 if frame.body == WORLD else model.body(frame.body).index
    return Place(body, frame.placement @ placement_of(at, what))


def split(where: Where) -> tuple[str, Any]:
    """Return the frame's name and the point or pose in it."""
    if isinstance(where, str):
        return where, ORIGIN
    if isinstance(where, tuple) and len(where) == 2 and isinstance(where[0], str):
        return where[0], where[1]
    return WORLD, where


def pose_of(at: Any, what: str) -> Array:
    """Return a pose (4, 4), where a point would leave out how things are turned."""
    return pose(numbers(at, (4, 4), what), what)


def placement_of(at: Any, what: str) -> Array:
    """Return the placement (4, 4) of a point (3,) or of a pose (4, 4)."""
    if at is ORIGIN:
        return IN_WORLD.placement
    if not is_triple(at):
        return pose(numbers(at, (4, 4), what, accepted="(3,), a point, or (4, 4), a pose"), what)
    placement = IN_WORLD.placement.copy()
    placement[:3, 3] = numbers(at, (3,), what)
    return placement
