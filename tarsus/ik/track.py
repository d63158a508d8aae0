"""Motions that follow targets, and postures in the middle of the joint ranges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import reals, suggestion
from tarsus._lib.files import Array
from tarsus.ik.limits import Constraints
from tarsus.ik.results import OPEN_LOOP, Track
from tarsus.ik.tasks.posture import PostureTask
from tarsus.ik.tasks.task import AimedTask
from tarsus.model.model import Model

if TYPE_CHECKING:
    from tarsus.ik.solver import Solver


# Steps from configuration to configuration; loops that cannot follow are told, state by state.


def move(
    model: Model, q: Array, v: Array, dt: float, code: NDArray[np.int64]
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Return the configurations (…, nq) after steps, the velocities of these, and codes (…).

    A state whose loops cannot follow goes half as far, at most five times; then it stays.
    """
    try:
        return np.asarray(model.integrate(q, v * dt)), v, code
    except ArithmeticError:
        pass
    places, speeds, codes = q.reshape(-1, model.nq), v.reshape(-1, model.nv), code.reshape(-1)
    reached, taken, ends = places.copy(), speeds.copy(), codes.copy()
    for k, (place, speed) in enumerate(zip(places, speeds, strict=True)):
        share = _share(model, place, speed * dt)
        taken[k] = share * speed
        if share > 0.0:
            reached[k] = model.integrate(place, taken[k] * dt)
        else:
            ends[k] = OPEN_LOOP
    return reached.reshape(q.shape), taken.reshape(v.shape), ends.reshape(code.shape)


def open_loops(model: Model, q: Array) -> NDArray[np.bool_]:
    """Return in which states (…) of q (…, nq) a loop cannot be closed."""
    try:
        model.forward_kinematics(q)
        return np.zeros(q.shape[:-1], bool)
    except ArithmeticError:
        found = [_is_open(model, place) for place in q.reshape(-1, model.nq)]
        return np.array(found).reshape(q.shape[:-1])


def _is_open(model: Model, q: Array) -> bool:
    try:
        model.forward_kinematics(q)
    except ArithmeticError:
        return True
    return False


def _share(model: Model, q: Array, step: Array) -> float:
    """Return how much of a step the loops of one state follow: 1, ½, … ¹⁄₃₂, or 0."""
    share = 1.0
    for _ in range(6):
        try:
            model.integrate(q, share * step)
            return share
        except ArithmeticError:
            share *= 0.5
    return 0.0


# Motions along targets: a step from each time to the next, which shall end at the next target.


def track(
    solver: Solver, times: ArrayLike, targets: Mapping[str, ArrayLike], q: ArrayLike | None
) -> Track:
    """Return the motion of a solver along targets by name of task."""
    at = _rising(times)
    plans = _plans(solver, targets, len(at))
    _aim(plans, 0)
    first = solver.solve(q)
    solver.reset()
    places, speeds, codes = [first.q], [], [np.asarray(first.code)]
    errors = {task.name: [task.error(first.q)] for task in solver.tasks if task.holonomic}
    for k in range(1, len(at)):
        _aim(plans, k)
        step = solver.step(places[-1], float(at[k] - at[k - 1]))
        places.append(step.q)
        speeds.append(step.v)
        codes.append(np.asarray(step.code))
        for name, found in errors.items():
            found.append(solver[name].error(step.q))
    speeds.append(np.zeros((*places[-1].shape[:-1], solver.model.nv)))
    return Track(
        at,
        _joined(places, 1),
        _joined(speeds, 1),
        _joined(codes, 0),
        {name: _joined(found, 1) for name, found in errors.items()},
    )


def _rising(times: ArrayLike) -> Array:
    found = reals(times, "times")
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        raise ValueError(f"times has shape {found.shape}, must be finite numbers (N,), one or more")
    if (np.diff(found) <= 0.0).any():
        raise ValueError("times must rise from each to the next")
    return found


def _plans(
    solver: Solver, targets: Mapping[str, ArrayLike], n: int
) -> list[tuple[AimedTask | PostureTask, Array]]:
    """Return the tasks with their targets (n, …)."""
    names = [task.name for task in solver.tasks if isinstance(task, AimedTask | PostureTask)]
    plans = []
    for name, value in targets.items():
        if name not in names:
            raise ValueError(f"there is no task {name!r} with a target{suggestion(name, names)}")
        task = solver[name]
        assert isinstance(task, AimedTask | PostureTask)
        found = reals(value, f"targets of {name!r}")
        if found.shape[:1] != (n,):
            message = f"targets of {name!r} have shape {found.shape}, must be ({n}, …): one a time"
            raise ValueError(message)
        plans.append((task, found))
    return plans


def _aim(plans: list[tuple[AimedTask | PostureTask, Array]], k: int) -> None:
    for task, values in plans:
        task.target = values[k]


def _joined(values: list[Any], own: int) -> Any:
    """Return the values of all times (…, N, …), time before the `own` dimensions of each."""
    return np.stack(np.broadcast_arrays(*values), axis=np.ndim(values[-1]) - own)


# Where searches for poses begin that are given no start: half-way between limits.
#
# Joints that follow others in loops are seldom in the middle of their ranges where the others are,
# and often no loop closes there. Then all joints are moved at once, within their ranges, until the
# loops are closed: least squares of the gaps, with a little pull to the middle. Cassie's feet are
# on parallelograms that are flat in its neutral configuration, out of range: along closed loops
# there is no way from there to the side on which its ranges are.


PULL = 1e-3
"""What a radian from the middle counts, beside a metre by which loops are open."""

WITHIN = 1e-9
"""What is beyond its range by less is within it [rad, m]."""


def middle(model: Model) -> Array:
    """Return the configuration (nq,) half-way between limits; neutral where there are none.

    Where loops do not close there within all ranges, it is one near by that does, or the neutral
    configuration if there is none.
    """
    q = model.neutral()
    limited = np.isfinite(model.lower) & np.isfinite(model.upper)
    centre = 0.5 * (np.where(limited, model.lower, 0.0) + np.where(limited, model.upper, 0.0))
    kept = Constraints(model, limits=True, avoid=None)
    there = _closed(model, np.where(limited & (model.rate_index >= 0), centre, q))
    if there is None or kept.beyond(there) > WITHIN:
        goal = np.where(limited, centre, q)
        other = _closed(model, _within(model, q, goal, limited))
        if other is not None and kept.beyond(other) <= WITHIN:
            return other
    return q if there is None else there


def _closed(model: Model, q: Array) -> Array | None:
    try:
        return np.asarray(model.close(q))
    except ArithmeticError:
        return None


def _within(model: Model, q: Array, goal: Array, limited: NDArray[np.bool_]) -> Array:
    """Return positions within all ranges whose loops are as good as closed, from those of q."""
    from scipy.optimize import least_squares  # slow to import

    slices = [view.q_slice for view in model.joints if view.nq == view.nv]
    moved = np.concatenate([np.arange(each.start, each.stop) for each in slices])
    found = np.clip(q, model.lower, model.upper)
    moved = moved[model.upper[moved] > model.lower[moved]]
    low, high, pull = model.lower[moved], model.upper[moved], PULL * limited[moved]

    def gaps(x: Array) -> Array:
        found[moved] = x
        return np.concatenate([model.loop_gaps(found), pull * (x - goal[moved])])

    # a solver that stays within begins there
    edge = np.where(limited[moved], 1e-3 * (high - low), 0.0)
    start = np.clip(found[moved], low + edge, high - edge)
    found[moved] = least_squares(gaps, start, bounds=(low, high)).x
    return found
