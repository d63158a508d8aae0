"""Parts at work: the numbers and the memory of each state, and plans by which numbers change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from tarsus import _core
from tarsus.arrays import Array
from tarsus.simulation.part_set import PartSet


class Plan(Protocol):
    """How numbers of a part change while it runs."""

    def set(self, numbers: Array, t: float, dt: float, q: Array, v: Array) -> None:
        """Set numbers (B, n) of all parts for the step from t [s] on; states are q, v (B, …)."""

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
        cls, parts: PartSet, numbers: Array, q: Array, plans: dict[str, Plan] | None = None
    ) -> Acting:
        """Return parts put on states q (B, nq), at rest with them."""
        if len(numbers) not in (1, len(q)):
            raise ValueError(f"parts have numbers for {len(numbers)} states, q has {len(q)}")
        filled = parts.filled(numbers, q)
        if plans and len(filled) != len(q):
            filled = np.repeat(filled, len(q), axis=0)
        memory = np.zeros((len(q), parts.core.memory_size))
        return cls(parts, filled, memory, dict(plans or {}))

    def prepare(self, t: float, dt: float, q: Array, v: Array) -> float:
        """Set the numbers of a step at t [s]; return until when they are good."""
        until = np.inf
        for name, plan in self.plans.items():
            plan.set(self.numbers, t, dt, q, v)
            if np.isnan(self.numbers).any():
                raise ValueError(f"the plan of part {name!r} is not a number at t = {t:.6g} s")
            until = min(until, plan.constant_until(t))
        return until

    def changed(self, parts: PartSet, q: Array) -> Acting:
        """Return the same with other parts: those that stay keep their numbers and memory."""
        states, size = len(q), _core.PART_MEMORY["size"]
        numbers = np.repeat(parts.numbers, states, axis=0)
        memory = np.zeros((states, parts.core.memory_size))
        before = {each.name: k for k, each in enumerate(self.parts.parts)}
        for k, each in enumerate(parts.parts):
            old = before.get(each.name)
            if old is None or self.parts.parts[old] is not each:
                continue
            here, there = span(parts.slots[k]), span(self.parts.slots[old])
            numbers[:, here] = self.numbers[:, there]
            memory[:, k * size : (k + 1) * size] = self.memory[:, old * size : (old + 1) * size]
        names = {each.name for each in parts.parts}
        plans = {name: plan for name, plan in self.plans.items() if name in names}
        return Acting(parts, parts.filled(numbers, q), memory, plans)


def span(slots: dict[str, tuple[int, int]]) -> slice:
    """Return where all numbers of a part are."""
    first = min(at for at, _ in slots.values())
    return slice(first, first + sum(count for _, count in slots.values()))


def steps_until(until: float, step: int, end: int, dt: float) -> int:
    """Return how many steps from number `step` on are made before numbers change at `until` [s]."""
    if until == np.inf:
        return end - step
    return int(min(max(np.ceil(until / dt - 1e-9) - step, 1), end - step))
