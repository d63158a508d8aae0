"""Differences of flows, extrapolated: what derivatives are compared with."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tarsus as ts
from tarsus._lib.files import Array

TIGHT: dict[str, Any] = {"rtol": 1e-13, "atol": 1e-15}


def extrapolated(function: Callable[[float], Array], step: float) -> Array:
    """Return the derivative at zero by central differences, extrapolated twice (Richardson)."""

    def central(h: float) -> Array:
        return (function(h) - function(-h)) / (2.0 * h)

    rows = [central(step / 2**k) for k in range(3)]
    for order in (4.0, 16.0):
        rows = [(order * b - a) / (order - 1.0) for a, b in itertools.pairwise(rows)]
    return rows[0]


def by_states(
    phases: ts.Model | ts.Phase | Sequence[ts.Phase],
    q: Array,
    v: Array,
    *,
    step: float = 2e-3,
    start: Callable[[Array, Array], tuple[Array, Array]] = lambda q, v: (q, v),
    **options: Any,
) -> Array:
    """Return d(steps of q, v, t at the end) / d(steps of q, v at the start), (2 nv' + 1, 2 nv).

    `start` makes a state out of one that was changed, if not every state is one.
    """
    listed = [phases] if isinstance(phases, ts.Model | ts.Phase) else list(phases)
    model = listed[0] if isinstance(listed[0], ts.Model) else listed[0].model
    end = ts.flow(phases, q, v, **TIGHT, **options)

    def state(change: Array) -> Array:
        moved = start(model.integrate(q, change[: model.nv]), v + change[model.nv :])
        return tangent(end, ts.flow(phases, *moved, **TIGHT, **options))

    units = np.eye(2 * model.nv)
    return np.stack([extrapolated(lambda h, u=u: state(h * u), step) for u in units], axis=1)


def by_number(
    make: Callable[[float], Any], q: Array, v: Array, *, step: float = 2e-3, **options: Any
) -> Array:
    """Return d(steps of q, v, t at the end) / d(number) of the phases that `make` makes of it."""
    end = ts.flow(make(0.0), q, v, **TIGHT, **options)
    return extrapolated(lambda h: tangent(end, ts.flow(make(h), q, v, **TIGHT, **options)), step)


def tangent(at: ts.Flowed, other: ts.Flowed) -> Array:
    """Return the step from the end of one motion to that of another, its velocity and its time."""
    model = next(phase.model for phase in at.phases if phase.name == at.phase)
    assert at.phase == other.phase and at.n_events == other.n_events
    return np.concatenate([model.difference(at.q, other.q), other.v, [other.t]])
