"""Models by their parameters, and the recordings from which these are identified.

A `Family` has the phases for each choice of parameters. A `Recording` has evenly spaced samples of
positions, perhaps of velocities and torques.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import find, number
from tarsus._lib.files import Array
from tarsus.events.parameters import Parameter
from tarsus.events.phase import Phase, changed_model, changed_phases
from tarsus.gait.walkers.walker import Walker
from tarsus.model.model import Model

Machine: TypeAlias = Model | Phase | Sequence[Phase] | Walker | Callable[..., Any]
"""A model, phases, a walker, or a function of numbers that makes one of these."""
SHARE = 1e-4
"""Differences are taken over this share of a natural size: errors are near 1e-8 of it."""


@dataclass(frozen=True, eq=False)
class Family:
    """Machines that differ in numbers: their names and where the search begins (p,).

    `known` are their parameters in flows; None for one of which flows have no derivative.
    """

    names: tuple[str, ...]
    stated: Array
    known: tuple[Parameter | None, ...]
    make: Callable[[Array], Any]

    @property
    def scales(self) -> Array:
        """Natural sizes (p,): that where the search begins, one for what begins at zero."""
        return np.where(self.stated == 0.0, 1.0, np.abs(self.stated))

    @property
    def by_flows(self) -> list[int]:
        """Numbers that flows know derivatives of."""
        return [k for k, each in enumerate(self.known) if each is not None]

    @property
    def by_differences(self) -> list[int]:
        """All others."""
        return [k for k, each in enumerate(self.known) if each is None]

    def phases(self, values: Array) -> tuple[Phase, ...]:
        """Return the phases of the machine with these numbers."""
        return phases_of(self.make(values))

    def beside(self, values: Array, k: int) -> tuple[float, list[tuple[Phase, ...]]]:
        """Return a step of number k, and the phases with a number that is larger and smaller."""
        step = SHARE * float(self.scales[k])
        both = [values + sign * step * np.eye(len(values))[k] for sign in (1.0, -1.0)]
        return step, [self.phases(each) for each in both]


def family(machine: Machine, wanted: Any) -> Family:
    """Return the machines among which the one that was recorded is looked for."""
    if isinstance(machine, Walker):
        return _walkers(machine, wanted)
    if isinstance(machine, Model | Phase) or not callable(machine):
        return _changed(machine, wanted)
    return _made(machine, wanted)


def phases_of(machine: Any) -> tuple[Phase, ...]:
    """Return the phases of a machine."""
    if isinstance(machine, Walker):
        return machine.phases
    if isinstance(machine, Model):
        return (Phase(machine),)
    listed = (machine,) if isinstance(machine, Phase) else machine
    if not isinstance(listed, Sequence) or not listed:
        raise TypeError(f"machine is {machine!r}, must be a Model, phases or a Walker")
    for phase in listed:
        if not isinstance(phase, Phase):
            raise TypeError(f"machine has {phase!r}, must be of ts.Phase")
    return tuple(listed)


def _changed(machine: Model | Phase | Sequence[Phase], wanted: Any) -> Family:
    """Return machines with other parameters, those of `ts.parameters`."""
    if not isinstance(wanted, Mapping) or not wanted:
        raise TypeError(f"parameters is {wanted!r}, must be ts.parameters by names of yours")
    for name, each in wanted.items():
        if not isinstance(each, Parameter):
            raise TypeError(f"parameters[{name!r}] is {each!r}, must be one of ts.parameters")
    phases, known = phases_of(machine), tuple(wanted.values())
    stated = np.array([each.value(phases[0].model) for each in known])

    def make(values: Array) -> Model | tuple[Phase, ...]:
        more = (values - stated).tolist()
        by = [(each, float(x)) for each, x in zip(known, more, strict=True)]
        if isinstance(machine, Model):
            return changed_model(machine, by)
        return changed_phases(phases, by)

    return Family(tuple(wanted), stated, known, make)


def _walkers(walker: Walker, wanted: Any) -> Family:
    """Return walkers with other numbers, by their names or by names and first guesses."""
    listed = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    if not listed:
        raise ValueError(f"parameters is empty, must name numbers of {walker!r}")
    for name in listed:
        find(walker.numbers, name, "number of the walker")
    guesses = dict(wanted) if isinstance(wanted, Mapping) else walker.numbers
    stated = np.array([number(guesses[name], f"parameters[{name!r}]") for name in listed])
    known = tuple(walker.parameters.get(name) if walker.exact else None for name in listed)
    return Family(listed, stated, known, lambda values: walker.but(**_named(listed, values)))


def _made(function: Callable[..., Any], wanted: Any) -> Family:
    """Return machines that a function makes from numbers; nothing knows derivatives of these."""
    if not isinstance(wanted, Mapping) or not wanted:
        raise TypeError(f"parameters is {wanted!r}, must be first guesses by names of arguments")
    stated = np.array([number(x, f"parameters[{name!r}]") for name, x in wanted.items()])
    names = tuple(wanted)
    return Family(names, stated, (None,) * len(names), lambda x: function(**_named(names, x)))


def _named(names: Sequence[str], values: Array) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))


EVEN = 1e-6
"""Intervals of samples may differ by this share."""
LEAST = 4
"""Samples of which something can be learned."""
REACH = 5
"""Velocities are first guessed from so many samples on either side."""


@dataclass(frozen=True, eq=False)
class Recording:
    """Samples at times t (N,) [s]: q (N, nq), v and tau (N, nv) or None; NaN where nothing is.

    `noise` and `rate_noise` (nv,) are deviations of steps of q and of v.
    """

    t: Array
    q: Array
    v: Array | None
    tau: Array | None
    noise: Array
    rate_noise: Array
    stated: bool
    """Whether somebody said how large noise is."""

    @property
    def interval(self) -> float:
        """Time from sample to sample [s]."""
        return float((self.t[-1] - self.t[0]) / (len(self.t) - 1))

    @property
    def whole(self) -> NDArray[np.int64]:
        """Samples (n,) all of whose coordinates were recorded."""
        return np.flatnonzero(np.isfinite(self.q).all(axis=1))

    def residuals(self, model: Model, q: Array, v: Array) -> Array:
        """Return what samples are off states q (N, nq) and v (N, nv): (N, rows), NaN for none."""
        # a configuration with a coordinate that is missing is compared where it has one
        filled = np.where(np.isfinite(self.q), self.q, q)
        steps = np.asarray(model.difference(q, filled))
        if model.nq == model.nv:
            steps = np.where(np.isfinite(self.q), steps, np.nan)
        else:
            steps[~np.isfinite(self.q).all(axis=1)] = np.nan
        return steps if self.v is None else np.concatenate([steps, self.v - v], axis=1)

    @property
    def deviations(self) -> Array:
        """Deviations (rows,) of the residuals."""
        return self.noise if self.v is None else np.concatenate([self.noise, self.rate_noise])

    def state(self, model: Model, k: int) -> tuple[Array, Array]:
        """Return about the state at a whole sample: its q, and v recorded or by its neighbours."""
        q = self.q[k]
        if self.v is not None and np.isfinite(self.v[k]).all():
            return q, self.v[k]
        there = self.whole
        near = there[np.argsort(np.abs(there - k), kind="stable")[: 2 * REACH + 1]]
        times, steps = self.t[near] - self.t[k], np.asarray(model.difference(q, self.q[near]))
        powers = times[:, None] ** np.arange(min(3, len(near)))
        return q, np.linalg.lstsq(powers, steps, rcond=None)[0][1]


def recording(
    model: Model,
    t: ArrayLike,
    q: ArrayLike,
    v: ArrayLike | None,
    tau: ArrayLike | None,
    noise: Any,
    rate_noise: Any,
) -> Recording:
    """Return what was recorded, checked."""
    times = np.array(t, float)
    if times.ndim != 1 or len(times) < LEAST:
        raise ValueError(f"t has shape {times.shape}, must be (N,) with N ≥ {LEAST}")
    steps = np.diff(times)
    if not np.isfinite(times).all() or np.ptp(steps) > EVEN * abs(steps.mean()) or steps[0] <= 0.0:
        raise ValueError(
            f"t has intervals from {steps.min():g} to {steps.max():g} s, must be evenly spaced and "
            "grow: fill the rows of samples that are missing with NaN"
        )
    positions = _rows(q, len(times), model.nq, "q")
    if np.isfinite(positions).all(axis=1).sum() < LEAST:
        raise ValueError(f"q has fewer than {LEAST} rows that are finite")
    if v is not None and (noise is None or rate_noise is None):
        raise ValueError("noise and rate_noise are missing: q and v are weighed by them")
    if v is None and rate_noise is not None:
        raise ValueError("rate_noise is of v, which was not recorded")
    efforts = None if tau is None else _rows(tau, len(times), model.nv, "tau")
    if efforts is not None and not np.isfinite(efforts[:-1]).all():
        raise ValueError("tau has entries that are not finite: efforts must be known")
    return Recording(
        times,
        positions,
        None if v is None else _rows(v, len(times), model.nv, "v"),
        efforts,
        _deviations(1.0 if noise is None else noise, model.nv, "noise"),
        _deviations(1.0 if rate_noise is None else rate_noise, model.nv, "rate_noise"),
        noise is not None,
    )


def _rows(given: ArrayLike, count: int, size: int, name: str) -> Array:
    array = np.array(given, float)
    if array.shape != (count, size):
        raise ValueError(f"{name} has shape {array.shape}, must be ({count}, {size})")
    if np.isinf(array).any():
        raise ValueError(f"{name} has entries that are infinite; NaN is what was not recorded")
    return array


def _deviations(given: ArrayLike, size: int, name: str) -> Array:
    array = np.array(given, float)
    if array.shape not in ((), (size,)) or not (np.isfinite(array) & (array > 0.0)).all():
        raise ValueError(f"{name} is {given!r}, must be positive, one number or ({size},)")
    return np.array(np.broadcast_to(array, (size,)))
