"""Quadratic programmes for tests, and a certificate that needs no solver."""

from __future__ import annotations

from typing import Any

import numpy as np

import tarsus as ts
from tarsus._lib.files import Array

Problem = dict[str, Any]
"""Arguments of `ts.ik.solve_qp` by name, each with as many problems in front."""


def random_problems(
    rng: np.random.Generator,
    count: int,
    n: int,
    tasks: int,
    rows: int,
    damping: float,
    tight: float,
) -> Problem:
    """Return feasible problems with many active bounds, duplicate and empty rows, fixed numbers."""
    task = rng.normal(size=(count, tasks, n)) * (
        rng.random((count, tasks, n)) < rng.uniform(0.2, 1)
    )
    if tasks > 2:
        task[::3, 1], task[1::3, 2] = task[::3, 0], 0.0
    lower, upper = -tight * rng.random((count, n)), tight * rng.random((count, n))
    inside = np.clip(tight * rng.normal(size=(count, n)), 0.99 * lower, 0.99 * upper)
    fixed = rng.random((count, n)) < 0.1
    lower, upper = np.where(fixed, inside, lower), np.where(fixed, inside, upper)
    lower[rng.random((count, n)) < 0.2] = -np.inf
    line = rng.normal(size=(count, rows, n)) * (rng.random((count, rows, n)) < 0.6)
    if rows > 2:
        line[::2, 1], line[1::2, 2] = line[::2, 0], 0.0
    at = np.einsum("bij,bj->bi", line, inside)
    room = 0.1 * tight * rng.random((2, count, rows))
    room[:, rng.random((count, rows)) < 0.1] = 0.0
    return {
        "task": task,
        "target": rng.normal(size=(count, tasks)),
        "weight": 10.0 ** rng.uniform(-1, 2, (count, tasks)),
        "damping": damping * 10.0 ** rng.uniform(-0.5, 0.5, (count, n)),
        "reference": 0.3 * rng.normal(size=(count, n)),
        "lower": lower,
        "upper": upper,
        "rows": line,
        "rows_lower": np.where(rng.random((count, rows)) < 0.4, -np.inf, at - room[0]),
        "rows_upper": np.where(rng.random((count, rows)) < 0.4, np.inf, at + room[1]),
        "penalty": np.full((count, rows), np.inf),
    }


def solve(problem: Problem, **options: Any) -> ts.ik.QPSolution:
    """Return the solutions of problems, tasks first."""
    rest = {name: value for name, value in problem.items() if name not in ("task", "target")}
    return ts.ik.solve_qp(problem["task"], problem["target"], **rest, **options)


def one_of(problem: Problem, k: int) -> Problem:
    """Return the k-th problem."""
    return {name: value[k] for name, value in problem.items()}


def certificate(problem: Problem, found: ts.ik.QPSolution) -> dict[str, Array]:
    """Return by how much solutions miss the conditions of Karush, Kuhn and Tucker, per problem.

    They are sufficient, as the cost is strictly convex: v is the solution, whoever found it.
    """
    v, y = found.v, found.task_multipliers
    force, push = found.row_multipliers, found.bound_multipliers
    reached = np.einsum("bij,bj->bi", problem["rows"], v)
    low, high, penalty = problem["rows_lower"], problem["rows_upper"], problem["penalty"]
    miss = np.maximum(np.maximum(low - reached, reached - high), 0.0)
    # the sum of forces, relative to the largest one
    task, rows = problem["task"], problem["rows"]
    drawn = problem["damping"] * (v - problem["reference"])
    total = drawn - np.einsum("bij,bi->bj", task, y) - np.einsum("bij,bi->bj", rows, force) - push
    size = np.abs(drawn) + np.einsum("bij,bi->bj", np.abs(task), np.abs(y)) + 1e-300
    size += np.einsum("bij,bi->bj", np.abs(rows), np.abs(force)) + np.abs(push)
    law = problem["weight"] * (problem["target"] - np.einsum("bij,bj->bi", task, v))
    # what a row may push at its low and at its high side, and must where it is missed
    with np.errstate(invalid="ignore"):
        most = np.where(miss > 1e-8, penalty * (1.0 + miss), penalty)
        yields = (miss > 1e-8) & np.isfinite(penalty)
        side = np.where(reached < low, 1.0, -1.0)
        wrong = np.where(yields, np.abs(force - side * most), 0.0)
        wrong = np.maximum(wrong, np.where(reached > low + 1e-8, force, force - most))
        wrong = np.maximum(wrong, np.where(reached < high - 1e-8, -force, -force - most))
    scale = 1.0 + np.abs(force).max(-1, initial=0.0)
    signs = np.maximum(
        np.where(v > problem["lower"], push, 0.0), np.where(v < problem["upper"], -push, 0.0)
    )
    return {
        "forces": np.abs(total).max(-1) / size.max(-1),
        "tasks": np.abs(law - y).max(-1, initial=0.0) / (1.0 + np.abs(y).max(-1, initial=0.0)),
        "bounds": np.maximum(problem["lower"] - v, v - problem["upper"]).max(-1),
        "signs": signs.max(-1),
        "rows": np.where(np.isinf(penalty), miss, 0.0).max(-1, initial=0.0),
        "pushes": wrong.max(-1, initial=0.0) / scale,
        "slack": np.abs(np.where(miss > 1e-9, miss, 0.0) - found.slack).max(-1, initial=0.0),
    }


TOLERANCES = {
    "forces": 1e-8,  # W/D times the last digits, W/D is up to 1e7 here
    "tasks": 1e-8,
    "bounds": 0.0,
    "signs": 0.0,
    "rows": 1e-9,  # the solver's own
    "pushes": 1e-8,
    "slack": 1e-14,
}


def check(problem: Problem, found: ts.ik.QPSolution, what: str) -> None:
    """Assert that solutions are certified, and print what is missing."""
    missing = certificate(problem, found)
    print(what, {name: f"{value.max():.1e}" for name, value in missing.items()})
    for name, value in missing.items():
        assert value.max() <= TOLERANCES[name], (name, int(value.argmax()))
