"""What joint controllers follow: a configuration, a function of time, or a table of them.

A reference is three things at a time t: positions q (nq), velocities v (nv), and what is added,
efforts τ (nv) for PD and PID, accelerations (nv) for inverse dynamics and passivity. A batch has
one of each for every state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.model import Model
from tarsus.model.description import Array

Setpoint: TypeAlias = tuple[Array, Array, Array]
"""Positions (…, nq), velocities (…, nv) and what is added (…, nv)."""

Target: TypeAlias = ArrayLike | Callable[[float], Any]
"""A configuration (nq,) or (B, nq), or a function t → q, (q, v) or (q, v, added)."""


class Reference:
    """A target, made into setpoints that are checked."""

    def __init__(self, model: Model, target: Target | None) -> None:
        self.model = model
        self._function = target if callable(target) else None
        start = model.neutral() if target is None or callable(target) else target
        self._constant = setpoint(model, start)
        if self._function is not None:
            self._constant = self(0.0)

    @property
    def constant(self) -> bool:
        """Whether the reference is the same at all times."""
        return self._function is None

    def __call__(self, t: float) -> Setpoint:
        """Return the setpoint at a time [s]."""
        return self._constant if self._function is None else setpoint(self.model, self._function(t))

    def command(self, t: float) -> Array:
        """Return the setpoint at a time [s] as a command of the core (B or 1, 1, nq + 2 nv)."""
        return np.ascontiguousarray(_joined(self(t))[:, None])

    def sample(self, times: Array) -> Array:
        """Return setpoints at times (n,) as commands of the core (B or 1, n, nq + 2 nv)."""
        if isinstance(self._function, Table):
            parts = self._function.sample(times)
            rows = max(len(part) if part.ndim > 2 else 1 for part in parts)
            level = [np.broadcast_to(part, (rows, *part.shape[-2:])) for part in parts]
            return np.ascontiguousarray(np.concatenate(level, axis=-1))
        found = [_joined(self(float(t))) for t in times]
        return np.ascontiguousarray(np.stack(np.broadcast_arrays(*found), axis=1))


class Table:
    """A motion through configurations at given times: a target for joint controllers.

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
        self.model = model
        self.times = np.array(times, np.float64)
        if self.times.ndim != 1 or len(self.times) < 2 or not (np.diff(self.times) > 0.0).all():
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
        rows = _numbers(value, name)
        if rows.ndim not in (2, 3) or rows.shape[-2:] != (len(self.times), size):
            raise ValueError(
                f"{name} has shape {rows.shape}, must be ({len(self.times)}, {size}) with an "
                "optional batch dimension in front"
            )
        return rows


def setpoint(model: Model, value: Any) -> Setpoint:
    """Return q, (q, v) or (q, v, added) as a checked setpoint; what is missing is zero."""
    parts = value if isinstance(value, tuple) and np.ndim(value[0]) > 0 else (value,)
    if len(parts) > 3:
        raise ValueError(f"a reference has q, v and what is added, got {len(parts)} parts")
    sizes = (("q_ref", model.nq), ("v_ref", model.nv), ("the added part of q_ref", model.nv))
    found = [_vector(part, size, name) for part, (name, size) in zip(parts, sizes, strict=False)]
    found += [np.zeros(model.nv)] * (3 - len(found))
    return found[0], found[1], found[2]


def _vector(value: Any, size: int, name: str) -> Array:
    vector = _numbers(value, name)
    if vector.ndim not in (1, 2) or vector.shape[-1] != size:
        raise ValueError(f"{name} has shape {vector.shape}, must be ({size},) or (B, {size})")
    return vector


def _numbers(value: Any, name: str) -> Array:
    try:
        found = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is not an array of numbers: {value!r}") from None
    if not np.isfinite(found).all():
        raise ValueError(f"{name} has entries that are not finite")
    return found


def _joined(parts: Setpoint) -> Array:
    """Return the parts side by side, (B or 1, nq + 2 nv)."""
    sizes = [len(part) if part.ndim > 1 else 1 for part in parts]
    if sizes == [1, 1, 1]:  # nothing to repeat
        return np.concatenate(parts, axis=None)[None]
    level = [np.broadcast_to(part, (max(sizes), part.shape[-1])) for part in parts]
    return np.concatenate(level, axis=-1)


def _between(rows: Array, k: NDArray[np.int64], share: Array) -> Array:
    return np.asarray((1.0 - share) * rows[..., k, :] + share * rows[..., k + 1, :])
