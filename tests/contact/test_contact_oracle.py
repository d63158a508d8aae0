"""The dense oracle is itself held to closed forms: blocks that slide, slopes, and bounces."""

from __future__ import annotations

import numpy as np
import pytest
from cone_problem import Block, ConeProblem
from contact_scenes import box, box_at_rest, on_slope, point_mass
from dense_run import DenseRun
from lcp import by_lemke, by_trying, lcp_residual

GRAVITY = 9.81


@pytest.mark.parametrize(
    ("viscous", "distance", "duration"), [(0.0, 0.1699, 0.3398), (0.4, 0.1640, 0.3309)]
)
def test_a_sliding_block(viscous: float, distance: float, duration: float) -> None:
    """10 kg at 1 m/s with friction 0.3: v₀²/2μg, and m v̇ = −μ m g − 4 μ_v v."""
    world = box(friction=0.3, viscous=viscous, dt=4e-3)
    q, v = box_at_rest()
    v[0] = 1.0
    run = DenseRun(world, q, v)
    run.advance(100)
    moved = run.q[0]
    stop = next(k for k, step in enumerate(run.steps) if abs(step.v[0]) < 1e-9) * world.dt
    print(f"{moved:.5f} m, {stop:.4f} s")
    assert moved == pytest.approx(distance, abs=0.5 * world.dt + 1e-4)
    assert stop == pytest.approx(duration, abs=2.0 * world.dt)


def test_a_block_on_a_slope_sticks_or_slides() -> None:
    for tangent, speeds_up in ((0.29, False), (0.35, True)):
        angle = float(np.arctan(tangent))
        world = box(friction=0.3, ground_numbers=on_slope(angle))
        run = DenseRun(world, *box_at_rest(angle))
        start = run.q.copy()
        run.advance(50)
        moved = np.linalg.norm(run.q[:3] - start[:3])
        expected = GRAVITY * (np.sin(angle) - 0.3 * np.cos(angle))
        acceleration = np.linalg.norm(run.v[:3]) / (50 * world.dt)
        print(f"slope {tangent}: {moved:.1e} m, {acceleration:.5f} m/s²")
        if speeds_up:
            assert acceleration == pytest.approx(expected, rel=1e-9) and expected > 0.46
        else:
            assert moved < 1e-12


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_mass_bounces(restitution: float) -> None:
    world = point_mass(restitution=restitution, dt=2e-3)
    run = DenseRun(world, np.array([0.0, 0.0, 1.0]), np.zeros(3))
    run.advance(550)
    heights = np.array([step.q[2] for step in run.steps])
    speeds = np.array([step.v[2] for step in run.steps])
    first = int(np.argmax(speeds > 0.0)) if restitution else int(np.argmin(heights))
    apex = heights[first:].max()
    print(f"restitution {restitution}: {apex:.4f} m")
    assert apex == pytest.approx(restitution**2, abs=1e-2)
    assert heights.min() > -1e-2


def test_the_cone_problem_of_one_contact_has_its_closed_form() -> None:
    """A point with mass 1 that would slide at 1 m/s and sink at 2 m/s."""
    for friction, expected in ((0.7, [2.0, -1.0, 0.0]), (0.3, [2.0, -0.6, 0.0])):
        problem = ConeProblem(
            np.eye(3), np.array([-2.0, 1.0, 0.0]), (Block("contact", (0, 1, 2), friction),)
        )
        np.testing.assert_allclose(problem.solve(), expected, atol=1e-14)
        assert problem.residual(np.array(expected)) < 1e-14
        assert problem.residual(np.array(expected) + [0.0, 0.1, 0.0]) > 1e-2


@pytest.mark.parametrize("seed", range(30))
def test_random_cone_problems(seed: int) -> None:
    rng = np.random.default_rng(seed)
    contacts, brakes, stops = rng.integers(1, 5), rng.integers(0, 4), rng.integers(0, 4)
    n = 3 * contacts + brakes + stops
    J = rng.normal(size=(n, n + 2))
    blocks = [
        Block("contact", (3 * k, 3 * k + 1, 3 * k + 2), rng.uniform(0, 0.7), rng.uniform(0, 0.1))
        for k in range(contacts)
    ]
    first = 3 * contacts
    blocks += [Block("brake", (first + k,), slack=rng.uniform(0, 1)) for k in range(brakes)]
    blocks += [Block("stop", (first + brakes + k,)) for k in range(stops)]
    problem = ConeProblem(J @ J.T, J @ rng.normal(size=n + 2), tuple(blocks))
    p = problem.solve()
    w = problem.velocities(p)
    for block in blocks[:contacts]:
        (pn, *pt), (wn, *wt) = p[list(block.rows)], w[list(block.rows)]
        bound = block.bound(pn)
        assert pn >= 0.0 and wn > -1e-12 and pn * wn < 1e-11
        assert np.linalg.norm(pt) <= bound + 1e-11
        if pn > 1e-9 and np.linalg.norm(wt) > 1e-9:
            np.testing.assert_allclose(pt, -bound * np.array(wt) / np.linalg.norm(wt), atol=1e-9)


def test_linear_complementarity_by_two_ways() -> None:
    u = by_lemke(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0]))
    np.testing.assert_allclose(u, [4 / 3, 7 / 3], rtol=1e-14)
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(1, 8))
        J = rng.normal(size=(n, n))
        A, b = J @ J.T, rng.normal(size=n)
        found, tried = by_lemke(A, b), by_trying(A, b)
        assert found is not None and lcp_residual(A, b, found) < 1e-9
        np.testing.assert_allclose(found, tried[0], atol=1e-8)


def test_many_facets_approach_the_cone() -> None:
    rng = np.random.default_rng(4)
    J = rng.normal(size=(6, 8))
    blocks = (Block("contact", (0, 1, 2), 0.2), Block("contact", (3, 4, 5), 0.2))
    problem = ConeProblem(J @ J.T, J @ rng.normal(size=8) - np.array([2, 0, 0, 2, 0, 0]), blocks)
    p = problem.solve()
    errors = []
    for facets in (4, 16, 64):
        A, b, E = problem.faceted(facets)
        u = by_lemke(A, b)
        assert u is not None and lcp_residual(A, b, u) < 1e-9
        errors.append(float(np.abs(E @ u - p).max()))
    print("distance from the cone:", *(f"{error:.1e}" for error in errors))
    assert 1e-6 < errors[2] < 0.2 * errors[0]
