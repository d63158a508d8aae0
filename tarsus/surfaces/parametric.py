"""Any surface that has a formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model.checks import flag, numbers
from tarsus.spatial.checks import shaped
from tarsus.surfaces.derivative_check import called, check_derivatives
from tarsus.surfaces.surface import Surface

Formula = Callable[[Array], ArrayLike]
"""From coordinates (n, 2) to n values."""


@dataclass(frozen=True, eq=False)
class Parametric(Surface):
    """A surface by three functions of coordinates u (n, 2), each called with many at once.

    `function` returns points (n, 3) [m], `first` their derivatives ∂f/∂u (n, 3, 2), `second`
    ∂²f/∂u∂u (n, 3, 2, 2). The chart is used from `low` to `high` (2,), where ∂f/∂u₀ × ∂f/∂u₁ points
    out of the solid and is nowhere zero. All three are checked there when the surface is made; a
    derivative that differences do not confirm is an error that says which entry. `solid_is_convex`
    lets searches rely on that.
    """

    kind: ClassVar[str] = "parametric"

    function: Formula
    first: Formula
    second: Formula
    low: Array = field(kw_only=True)
    high: Array = field(kw_only=True)
    solid_is_convex: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("function", "first", "second"):
            if not callable(getattr(self, name)):
                raise TypeError(
                    f"{name} is {getattr(self, name)!r}, must be a function of u (n, 2)"
                )
        for name in ("low", "high"):
            self._set(name, numbers(getattr(self, name), (2,), name))
        if not (self.low < self.high).all():
            raise ValueError(f"low must be below high, got {self.low} and {self.high}")
        flag(self.solid_is_convex, "solid_is_convex")
        check_derivatives(self.function, self.first, self.second, self.low, self.high)

    @property
    def numbers(self) -> tuple[float, ...]:
        """None: the core does not call functions of Python."""
        return ()

    @property
    def convex(self) -> bool:
        """What was stated."""
        return self.solid_is_convex

    @property
    def reach(self) -> float:
        """The radius of a ball about the origin that holds 1024 points of it, and 5 % more [m]."""
        sides = [np.linspace(low, high, 32) for low, high in zip(self.low, self.high, strict=True)]
        grid = np.stack(np.meshgrid(*sides), axis=-1)
        return 1.05 * float(np.linalg.norm(self.point(grid), axis=-1).max())

    def window(self, center: Array, radius: float) -> tuple[Array, Array]:
        """Return the bounds of the whole chart."""
        return self.low, self.high

    def point(self, u: ArrayLike) -> Array:
        """Return the points f(u) (…, 3) [m] at coordinates (…, 2)."""
        return self._called("function", u, (3,))

    def tangents(self, u: ArrayLike) -> Array:
        """Return ∂f/∂u (…, 3, 2): two tangents in columns."""
        return self._called("first", u, (3, 2))

    def second_derivatives(self, u: ArrayLike) -> Array:
        """Return ∂²f/∂u∂u (…, 3, 2, 2)."""
        return self._called("second", u, (3, 2, 2))

    def moved(self, u: Array, step: Array) -> Array:
        """Return the coordinates (…, 2) after a small step (…, 2), never beyond the chart."""
        return np.clip(u + step, self.low, self.high)

    def _called(self, name: str, u: ArrayLike, shape: tuple[int, ...]) -> Array:
        where = shaped(u, (2,), "u")
        found = called(name, getattr(self, name), where.reshape(-1, 2), shape)
        return found.reshape(*where.shape[:-1], *shape)
