"""`tarsus.identify`: parameters of a model, of phases or of a walker from a recorded motion."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import bounds_of, count, number
from tarsus._lib.files import Array
from tarsus.estimation import plots
from tarsus.estimation.identification.family import (
    REACH,
    Family,
    Machine,
    Recording,
    family,
    phases_of,
    recording,
)
from tarsus.estimation.identification.search import Point, Search
from tarsus.estimation.identification.shooting import Nodes, Shooting, State, first_nodes
from tarsus.estimation.observability import CUT, Estimates
from tarsus.events.phase import Phase
from tarsus.model.model import Model
from tarsus.simulation.convergence import ConvergenceWarning


@dataclass(frozen=True, eq=False)
class Identification(Estimates):
    """Numbers of a machine that explain a recording, and what is left of it.

    `residuals` (N, rows) are what samples are off the motion `q` (N, nq), `v` (N, nv) of the
    machine with these numbers, in their own units; NaN where nothing was recorded. `used` (N, rows)
    are those that had a say: samples next to strikes have none.
    """

    family: Family
    recording: Recording
    q: Array
    v: Array
    residuals: Array
    used: NDArray[np.bool_]

    @cached_property
    def machine(self) -> Any:
        """What was given, with the numbers that were found: model, phases or walker."""
        return self.family.make(self.values)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of the machine."""
        return phases_of(self.machine)

    @property
    def model(self) -> Model:
        """The model of the first phase."""
        return self.phases[0].model

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the recording, the motion and what is between; `path` writes it."""
        return plots.draw_identification(self, path)

    def __str__(self) -> str:
        rank = self.observability.rank
        lines = [f"{len(self.q)} samples, {len(self.names)} parameters, {rank} combinations told"]
        if self.trouble:
            lines.append(f"NOT CONVERGED: {self.trouble}")
        lines.append(self._noise())
        blind = int((~self.used & np.isfinite(self.residuals)).any(axis=1).sum())
        if blind:
            lines.append(f"{blind} samples next to strikes had no say")
        return "\n".join([*lines, *self.table()])

    def _noise(self) -> str:
        if self.freedom < 1:
            return "no more rows than unknowns: nothing tells noise from errors"
        if not self.recording.stated:
            return f"residuals have a deviation of {self.spread:.3g}"
        return (
            f"residuals are {self.spread:.3g} of the stated noise, which is so or more with "
            f"probability {self.probability:.2g}"
        )


BLIND = 2.5
"""Intervals next to a strike in which samples have no say, unless stated."""
TOLERANCES = {"rtol": 1e-11, "atol": 1e-13}


def identify(
    machine: Machine,
    parameters: Any,
    t: ArrayLike,
    q: ArrayLike,
    v: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    noise: ArrayLike | None = None,
    rate_noise: ArrayLike | None = None,
    start: tuple[ArrayLike, ArrayLike] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    every: int = 10,
    blind: float | None = None,
    cut: float = CUT,
) -> Identification:
    """Return the numbers of a machine that explain a motion recorded at times t (N,) [s].

    `machine` is a model, phases or a `ts.gait.Walker`, or a function that makes one of these.
    `parameters` are `ts.parameters` by names of yours; for a walker, names of its numbers; for a
    function, first guesses by names of its arguments. Of what flows know no derivatives,
    differences are taken.

    Samples are evenly spaced: q (N, nq), perhaps v (N, nv), and efforts tau (N, nv) that are held
    from sample to sample; NaN in q and v where nothing was recorded. `noise` and `rate_noise` are
    deviations of q and v, one for all or (nv,). The first state is found as well, unless `start` is
    (q, v). `bounds` are (lower, upper) by name.

    Segments begin at each `every`-th sample, and their ends must meet; of machines with several
    phases there is one segment. Samples closer than `blind` [s] to a strike have no say, 2.5
    intervals unless stated. Singular values below `cut` of the largest tell nothing.
    """
    known = family(machine, parameters)
    phases = known.phases(known.stated)
    model = phases[0].model
    _check_sizes(phases)
    if not 0.0 < number(cut, "cut") < 1.0:
        raise ValueError(f"cut is {cut}, must be between 0 and 1")
    recorded = recording(model, t, q, v, tau, noise, rate_noise)
    closer = BLIND * recorded.interval if blind is None else number(blind, "blind")
    given = None if start is None else _state(model.nq, model.nv, start)
    count(every, "every")
    # at first strikes are foreseen by velocities that are guessed from so many samples
    wide = max(closer, REACH * recorded.interval)
    nodes = first_nodes(phases, recorded, every, wide, given)
    search = Search(
        Shooting(known, recorded, TOLERANCES),
        *(start is None, closer, every * recorded.interval, cut),
        *bounds_of(known.names, bounds),
    )
    careful = replace(search, blind=wide)
    point, trouble = careful.solve(_first(careful, known, nodes))
    if wide > closer and len(point.shot.jumps):
        point, trouble = search.solve(search.at(point.values, point.nodes))
    if trouble:
        warnings.warn(f"identify did not converge: {trouble}", ConvergenceWarning, stacklevel=2)
    return _result(search, point, trouble)


def _first(search: Search, known: Family, nodes: Nodes) -> Point:
    try:
        return search.at(np.clip(known.stated, search.lower, search.upper), nodes)
    except ArithmeticError as error:
        raise ArithmeticError(
            f"identify: with the numbers where the search begins {error}; state others"
        ) from error


def _result(search: Search, point: Point, trouble: str) -> Identification:
    recorded = search.shooting.recording
    seen = search.problem.observability(point)
    unknowns = seen.rank + (2 * point.shot.v.shape[1] if search.free_start else 0)
    freedom = int(point.used.sum()) - unknowns
    return Identification(
        names=search.problem.names,
        stated=search.shooting.family.stated,
        values=point.values,
        observability=seen,
        spread=float(np.sqrt(point.squares / freedom)) if freedom > 0 else float("nan"),
        freedom=freedom,
        family=search.shooting.family,
        recording=recorded,
        q=point.shot.q,
        v=point.shot.v,
        residuals=point.sample_residuals * recorded.deviations,
        used=point.used,
        bounded=search.problem.at_bounds(point.values),
        trouble=trouble,
    )


def _check_sizes(phases: tuple[Phase, ...]) -> None:
    first = phases[0].model
    for phase in phases[1:]:
        if (phase.model.nq, phase.model.nv) != (first.nq, first.nv):
            raise ValueError(
                f"phase {phase.name!r} has nq, nv = {phase.model.nq}, {phase.model.nv}, must be "
                f"{first.nq}, {first.nv} as the first: a recording has one kind of rows"
            )


def _state(nq: int, nv: int, start: tuple[ArrayLike, ArrayLike]) -> State:
    q, v = (np.array(x, float) for x in start)
    if q.shape != (nq,) or v.shape != (nv,):
        raise ValueError(f"start has shapes {q.shape} and {v.shape}, must be ({nq},) and ({nv},)")
    return q, v
