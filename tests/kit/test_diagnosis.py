"""Ranks, redundant and contradictory rows, against the singular value decomposition."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts


def metric(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return a random mass matrix."""
    spread = rng.normal(size=(n, n))
    return spread @ spread.T + n * np.eye(n)


def whitened(rows: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Return J H^-1/2, with the symmetric root."""
    values, vectors = np.linalg.eigh(inertia)
    return rows @ (vectors / np.sqrt(values)) @ vectors.T


@pytest.mark.parametrize("seed", range(5))
def test_rank_deficient_and_consistent(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, r, rank = 12, 10, 6
    rows = rng.normal(size=(r, rank)) @ rng.normal(size=(rank, n))
    inertia, v = metric(rng, n), rng.normal(size=n)
    found = ts.diagnose(rows, inertia, rows @ v, [f"row_{k}" for k in range(r)])
    root = np.linalg.cholesky(inertia)
    half = rows @ np.linalg.inv(root).T
    wanted = np.linalg.inv(root).T @ (np.linalg.pinv(half, rcond=1e-10) @ (rows @ v))
    print(f"{found}, off by {np.abs(found.step - wanted).max():.1e}")
    assert (found.rank, found.surplus) == (rank, r - rank)
    assert not found.conflicts
    assert sum(group.surplus for group in found.redundant) == r - rank
    np.testing.assert_allclose(found.step, wanted, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(rows @ found.step, rows @ v, rtol=1e-9, atol=1e-10)


def test_badly_conditioned_rows_have_the_solution_of_the_pseudo_inverse() -> None:
    rng = np.random.default_rng(0)
    u, _ = np.linalg.qr(rng.normal(size=(12, 12)))
    w, _ = np.linalg.qr(rng.normal(size=(15, 15)))
    values = np.concatenate([np.logspace(0, -8, 9), np.zeros(3)])  # condition 1e8, rank 9
    rows, b = (u * values) @ w[:12], rng.normal(size=12)
    lengths = np.linalg.norm(rows, axis=1)
    found = ts.diagnose(rows, np.eye(15), b, ["row"] * 12)
    wanted = np.linalg.pinv(rows / lengths[:, None], rcond=1e-10) @ (b / lengths)
    error = np.linalg.norm(found.step - wanted) / np.linalg.norm(wanted)
    outside = np.linalg.norm(w[9:] @ found.step) / np.linalg.norm(found.step)
    print(f"off by {error:.1e}, in the null space {outside:.1e}")
    assert found.rank == 9
    assert error < 1e-8
    assert outside < 1e-7  # rounding of the rows, 1e-16, over the smallest singular value


def test_what_repeats_is_named_together_and_what_does_not_is_not() -> None:
    rng = np.random.default_rng(1)
    a, b, c, d, e = rng.normal(size=(5, 8))
    rows = [a, b, a + b, c, d, 3.0 * d, e]
    names = ["a", "b", "sum", "alone", "first", "twice", "last"]
    found = ts.diagnose(rows, metric(rng, 8), np.zeros(7), names)
    assert found.rank == 5
    assert [group.names for group in found.redundant] == [("a", "b", "sum"), ("first", "twice")]
    assert [group.surplus for group in found.redundant] == [1, 1]
    assert not found.conflicts


def test_contradictions_are_named_with_their_size() -> None:
    rng = np.random.default_rng(2)
    a, b, c = rng.normal(size=(3, 6))
    inertia = metric(rng, 6)
    names = ["rod", "string", "pin", "weld"]
    found = ts.diagnose([a, a, b, c], inertia, [0.5, 0.1, 0.3, 0.0], names)
    (group,) = found.conflicts
    assert group.names == ("rod", "string")
    # the same row twice: they meet half-way
    np.testing.assert_allclose(group.misses, [-0.2, 0.2], atol=1e-12)
    assert group.miss == pytest.approx(0.2)
    np.testing.assert_allclose(found.misses, [-0.2, 0.2, 0.0, 0.0], atol=1e-12)
    assert "in conflict: rod, string: contradict, by 0.2" in str(found)


def test_the_compromise_is_the_one_of_least_energy() -> None:
    rng = np.random.default_rng(3)
    basis = rng.normal(size=(2, 5))
    rows = rng.normal(size=(4, 2)) @ basis
    inertia, b = metric(rng, 5), rng.normal(size=4)
    found = ts.diagnose(rows, inertia, b, list("abcd"))
    half = whitened(rows, inertia)
    masses = 1.0 / (half**2).sum(axis=1)  # that a row moves

    def cost(step: np.ndarray) -> float:
        return float(masses @ (rows @ step - b) ** 2)

    best = cost(found.step)
    for _ in range(50):
        assert cost(found.step + 1e-3 * rng.normal(size=5)) >= best


def test_units_do_not_matter() -> None:
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(6, 4)) @ rng.normal(size=(4, 9))
    inertia, b = metric(rng, 9), rng.normal(size=6)
    scale = np.array([1e-6, 1.0, 1e5, 1.0, 1e3, 1e-3])
    one = ts.diagnose(rows, inertia, b, list("abcdef"))
    other = ts.diagnose(scale[:, None] * rows, inertia, scale * b, list("abcdef"))
    assert one.rank == other.rank == 4
    np.testing.assert_allclose(other.step, one.step, rtol=1e-8, atol=1e-10)


def test_a_row_that_nothing_moves_is_a_group_of_its_own() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 0.0]])
    quiet = ts.diagnose(rows, np.eye(2), [0.3, 0.0], ["moves", "still"])
    assert [group.names for group in quiet.redundant] == [("still",)]
    loud = ts.diagnose(rows, np.eye(2), [0.3, 0.2], ["moves", "still"])
    assert str(loud.conflicts[0]) == "still: cannot be met, by 0.2"
    np.testing.assert_allclose(loud.step, [0.3, 0.0])


def test_rounding_is_no_row() -> None:
    rows = 1e-16 * np.random.default_rng(0).normal(size=(3, 4))
    found = ts.diagnose(rows, np.eye(4), np.zeros(3), ["ball"] * 3)
    assert found.rank == 0 and found.redundant[0].surplus == 3 and not found.step.any()


def test_no_rows_are_fine() -> None:
    found = ts.diagnose(np.zeros((0, 3)), np.eye(3), [], [])
    assert (found.rank, found.n_rows, found.redundant, found.conflicts) == (0, 0, (), ())
    assert not found.step.any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.eye(2)[0], np.eye(2), [0.0], ["a"]), r"jacobian has shape \(2,\)"),
        ((np.eye(2), np.eye(3), [0, 0], ["a", "b"]), r"mass_matrix has shape \(3, 3\)"),
        ((np.eye(2), np.eye(2), [0.0], ["a", "b"]), r"wanted has shape \(1,\)"),
        ((np.eye(2), np.eye(2), [0, 0], ["a"]), "names has 1 entries"),
        ((np.eye(2), np.eye(2), [0, np.nan], ["a", "b"]), "wanted is not finite in a row of 'b'"),
        ((np.full((2, 2), np.inf), np.eye(2), [0, 0], ["a", "b"]), "jacobian is not finite"),
        ((np.eye(2), -np.eye(2), [0, 0], ["a", "b"]), "not positive definite"),
    ],
)
def test_bad_arguments(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ts.diagnose(*arguments)  # type: ignore[arg-type]
