"""A walker as equations of its step: efforts, strikes and what follows them, for one design."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import Array
from tarsus.differences import derivative
from tarsus.events.guard_values import GuardValues
from tarsus.events.mapped import mapped, mapped_derivatives
from tarsus.gait.optimal.collocation import Efforts
from tarsus.gait.optimal.conditions import Condition
from tarsus.gait.walkers import Walker


class Machine:
    """Phases of a walker with their efforts, guards and rows of conditions."""

    def __init__(self, walker: Walker, conditions: Sequence[Condition]) -> None:
        self.walker = walker
        models = [phase.model for phase in walker.phases]
        self.efforts = [Efforts(model) for model in models]
        self.rows = [each.of(models[each.phase]) for each in conditions]
        self._exits = [phase.exits[0] for phase in walker.phases]
        self._guards = [
            GuardValues(model, way.guard) for model, way in zip(models, self._exits, strict=True)
        ]

    @property
    def sizes(self) -> list[int]:
        """How many coordinates each phase has."""
        return [each.model.nv for each in self.efforts]

    def strike(self, phase: int, q: Array, v: Array) -> float:
        """Return the guard of a phase at its end."""
        return float(self._guards[phase].values(q, v))

    def strike_slopes(self, phase: int, q: Array, v: Array) -> Array:
        """Return its derivatives (2 nv,)."""
        return np.concatenate(self._guards[phase].slopes(q, v))

    def after(self, phase: int, q: Array, v: Array) -> Array:
        """Return q and v (2 nv,) of the phase that follows."""
        return np.concatenate(mapped(self._resets(phase), q, v))

    def after_slopes(self, phase: int, q: Array, v: Array) -> Array:
        """Return their derivatives (2 nv, 2 nv) by those before."""
        return np.concatenate(mapped_derivatives(self._resets(phase), q, v))

    def ahead(self, q: Array) -> float:
        """Return how far a step led [m]."""
        return float(self.walker.ahead(q))

    def ahead_slopes(self, q: Array) -> Array:
        """Return how that changes with q (nv,)."""
        units = np.eye(len(q))
        return derivative(lambda step: self.walker.ahead(q + np.asarray(step) * units))

    def _resets(self, phase: int) -> Sequence[object]:
        return self._exits[phase].reset  # type: ignore[return-value]
