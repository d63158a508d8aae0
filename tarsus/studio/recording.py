"""What has been recorded of a motion: states at moments, to go back and forth, and numbers."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.studio.machine import Machine
from tarsus.studio.quantities import Seen, values

MOST = 36_000
"""Moments that are kept: ten minutes."""


@dataclass(frozen=True, eq=False)
class Moment:
    """A state at a time, of the model that there was, and the numbers that were charted."""

    t: float
    model: Model
    q: Array
    v: Array
    values: dict[str, float] = field(default_factory=dict)
    passing: bool = False
    """Whether the next moment takes its place: so what is kept does not depend on pauses."""


class Recording:
    """Moments in the order of time; what comes after a moment to which one goes back is lost."""

    def __init__(self) -> None:
        self.moments: list[Moment] = []

    def note(
        self, t: float, machine: Machine, *, fresh: bool = False, passing: bool = False
    ) -> None:
        """Keep this moment, in the place of those that are not before it or that were `passing`."""
        last = self.moments[-1] if self.moments else None
        if last is not None and last.t == t and last.model is machine.model and not fresh:
            return
        while self.moments and (self.moments[-1].t >= t or self.moments[-1].passing):
            self.moments.pop()
        numbers = values(machine, machine.document.charts)
        self.moments.append(Moment(t, machine.model, machine.q, machine.v, numbers, passing))
        if len(self.moments) > MOST and not passing:
            del self.moments[1 : MOST // 10]  # the first is where `restart` goes

    def chart(self, machine: Machine, names: Sequence[str]) -> None:
        """Fill in numbers that are charted from now on, as far as moments tell them."""
        for moment in self.moments:
            if moment.model is machine.model:
                new = [name for name in names if name not in moment.values]
                seen = Seen(moment.model, moment.q, moment.v)
                moment.values.update(values(machine, new, seen))

    def at(self, t: float) -> Moment:
        """Return the last moment that is not after t, or the first."""
        place = bisect.bisect_right(self.moments, t + 1e-9, key=lambda moment: moment.t)
        return self.moments[max(place - 1, 0)]

    @property
    def span(self) -> tuple[float, float]:
        """The times of the first and the last moment [s]."""
        return self.moments[0].t, self.moments[-1].t
