"""What a measure is: a quantity of the machine in each pose, its residuals and their slopes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import LARGEST, reals
from tarsus._lib.files import Array
from tarsus.model import Model


class Measure:
    """A quantity that is measured in each pose, `rows` numbers of it.

    What `look` sees of a model is what residuals and their slopes are made of.
    """

    rows: ClassVar[int] = 0

    @property
    def title(self) -> str:
        """The measure in words."""
        raise NotImplementedError

    def units(self, model: Model) -> tuple[str, ...]:
        """Return the unit of each part of it, "m" or "rad"; a part has up to three rows."""
        return ("m",)

    @property
    def deviations(self) -> Array:
        """Standard deviations (rows,)."""
        raise NotImplementedError

    def check(self, model: Model) -> None:
        """Raise unless the model has what is measured."""
        raise NotImplementedError

    def values(self, value: ArrayLike, count: int) -> Array:
        """Return measured values for each pose, NaN for none; one value stands for all."""
        raise NotImplementedError

    def look(self, model: Model, q: Array) -> Array:
        """Return what there is to see at configurations (n, nq)."""
        raise NotImplementedError

    def motion(self, model: Model, q: Array, seen: Array) -> Array:
        """Return how that moves (n, k, nv) with velocities."""
        raise NotImplementedError

    def of(self, seen: Array) -> Array:
        """Return what would be measured."""
        raise NotImplementedError

    def residuals(self, seen: Array, measured: Array) -> Array:
        """Return predicted less measured (n, rows)."""
        raise NotImplementedError

    def derivatives(self, seen: Array, measured: Array, motion: Array) -> Array:
        """Return slopes (n, rows, nv) of residuals along the motion."""
        raise NotImplementedError

    def reach(self, seen: Array) -> float:
        """Return how far away things are [m], a natural size of lengths; zero if unknown."""
        raise NotImplementedError

    def noisy(self, measured: Array, rng: np.random.Generator) -> Array:
        """Return values with noise of the stated deviations."""
        raise NotImplementedError


def measured_values(value: ArrayLike, shape: tuple[int, ...], count: int, title: str) -> Array:
    """Return values (count, *shape), each finite or NaN all over; one stands for all."""
    array = reals(value, f"the {title}")
    if array.shape not in (shape, (count, *shape)):
        raise ValueError(
            f"the {title} has shape {array.shape}, must be {(count, *shape)} or {shape}"
        )
    found = np.array(np.broadcast_to(array, (count, *shape)))
    flat = found.reshape(count, -1)
    whole = np.isnan(flat).all(axis=1) | (np.abs(flat) <= LARGEST).all(axis=1)
    if not whole.all():
        pose = int(np.argmin(whole))
        raise ValueError(f"the {title} is not finite in pose {pose}; NaN all over: not measured")
    return found
