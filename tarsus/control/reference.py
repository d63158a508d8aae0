"""What controllers follow: a setpoint that stays, a function of time, or a table of them.

A setpoint is three things at a time t: where to be, how fast to move, and what is added. For joint
controllers these are positions q (nq), velocities v (nv), and efforts (nv) for PD and PID or
accelerations (nv) for inverse dynamics and passivity; for controllers of a frame its pose or
position, its velocity and its acceleration. A batch has one of each for every state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.control.arguments import vectors
from tarsus.model import Model
from tarsus.model.checks import expect

Setpoint: TypeAlias = tuple[Array, Array, Array]
"""Of joints: positions (…, nq), velocities (…, nv) and what is added (…, nv)."""

Source: TypeAlias = ArrayLike | tuple[ArrayLike, ...] | Callable[[float], Any]
"""A setpoint, or a function t → setpoint: its first part, the first two, or all three."""


class Reference:
    """What is followed, made into setpoints that `check` has looked at."""

    def __init__(self, source: Source, check: Callable[[Any], Setpoint]) -> None:
        self._function = source if callable(source) else None
        self._check = check
        first = check(source(0.0) if callable(source) else source)
        # what its owner does to an array afterwards is not followed
        self._constant = first[0].copy(), first[1].copy(), first[2].copy()

    @property
    def constant(self) -> bool:
        """Whether the reference is the same at all times."""
        return self._function is None

    def __call__(self, t: float) -> Setpoint:
        """Return the setpoint at a time [s]."""
        return self._constant if self._function is None else self._check(self._function(t))

    def at(self, t: float, given: Any = None) -> Setpoint:
        """Return the setpoint at a time [s], or the one that is given instead."""
        return self(t) if given is None else self._check(given)

    def content(self, times: Array) -> list[Array]:
        """Return what tells references apart: a table whole, functions at some times (n,)."""
        if isinstance(self._function, Table):
            table = self._function
            return [table.times, table.q, table.added, *([] if table.v is None else [table.v])]
        moments = [self._constant] if self.constant else [self(float(t)) for t in times]
        return [part for setpoint in moments for part in setpoint]

    def sample(self, times: Array) -> Array:
        """Return setpoints of joints at times (n,) as commands of the core (B or 1, n, size)."""
        if isinstance(self._function, Table):
            parts = self._function.sample(times)
            rows = max(len(part) if part.ndim > 2 else 1 for part in parts)
            level = [np.broadcast_to(part, (rows, *part.shape[-2:])) for part in parts]
            return np.ascontiguousarray(np.concatenate(level, axis=-1))
        found = [_joined(self(float(t))) for t in times]
        return np.ascontiguousarray(np.stack(np.broadcast_arrays(*found), axis=1))


class Table:
    """A motion through configurations at given times: a reference for joint controllers.

    Between `times` (K,) [s] the way from one of the configurations `q` (K, nq), or (B, K, nq),
    to the next is straight (on groups, along the exponential), and `v` (…, K, nv) and `added`
    (…, K, nv) change linearly. Without `v` the velocity is that of the way. Before the first and
    after the last time the ends are held, at rest.
    """

    def __init__(
        self,
        model: Model,
        times: ArrayLike,
        q: ArrayLike,
        v: ArrayLike | None = None,
        added: ArrayLike | None = None,
    ) -> None:
        expect(model, Model, "model")
        self.model = model
        self.times = np.array(times, np.float64)
        if self.times.ndim != 1 or len(self.times) < 2 or not _rise(self.times):
            raise ValueError(f"times must rise and be at least two, got {self.times.tolist()}")
        self.q = self._rows(q, model.nq, "q")
        self.steps = np.asarray(model.difference(self.q[..., :-1, :], self.q[..., 1:, :]))
        zeros = np.zeros((len(self.times), model.nv))
        self.v = None if v is None else self._rows(v, model.nv, "v")
        self.added = zeros if added is None else self._rows(added, model.nv, "added")

    def __call__(self, t: float) -> Setpoint:
        """Return positions, velocities and what is added at a time [s]."""
        q, v, added = self.sample(np.array([t]))
        return q[..., 0, :], v[..., 0, :], added[..., 0, :]

    def sample(self, times: Array) -> Setpoint:
        """Return the same at times (n,), as (…, n, nq), (…, n, nv) and (…, n, nv)."""
        after = np.searchsorted(self.times, times, side="right")
        k = np.clip(after - 1, 0, len(self.times) - 2)
        length = (self.times[k + 1] - self.times[k])[:, None]
        share = np.clip((times - self.times[k])[:, None] / length, 0.0, 1.0)
        steps = self.steps[..., k, :]
        q = np.asarray(self.model.integrate(self.q[..., k, :], share * steps))
        v = steps / length if self.v is None else _between(self.v, k, share)
        inside = (self.times[0] <= times) & (times <= self.times[-1])
        return q, v * inside[:, None], _between(self.added, k, share)

    def _rows(self, value: ArrayLike, size: int, name: str) -> Array:
        rows = vectors(value, size, name)
        if rows.ndim not in (2, 3) or rows.shape[-2:] != (len(self.times), size):
            raise ValueError(
                f"{name} has shape {rows.shape}, must be ({len(self.times)}, {size}) with an "
                "optional batch dimension in front"
            )
        return rows.copy()


def _rise(times: Array) -> bool:
    return bool((np.diff(times) > 0.0).all() and np.isfinite(times).all())


def joint_setpoint(model: Model, value: Any) -> Setpoint:
    """Return q, (q, v) or (q, v, added) as a checked setpoint; what is missing is zero."""
    q, v, added = parts_of(value, 1)
    return (
        vectors(q, model.nq, "reference"),
        vectors(v, model.nv, "the velocity of reference"),
        vectors(added, model.nv, "what reference adds"),
    )


def parts_of(value: Any, dimensions: int) -> tuple[Any, Any, Any]:
    """Return the three parts of a setpoint, None for what is missing.

    A tuple has parts if the first of them has at least as many dimensions as a part must have.
    """
    is_parts = isinstance(value, tuple) and value and np.ndim(value[0]) >= dimensions
    parts = tuple(value) if is_parts else (value,)
    if value is None:
        raise TypeError("reference is None, must be a setpoint")
    if len(parts) > 3:
        raise ValueError(f"reference has at most three parts, got {len(parts)}")
    return (*parts, None, None)[:3]


def command(setpoint: Setpoint) -> Array:
    """Return a setpoint of joints as a command of the core (B or 1, 1, nq + 2 nv)."""
    return np.ascontiguousarray(_joined(setpoint)[:, None])


def _joined(parts: Setpoint) -> Array:
    """Return the parts side by side, (B or 1, nq + 2 nv)."""
    if max(part.ndim for part in parts) > 2:
        shapes = ", ".join(str(part.shape) for part in parts)
        raise ValueError(f"reference has parts {shapes}, must have at most one batch dimension")
    sizes = [len(part) if part.ndim > 1 else 1 for part in parts]
    if sizes == [1, 1, 1]:  # nothing to repeat
        return np.concatenate(parts, axis=None)[None]
    level = [np.broadcast_to(part, (max(sizes), part.shape[-1])) for part in parts]
    return np.concatenate(level, axis=-1)


def _between(rows: Array, k: NDArray[np.int64], share: Array) -> Array:
    return np.asarray((1.0 - share) * rows[..., k, :] + share * rows[..., k + 1, :])
