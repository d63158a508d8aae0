"""What constraints ask of a state: gaps, rows J, and which of them repeat or contradict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import numbers
from tarsus._lib.files import Array
from tarsus.model.diagnosis import Diagnosis, diagnose
from tarsus.simulation.smooth_parts import is_held

if TYPE_CHECKING:
    from tarsus.simulation.simulation import Simulation

CLOSED = 1e-6
"""By how much gaps may differ and still agree [m, rad]: what steps leave."""


def diagnosis(simulation: Simulation, q: ArrayLike | None) -> Diagnosis:
    """Return what the constraints that are on ask of q (nq,), or of the motion's first state.

    Loops of the model that are in no cluster are constraints, too.
    """
    model = simulation.model
    if q is None:
        q = np.atleast_2d(simulation.q)[0]
    q = numbers(q, (model.nq,), "q")
    loops = model.constraint_jacobian(q)
    rows, gaps, names = held_rows(simulation, q)
    return diagnose(
        np.vstack([loops, rows]),
        model.mass_matrix(q),
        np.concatenate([np.zeros(len(loops)), -gaps]),
        [*(each.name for each in model.constraints for _ in range(each.rows)), *names],
        tolerance=CLOSED,
    )


def held_rows(simulation: Simulation, q: Array) -> tuple[Array, Array, list[str]]:
    """Return rows (n, nv) and gaps (n,) of the constraints that are on, and whose they are.

    Rows are probed: their rates at unit velocities.
    """
    model, board = simulation.model, simulation.board
    probes = np.concatenate([np.zeros((1, model.nv)), np.eye(model.nv)])
    states = np.repeat(q[None], len(probes), axis=0)
    acting = board.on(states)
    if acting is None or not is_held(acting):
        return np.zeros((0, model.nv)), np.zeros(0), []
    starts = simulation.started()
    world, state, parameters = starts.prepare(starts.limp, states, probes, None)
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
    return (rates[1:] - rates[0]).T[kept], values[0, kept], [names[k] for k in kept]
