"""Quadratic programmes: certified by their own conditions, and beside another solver."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from programmes import Problem, check, one_of, random_problems, solve

import tarsus as ts

SIZES = [
    (5, 3, 0),
    (38, 18, 0),
    (20, 12, 10),
    (12, 20, 6),
    (7, 6, 3),
    (1, 1, 1),
    (3, 0, 4),
    (4, 2, 0),
]


def problems(size: tuple[int, int, int], count: int = 200, damping: float = 1e-3) -> Problem:
    rng = np.random.default_rng(sum(size))
    return random_problems(rng, count, *size, damping=damping, tight=10.0 ** rng.uniform(-2, 0.5))


@pytest.mark.parametrize("damping", [1e-5, 1e-2, 1.0])
@pytest.mark.parametrize("size", SIZES)
def test_certified(size: tuple[int, int, int], damping: float) -> None:
    problem = problems(size, damping=damping)
    found = solve(problem)
    assert found.success.all()
    check(problem, found, f"{size}, at most {found.iterations.max()} iterations:")


@pytest.mark.parametrize("size", SIZES)
def test_rows_that_give_way(size: tuple[int, int, int]) -> None:
    problem, rng = problems(size), np.random.default_rng(1)
    shift = 0.3 * rng.normal(size=problem["penalty"].shape)
    problem["rows_lower"] = problem["rows_lower"] + shift
    problem["rows_upper"] = problem["rows_upper"] + shift
    problem["penalty"] = 10.0 ** rng.uniform(-2, 3, problem["penalty"].shape)
    found = solve(problem)
    assert found.success.all()
    check(problem, found, f"{size}, {(found.slack > 0).sum()} rows give way:")
    assert size[2] == 0 or (found.slack > 0).any()


def test_another_solver_finds_the_same() -> None:
    daqp: Any = pytest.importorskip("daqp")
    worst, large = 0.0, 1e30
    for size in SIZES:
        problem = problems(size, 60)
        found = solve(problem)
        for k in range(60):
            p = one_of(problem, k)
            weighed = p["task"].T * p["weight"]
            hessian = weighed @ p["task"] + np.diag(p["damping"])
            linear = -weighed @ p["target"] - p["damping"] * p["reference"]
            upper = np.nan_to_num(np.r_[p["upper"], p["rows_upper"]], posinf=large)
            lower = np.nan_to_num(np.r_[p["lower"], p["rows_lower"]], neginf=-large)
            sense = np.where(upper == lower, 5, 0).astype(np.int32)
            rows = np.ascontiguousarray(p["rows"])
            x, _, flag, _ = daqp.solve(
                hessian, linear, rows, upper, lower, sense, primal_tol=1e-11, dual_tol=1e-12
            )
            if flag == 1:
                worst = max(worst, float(np.abs(x - found.v[k]).max()))
    print(f"apart from daqp: {worst:.1e}")
    assert worst < 1e-8


@pytest.mark.parametrize("size", SIZES)
def test_the_same_bits_alone_in_batches_and_on_threads(size: tuple[int, int, int]) -> None:
    problem = problems(size, 131)
    problem["penalty"] = np.where(np.arange(131)[:, None] % 2, np.inf, 10.0 * np.ones(size[2]))
    whole = solve(problem)
    order = np.random.default_rng(0).permutation(131)
    mixed = solve({name: value[order] for name, value in problem.items()}, threads=3)
    for each in fields(whole):
        values = getattr(whole, each.name)
        assert np.array_equal(values[order], getattr(mixed, each.name)), each.name
        alone = [getattr(solve(one_of(problem, k)), each.name) for k in range(0, 131, 5)]
        assert np.array_equal(values[::5], np.array(alone).reshape(values[::5].shape)), each.name


@pytest.mark.parametrize("size", SIZES)
def test_any_start_leads_to_the_same(size: tuple[int, int, int]) -> None:
    problem = problems(size)
    found = solve(problem)
    again = solve(problem, start=found)
    assert again.iterations.max() == 1
    assert np.array_equal(again.working_set, found.working_set)
    start = np.random.default_rng(0).integers(-1, 2, found.working_set.shape)
    other = solve(problem, start=start)
    assert other.success.all()
    apart = float(np.abs(other.v - found.v).max())
    print(f"{size}: {apart:.1e}")
    assert apart < 1e-9


def test_rows_that_contradict_are_missed_least() -> None:
    """Hard rows that leave no room: least squares of what is missed, within the bounds."""
    rng = np.random.default_rng(3)
    count, n, r = 100, 8, 5
    rows, low = rng.normal(size=(count, r, n)), rng.normal(size=(count, r))
    high = np.where(rng.random((count, r)) < 0.5, low, np.inf)
    found = ts.ik.solve_qp(
        rng.normal(size=(count, 3, n)),
        rng.normal(size=(count, 3)),
        damping=1e-3,
        lower=-0.1,
        upper=0.1,
        rows=rows,
        rows_lower=low,
        rows_upper=high,
    )
    reached = np.einsum("bij,bj->bi", rows, found.v)
    over = np.maximum(reached - high, 0.0) - np.maximum(low - reached, 0.0)
    # the gradient of ½ |miss|² vanishes, but for what bounds hold
    gradient = np.einsum("bij,bi->bj", rows, over)
    stuck = np.where(found.v <= -0.1 + 1e-8, np.maximum(-gradient, 0.0), np.abs(gradient))
    stuck = np.where(found.v >= 0.1 - 1e-8, np.maximum(gradient, 0.0), stuck)
    bad = ~np.asarray(found.success)
    print(f"{bad.sum()} of {count} cannot be met, gradient {stuck[bad].max():.1e}")
    assert bad.sum() > 50 and stuck[bad].max() < 1e-8
    assert np.allclose(found.slack, np.abs(over), atol=1e-9)
    worst = int(np.argmax(found.slack[bad][0]))
    assert found.status[bad][0] == f"infeasible: row {worst} by {found.slack[bad][0].max():.3g}"


def test_bounds_that_cross_meet_in_the_middle() -> None:
    found = ts.ik.solve_qp([[1.0, 1.0]], [1.0], lower=[0.4, 0.0], upper=[0.2, 1.0], damping=1e-9)
    assert found.status == "infeasible: bound 0 by 0.1"
    assert np.allclose(found.v, [0.3, 0.7])


def test_numbers_that_make_no_sense_stay_alone() -> None:
    problem = problems((7, 6, 3), 40)
    good = solve(problem)
    bad = {
        "task": np.nan,
        "target": np.inf,
        "weight": -1.0,
        "damping": 0.0,
        "reference": np.nan,
        "lower": np.inf,
        "upper": np.nan,
        "rows": -np.inf,
        "rows_lower": np.nan,
        "rows_upper": -np.inf,
        "penalty": -1.0,
    }
    for k, (name, value) in enumerate(bad.items()):
        problem[name][3 * k + 1].flat[0] = value
    found = solve(problem)
    hit = np.arange(1, 3 * len(bad), 3)
    assert (found.status[hit] == "not finite").all() and not found.v[hit].any()
    rest = np.setdiff1d(np.arange(40), hit)
    assert np.array_equal(found.v[rest], good.v[rest]) and found.success[rest].all()


def test_numbers_of_all_sizes() -> None:
    """From 1e-35 to 1e35, with any start: v is finite, within its bounds, alone as in a batch."""
    rng, kinds = np.random.default_rng(4), set()
    for _ in range(300):
        n, m, r = (int(size) for size in rng.integers(1, 6, 3))

        def draw(*shape: int) -> Any:
            size = (11, *shape)
            exponents = rng.integers(-35, 36, size) * (rng.random(size) < 0.2)
            return rng.normal(size=size) * 10.0**exponents * (rng.random(size) < 0.9)

        problem = {
            "task": draw(m, n),
            "target": draw(m),
            "weight": np.abs(draw(m)),
            "damping": np.abs(draw(n)) + 1e-8,
            "reference": draw(n),
            "lower": -np.abs(draw(n)),
            "upper": np.abs(draw(n)),
            "rows": draw(r, n),
            "rows_lower": draw(r),
            "rows_upper": draw(r),
            "penalty": np.abs(draw(r)) + 1e-8,
        }
        start = rng.integers(-2, 3, (11, n + r))
        found = solve(problem, start=start, levels=[1, m - 1])
        kinds |= {word.split(":")[0] for word in found.status}
        assert np.isfinite(found.v).all()
        low, high = problem["lower"], problem["upper"]
        assert ((found.v >= low) | (low <= -1e30)).all()
        assert ((found.v <= high) | (high >= 1e30)).all()
        k = int(rng.integers(11))
        one = solve(one_of(problem, k), start=start[k], levels=[1, m - 1])
        assert np.array_equal(one.v, found.v[k]) and one.status == found.status[k]
    print(sorted(kinds))
    assert {"solved", "not finite"} <= kinds


def test_passes_that_do_not_suffice_are_told() -> None:
    problem = problems((38, 18, 0), 20)
    found = solve(problem, iterations=3)
    assert (found.status == "iterations").any() and np.isfinite(found.v).all()
    assert (found.v >= problem["lower"]).all() and (found.v <= problem["upper"]).all()


def test_leading_dimensions_broadcast() -> None:
    rng = np.random.default_rng(0)
    task, target = rng.normal(size=(3, 1, 2, 4)), rng.normal(size=(5, 2))
    found = ts.ik.solve_qp(task, target, upper=0.1, rows=np.ones((1, 4)), rows_lower=[-1.0])
    assert found.v.shape == (3, 5, 4) and found.code.shape == (3, 5)
    one = ts.ik.solve_qp(task[2, 0], target[4], upper=0.1, rows=np.ones((1, 4)), rows_lower=-1.0)
    assert np.array_equal(found.v[2, 4], one.v)
    assert ts.ik.solve_qp(np.zeros((0, 2, 4)), [1.0, 2.0]).v.shape == (0, 4)
    warm = ts.ik.solve_qp(task, target, upper=0.1, start=np.zeros(4, np.int8))
    assert warm.status.shape == (3, 5)


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        ("target", [1.0, 2.0, 3.0], ValueError, "target"),
        ("weight", "much", TypeError, "weight"),
        ("damping", [1.0, 2.0], ValueError, "damping"),
        ("rows", np.ones((2, 3)), ValueError, "rows has 3 columns"),
        ("rows", np.ones(4), ValueError, "rows has 1 dimensions"),
        ("lower", np.zeros((7, 4)), ValueError, "lower has"),
        ("levels", [1, 2], ValueError, "levels"),
        ("levels", [1.5, 0.5], TypeError, "levels"),
        ("start", np.zeros(3, np.int8), ValueError, "start"),
        ("start", np.full(4, 3), ValueError, "start"),
        ("start", np.zeros(4), TypeError, "start"),
        ("iterations", 0, ValueError, "iterations"),
        ("tolerance", 0.0, ValueError, "tolerance"),
        ("threads", 0, ValueError, "threads"),
    ],
)
def test_wrong_arguments_are_named(name: str, value: Any, error: Any, words: str) -> None:
    given: dict[str, Any] = {"task": np.ones((3, 2, 4)), "target": np.ones(2)} | {name: value}
    with pytest.raises(error, match=words):
        ts.ik.solve_qp(given.pop("task"), given.pop("target"), **given)
