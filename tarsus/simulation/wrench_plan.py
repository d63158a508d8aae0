"""How external wrenches change while it runs: pushes, tables and functions, each a source of them.

In a step a wrench is constant. Where it changes within one, the step has the mean, so that the
impulse is that which was stated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from tarsus._lib.files import Array
from tarsus.simulation.errors import SimulationError
from tarsus.simulation.part_set import Slots
from tarsus.simulation.push import Push, vectors_of

CLOSE = 1e-9
"""Times that are so close, in steps, are the same: times of steps are rounded."""


class Source(Protocol):
    """What a plan asks for its wrenches."""

    def wrench(self, t: float, dt: float, q: Array, v: Array) -> Array:
        """Return force and torque (1 or B, 6) of the step from t [s] on."""

    def constant_until(self, t: float, dt: float) -> float:
        """Return until when [s] they stay the same; t for one step."""


class WrenchPlan:
    """Writes the wrenches of a source to the numbers of a part."""

    def __init__(self, source: Source, slots: Slots) -> None:
        self.source, self._dt = source, 0.0
        self._force, self._torque = (slice(slots[key][0], slots[key][0] + 3) for key in KEYS)

    def set(self, numbers: Array, t: float, dt: float, q: Array, v: Array) -> None:
        """Set the wrench of the step from t on."""
        self._dt = dt
        wrench = self.source.wrench(t, dt, q, v)
        numbers[:, self._force], numbers[:, self._torque] = wrench[:, :3], wrench[:, 3:]

    def constant_until(self, t: float) -> float:
        """Return until when [s] it stays the same."""
        return self.source.constant_until(t, self._dt)


KEYS = ("force", "torque")


class TableSource:
    """Wrenches (1 or B, K, 6) from times (K,) [s] on, each until the next; none before."""

    def __init__(self, times: Array, values: Array) -> None:
        self.times, self.values = times, values
        self._none = np.zeros((len(values), 6))

    def wrench(self, t: float, dt: float, q: Array, v: Array) -> Array:
        """Return the mean over the step from t on."""
        first, last = self._entry(t, dt), self._entry(t + dt, -dt)
        if first == last:
            return self._value(first)
        edges = np.clip(self.times[first + 1 : last + 1], t, t + dt)
        shares = np.diff(np.concatenate([[t], edges, [t + dt]])) / dt
        entries = range(first, last + 1)
        mean = sum(s * self._value(k) for s, k in zip(shares, entries, strict=True))
        return np.asarray(mean)

    def constant_until(self, t: float, dt: float) -> float:
        """Return the start of the step in which the next entry begins."""
        following = self._entry(t, dt) + 1
        if following == len(self.times):
            return np.inf
        return last_step_before(self.times[following], dt)

    def _entry(self, t: float, dt: float) -> int:
        """Return which entry acts at t, at its beginning, or for −dt at the end of a step."""
        side = "right" if dt > 0.0 else "left"
        return int(np.searchsorted(self.times, t + CLOSE * dt, side)) - 1  # type: ignore[call-overload]

    def _value(self, entry: int) -> Array:
        return self.values[:, entry] if entry >= 0 else self._none


class PushSource:
    """A push: constant or by functions, between its start and its end."""

    def __init__(self, push: Push, states: int, batched: bool) -> None:
        self.start, self.end = push.start, push.start + push.duration
        self.parts = [
            _Vector(
                getattr(push, name), f"the {name} of the push on {push.body!r}", states, batched
            )
            for name in KEYS
        ]
        self._none = np.zeros((1, 6))

    def wrench(self, t: float, dt: float, q: Array, v: Array) -> Array:
        """Return the mean over the step from t on."""
        share = min((min(self.end, t + dt) - max(self.start, t)) / dt, 1.0)
        if share < CLOSE:
            return self._none
        force, torque = (part(t, q, v) for part in self.parts)
        rows = max(len(force), len(torque))
        whole = np.concatenate([np.broadcast_to(x, (rows, 3)) for x in (force, torque)], axis=1)
        return whole if share > 1.0 - CLOSE else share * whole

    def constant_until(self, t: float, dt: float) -> float:
        """Return the start of the step in which it begins or ends."""
        if t + CLOSE * dt < self.start:
            return last_step_before(self.start, dt)
        if t + CLOSE * dt > self.end:
            return np.inf
        return t if any(part.called for part in self.parts) else last_step_before(self.end, dt)


class FunctionSource:
    """A function (t, q, v) → (n_bodies, 6) or (B, n_bodies, 6), of which this is one body."""

    def __init__(self, leader: Wrenches, body: int) -> None:
        self.leader, self.body = leader, body

    def wrench(self, t: float, dt: float, q: Array, v: Array) -> Array:
        """Return the wrench of the body; the first asks the function for all."""
        if self.body == 0:
            self.leader.ask(t, q, v)
        return self.leader.value[:, self.body]

    def constant_until(self, t: float, dt: float) -> float:
        """Return t: it is asked in every step."""
        return t


class Wrenches:
    """What a function returns for all bodies, checked: `value` (1 or B, n_bodies, 6)."""

    def __init__(
        self, function: Callable[..., Any], bodies: tuple[str, ...], batched: bool
    ) -> None:
        self.function, self.bodies, self.batched = function, bodies, batched
        self.value = np.zeros((1, len(bodies), 6))

    def ask(self, t: float, q: Array, v: Array) -> None:
        """Ask the function at a time t [s] and states q (B, nq), v (B, nv)."""
        shape = (len(self.bodies), 6)
        self.value = called(self.function, "external", shape, (t, q, v), self.batched)


class _Vector:
    """A vector of a push: numbers, or a function."""

    def __init__(self, value: Any, what: str, states: int, batched: bool) -> None:
        self.called, self.what, self.batched = callable(value), what, batched
        self.function = value
        self.value = np.zeros((1, 3)) if self.called else vectors_of(value, what)
        if len(self.value) not in (1, states):
            raise ValueError(f"{what} is for {len(self.value)} states, but there are {states}")

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        if not self.called:
            return self.value
        return called(self.function, self.what, (3,), (t, q, v), self.batched)


def called(
    function: Callable[..., Any],
    what: str,
    shape: tuple[int, ...],
    at: tuple[float, Array, Array],
    batched: bool,
) -> Array:
    """Return what a function gives at t, q and v, as (1 or B, *shape) finite numbers."""
    t, q, v = at
    states = (q.copy(), v.copy()) if batched else (q[0].copy(), v[0].copy())
    name = getattr(function, "__name__", repr(function))
    value = function(t, *states)
    try:
        found = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise SimulationError(f"{what}: {name} returned {value!r}, no numbers", time=t) from None
    if found.shape not in (shape, (len(q), *shape)):
        also = f" or {(len(q), *shape)}" if batched else ""
        cause = f"{what}: {name} returned the shape {found.shape}, must be {shape}{also}"
        raise SimulationError(cause, time=t)
    if not np.isfinite(found).all():
        raise SimulationError(f"{what}: {name} returned {found[~np.isfinite(found)][0]}", time=t)
    return found.reshape(-1, *shape)


def last_step_before(time: float, dt: float) -> float:
    """Return the start of the step in which a time [s] is."""
    return float(np.floor(time / dt + CLOSE) * dt) if time < np.inf else np.inf
