"""A slow controller that gives a fast one its setpoints."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tarsus.control.arguments import checked_period
from tarsus.model.description import Array


class Cascade:
    """tau = inner(t, q, v, setpoint), where setpoint = outer(t, q, v) is renewed by the outer one.

    `outer` is any function, called once in `outer_period` [s]. `inner` is a controller of this
    package, which takes setpoints as its fourth argument, or a function that does. The inner one
    has a period of its own, one step of the simulation unless it states one. Simulations run it in
    the core, with all contacts, where the core knows its law.
    """

    remembers = True

    def __init__(
        self,
        outer: Callable[[float, Array, Array], Any],
        inner: Callable[[float, Array, Array, Any], Any],
        outer_period: float,
    ) -> None:
        for name, part in (("outer", outer), ("inner", inner)):
            if not callable(part):
                raise TypeError(f"{name} is of type {type(part).__name__}, must be a function")
        slow = checked_period(outer_period, "outer_period")
        if slow is None:
            raise TypeError("outer_period is None, must be a number of seconds")
        self.outer, self.inner = outer, inner
        self.outer_period = slow
        if self.period is not None and self.period > slow:
            raise ValueError(
                f"the period of inner is {self.period} s, longer than outer_period, {slow} s"
            )
        self.reset()

    @property
    def period(self) -> float | None:
        """That of the inner controller [s]; None: one step of the simulation."""
        return checked_period(getattr(self.inner, "period", None))

    def reset(self) -> None:
        """Forget the setpoint, so that the next call asks the outer controller."""
        self.setpoint: Any = None
        self._tick = -1
        for part in (self.outer, self.inner):
            if hasattr(part, "reset"):
                part.reset()

    def __call__(self, t: float, q: Array, v: Array) -> Any:
        """Return the efforts of the inner controller."""
        return self.inner(t, q, v, self.renewed(t, q, v))

    def renewed(self, t: float, q: Array, v: Array) -> Any:
        """Return the setpoint at a time [s], from the outer controller once in its period."""
        tick = math.floor(t / self.outer_period + 1e-6)  # times are sums of steps
        if tick != self._tick:
            setpoint = self.outer(t, q, v)
            if setpoint is None:
                raise TypeError(f"outer returned None at t = {t:g} s, must return a setpoint")
            self.setpoint, self._tick = setpoint, tick
        return self.setpoint

    def get_state(self) -> dict[str, Array]:
        """Return what the next call depends on: the setpoint, and what both parts remember."""
        parts = self.setpoint if isinstance(self.setpoint, tuple) else (self.setpoint,)
        state: dict[str, Array] = {"tick": np.array(float(self._tick))}
        if self.setpoint is not None:
            state |= {f"setpoint_{k}": np.array(part, float) for k, part in enumerate(parts)}
            state["is_tuple"] = np.array(float(isinstance(self.setpoint, tuple)))
        for name, part in (("outer", self.outer), ("inner", self.inner)):
            own = part.get_state() if hasattr(part, "get_state") else {}
            state |= {f"{name}.{key}": value for key, value in own.items()}
        return state

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from a state that `get_state` returned."""
        self._tick = int(state["tick"])
        parts = tuple(state[key] for key in sorted(state) if key.startswith("setpoint_"))
        self.setpoint = None
        if parts:
            self.setpoint = parts if state["is_tuple"] else parts[0]
        for name, part in (("outer", self.outer), ("inner", self.inner)):
            prefix = name + "."
            own = {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
            if hasattr(part, "set_state"):
                part.set_state(own)
