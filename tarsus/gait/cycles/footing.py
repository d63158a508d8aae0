"""Whether a foot that a phase has standing could stand: forces of the ground, and clearance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.events.report import Flowed
from tarsus.gait.cycles.pieces import Piece, pieces
from tarsus.gait.walkers.stance import Stance
from tarsus.gait.walkers.walker import Walker

SCUFF = 1e-6
"""A swing foot that is deeper in the ground scuffs [m]."""
LEVEL = 1e-4
"""A foot that strikes is as it stands within this [rad]."""
SLIPPERY = 1.0
"""Friction that no ground should be asked for."""


@dataclass(frozen=True, eq=False)
class Footing:
    """What the ground does to the stance foot over a step (T,), and where the swing foot is."""

    step: int
    """Which of the gait's steps, from 1 on."""
    t: Array
    """Since the gait's beginning [s]."""
    normal_force: Array
    """[N]; below zero the foot would lift."""
    friction: Array
    """Tangential over normal force."""
    clearance: Array
    """Height of the swing foot over the ground [m]."""
    tilt: float
    """By how much the new foot turns to stand, where it strikes [rad]: a flat one to be level."""

    def violations(self) -> tuple[str, ...]:
        """Return what is not as the phases say it is."""
        found = []
        least, when = _least(self.normal_force, self.t)
        if least <= 0.0:
            found.append(
                f"the stance foot lifts: the ground would pull with {-least:.3g} N at {when:.3g} s"
            )
        most, when = _least(-self.friction, self.t)
        if -most > SLIPPERY and least > 0.0:
            found.append(f"the stance foot slips: it needs friction {-most:.3g} at {when:.3g} s")
        deepest, when = _least(self.clearance, self.t)
        if deepest < -SCUFF:
            found.append(f"the swing foot scuffs: {-1e3 * deepest:.3g} mm deep at {when:.3g} s")
        if self.tilt > LEVEL:
            found.append(f"the new foot strikes tilted by {self.tilt:.3g} rad, and is set straight")
        return tuple(found)


def footings(walker: Walker, flowed: Flowed) -> list[Footing]:
    """Return the footing of each step of a flow with samples; none without a machine."""
    stance = walker.stance
    if stance is None or len(walker.phases) > 1:
        return []
    return [_footing(stance, piece) for piece in pieces(walker, flowed)]


def _footing(stance: Stance, piece: Piece) -> Footing:
    m, q, v = stance.standing, piece.q, piece.v
    a = m.forward_dynamics(q, v, piece.tau + m.passive_forces(q, v))
    ground = m.reaction(q, v, a)
    clearance = stance.clearance(q)
    tilt = float(stance.set_down(q[-1]).turn)
    return Footing(piece.step + 1, piece.t, ground.normal_force, ground.friction, clearance, tilt)


def _least(values: Array, t: Array) -> tuple[float, float]:
    k = int(np.argmin(values))
    return float(values[k]), float(t[k])
