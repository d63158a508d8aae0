"""Strict priorities: levels against null spaces, and problems of real robots."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from programmes import check, solve
from scipy.linalg import null_space

import tarsus as ts
from tarsus._lib.files import Array

ROBOTS = Path(pin.__file__).parents[4] / "share/example-robot-data/robots"


def by_null_spaces(
    task: Array, target: Array, weight: Array, damping: Array, reference: Array, levels: list[int]
) -> Array:
    """Return v of levels without bounds: each moves in the null space of those before."""
    n, first = task.shape[1], 0
    v, basis = np.zeros(n), np.eye(n)
    for size in levels:
        own = slice(first, first + size)
        weighed = task[own].T * weight[own]
        hessian = basis.T @ (weighed @ task[own] + np.diag(damping)) @ basis
        wish = weighed @ (target[own] - task[own] @ v) + damping * (reference - v)
        v = v + basis @ np.linalg.solve(hessian, basis.T @ wish)
        first += size
        basis = null_space(task[:first], rcond=1e-11)
    return v


def test_levels_move_in_null_spaces() -> None:
    rng, worst = np.random.default_rng(0), 0.0
    for trial in range(200):
        n = int(rng.integers(3, 15))
        levels = [int(size) for size in rng.integers(0, 5, int(rng.integers(1, 5)))]
        m = sum(levels)
        task, target = rng.normal(size=(m, n)), rng.normal(size=m)
        if trial % 3 == 0 and m > 2:
            task[-1] = task[0]  # a later level contradicts an earlier one
        if trial % 3 == 1 and m > 3:
            task[1], task[2] = task[0], 0.0
        weight, damping = 10.0 ** rng.uniform(-1, 1, m), 10.0 ** rng.uniform(-4, -1, n)
        reference = rng.normal(size=n)
        found = ts.ik.solve_qp(
            task, target, weight=weight, damping=damping, reference=reference, levels=levels
        )
        assert found.status == "solved"
        expected = by_null_spaces(task, target, weight, damping, reference, levels)
        worst = max(worst, float(np.abs(found.v - expected).max()))
    print(f"apart from null spaces: {worst:.1e}")
    assert worst < 1e-8


def test_levels_keep_what_those_before_have_reached() -> None:
    """With bounds that are active at every level, and later levels that contradict earlier ones."""
    rng, count, n = np.random.default_rng(1), 200, 12
    task, target = rng.normal(size=(count, 12, n)), rng.normal(size=(count, 12))
    task[::2, 5], task[:, 9] = task[::2, 0], task[:, 1]
    lower, upper = -rng.random((count, n)), rng.random((count, n))
    found = [
        ts.ik.solve_qp(
            task[:, : 4 * k],
            target[:, : 4 * k],
            damping=1e-4,
            lower=lower,
            upper=upper,
            levels=[4] * k,
        )
        for k in (1, 2, 3)
    ]
    for k in (1, 2):
        moved = np.abs(np.einsum("bij,bj->bi", task[:, : 4 * k], found[2].v - found[k - 1].v))
        print(f"level {k} is kept to {moved.max():.1e}")
        assert moved.max() < 1e-9
    # the last level is a programme in which those before are equations
    done = np.asarray(found[2].success)
    assert done.mean() > 0.99
    last = found[2]
    pull = np.einsum("bij,bi->bj", task, last.task_multipliers)
    total = 1e-4 * last.v - pull - last.bound_multipliers
    law = target[:, 8:] - np.einsum("bij,bj->bi", task[:, 8:], last.v)
    scale = 1.0 + np.abs(last.task_multipliers).max(-1, keepdims=True)
    assert np.abs((total / scale)[done]).max() < 1e-9
    assert np.abs(((law - last.task_multipliers[:, 8:]) / scale)[done]).max() < 1e-8
    signs = np.maximum(
        np.where(last.v > lower, last.bound_multipliers, 0.0),
        np.where(last.v < upper, -last.bound_multipliers, 0.0),
    )
    assert signs[done].max() <= 0.0


@pytest.mark.parametrize(
    ("path", "frames"),
    [
        ("talos_data/robots/talos_reduced.urdf", ["left_sole_link", "right_sole_link"]),
        ("anymal_b_simple_description/robots/anymal.urdf", ["LF_FOOT", "RH_FOOT", "base"]),
        ("panda_description/urdf/panda.urdf", ["panda_hand"]),
    ],
)
def test_velocities_of_robots(path: str, frames: list[str]) -> None:
    model = ts.load(ROBOTS / path, base="free")
    rng, count = np.random.default_rng(0), 100
    q = model.random_configuration(rng, (count,))
    task = np.concatenate([np.asarray(model.frame_jacobian(q, name)) for name in frames], axis=-2)
    m, n = task.shape[-2:]
    speed = np.where(np.isfinite(model.velocity_limit), np.minimum(model.velocity_limit, 2.0), 1.0)
    gap = np.asarray(model.center_of_mass_jacobian(q))[:, :2]
    problem = {
        "task": task,
        "target": rng.normal(size=(count, m)),
        "weight": 10.0 ** rng.uniform(0, 2, (count, m)),
        "damping": np.full((count, n), 1e-4),
        "reference": np.zeros((count, n)),
        "lower": np.broadcast_to(-speed, (count, n)),
        "upper": np.broadcast_to(speed, (count, n)),
        "rows": gap,
        "rows_lower": np.full((count, 2), -0.1),
        "rows_upper": np.full((count, 2), 0.1),
        "penalty": np.full((count, 2), 1e4),
    }
    found = solve(problem)
    active = np.abs(found.working_set).sum(-1)
    assert found.success.all() and active.max() > 5
    check(problem, found, f"{path}, {np.median(active):.0f} active:")
