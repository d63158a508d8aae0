"""Whether an optimised gait cheats: all is looked at between the nodes of the search, too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.events.guard_values import GuardValues
from tarsus.events.phase import Exit
from tarsus.gait.optimal.bases import Basis
from tarsus.gait.optimal.collocation import Grid
from tarsus.gait.optimal.conditions import Condition
from tarsus.gait.optimal.machine import Machine
from tarsus.model import Model

POINTS = 3201
"""Of a phase at which it is looked at: so dense that nothing of weight fits between them."""
TOLERANCE = 1e-6
"""What may be missed."""
EARLY, LATE = 0.02, 1e-3
"""Parts of a phase at its ends where what has just struck, or is about to, may be at its guard."""

Phase = tuple[Array, float]
"""Coefficients and duration."""


def missed(
    basis: Basis, phases: Sequence[Phase], conditions: Sequence[Condition], machine: Machine
) -> tuple[dict[str, float], list[Array]]:
    """Return what is missed and by how much, and for each condition where on [0, 1] it is worst."""
    found: dict[str, float] = {}
    places = []
    for each, rows in zip(conditions, machine.rows, strict=True):
        c, duration = phases[each.phase]
        s = each.nodes(POINTS)
        slack = rows.slack(*Grid.of(basis, s).motion(c, duration)).min(axis=-1, initial=np.inf)
        if each.equal:
            slack = -np.abs(slack)
        places.append(np.zeros(0) if each.equal else _valleys(s, slack))
        if slack.min() < -TOLERANCE:
            found[each.label] = max(found.get(each.label, 0.0), float(-slack.min()))
    return found | _strikes_early(basis, phases, machine), places


def dense(basis: Basis, phase: Phase, machine: Machine, p: int) -> tuple[Array, Array, Array]:
    """Return times (n,), velocities and efforts (n, nv) of a phase at many instants."""
    c, duration = phase
    s = np.linspace(0.0, 1.0, POINTS)
    q, v, a = Grid.of(basis, s).motion(c, duration)
    return s * duration, v, machine.efforts[p].values(q, v, a)


def _valleys(s: Array, slack: Array) -> Array:
    """Return where slack is negative and least nearby."""
    padded = np.concatenate([[np.inf], slack, [np.inf]])
    least = (slack <= padded[:-2]) & (slack <= padded[2:]) & (slack < -0.5 * TOLERANCE)
    return np.asarray(s[least])


def _strikes_early(basis: Basis, phases: Sequence[Phase], machine: Machine) -> dict[str, float]:
    """Return how early, as a part of its phase, a strike comes before the end."""
    s = np.linspace(EARLY, 1.0 - LATE, POINTS)
    found = {}
    for p, phase in enumerate(machine.walker.phases):
        q, v, _ = Grid.of(basis, s).motion(*phases[p])
        for way in phase.exits:  # type: ignore[union-attr]
            early = np.flatnonzero(_taken(way, phase.model, q, v))
            if len(early):
                label = f"{way.name or 'exit'} before the end of {phase.name}"
                found[label] = float(1.0 - s[early[0]])
    return found


def _taken(way: Exit, model: Model, q: Array, v: Array) -> NDArray[np.bool_]:
    """Return between which states (n − 1,) an exit is taken."""
    value = GuardValues(model, way.guard).values(q, v)
    falls = (value[:-1] > 0.0) & (value[1:] <= 0.0)
    rises = (value[:-1] < 0.0) & (value[1:] >= 0.0)
    taken = {"falling": falls, "rising": rises, "any": falls | rises}[way.crossing]
    for each in way.when:  # type: ignore[union-attr]
        taken = taken & (GuardValues(model, each).values(q, v)[:-1] > 0.0)
    return np.asarray(taken)
