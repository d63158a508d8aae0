"""`tarsus.flow`: motions through phases, with events located and derivatives, one or many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus import _core
from tarsus._lib.checks import count, number, numbers
from tarsus._lib.differences import Derivative, differences
from tarsus._lib.files import Array, check_result_size
from tarsus.events.flow_result import ENDS, Flowed, FlowError
from tarsus.events.friction import acting, check_start, ways
from tarsus.events.guards import Functions
from tarsus.events.parameters import Parameter
from tarsus.events.phase import CROSSINGS, Efforts, Exit, Phase
from tarsus.events.resets import Around, Reset
from tarsus.events.sensitivity import Derivatives
from tarsus.model import Model
from tarsus.simulation.integrators.smooth_motion import linkages

SAMPLE_BYTES = 184
"""Memory of a sample of the core beside its state: vectors, allocations and the row of times."""


def flow(
    phases: Model | Phase | Sequence[Phase],
    q0: ArrayLike,
    v0: ArrayLike | None = None,
    *,
    duration: float,
    tau: ArrayLike | None = None,
    events: int = 100_000,
    rtol: float = 1e-10,
    atol: float = 1e-12,
    sample: float | None = None,
    derivatives: bool = False,
    parameters: Parameter | Sequence[Parameter] = (),
    longest_step: float | None = None,
    most_steps: int = 10_000_000,
    threads: int = 1,
) -> Flowed:
    """Follow motions through phases from q0 (nq,) and v0 (nv,), or from B states at once.

    A motion begins in the first of `phases` (a `Phase` or a model is one alone), goes on for
    `duration` [s], or until an exit that leads nowhere, or for so many `events`. Errors of a step
    are at most rtol relative and atol absolute, root mean squares within each linkage; events are
    located to 1e-12 s. `tau` (nv,) or (B, nv) are efforts that are held in the first phase. With
    `sample` [s] states are kept at its multiples; a ValueError says so if they would not fit into
    memory. By Dormand and Prince's method of order 8, a motion in each lane; what a motion does
    depends on nothing but itself, whatever is beside it and however many `threads` there are.

    With `derivatives` the variational equations go along, without a change to steps and states:
    `Flowed.derivatives` has what the states at the end depend on, by those at the start and by
    `parameters` (`ts.parameters`).
    """
    listed = _phases(phases)
    first = listed[0].model
    q = _states(q0, first.nq, "q0")
    batch = q.shape[0] if np.ndim(q0) > 1 else None
    v = np.zeros((len(q), first.nv)) if v0 is None else _states(v0, first.nv, "v0")
    q, v = _alike(q, v)
    check_start(first, listed[0].rubbing, v)
    given = np.zeros((1, first.nv)) if tau is None else _states(tau, first.nv, "tau")
    for name, value in (("duration", duration), ("rtol", rtol), ("atol", atol)):
        if not number(value, name) > 0.0:
            raise ValueError(f"{name} is {value:g}, must be positive")
    for name, length in (("sample", sample), ("longest_step", longest_step)):
        if length is not None and not number(length, name) > 0.0:
            raise ValueError(f"{name} is {length:g}, must be positive")
    for name, most in (("events", events), ("most_steps", most_steps), ("threads", threads)):
        count(most, name)
    if sample is not None:
        _check_samples(listed, len(q), float(duration), float(sample))
    wanted = _wanted(first, derivatives, parameters)
    prepared, functions = _prepared(listed, wanted)
    found = _core.hybrid_flow(
        prepared,
        functions.listed,
        functions.derivatives,
        *(q, v, given),
        first=0,
        duration=float(duration),
        rtol=float(rtol),
        atol=float(atol),
        first_step=0.0,
        longest_step=0.0 if longest_step is None else float(longest_step),
        sample_every=0.0 if sample is None else float(sample),
        most_events=events,
        most_steps=most_steps,
        record=True,
        threads=threads,
    )
    return _told(listed, found, batch)


def _phases(given: Model | Phase | Sequence[Phase]) -> tuple[Phase, ...]:
    if isinstance(given, Model):
        return _alone(given)
    listed = (given,) if isinstance(given, Phase) else tuple(given)
    if not listed:
        raise ValueError("phases is empty, must be a Model, a Phase or several")
    for phase in listed:
        if not isinstance(phase, Phase):
            raise TypeError(f"phases has {phase!r}, must be of ts.Phase")
    names = [phase.name for phase in listed]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two phases are named {name!r}: give each a name of its own")
    return listed


def _states(given: ArrayLike, size: int, name: str) -> Array:
    array = np.array(given, dtype=float, ndmin=2, order="C")
    if array.ndim != 2 or array.shape[1] != size:
        raise ValueError(f"{name} has shape {np.shape(given)}, must be ({size},) or (B, {size})")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has entries that are not finite")
    return array


def _alike(q: Array, v: Array) -> tuple[Array, Array]:
    if len(q) != len(v) and 1 not in (len(q), len(v)):
        raise ValueError(f"q0 has {len(q)} states and v0 {len(v)}: they must be as many")
    if len(q) == len(v):
        return q, v
    n = max(len(q), len(v))
    return tuple(np.ascontiguousarray(np.broadcast_to(x, (n, x.shape[1]))) for x in (q, v))  # type: ignore[return-value]


def _wanted(
    model: Model, derivatives: bool, parameters: Parameter | Sequence[Parameter]
) -> Derivatives | None:
    listed = (parameters,) if isinstance(parameters, Parameter) else tuple(parameters)
    for each in listed:
        if not isinstance(each, Parameter):
            raise TypeError(f"parameters has {each!r}, must be of ts.parameters")
    if listed and not derivatives:
        raise ValueError("parameters are for derivatives: ask for them with derivatives=True")
    return Derivatives(model.nv, listed) if derivatives else None


def _check_samples(phases: Sequence[Phase], motions: int, duration: float, sample: float) -> None:
    """Raise if samples would take more memory than there is, should no motion end early."""
    samples = motions * (duration // sample + 1.0)
    numbers = max(phase.model.nq for phase in phases) + max(phase.model.nv for phase in phases)
    check_result_size(
        samples * (SAMPLE_BYTES + 2 * 8 * numbers),
        f"{samples:.0f} samples ({motions} motion{'s' * (motions > 1)} of {duration:g} s, one each "
        f"{sample:g} s)",
        "use a longer sample, or a shorter duration",
    )


@lru_cache(64)
def _alone(model: Model) -> tuple[Phase, ...]:
    """Return the phase of a model without exits, made once."""
    return (Phase(model),)


@lru_cache(64)
def _prepared(
    listed: tuple[Phase, ...], wanted: Derivatives | None
) -> tuple[list[tuple[Any, ...]], Functions]:
    """Return phases as the core reads them, and the functions that they call.

    Made once: neither phases nor parameters change.
    """
    functions = Functions()
    return [_core_phase(phase, listed, functions, wanted) for phase in listed], functions


def _core_phase(
    phase: Phase, listed: Sequence[Phase], functions: Functions, wanted: Derivatives | None
) -> tuple[Any, ...]:
    """Return a phase as the core reads it."""
    of_q, of_v = linkages(phase.model)
    parts, part_numbers = acting(phase.model)
    wide, about = wanted.wide(phase.model, phase.rubbing) if wanted else (None, None)
    exits = [_core_exit(each, phase, listed, functions, wanted, wide) for each in phase.exits]  # type: ignore[union-attr]
    linkage, turning = [*of_q.tolist(), *of_v.tolist()], ways(phase.model, phase.rubbing)
    efforts = phase.controller
    of_efforts = None
    if efforts is not None and wanted:
        of_efforts = _slopes_of(efforts, phase.model)
    return phase.model, exits, parts, part_numbers, linkage, efforts, about, of_efforts, turning


def _slopes_of(efforts: Efforts, model: Model) -> Derivative:
    """Return derivatives of a controller: its own, checked, or differences."""
    own = getattr(efforts, "derivative", None)
    if own is None:
        return differences(lambda t, q, v: np.asarray(efforts(t, q, v), float), model)
    shape = (model.nv, 2 * model.nv + 1)
    return lambda t, q, v: numbers(own(t, q, v), shape, "derivative of a controller")


def _core_exit(
    exit: Exit,
    phase: Phase,
    listed: Sequence[Phase],
    functions: Functions,
    wanted: Derivatives | None,
    wide: Model | None,
) -> tuple[Any, ...]:
    names = [each.name for each in listed]
    if exit.to is not None and exit.to not in names:
        raise ValueError(
            f"an exit of phase {phase.name!r} leads to {exit.to!r}, must be one of "
            f"{', '.join(map(repr, names))}, or None"
        )
    m = phase.model
    to = -1 if exit.to is None else names.index(exit.to)
    resets, nq, nv = [], m.nq, m.nv
    for k in range(len(exit.reset)):  # type: ignore[arg-type]
        around = Around(*_models_around(exit, k, m, listed[to].model), functions, wanted)
        resets.append(exit.reset[k].core(nq, nv, around))  # type: ignore[index]
        nq, nv = resets[-1][6:8]
    if to >= 0 and (listed[to].model.nq, listed[to].model.nv) != (nq, nv):
        raise ValueError(
            f"an exit of phase {phase.name!r} leads to {exit.to!r} with nq, nv = {nq}, {nv}, must "
            f"be {listed[to].model.nq}, {listed[to].model.nv}: its resets do not fit"
        )
    return (
        exit.guard.terms(m, functions),
        [each.terms(m, functions) for each in exit.when],  # type: ignore[union-attr]
        CROSSINGS[exit.crossing],
        resets,
        to,
        exit.guard.terms(wide, functions) if wide else None,
    )


def _models_around(
    exit: Exit, k: int, before: Model, after: Model
) -> tuple[Model | None, Model | None]:
    """Return the models of the states before and after reset number k, where something says."""
    resets: Sequence[Reset] = exit.reset  # type: ignore[assignment]
    first = before if k == 0 else resets[k - 1].of or resets[k].of
    if k + 1 < len(resets):
        return first, resets[k + 1].of
    return first, after if exit.to is not None else before


def _told(listed: Sequence[Phase], found: Mapping[str, Array], batch: int | None) -> Flowed:
    flowed = Flowed(listed, found, batch)
    if batch is None and flowed.failed[0]:
        raise FlowError(f"the motion {ENDS[int(found['status'][0, 2])]}", flowed)
    return flowed


__all__ = ["flow"]
