"""A push: a force on a body for a while, as a user states it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import number, positive, reals
from tarsus._lib.files import Array
from tarsus.model.description import Record
from tarsus.parts.part import Where


@dataclass(frozen=True, eq=False)
class Push(Record):
    """Pushes `body` (or any frame) with `force` (3,) or (B, 3) [N], in axes of the world.

    It acts at `point` (3,) in the axes of the body, its origin unless stated, from `start` [s] on
    for `duration` [s], to the end unless stated. With it goes a `torque` [N m]. Both may be
    functions (t, q, v) → (3,) or (B, 3). In the ledger it is a part with its `name`.
    """

    body: str
    force: ArrayLike | Callable[..., Any] = (0.0, 0.0, 0.0)
    point: ArrayLike | None = None
    start: float = 0.0
    duration: float = math.inf
    torque: ArrayLike | Callable[..., Any] = (0.0, 0.0, 0.0)
    name: str = ""

    def __post_init__(self) -> None:
        for name in ("force", "torque"):
            value = getattr(self, name)
            if not callable(value):
                vectors_of(value, name)
        number(self.start, "start")
        if self.duration != math.inf:
            positive(number(self.duration, "duration"), "duration", zero=True)

    @property
    def where(self) -> Where:
        """Where it acts."""
        return self.body if self.point is None else (self.body, self.point)


def vectors_of(value: Any, what: str, size: int = 3) -> Array:
    """Return a vector, or one for each state, as (1 or B, size) finite numbers."""
    found = reals(value, what)
    if found.ndim not in (1, 2) or found.shape[-1] != size or not len(found):
        raise ValueError(f"{what} has shape {found.shape}, must be ({size},) or (B, {size})")
    if not np.isfinite(found).all():
        raise ValueError(f"{what} is not finite: {found.tolist()}")
    return np.atleast_2d(found)
