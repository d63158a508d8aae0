"""Parts at work: the numbers and the memory of each state, and plans by which numbers change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.simulation.errors import SimulationError
from tarsus.simulation.part_set import MEMORY, PartSet


class Plan(Protocol):
    """How numbers of a part change while it runs."""

    def set(self, numbers: Array, t: float, dt: float, q: Array, v: Array) -> None:
        """Set the part's numbers (B, n) for the step from t [s] on; states are q, v (B, …)."""

    def constant_until(self, t: float) -> float:
        """Return until when [s] what `set` sets at t stays the same; t or less for one step."""


@dataclass
class Acting:
    """Parts on B states: `numbers` (1 or B, n), `memory` (B, m), and plans by names of parts."""

    parts: PartSet
    numbers: Array
    memory: Array
    plans: dict[str, Plan] = field(default_factory=dict)

    @classmethod
    def on(
        cls, parts: PartSet, numbers: Array, q: Array, plans: Mapping[str, Plan] | None = None
    ) -> Acting:
        """Return parts put on states q (B, nq), at rest with them."""
        if len(numbers) not in (1, len(q)):
            numbers = for_all(parts, numbers, len(q))
        acting = cls(parts, numbers.copy(), np.zeros((len(q), parts.core.memory_size)))
        acting.plans.update(plans or {})
        if np.isnan(numbers).any() or acting.plans:
            acting.widen()
        for k, each in enumerate(parts.parts):
            own = acting.numbers[:, parts.span(k)]
            own[:] = each.filled(parts.model, q, own)
        return acting

    def copy(self) -> Acting:
        """Return a copy, which goes its own way."""
        return Acting(self.parts, self.numbers.copy(), self.memory.copy(), dict(self.plans))

    def of(self, states: NDArray[np.int64]) -> Acting:
        """Return copies of the numbers and the memory of some states."""
        numbers = self.numbers if len(self.numbers) == 1 else self.numbers[states]
        return Acting(self.parts, numbers, self.memory[states])

    def widen(self) -> None:
        """Give each state numbers of its own."""
        if len(self.numbers) != len(self.memory):
            self.numbers = np.repeat(self.numbers, len(self.memory), axis=0)

    def added(self, parts: PartSet, q: Array) -> None:
        """Put on one part more, the last of these."""
        row = parts.parts[-1].filled(parts.model, q, parts.parts[-1].row[None])
        if len(row) > len(self.numbers):
            self.widen()
        self.numbers = appended(self.numbers, row)
        self.memory = appended(self.memory, np.zeros((1, MEMORY)))
        self.parts = parts

    def removed(self, name: str, parts: PartSet) -> None:
        """Take a part off, so that these are left."""
        k, gone = self.parts.number(name), self.parts.span(self.parts.number(name))
        self.numbers = np.delete(self.numbers, gone, axis=1)
        self.memory = np.delete(self.memory, slice(k * MEMORY, (k + 1) * MEMORY), axis=1)
        self.plans.pop(name, None)
        self.parts = parts

    def prepare(self, t: float, dt: float, q: Array, v: Array) -> float:
        """Set the numbers of a step at t [s]; return until when they are good."""
        until = np.inf
        for name, plan in self.plans.items():
            own = self.numbers[:, self.parts.span(self.parts.index[name])]
            try:
                plan.set(own, t, dt, q, v)
            except (TypeError, ValueError) as error:
                raise SimulationError(f"the plan of part {name!r}: {error}", time=t) from error
            if np.isnan(own).any():
                raise SimulationError(f"the plan of part {name!r} is not a number", time=t)
            until = min(until, plan.constant_until(t))
        return until


def for_all(parts: PartSet, numbers: Array, states: int) -> Array:
    """Return numbers (1, n) that are the same in all rows, for another number of states."""
    differs = ((numbers != numbers[0]) & ~np.isnan(numbers)).any(axis=0)
    own = [each.name for k, each in enumerate(parts.parts) if differs[parts.span(k)].any()]
    if not own:
        return numbers[:1]
    raise ValueError(
        f"q has {states} states, but parts have numbers of their own for {len(numbers)}: "
        f"{', '.join(own)}; set them for all, as in handle.on = True"
    )


def appended(rows: Array, more: Array) -> Array:
    """Return rows (B, n) with more columns (1 or B, k) at their end."""
    n = rows.shape[1]
    found = np.empty((len(rows), n + more.shape[1]))
    found[:, :n], found[:, n:] = rows, more
    return found


def steps_until(until: float, step: int, end: int, dt: float) -> int:
    """Return how many steps from number `step` on are made before numbers change at `until` [s]."""
    if until == np.inf:
        return end - step
    return int(min(max(np.ceil(until / dt - 1e-9) - step, 1), end - step))
