"""What a gait's energy becomes: slope and motors give, impacts and dampers take."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.events.report import Flowed, FlowEvent
from tarsus.gait.cycles.pieces import Piece, pieces
from tarsus.gait.walkers.walker import Walker
from tarsus.model import Model


@dataclass(frozen=True)
class GaitEnergy:
    """Energies of one period [J]; `closure` is what is left when all is summed up."""

    slope: float
    """By the weight that comes down the slope."""
    impacts: float
    """Lost at strikes, of feet and knees."""
    motors: float
    """Work of the controllers of phases."""
    dampers: float
    """Taken by damping in joints."""
    positive: float
    """Work of controllers where they give, joint by joint."""

    @property
    def closure(self) -> float:
        """Return given less taken: zero for a gait. Each term is computed on its own."""
        return self.slope + self.motors - self.dampers - self.impacts

    @property
    def spent(self) -> float:
        """What the gait costs: the slope's and the motors' work."""
        return max(self.slope, 0.0) + self.positive


def ledger(walker: Walker, flowed: Flowed, length: float) -> GaitEnergy:
    """Return the ledger of a flow over one period that led `length` [m] along the ground.

    The slope's work is known from the way and the weight, impacts from speeds at strikes, motors
    and dampers from integrals of their power.
    """
    motors = dampers = positive = 0.0
    for piece in pieces(walker, flowed):
        power = piece.tau * piece.v
        motors += piece.integral(power.sum(axis=1))
        positive += piece.integral(np.maximum(power, 0.0).sum(axis=1))
        dampers += piece.integral(_damped(piece))
    impacts = sum(_lost(walker, event) for event in flowed.events)
    slope = walker.weight * math.sin(walker.slope) * length
    return GaitEnergy(slope, impacts, motors, dampers, positive)


def _damped(piece: Piece) -> Array:
    """Return the power (T,) that dampers in joints take [W]: forces that depend on speeds."""
    model = piece.phase.model
    moving = np.asarray(model.passive_forces(piece.q, piece.v))
    still = np.asarray(model.passive_forces(piece.q, np.zeros_like(piece.v)))
    return np.asarray(-((moving - still) * piece.v).sum(axis=1))


def _lost(walker: Walker, event: FlowEvent) -> float:
    """Return the kinetic energy that an event takes [J]."""
    before, after = _models(walker, event)
    kinetic = before.kinetic_energy(event.q, event.v)
    return float(kinetic - after.kinetic_energy(event.next_q, event.next_v))


def _models(walker: Walker, event: FlowEvent) -> tuple[Model, Model]:
    names = [phase.name for phase in walker.phases]
    k = names.index(event.phase)
    to = walker.phases[k].exits[event.exit].to  # type: ignore[index]
    return walker.phases[k].model, walker.phases[k if to is None else names.index(to)].model
