"""Efficient gaits: motions from strike to strike that need the least efforts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import count, expect, number, numbers
from tarsus._lib.files import Array
from tarsus.gait.optimal.collocation import Basis, Chebyshev
from tarsus.gait.optimal.conditions import Condition, EffortLimits, JointLimits
from tarsus.gait.optimal.costs import EffortCost, Objective, TransportCost
from tarsus.gait.optimal.design import Design, Drives, Motors, by_joints, check_joints, drives
from tarsus.gait.optimal.foot_conditions import Taken
from tarsus.gait.optimal.search import SCALES, OptimizedGait, Task, rank, start
from tarsus.gait.optimal.sqp import Solution
from tarsus.gait.walkers.walker import Walker, check_walker


def optimize(
    walker: Walker,
    speed: float | None = None,
    *,
    basis: Basis | int = 10,
    weights: Mapping[str, float] | ArrayLike | None = None,
    motors: Motors | None = None,
    require: Sequence[Condition] = (),
    effort_limits: Mapping[str, float] | None = None,
    design: Design | Mapping[str, tuple[float, ...]] | None = None,
    guess: OptimizedGait | None = None,
    posture: ArrayLike | None = None,
    starts: int = 3,
    nodes: int | None = None,
    iterations: int = 150,
    threads: int = 1,
) -> OptimizedGait:
    """Return the gait of a walker that needs the least efforts ∫ τᵀ Q τ dt, of those found.

    Its mean `speed` [m/s] is free unless stated. Motions of each phase are sums of a `basis`,
    Chebyshev polynomials of an order unless another is stated. Q has `weights` by names of joints,
    1 for those without, or is a matrix. With `motors`, a `ts.control.CurrentMotor` for all joints
    or one by the name of each, it is the gait whose motors take the least electrical energy for
    each unit of weight and way instead, within their currents; what they feed back is lost.

    Efforts and positions stay within the limits of the model, or within `effort_limits` by names of
    joints, and the gait keeps what else you `require`. `design` names numbers of the walker that
    join the search, with their bounds. Springs, dampers and dry friction in joints count.

    A search needs no guess: it begins in straight lines between the walker's postures at strikes,
    or from another `posture` (nq,) just after one, with polynomials of low order, from so many
    `starts`, of which the cheapest gait that keeps all conditions is returned; on several `threads`
    the same one is found. A `guess` is a gait
    for another speed or design. `nodes` is the number of instants at which efforts are squared,
    twice the size of the basis unless stated.
    """
    check_walker(walker)
    if speed is not None and number(speed, "speed") == 0.0:
        raise ValueError("speed is 0.0, must lead somewhere; None leaves it free")
    if nodes is not None:
        count(nodes, "nodes", 2)
    count(iterations, "iterations")
    count(starts, "starts", 1, len(SCALES))
    count(threads, "threads")
    functions = _basis(basis)
    driven = None if motors is None else drives(walker, motors, complete=True)
    task = Task(
        walker,
        None if speed is None else float(speed),
        functions,
        _objective(walker, weights, driven),
        (
            *Taken.of_all(walker),
            *_limits(walker, effort_limits, functions.size, driven),
            *_checked(require, len(walker.phases)),
        ),
        design if isinstance(design, Design) else Design(design or {}),
        nodes,
        iterations,
        _posture(walker, posture),
    )
    if guess is not None:
        expect(guess, OptimizedGait, "guess")
        return task.finished(*task.continued(guess))
    found = _searches(task, starts, threads)
    return task.finished(*min(found, key=lambda each: rank(each[0])))


def _searches(task: Task, starts: int, threads: int) -> list[tuple[Solution, list[Array]]]:
    """Return what is found from so many starts, in their order whichever ends first."""
    begins = [start(task.walker, task.speed, scales, task.posture) for scales in SCALES[:starts]]
    _ = task.designs, task.scale  # made once, before threads share them
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(task.searched, begins))


def _posture(walker: Walker, given: ArrayLike | None) -> Array | None:
    return (
        None if given is None else np.array(numbers(given, (walker.phases[0].model.nq,), "posture"))
    )


def _basis(given: Basis | int) -> Basis:
    if hasattr(given, "at"):
        return given  # type: ignore[return-value]
    count(given, "basis", 3, 60)
    return Chebyshev(int(given))


def _objective(
    walker: Walker,
    weights: Mapping[str, float] | ArrayLike | None,
    driven: Sequence[Drives] | None,
) -> Objective:
    if driven is None:
        return EffortCost(_metrics(walker, weights))
    if weights is not None:
        raise ValueError("weights are of squared efforts, and motors state another cost: give one")
    return TransportCost(driven, walker.weight)


def _metrics(walker: Walker, weights: Mapping[str, float] | ArrayLike | None) -> tuple[Array, ...]:
    """Return Q (nv, nv) of each phase."""
    models = [phase.model for phase in walker.phases]
    if weights is None:
        return tuple(np.eye(model.nv) for model in models)
    if not isinstance(weights, Mapping):
        return tuple(_matrix(weights, model.nv) for model in models)
    check_joints(walker, weights, "weights")
    for name, weight in weights.items():
        if not number(weight, f"weights: {name}") > 0.0:
            raise ValueError(f"weights: {name} is {weight}, must be positive")
    return tuple(np.diag(by_joints(model, weights, 1.0)) for model in models)


def _matrix(weights: ArrayLike, n: int) -> Array:
    """Return a matrix of weights (n, n), which is symmetric and positive definite."""
    matrix = numbers(weights, (n, n), "weights")
    if not np.allclose(matrix, matrix.T, rtol=1e-12) or not np.linalg.eigvalsh(matrix)[0] > 0.0:
        raise ValueError(
            f"weights are {matrix.tolist()}, must be a symmetric, positive definite matrix"
        )
    return matrix


def _limits(
    walker: Walker,
    given: Mapping[str, float] | None,
    size: int,
    driven: Sequence[Drives] | None,
) -> list[Condition]:
    """Return limits of joints and efforts that models and motors state, or that were given."""
    nodes = np.linspace(0.0, 1.0, 2 * size)
    found: list[Condition] = []
    check_joints(walker, given or {}, "effort_limits")
    for name, most in (given or {}).items():
        if number(most, f"effort_limits: {name}") < 0.0:
            raise ValueError(f"effort_limits: {name} is {most}, must not be negative")
    for p, phase in enumerate(walker.phases):
        model = phase.model
        joints = [model.joint(name) for name in model.joint_names]
        if any(np.isfinite([*each.lower, *each.upper]).any() for each in joints):
            found.append(JointLimits(p))
        stated = {each.name: each.effort_limit for each in joints}
        limits = by_joints(model, stated | dict(given or {}), np.inf)
        if driven is not None:
            limits = np.minimum(limits, driven[p].limits)
        if np.isfinite(limits).any():
            found.append(EffortLimits(p, limits, nodes))
    return found


def _checked(require: Sequence[Condition], phases: int) -> list[Condition]:
    for each in require:
        if not isinstance(each, Condition):
            raise TypeError(f"require has {each!r}, must be ts.gait.Require and the like")
        if not -phases <= each.phase < phases:
            raise ValueError(f"require: phase is {each.phase}, there are {phases}")
    return list(require)
