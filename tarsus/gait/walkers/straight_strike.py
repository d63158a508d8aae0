"""The strike of a foot on a straight leg, from the other one: legs of the same length on a slope.

The swing foot is 2 sin(e/2) sin(h/2) above the slope for legs of unit length, e = 2 lean + hip, h =
hip: its strikes are the zeros of e, and where the legs pass each other it only scuffs, as straight
legs must, which does not count. A strike catches the swing foot and lets the other go: the walker
is lifted to its four coordinates, falls onto the new foot, and is put down with the names of its
legs changed.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, guards, held, resets
from tarsus.events.resets import Reset
from tarsus.model import Model

LIFT = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
"""From (lean, hip) to the stance foot's place, and both."""
RELABEL = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, -1.0]])
"""And back, stance and swing leg exchanged."""


def caught(model: Model, foot: str, relabel: Array = RELABEL) -> tuple[Reset, ...]:
    """Return what becomes of (lean, hip) where `foot` strikes.

    `model` has the stance foot free to move; `relabel` leads from its coordinates to
    those of the phase that follows.
    """
    return resets.Linear(LIFT), resets.Impact(held(model, foot)), resets.Linear(relabel)


def straight_strike(model: Model, foot: str, relabel: Array = RELABEL) -> Exit:
    """Return the exit into "swing" where `foot` strikes."""
    swung = guards.JointPosition("hip")
    return Exit(
        2.0 * guards.JointPosition("lean") + swung,
        to="swing",
        when=swung,
        reset=caught(model, foot, relabel),
        name="strike",
    )
