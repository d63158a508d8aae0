"""What constraints ask of a state: gaps, rows J, and which of them repeat or contradict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tarsus.model.checks import numbers
from tarsus.model.diagnosis import Diagnosis, diagnose

if TYPE_CHECKING:
    from tarsus.simulation.simulation import Simulation

CLOSED = 1e-6
"""By how much gaps may differ and still agree [m, rad]: what steps leave."""


def diagnosis(simulation: Simulation, q: ArrayLike | None) -> Diagnosis:
    """Return what the constraints that are on ask of q (nq,), or of the motion's first state.

    Rows are probed: their rates at unit velocities.
    """
    model, board, starts = simulation.model, simulation.board, simulation.started()
    if q is None:
        q = np.atleast_2d(simulation.q)[0]
    q = numbers(q, (model.nq,), "q")
    probes = np.concatenate([np.zeros((1, model.nv)), np.eye(model.nv)])
    states = np.repeat(q[None], len(probes), axis=0)
    world, state, parameters = starts.prepare(starts.limp, states, probes, None)
    acting = board.on(states)
    if acting is None:
        return diagnose(np.zeros((0, model.nv)), model.mass_matrix(q), np.zeros(0), ())
    if board.acting is not None:  # targets as they are in the motion
        acting.widen()
        acting.numbers[:] = board.acting.numbers[:1]
    parts = acting.parts
    values, rates = world.part_rows(
        state.q, state.v, state.memory, parameters, parts.core, acting.numbers, acting.memory
    )
    names, held = [], []
    for k, each in enumerate(parts.parts):
        rows = parts.core.n_rows(k)
        on = acting.numbers[0, parts.slot(k, "on")[0]] > 0.0
        names += [each.name] * rows
        held += [each.statement.law == "rigid" and bool(on)] * rows
    kept = np.flatnonzero(held)
    return diagnose(
        (rates[1:] - rates[0]).T[kept],
        model.mass_matrix(q),
        -values[0, kept],
        [names[k] for k in kept],
        tolerance=CLOSED,
    )
