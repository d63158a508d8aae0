"""A walker as equations of its step: efforts, strikes and what follows them, for one design."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from tarsus.arrays import Array
from tarsus.differences import derivative
from tarsus.events.guard_values import GuardValues
from tarsus.events.mapped import Inertia, mapped, mapped_derivatives, resets_of
from tarsus.events.resets import Reset
from tarsus.gait.optimal.collocation import Efforts
from tarsus.gait.optimal.conditions import Condition, Rows
from tarsus.gait.walkers import Walker


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
