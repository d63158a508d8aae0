"""What integrators have in common that take each state at its own pace: times and tolerances.

Each has a `solver`, which moves one state from a time to others. It is never read beyond where it
was asked: samples come from its dense output. Where the right-hand side may jump, at `tcrit` and
where held efforts change, a step ends and the next one starts anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from tarsus.arrays import Array
from tarsus.model.checks import number
from tarsus.simulation.contact.numbers import positive
from tarsus.simulation.integrators.motion import Effort, SmoothMotion

Parts: TypeAlias = tuple[Array, Array, Array]
"""q (nq,), v (nv,) and works (3 nv,)."""

SAME_TIME = 1e-9
"""Times that differ by less, in parts of dt, are one."""


class Solver(Protocol):
    """The motion of one state under way."""

    def between(
        self, t: float, state: Parts, times: Array, effort: Effort
    ) -> Iterator[Parts | None]:
        """Yield the states at rising times, from a state at t, without a step past the last.

        None says that it goes on, for steps that are far shorter than times are apart.
        """
        ...

    @property
    def statistics(self) -> Mapping[str, float]:
        """What was done until now, by the names of `Integration`."""
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


def samples(
    solver: Solver,
    state: Parts,
    ticks: range,
    dt: float,
    effort: Effort,
    tcrit: Sequence[float] = (),
) -> Iterator[Parts | None]:
    """Yield the state at all ticks of dt [s] but the first, the start's; None: it goes on."""
    t, last = ticks[0] * dt, ticks[-1] * dt
    near = SAME_TIME * dt
    following = 1
    for stop in [*sorted(x for x in tcrit if t + near < x < last - near), last]:
        end = following
        while end < len(ticks) and ticks[end] * dt <= stop + near:
            end += 1
        times = [ticks[k] * dt for k in range(following, end)]
        between = not times or times[-1] < stop - near
        found = solver.between(t, state, np.array([*times, stop] if between else times), effort)
        for each in found:
            if each is None:
                yield None
                continue
            state = each
            if following < end:
                following += 1
                yield state
        t = stop if between else times[-1]


__all__ = ["Adaptive", "Effort", "Parts", "SmoothMotion", "Solver", "samples"]
