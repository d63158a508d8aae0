"""Whether a foot that a phase has standing could stand: forces of the ground, and clearance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.cycles.pieces import Piece
from tarsus.gait.walkers.stance import Stance
from tarsus.gait.walkers.support import BRIEF

SCUFF = 1e-6
"""A swing foot that is deeper in the ground scuffs [m]."""
LEVEL = 1e-4
"""A foot that strikes is as it stands within this [rad]."""
LIGHT = 0.01
"""A foot that bears less, of what it bears at most, is about to lift, and may slip."""
ROUNDED = 1e-9
"""Pulls that are no more, of what it bears at most, are none."""
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
    foot: str = "the stance foot"
    """Which foot stands."""
    impulse: float = 0.0
    """What it is pushed with when the phase begins and another foot lands [N s], 0 without."""

    def violations(self) -> tuple[str, ...]:
        """Return what is not as the phases say it is."""
        found = []
        if self.impulse < -BRIEF * max(self.normal_force[0], 0.0):
            found.append(
                f"{self.foot} lifts: the ground would pull with {-self.impulse:.3g} N s when "
                f"another foot lands, at {self.t[0]:.3g} s"
            )
        least, when = _least(self.normal_force, self.t)
        if least <= -ROUNDED * self.normal_force.max():
            found.append(
                f"{self.foot} lifts: the ground would pull with {-least:.3g} N at {when:.3g} s"
            )
        pressed = self.normal_force > LIGHT * self.normal_force.max()
        most, when = _least(np.where(pressed, -self.friction, 0.0), self.t)
        if -most > SLIPPERY and least > -ROUNDED:
            found.append(f"{self.foot} slips: it needs friction {-most:.3g} at {when:.3g} s")
        deepest, when = _least(self.clearance, self.t)
        if deepest < -SCUFF:
            found.append(f"the swing foot scuffs: {-1e3 * deepest:.3g} mm deep at {when:.3g} s")
        if self.tilt > LEVEL:
            found.append(f"the new foot strikes tilted by {self.tilt:.3g} rad, and is set straight")
        return tuple(found)


def footing_of(stance: Stance, piece: Piece) -> Footing:
    """Return the footing of a machine that stands on one foot."""
    m, q, v = stance.standing, piece.q, piece.v
    a = m.forward_dynamics(q, v, piece.tau + m.passive_forces(q, v))
    ground = m.reaction(q, v, a)
    clearance = stance.clearance(q)
    tilt = float(stance.set_down(q[-1]).turn)
    return Footing(piece.step + 1, piece.t, ground.normal_force, ground.friction, clearance, tilt)


def _least(values: Array, t: Array) -> tuple[float, float]:
    k = int(np.argmin(values))
    return float(values[k]), float(t[k])
