"""Motions along targets: a step from each time to the next, which shall end at the next target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.results import Track
from tarsus.ik.tasks.aimed import AimedTask
from tarsus.ik.tasks.posture import PostureTask
from tarsus.model.checks import reals, suggestion

if TYPE_CHECKING:
    from tarsus.ik.solver import Solver


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
