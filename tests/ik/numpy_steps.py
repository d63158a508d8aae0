"""Steps of inverse kinematics in NumPy, beside those of the core: rows and limits task by task."""

from __future__ import annotations

import numpy as np

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.ik.methods import calm_rows, codes, programme
from tarsus.ik.priorities import levels_at
from tarsus.ik.results import NOT_FINITE, Step
from tarsus.ik.step_verdict import code_of, defined, missing_of
from tarsus.ik.track import move


def numpy_step(solver: ts.ik.Solver, q: Array, dt: float) -> Step:
    """Return the step of a solver by programmes without a blend, and remember its velocities.

    Each task states its own rows, `Constraints` the bounds, and the programme is solved from a
    cold start; how the step ended follows from singular values by NumPy.
    """
    model, tasks = solver.model, [*solver.loops, *solver.tasks]
    finite = solver.finite(q)
    q = np.broadcast_to(q, (*finite.shape, model.nq))
    at = np.where(finite[..., None], q, model.neutral())
    with np.errstate(invalid="ignore"):
        levels = [defined(level, finite) for level in levels_at(tasks, at, dt)]
    last = solver._last
    fits = last is not None and last.shape[:-1] == finite.shape
    bounds = solver.constraints.at(at, dt, last if fits else None)
    price = np.array(solver._regularisation)
    if solver._calm:
        price = price * (1.0 + np.nan_to_num(_calm_price(solver, at)))[..., None]
    inverse = solver._inverse_weight(at)
    wish = solver._wish(at, inverse)
    for cost in solver._costs:
        if cost.reacts:
            v = programme(levels, price, wish, bounds, None).v
            wish = wish - inverse(cost.reaction(at, v)[..., None])[..., 0]
    found = programme(levels, price, wish, bounds, None)
    code = np.where(found.code == 0, code_of(levels, found.v, bounds), codes(found))
    v, code = np.where(finite[..., None], found.v, 0.0), np.where(finite, code, NOT_FINITE)
    reached, v, code = move(model, at, v, dt, code)
    solver._last = v.copy()
    return Step(np.where(finite[..., None], reached, q), v, code, *missing_of(levels, v))


def _calm_price(solver: ts.ik.Solver, q: Array) -> Array:
    """Return calm ‖w e‖ (…) at states q (…, nq)."""
    square = np.zeros(q.shape[:-1])
    for task, row in zip(solver.tasks, calm_rows(solver.tasks, solver._calm), strict=True):
        square = square + ((row * task.error(q)) ** 2).sum(axis=-1)
    return np.asarray(np.sqrt(square))
