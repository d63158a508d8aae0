"""What parts have to do with a failure, and which of them contradict each other."""

from __future__ import annotations

import numpy as np

from tarsus import _core
from tarsus.simulation.acting import Acting

MEMORY = _core.PART_MEMORY
APART = 1e-6
"""How much of a gap [m, rad] may not close in a step before it is told."""
OPEN = 1e-3
"""A gap [m, rad] that is worth a word when a motion fails."""


def contradictions(acting: Acting | None, dt: float) -> str:
    """Return a sentence about constraints that were not held because of others, empty for none."""
    if acting is None:
        return ""
    found = {
        name: float(acting.memory[:, at + MEMORY["worst"]].max(initial=0.0))
        for name, at in _held(acting)
    }
    missed = {name: speed for name, speed in found.items() if speed * dt > APART}
    if not missed:
        return ""
    listed = ", ".join(f"{name!r} (by up to {speed:.2g} m/s)" for name, speed in missed.items())
    return (
        f"constraints contradict each other, or cannot be reached: {listed} could not be held; "
        "remove one of them, or turn it off"
    )


def suspects(acting: Acting | None, state: int) -> str:
    """Return which constraints were open when a state failed, as the end of a sentence."""
    if acting is None:
        return ""
    gaps = {}
    for name, at in _held(acting):
        values = acting.memory[state, at + MEMORY["value"] : at + MEMORY["rate"]]
        gaps[name] = float(np.abs(values).max())
    wide = sorted((gap, name) for name, gap in gaps.items() if gap > OPEN)[::-1]
    if not wide:
        return ""
    listed = ", ".join(f"{name!r} by {gap:.2g}" for gap, name in wide[:5])
    return f"; constraints that were open [m, rad]: {listed}. They may be out of reach"


def _held(acting: Acting) -> list[tuple[str, int]]:
    """Return names of constraints, and where their memory starts."""
    return [
        (each.name, k * MEMORY["size"])
        for k, each in enumerate(acting.parts.parts)
        if each.statement.law == "rigid"
    ]
