"""What integrators have in common that take each state at its own pace: times and tolerances.

Each has a `solver`, which moves one state from a time to others. It is never read beyond where it
was asked: samples come from its dense output. Where the right-hand side may jump, at `tcrit` and
where held efforts change, a step ends and the next one starts anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Protocol, TypeAlias

import numpy as np

from tarsus._lib.checks import number, positive
from tarsus._lib.files import Array
from tarsus.simulation.integrators.motion import Effort, SmoothMotion

Parts: TypeAlias = tuple[Array, Array, Array]
"""q (nq,), v (nv,) and works (3 nv + parts,)."""

SAME_TIME = 1e-9
"""Times that differ by less, in parts of dt, are one."""


class Solver(Protocol):
    """The motion of one state under way."""

    def between(
        self, t: float, state: Parts, times: Iterable[float], end: float, effort: Effort
    ) -> Iterator[Parts | None]:
        """Yield the states at rising times, from a state at t, without a step past their end.

        None says that it goes on, for steps that are far shorter than times are apart.
        """
        ...

    @property
    def statistics(self) -> Mapping[str, float]:
        """What was done until now, by the names of `Integration`."""
        ...


class Paced(Protocol):
    """What takes each state at its own pace: it has a name, and makes solvers."""

    @property
    def name(self) -> str:
        """How users call it."""
        ...

    def solver(self, motion: SmoothMotion, dt: float) -> Solver:
        """Return what makes the steps of one state, with samples each dt [s]."""
        ...


@dataclass(frozen=True)
class Adaptive:
    """Steps as long as errors of q and v, rtol relative and atol absolute, allow.

    No step crosses one of the times `tcrit` [s], where forces may jump.
    """

    rtol: float = 1e-9
    atol: float = 1e-10
    tcrit: Sequence[float] = ()

    def __post_init__(self) -> None:
        positive(self.rtol, "rtol")
        positive(self.atol, "atol")
        given = self.tcrit if isinstance(self.tcrit, Sequence | np.ndarray) else [self.tcrit]
        times = tuple(number(t, "tcrit") for t in given)
        object.__setattr__(self, "tcrit", times)


def before(stop: float, effort: Effort) -> Effort:
    """Return efforts whose jump at a time is seen after it, not by the step that ends there."""
    if isinstance(effort, np.ndarray):
        return effort
    latest = float(np.nextafter(stop, -math.inf))
    return lambda t, q, v: effort(min(t, latest), q, v)


def samples(
    solver: Solver,
    state: Parts,
    ticks: range,
    dt: float,
    effort: Effort,
    tcrit: Sequence[float] = (),
) -> Iterator[Parts | None]:
    """Yield the state at all ticks of dt [s] but the first, the start's; None: it goes on."""
    if state[0].size == 0:  # nothing can move, which libraries do not understand
        yield from repeat(state, len(ticks) - 1)
        return
    t, last, near = ticks[0] * dt, ticks[-1] * dt, SAME_TIME * dt
    following = ticks[0] + 1
    for stop in [*sorted(x for x in tcrit if t + near < x < last - near), last]:
        until = min(math.floor((stop + near) / dt), ticks[-1]) if stop < last else ticks[-1]
        times: Iterable[float] = (tick * dt for tick in range(following, until + 1))
        end = until * dt
        if end < stop - near:  # it ends between two ticks
            times, end = chain(times, [stop]), stop
        acting = effort if stop == last else before(stop, effort)
        for found in solver.between(t, state, times, end, acting):
            if found is None:
                yield None
                continue
            state = found
            if following <= until:
                following += 1
                yield state
        t = end


__all__ = ["Adaptive", "Effort", "Parts", "SmoothMotion", "Solver", "samples"]
