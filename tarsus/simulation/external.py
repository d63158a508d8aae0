"""External wrenches of runs and motions: what a user states, as parts with plans for numbers."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, reals
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.parts.body_forces import Wrench
from tarsus.simulation.acting import Acting
from tarsus.simulation.board import Board
from tarsus.simulation.part_set import free_name
from tarsus.simulation.push import Push
from tarsus.simulation.wrench_plan import (
    FunctionSource,
    PushSource,
    Source,
    TableSource,
    Wrenches,
    WrenchPlan,
)

External: TypeAlias = (
    Push | Sequence[Push] | ArrayLike | Callable[..., Any] | tuple[ArrayLike, ArrayLike]
)
"""A `Push` or a list of them; or wrenches (n_bodies, 6) as `Model.forward_dynamics` takes them, for
all states or for each: constant, as a table (times (K,), values (…, K, n_bodies, 6)) of which each
entry is held until the next, or as a function (t, q, v)."""


class Table(NamedTuple):
    """Wrenches on all bodies from times on, each until the next."""

    times: Array
    """(K,) [s]."""
    values: Array
    """(1 or B, K, n_bodies, 6)."""


Stated: TypeAlias = list[Push] | Callable[..., Any] | Table


def stated(external: External, period: float | None = None) -> Stated:
    """Return what a user means; with a `period` [s] arrays have an entry for each of these."""
    if isinstance(external, Push):
        return [external]
    if callable(external):
        return external
    if isinstance(external, (list, tuple)) and any(isinstance(each, Push) for each in external):
        for each in external:
            expect(each, Push, "external")
        return list(external)
    if isinstance(external, Mapping):
        pushes = ", ".join(f"ts.Push({name!r}, …)" for name in list(external)[:2])
        raise TypeError(f"external is a mapping, must be a list of pushes: [{pushes}]")
    return _table(external, period)


def _table(external: Any, period: float | None) -> Table:
    """Return arrays as a table: with a `period` of entries, without one of a single one."""
    if isinstance(external, tuple) and len(external) == 2 and np.ndim(external[1]) >= 3:
        times, values = reals(external[0], "times of external"), reals(external[1], "external")
    else:
        values = reals(external, "external")
        if period is None and values.ndim in (2, 3):
            values = values[..., None, :, :]
        times = np.float64(period or 0.0) * np.arange(values.shape[-3] if values.ndim > 2 else 1)
    values = values[None] if values.ndim == 3 else values
    increasing = times.ndim == 1 and np.isfinite(times).all() and (np.diff(times) > 0.0).all()
    if values.ndim != 4 or not increasing or not 0 < len(times) == values.shape[1]:
        shape = "(n_bodies, 6) or (B, n_bodies, 6)" if period is None else "(…, K, n_bodies, 6)"
        raise ValueError(
            f"external has shape {values.shape}; it must be pushes, a function, wrenches {shape}, "
            "or (times, wrenches (…, K, n_bodies, 6)) with increasing times (K,)"
        )
    return Table(times, values)


class Pushed(NamedTuple):
    """A part, the kind of name it gets if it has none, and where its wrenches come from."""

    part: Wrench
    kind: str
    source: Source


def pushed(model: Model, external: Stated, states: int, batched: bool) -> list[Pushed]:
    """Return what acts on a number of states, checked."""
    if isinstance(external, list):
        return [
            Pushed(Wrench(each.where, name=each.name), "push", PushSource(each, states, batched))
            for each in external
        ]
    if isinstance(external, Table):
        return _of_table(model, external, states)
    leader = Wrenches(external, model.body_names, batched)
    return [_of_body(name, FunctionSource(leader, k)) for k, name in enumerate(leader.bodies)]


def _of_table(model: Model, table: Table, states: int) -> list[Pushed]:
    """Return the wrenches of a table, on those bodies on which there are any."""
    values = table.values
    if values.shape[2:] != (model.n_bodies, 6) or len(values) not in (1, states):
        raise ValueError(
            f"external has wrenches of shape {values.shape}, must be (…, {model.n_bodies}, 6) for "
            f"one or {states} states"
        )
    if not np.isfinite(values).all():
        raise ValueError("external has wrenches that are not finite")
    return [
        _of_body(name, TableSource(table.times, values[:, :, k]))
        for k, name in enumerate(model.body_names)
        if values[:, :, k].any()
    ]


def _of_body(name: str, source: Source) -> Pushed:
    return Pushed(Wrench(name, axes="local"), f"external_{name}", source)


def put_on(board: Board, external: Stated | None, q: Array, batched: bool) -> Acting | None:
    """Return the parts of a board and external wrenches, put on states q (B, nq)."""
    if external is None:
        return board.on(q)
    parts, plans, rows = board.parts, dict(board.plans), [board.numbers]
    for each in pushed(parts.model, external, len(q), batched):
        parts = parts.added(_named(each, parts.index))
        fitted = parts.parts[-1]
        plans[fitted.name] = WrenchPlan(each.source, fitted.slots)
        rows.append(np.broadcast_to(fitted.row, (len(board.numbers), len(fitted.row))))
    if not parts.parts:
        return None
    return Acting.on(parts, np.concatenate(rows, axis=1), q, plans)


@contextmanager
def pushing(board: Board, external: Stated) -> Iterator[None]:
    """Let external wrenches act on the interactive motion of a board, for a while."""
    motion, names = board.motion, list[str]()
    assert motion is not None
    try:
        for each in pushed(board.parts.model, external, motion.states, motion.batched):
            names.append(board.add(_named(each, board.parts.index)).name)
            board.plans[names[-1]] = WrenchPlan(each.source, board.parts.parts[-1].slots)
        board.replan()
        yield
    finally:
        for name in reversed(names):
            board.remove(name)


def _named(each: Pushed, names: Container[str]) -> Wrench:
    """Return the part with a name that no other has."""
    return each.part if each.part.name else replace(each.part, name=free_name(each.kind, names))
