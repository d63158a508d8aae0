"""Where a part is attached: a frame of the model, a point in it, or a point of the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model import Model, UnknownNameError
from tarsus.model.checks import numbers, pose
from tarsus.model.description import WORLD

Where: TypeAlias = str | tuple[str, ArrayLike] | ArrayLike
"""A frame ("hand"), a point (x, y, z) or pose (4, 4) in it ("hand", point), or of the world."""


@dataclass(frozen=True, eq=False)
class Place:
    """A frame at `placement` (4, 4) on moving body number `body`, −1 for the world."""

    body: int
    placement: Array


def place_of(model: Model, where: Where, what: str) -> Place:
    """Return the place that a user means; `what` names the argument in errors."""
    name, at = split(where)
    placement = np.eye(4)
    if at is not None:
        placement = placement_of(at, what)
    if name == WORLD:
        return Place(-1, placement)
    try:
        frame = model.frame(name)
    except UnknownNameError as error:
        raise UnknownNameError(f"{what}: {error.args[0]}") from None
    body = -1 if frame.body == WORLD else model.body(frame.body).index
    return Place(body, frame.placement @ placement)


def split(where: Where) -> tuple[str, Any]:
    """Return the frame's name and the point or pose in it, None for its origin."""
    if isinstance(where, str):
        return where, None
    if isinstance(where, tuple) and len(where) == 2 and isinstance(where[0], str):
        return where[0], where[1]
    return WORLD, where


def placement_of(at: Any, what: str) -> Array:
    if np.ndim(at) == 2:
        return pose(at, what)
    placement = np.eye(4)
    placement[:3, 3] = numbers(at, (3,), what)
    return placement
