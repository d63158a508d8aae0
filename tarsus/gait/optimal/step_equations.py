"""Equations of motion of a step with design parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tarsus._lib.differences import derivative
from tarsus._lib.files import Array
from tarsus.events.guards import GuardValues
from tarsus.events.phase import Inertia, mapped, mapped_derivatives, resets_of
from tarsus.events.resets import Impact, Reset
from tarsus.gait.optimal.collocation import Efforts, Slopes
from tarsus.gait.optimal.conditions import Condition, Rows
from tarsus.gait.optimal.design import Design
from tarsus.gait.walkers.walker import Walker

# A walker as equations of its step: efforts, strikes and what follows them, for one design.


class EffortsOf(Protocol):
    """Efforts of a phase."""

    def values(self, q: Array, v: Array, a: Array) -> Array:
        """Return τ (n, nv)."""

    def slopes(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Return ∂τ/∂q, ∂τ/∂v and ∂τ/∂a (n, nv, nv)."""


class Machine:
    """Phases of a walker with their efforts, guards and rows of conditions."""

    def __init__(self, walker: Walker, conditions: Sequence[Condition]) -> None:
        self.walker = walker
        models = [phase.model for phase in walker.phases]
        self.efforts: Sequence[EffortsOf] = [Efforts(model) for model in models]
        self.rows: Sequence[Rows] = [each.of(walker) for each in conditions]
        self.resets: list[Sequence[Reset]] = [resets_of(phase) for phase in walker.phases]
        self._guards = [
            GuardValues(phase.model, phase.exits[0].guard)  # type: ignore[index]
            for phase in walker.phases
        ]

    @property
    def sizes(self) -> list[int]:
        """How many coordinates each phase has."""
        return [phase.model.nv for phase in self.walker.phases]

    @property
    def weight(self) -> float:
        """What it weighs [N]."""
        return self.walker.weight

    def strike(self, phase: int, q: Array, v: Array) -> float:
        """Return the guard of a phase at its end."""
        return float(self._guards[phase].values(q, v))

    def strike_slopes(self, phase: int, q: Array, v: Array) -> Array:
        """Return its derivatives (2 nv,)."""
        return np.concatenate(self._guards[phase].slopes(q, v))

    def after(self, phase: int, q: Array, v: Array) -> Array:
        """Return q and v (2 nv,) of the phase that follows."""
        return np.concatenate(mapped(self.resets[phase], q, v, self.inertia(phase)))

    def after_slopes(self, phase: int, q: Array, v: Array) -> Array:
        """Return their derivatives (2 nv, 2 nv) by those before."""
        return np.concatenate(mapped_derivatives(self.resets[phase], q, v, self.inertia(phase)))

    def inertia(self, phase: int) -> Inertia | None:
        """Return mass matrices for the impacts of a phase, if they are not those of the models."""
        return None

    def ahead(self, q: Array) -> float:
        """Return how far a step led [m]."""
        return float(self.walker.ahead(q))

    def ahead_slopes(self, q: Array) -> Array:
        """Return how that changes with q (nv,)."""
        units = np.eye(len(q))
        return derivative(lambda step: self.walker.ahead(q + np.asarray(step) * units))


# A machine between machines: for numbers that forces and inertias depend on linearly.
#
# Efforts are linear in masses, moments, stiffnesses and dampings, and so are mass matrices: those
# of any design are sums of those of a few, with weights that add up to one. Nothing is built anew
# then while the design changes. Whether it is so is looked at once.


SAME = 1e-9
"""What a blend may miss of what it stands for, as a part of it."""


class Blends:
    """Machines at the corners of a design, of which others are blends."""

    def __init__(self, walker: Walker, design: Design, conditions: Sequence[Condition]) -> None:
        self._base = 0.5 * (design.lower + design.upper)
        self._sides = 0.25 * (design.upper - design.lower)
        self._walker, self._design, self._conditions = walker, design, conditions
        corners = [self._base, *(self._base + np.diag(self._sides))]
        self._machines = [self._built(each) for each in corners]
        self._alike = self._independent()
        self.exact = self._checked()

    def at(self, values: Array) -> Machine:
        """Return the blend for numbers of the design."""
        parts = (values - self._base) / self._sides
        weights = np.concatenate([[1.0 - parts.sum()], parts])
        return Blend(self._machines, weights, self._alike)

    def _built(self, values: Array) -> Machine:
        return Machine(self._design.walker(self._walker, values), self._conditions)

    def _independent(self) -> list[bool]:
        """Return which conditions do not depend on the design: the same bits at all corners."""
        first = self._machines[0]
        found = []
        for k, condition in enumerate(self._conditions):
            state = _states(first.sizes[condition.phase])
            slacks = [machine.rows[k].slack(*state) for machine in self._machines]
            found.append(all(np.array_equal(slacks[0], each) for each in slacks))
        return found

    def _checked(self) -> bool:
        """Return whether a blend is the machine that it stands for, at a state like any other."""
        values = self._base - 0.7 * self._sides * np.linspace(1.0, 0.6, len(self._base))
        there, blend = self._built(values), self.at(values)
        pairs = []
        for p, n in enumerate(there.sizes):
            many = _states(n)
            q, v, _ = (each[0] for each in many)
            for one in (there, blend):
                found = [one.efforts[p].values(*many), one.after(p, q, v)]
                found += [np.array(one.strike(p, q, v))]
                found += [
                    each.slack(*many)
                    for each, of in zip(one.rows, self._conditions, strict=True)
                    if of.phase % len(there.sizes) == p
                ]
                pairs.append(np.concatenate([x.ravel() for x in found]))
        last = np.cos(np.arange(1.0, there.sizes[-1] + 1.0))
        off = [abs(there.ahead(last) - blend.ahead(last))]
        off.append(abs(blend.weight / there.weight - 1.0))
        off += [
            float(np.abs(x - y).max() / (1.0 + np.abs(x).max()))
            for x, y in zip(pairs[::2], pairs[1::2], strict=True)
        ]
        return max(off) < SAME


class Blend(Machine):
    """Machines with weights."""

    def __init__(self, machines: Sequence[Machine], weights: Array, alike: Sequence[bool]) -> None:
        first = machines[0]
        self.walker, self.resets, self._guards = first.walker, first.resets, first._guards
        self._machines, self._weights = machines, weights
        phases = range(len(first.efforts))
        self.efforts = [
            MixedEfforts([each.efforts[p] for each in machines], weights) for p in phases
        ]
        self.rows = [
            first.rows[k] if same else MixedRows([each.rows[k] for each in machines], weights)
            for k, same in enumerate(alike)
        ]

    @property
    def weight(self) -> float:
        """What it weighs [N]."""
        return float(self._weights @ [each.weight for each in self._machines])

    def inertia(self, phase: int) -> Inertia:
        """Return mass matrices for the impacts of a phase."""

        def found(k: int, q: Array) -> Array:
            impacts = [each.resets[phase][k] for each in self._machines]
            parts = [each.model.mass_matrix(q) for each in impacts if isinstance(each, Impact)]
            return _sum(self._weights, [np.asarray(each) for each in parts])

        return found


@dataclass(frozen=True, eq=False)
class MixedEfforts:
    """Efforts with weights."""

    parts: Sequence[EffortsOf]
    weights: Array

    def values(self, q: Array, v: Array, a: Array) -> Array:
        """Return τ (n, nv)."""
        return _sum(self.weights, [each.values(q, v, a) for each in self.parts])

    def slopes(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Return ∂τ/∂q, ∂τ/∂v and ∂τ/∂a (n, nv, nv)."""
        by_q, by_v, by_a = zip(*(each.slopes(q, v, a) for each in self.parts), strict=True)
        return _sum(self.weights, by_q), _sum(self.weights, by_v), _sum(self.weights, by_a)


@dataclass(frozen=True, eq=False)
class MixedRows:
    """Rows of conditions with weights."""

    parts: Sequence[Rows]
    weights: Array

    def slack(self, q: Array, v: Array, a: Array) -> Array:
        """Return what is left of the condition."""
        return _sum(self.weights, [each.slack(q, v, a) for each in self.parts])

    def slopes(self, q: Array, v: Array, a: Array) -> Slopes:
        """Return how that changes."""
        by_q, by_v, by_a = zip(*(each.slopes(q, v, a) for each in self.parts), strict=True)
        last = [each for each in by_a if each is not None]
        return (
            _sum(self.weights, by_q),
            _sum(self.weights, by_v),
            _sum(self.weights, last) if last else None,
        )


def _states(n: int) -> list[Array]:
    """Return q, v and a (2, n) of states like any other."""
    parts = [np.cos(k + np.arange(1.0, n + 1.0)) for k in range(3)]
    return [np.stack([each, -0.5 * each]) for each in parts]


def _sum(weights: Array, parts: Sequence[Array]) -> Array:
    total = weights[0] * parts[0]
    for weight, part in zip(weights[1:], parts[1:], strict=True):
        total = total + weight * part
    return np.asarray(total)


# Machines for all numbers of a design: blends where these enter linearly, else built anew.


KEPT = 64
"""Machines that are kept, for values that come again."""


class Designs:
    """Machines by numbers of a design."""

    def __init__(self, walker: Walker, design: Design, conditions: Sequence[Condition]) -> None:
        self._walker, self._design, self._conditions = walker, design, tuple(conditions)
        self._kept: dict[bytes, Machine] = {}
        blends = Blends(walker, design, self._conditions) if design.names else None
        self._blends = blends if blends is not None and blends.exact else None

    def machine(self, numbers: Array) -> Machine:
        """Return the walker with these numbers, as equations."""
        if self._blends is not None:
            return self._blends.at(numbers)
        key = numbers.tobytes()
        found = self._kept.get(key)
        if found is None:  # searches on other threads may make or forget the same one
            found = Machine(self._design.walker(self._walker, numbers), self._conditions)
            if len(self._kept) >= KEPT:
                self._kept.clear()
            self._kept[key] = found
        return found
