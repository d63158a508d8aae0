"""What a gait's energy becomes: slope and motors give, impacts and dampers take."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.events.report import Flowed, FlowEvent
from tarsus.gait.walkers.walker import Walker
from tarsus.model import Model


@dataclass(frozen=True)
class GaitEnergy:
    """Energies of one period [J]; `closure` is what is left when all is summed up."""

    slope: float
    """By the weight that comes down the slope."""
    impacts: float
    """Lost at strikes, of feet and knees."""
    phases: float
    """Given between strikes, by motors less what dampers and brakes take."""
    positive: float
    """Of it what motors give where they give, controllers of phases alone."""

    @property
    def closure(self) -> float:
        """Return given less taken: zero for a gait."""
        return self.slope + self.phases - self.impacts

    @property
    def spent(self) -> float:
        """What the gait costs: the slope's and the motors' work."""
        return max(self.slope, 0.0) + self.positive


def ledger(walker: Walker, flowed: Flowed, length: float) -> GaitEnergy:
    """Return the ledger of a flow over one period that led `length` [m] along the ground.

    The slope's work is known from the way and the weight alone: that the sum closes is a test.
    """
    events = list(flowed.events)
    impacts = sum(_lost(walker, event) for event in events)
    slope = walker.weight * math.sin(walker.slope) * length
    return GaitEnergy(slope, impacts, _between(walker, events), _positive(walker, flowed))


def _lost(walker: Walker, event: FlowEvent) -> float:
    """Return the kinetic energy that an event takes [J]."""
    before, after = _models(walker, event)
    kinetic = before.kinetic_energy(event.q, event.v) - after.kinetic_energy(
        event.next_q, event.next_v
    )
    return float(kinetic)


def _between(walker: Walker, events: list[FlowEvent]) -> float:
    """Return what energies change by from each event to the next, around the cycle [J]."""
    total = 0.0
    for event, later in zip(events, [*events[1:], events[0]], strict=True):
        model = _models(walker, event)[1]
        total += _energy(model, later.q, later.v) - _energy(model, event.next_q, event.next_v)
    return total


def _energy(model: Model, q: Array, v: Array) -> float:
    return float(model.kinetic_energy(q, v) + model.potential_energy(q))


def _models(walker: Walker, event: FlowEvent) -> tuple[Model, Model]:
    names = [phase.name for phase in walker.phases]
    k = names.index(event.phase)
    to = walker.phases[k].exits[event.exit].to  # type: ignore[index]
    return walker.phases[k].model, walker.phases[k if to is None else names.index(to)].model


def _positive(walker: Walker, flowed: Flowed) -> float:
    """Return the positive work of controllers, from the samples of the flow [J]."""
    if all(phase.controller is None for phase in walker.phases):
        return 0.0
    t, q, v = flowed.samples
    ends = [0.0, *(event.t for event in flowed.events)]
    power = np.zeros(len(t))
    for k in range(len(ends) - 1):
        phase = walker.phases[k % len(walker.phases)]
        inside = (t >= ends[k]) & (t <= ends[k + 1])
        if phase.controller is not None:
            m = phase.model
            power[inside] = [
                float(
                    np.maximum(
                        np.asarray(phase.controller(s, a[: m.nq], b[: m.nv])) * b[: m.nv], 0
                    ).sum()
                )
                for s, a, b in zip(t[inside], q[inside], v[inside], strict=True)
            ]
    return float(np.trapezoid(power, t))
