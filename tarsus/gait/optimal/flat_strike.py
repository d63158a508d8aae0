"""That a flat foot comes down flat, straight ahead, and clear of the ground on its way."""

from __future__ import annotations

from tarsus.events.guards import Height
from tarsus.gait.optimal.conditions import Condition, Require
from tarsus.model.checks import number, numbers

SIDE = (0.0, 1.0, 0.0)
AWAY = 0.04
"""Part of a phase at its ends where the edges of a sole may touch the ground."""


def flat_strike(
    foot: str,
    sole: tuple[float, float, float, float],
    *,
    clearance: float = 0.02,
    phase: int = -1,
) -> list[Condition]:
    """Return what a gait on level ground must keep so that a flat foot strikes as one.

    `foot` is the frame of the swing foot's sole, x ahead and z up, and `sole` (back, front, right,
    left) [m] are its edges. At the end of the phase the sole is level and points straight ahead;
    before, its corners are above the ground, and its middle is by the `clearance` [m] half-way.
    """
    back, front, right, left = numbers(sole, (4,), "sole")
    number(clearance, "clearance")
    ahead, beside = (foot, (front, 0.0, 0.0)), (foot, (0.0, left, 0.0))
    level = {"low": 0.0, "high": 0.0, "during": (1.0, 1.0), "phase": phase}
    found: list[Condition] = [
        Require(Height(ahead), label="level ahead", **level),  # type: ignore[arg-type]
        Require(Height(beside), label="level aside", **level),  # type: ignore[arg-type]
        Require(
            Height(ahead, normal=SIDE) - Height(foot, normal=SIDE),
            label="straight ahead",
            **level,  # type: ignore[arg-type]
        ),
        Require(
            Height(foot), low=clearance, during=(0.3, 0.7), phase=phase, points=7, label="clearance"
        ),
    ]
    for x in (back, front):
        for y in (right, left):
            corner = Height((foot, (x, y, 0.0)))
            away = (AWAY, 1.0 - AWAY)
            found.append(
                Require(corner, low=0.0, during=away, phase=phase, points=15, label="corners")
            )
    return found
