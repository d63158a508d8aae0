"""A slow controller that gives a fast one its targets."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tarsus.control.joint_controller import checked_period
from tarsus.model.description import Array


class Cascade:
    """tau = inner(t, q, v, target), where target = outer(t, q, v) is renewed every `outer_period`.

    `period` [s] is that of the inner controller and of the whole, one step of the simulation
    unless stated. Joint controllers such as `PD` take targets as their fourth argument.
    """

    def __init__(
        self,
        outer: Callable[[float, Array, Array], Any],
        inner: Callable[[float, Array, Array, Any], Any],
        outer_period: float,
        period: float | None = None,
    ) -> None:
        for name, part in (("outer", outer), ("inner", inner)):
            if not callable(part):
                raise TypeError(f"{name} is of type {type(part).__name__}, must be a function")
        slow = checked_period(outer_period)
        if slow is None:
            raise TypeError("outer_period is None, must be a number of seconds")
        self.outer, self.inner = outer, inner
        self.outer_period = slow
        self.period = checked_period(period)
        if self.period is not None and self.period > slow:
            raise ValueError(f"period is {self.period} s, longer than outer_period, {slow} s")
        self.reset()

    def reset(self) -> None:
        """Forget the target, so that the next call asks the outer controller."""
        self.target: Any = None
        self._tick = -1
        for part in (self.outer, self.inner):
            if hasattr(part, "reset"):
                part.reset()

    def __call__(self, t: float, q: Array, v: Array) -> Any:
        """Return the efforts of the inner controller."""
        tick = math.floor(t / self.outer_period + 1e-6)  # times are sums of steps
        if tick != self._tick:
            self._tick, self.target = tick, self.outer(t, q, v)
        return self.inner(t, q, v, self.target)
