"""Velocities by pseudo-inverses, damped or not, against their formulas with dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

from tarsus._lib.files import Array
from tarsus.ik.methods import Damping, Diagonal, RankOne, damped, one_solve, transposed
from tarsus.ik.priorities import Level


def level(jacobian: Array, rate: Array, weight: Array | None = None) -> Level:
    rows = jacobian.shape[-2]
    return Level((), jacobian, rate, np.ones(rows) if weight is None else weight, ())


def test_one_solve_is_the_weighted_pseudo_inverse_with_a_gradient_in_its_null_space() -> None:
    worst, rng = 0.0, np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(3, 12))
        m = int(rng.integers(1, n))
        J, rate, gradient = rng.normal(size=(m, n)), rng.normal(size=m), rng.normal(size=n)
        w = rng.uniform(0.5, 3.0, n)
        inverse = np.diag(1.0 / w)
        pseudo = inverse @ J.T @ np.linalg.inv(J @ inverse @ J.T)
        expected = pseudo @ rate - (np.eye(n) - pseudo @ J) @ inverse @ gradient
        found, _ = one_solve(J, rate, Diagonal(w), -inverse @ gradient)
        worst = max(worst, np.abs(found - expected).max(), np.abs(J @ found - rate).max())
        still, _ = one_solve(J, np.zeros(m), Diagonal(w), -inverse @ gradient)
        assert gradient @ still <= 1e-12  # the cost does not rise
    print(f"one solve: {worst:.1e}")
    assert worst < 1e-11


def test_rank_one_weight() -> None:
    rng = np.random.default_rng(1)
    row, x = rng.normal(size=9), rng.normal(size=(9, 4))
    expected = np.linalg.inv(0.5 * np.eye(9) + np.outer(row, row)) @ x
    assert np.abs(RankOne(row, 0.5)(x) - expected).max() < 1e-12


def test_levels_do_not_disturb_those_before_them() -> None:
    rng = np.random.default_rng(2)
    first, second = (level(rng.normal(size=(3, 10)), rng.normal(size=3)) for _ in range(2))
    w, wish = rng.uniform(0.5, 2.0, 10), rng.normal(size=10)
    v, smallest = damped([first, second], w, wish, Damping())
    assert smallest > 0.1
    for own in (first, second):
        assert np.abs(own.jacobian @ v - own.rate).max() < 1e-10
    both = np.vstack([first.jacobian, second.jacobian])
    rates = np.r_[first.rate, second.rate]
    expected, _ = one_solve(both, rates, Diagonal(w), wish)
    assert np.abs(v - expected).max() < 1e-10
    # a second level that asks for the opposite of the first has no say
    against = level(first.jacobian, -first.rate)
    held, _ = damped([first, against], w, wish, Damping())
    assert np.abs(first.jacobian @ held - first.rate).max() < 1e-9


def test_damping_is_the_least_of_its_sum() -> None:
    rng = np.random.default_rng(3)
    J, rate = rng.normal(size=(4, 7)), rng.normal(size=4)
    omega, w = rng.uniform(0.5, 2.0, 4), rng.uniform(0.5, 2.0, 7)
    v, _ = damped([level(J, rate, omega)], w, np.zeros(7), Damping("fixed", 0.3))
    matrix = J.T @ np.diag(omega) @ J + 0.09 * np.diag(w)
    assert np.abs(v - np.linalg.solve(matrix, J.T @ (omega * rate))).max() < 1e-12


@pytest.mark.parametrize("kind", ["fixed", "adaptive", "truncated"])
def test_velocities_are_bounded_at_singular_positions(kind: str) -> None:
    rng = np.random.default_rng(4)
    u, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    v, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    for small in (1e-1, 1e-3, 1e-6, 0.0):
        J = u @ np.diag([1.0, 0.5, small]) @ v[:3]
        damping = Damping(kind, 1e-2, 1e-2)  # type: ignore[arg-type]
        found, smallest = damped([level(J, np.ones(3))], np.ones(5), np.zeros(5), damping)
        assert abs(smallest - small) < 1e-12
        assert np.linalg.norm(found) < 2.0 / 1e-2  # |r|/(2 λ) at most


def test_transpose_goes_down() -> None:
    rng = np.random.default_rng(5)
    own = level(rng.normal(size=(4, 7)), rng.normal(size=4), rng.uniform(0.5, 2.0, 4))
    v = transposed(own, np.ones(7))
    before = (own.weight * own.rate**2).sum()
    after = (own.weight * (own.jacobian @ v - own.rate) ** 2).sum()
    assert after < before
    longer = (own.weight * (own.jacobian @ v * 1.01 - own.rate) ** 2).sum()
    assert after < longer
