"""Efficient gaits: motions from strike to strike that need the least efforts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.gait.optimal.bases import Basis, Chebyshev
from tarsus.gait.optimal.conditions import Condition, EffortLimits, JointLimits
from tarsus.gait.optimal.design import Design
from tarsus.gait.optimal.optimized import OptimizedGait
from tarsus.gait.optimal.search import Task, rank
from tarsus.gait.optimal.starts import SCALES, start
from tarsus.gait.optimal.taken import Taken
from tarsus.gait.walkers import Walker
from tarsus.model import Model
from tarsus.model.checks import count, find, number, numbers


def optimize(
    walker: Walker,
    speed: float | None = None,
    *,
    basis: Basis | int = 10,
    weights: Mapping[str, float] | ArrayLike | None = None,
    require: Sequence[Condition] = (),
    effort_limits: Mapping[str, float] | None = None,
    design: Design | Mapping[str, tuple[float, ...]] | None = None,
    guess: OptimizedGait | None = None,
    posture: ArrayLike | None = None,
    starts: int = 3,
    nodes: int | None = None,
    iterations: int = 150,
) -> OptimizedGait:
    """Return the gait of a walker that needs the least efforts ∫ τᵀ Q τ dt, of those found.

    Its mean `speed` [m/s] is free unless stated. Motions of each phase are sums of a `basis`,
    Chebyshev polynomials of an order unless another is stated. Q has `weights` by names of joints,
    1 for those without, or is a matrix. Efforts and positions stay within the limits of the model,
    or within `effort_limits` by names of joints, and the gait keeps what else you `require`.
    `design` names numbers of the walker that join the search, with their bounds.

    A search needs no guess: it begins in straight lines between the walker's postures at strikes,
    or from another `posture` (nq,) just after one, with polynomials of low order, from so many
    `starts`, of which the cheapest gait that keeps all conditions is returned. A `guess` is a gait
    for another speed or design. `nodes` is the number of instants at which efforts are squared,
    twice the size of the basis unless stated.
    """
    task = Task(
        walker,
        None if speed is None else number(speed, "speed"),
        Chebyshev(basis) if isinstance(basis, int) else basis,
        tuple(_metric(phase.model, weights) for phase in walker.phases),
        (
            *Taken.of_all(walker),
            *_limits(walker, effort_limits, basis),
            *_checked(require, len(walker.phases)),
        ),
        design if isinstance(design, Design) else Design(design or {}),
        nodes,
        iterations,
        _posture(walker, posture),
    )
    count(starts, "starts", 1, len(SCALES))
    if guess is not None:
        return task.finished(*task.continued(guess))
    found = [
        task.searched(start(walker, task.speed, scales, task.posture)) for scales in SCALES[:starts]
    ]
    return task.finished(*min(found, key=lambda each: rank(each[0])))


def _posture(walker: Walker, given: ArrayLike | None) -> Array | None:
    return (
        None if given is None else np.array(numbers(given, (walker.phases[0].model.nq,), "posture"))
    )


def _metric(model: Model, weights: Mapping[str, float] | ArrayLike | None) -> Array:
    """Return Q (nv, nv) of a phase."""
    if weights is None:
        return np.eye(model.nv)
    if not isinstance(weights, Mapping):
        matrix = np.asarray(weights, float)
        if matrix.shape != (model.nv, model.nv):
            raise ValueError(f"weights have shape {matrix.shape}, must be {(model.nv, model.nv)}")
        return matrix
    found = np.ones(model.nv)
    for name, weight in weights.items():
        if not number(weight, f"weights: {name}") > 0.0:
            raise ValueError(f"weights: {name} is {weight}, must be positive")
        if name in model.joint_names:
            found[model.joint(name).v_slice] = weight
    return np.diag(found)


def _limits(
    walker: Walker, given: Mapping[str, float] | None, basis: Basis | int
) -> list[Condition]:
    """Return limits of joints and efforts that models state, or that were given."""
    size = basis + 1 if isinstance(basis, int) else basis.size
    nodes = np.linspace(0.0, 1.0, 2 * size)
    found: list[Condition] = []
    names = {name for phase in walker.phases for name in phase.model.joint_names}
    for name in given or {}:
        find(dict.fromkeys(names, 0), name, "joint")
    for p, phase in enumerate(walker.phases):
        model = phase.model
        joints = [model.joint(name) for name in model.joint_names]
        if any(np.isfinite([*each.lower, *each.upper]).any() for each in joints):
            found.append(JointLimits(p))
        most = np.full(model.nv, np.inf)
        for each in joints:
            own = (given or {}).get(each.name)
            most[each.v_slice] = each.effort_limit if own is None else number(own, each.name)
        if np.isfinite(most).any():
            found.append(EffortLimits(p, most, nodes))
    return found


def _checked(require: Sequence[Condition], phases: int) -> list[Condition]:
    for each in require:
        if not isinstance(each, Condition):
            raise TypeError(f"require has {each!r}, must be ts.gait.Require and the like")
        if not -phases <= each.phase < phases:
            raise ValueError(f"require: phase is {each.phase}, there are {phases}")
    return list(require)
