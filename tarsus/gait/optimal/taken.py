"""That strikes are taken where phases end: guards pass zero the right way, and `when` holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.differences import derivative
from tarsus.events.guard_values import GuardValues
from tarsus.events.phase import CROSSINGS, Exit
from tarsus.gait.optimal.collocation import Slopes
from tarsus.gait.optimal.conditions import Condition, Rows
from tarsus.gait.walkers import Walker

ABOVE = 1e-5
"""By how much `when` is above zero: more than may be missed, as it does not hold at zero."""
FAST = 1e-2
"""How fast a guard passes zero at least [1/s]: a strike that only grazes is missed by any error."""


@dataclass(frozen=True, eq=False)
class Taken(Condition):
    """That the first exit of a phase, which leads to the next one, is taken at the phase's end."""

    phase: int
    label: str = "exit is taken"

    @classmethod
    def of_all(cls, walker: Walker) -> list[Condition]:
        """Return those of all phases of a walker, by names of their exits."""
        found: list[Condition] = []
        for p, phase in enumerate(walker.phases):
            way: Exit = phase.exits[0]  # type: ignore[index]
            if way.when or CROSSINGS[way.crossing]:
                found.append(cls(p, f"{way.name or 'exit'} at the end of {phase.name}"))
        return found

    def nodes(self, points: int | None = None) -> Array:
        """Return the end alone."""
        return np.ones(1)

    def of(self, walker: Walker) -> Rows:
        """Return a row for each of `when`, and one for the crossing unless it may be any."""
        phase = walker.phases[self.phase]
        way: Exit = phase.exits[0]  # type: ignore[index]
        whens = [GuardValues(phase.model, each) for each in way.when]  # type: ignore[union-attr]
        return _TakenRows(whens, GuardValues(phase.model, way.guard), CROSSINGS[way.crossing])


@dataclass(frozen=True, eq=False)
class _TakenRows:
    whens: list[GuardValues]
    guard: GuardValues
    sign: int

    def slack(self, q: Array, v: Array, a: Array) -> Array:
        rows = [each.values(q, v) - ABOVE for each in self.whens]
        if self.sign:
            rows.append(self.sign * self._rates(q, v, a) - FAST)
        return np.stack(rows, axis=-1)

    def slopes(self, q: Array, v: Array, a: Array) -> Slopes:
        rows = [(*each.slopes(q, v), np.zeros_like(a)) for each in self.whens]
        if self.sign:
            by_q, by_v, by_a = self._rate_slopes(q, v, a)
            rows.append((self.sign * by_q, self.sign * by_v, self.sign * by_a))
        by_q, by_v, by_a = (np.stack(each, axis=-2) for each in zip(*rows, strict=True))
        return by_q, by_v, by_a

    def _rates(self, q: Array, v: Array, a: Array) -> Array:
        """Return how fast the guard changes (…), by velocities and, if it has any, their rates."""
        by_q, by_v = self.guard.slopes(q, v)
        return np.asarray((by_q * v + by_v * a).sum(axis=-1))

    def _rate_slopes(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        units = np.eye(q.shape[-1])
        here = [np.broadcast_to(x[:, None, :], (len(x), *units.shape)) for x in (q, v, a)]

        def rates(k: int, step: Array | float) -> Array:
            moved = [*here]
            moved[k] = here[k] + np.asarray(step) * units
            return self._rates(*moved)

        by_q, by_v = (derivative(lambda step, k=k: rates(k, step)) for k in (0, 1))  # type: ignore[misc]
        return by_q, by_v, self.guard.slopes(q, v)[1]
