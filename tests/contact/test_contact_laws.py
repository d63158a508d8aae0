"""The other laws beside their definitions: pivoting with polyhedral cones, springs as ground."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cone_problem import Array
from contact_scenes import box, box_at_rest, on_slope, point_mass, quadruped, robot
from contact_worlds import Run, World
from core_step import EXACT, as_listed, contact_impulses
from dense_run import DenseRun
from lcp import by_trying, lcp_residual
from test_contact_step import fallen

import tarsus as ts

SOFT = {
    "stiffness": 1e5,
    "damping": 200.0,
    "tangential_stiffness": 5e4,
    "tangential_damping": 100.0,
}


def solve_lcp(A: Array, b: Array) -> Array:
    return np.asarray(ts._core.solve_lcp(np.asarray(A, float), np.asarray(b, float)))


# --- Lemke --------------------------------------------------------------------------------------


def test_a_known_problem() -> None:
    A = [[2.0, 1.0], [1.0, 2.0]]
    np.testing.assert_allclose(solve_lcp(A, [-5.0, -6.0]), [4 / 3, 7 / 3], rtol=1e-14)
    np.testing.assert_array_equal(solve_lcp(A, [0.0, 3.0]), [0.0, 0.0])
    assert solve_lcp(np.zeros((0, 0)), np.zeros(0)).shape == (0,)


def test_a_thousand_random_problems() -> None:
    """Positive semi-definite, a third of them singular, up to 24 unknowns."""
    rng, worst = np.random.default_rng(0), 0.0
    for k in range(1000):
        n = int(rng.integers(1, 25))
        J = rng.normal(size=(n, max(1, n // 2 if k % 3 == 0 else n)))
        A = J @ J.T
        # a singular problem has a solution if b is in the range, or points inwards
        b = J @ rng.normal(size=J.shape[1]) + (k % 3 == 0) * rng.uniform(0.0, 1.0, n)
        u = solve_lcp(A, b)
        w = A @ u + b
        assert u.min() > -1e-9 and w.min() > -1e-9 and abs(u @ w) < 1e-7
        worst = max(worst, lcp_residual(A, b, u))
    print(f"worst residual {worst:.1e}")


def test_pivoting_finds_what_trying_finds() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        n = int(rng.integers(1, 8))
        J = rng.normal(size=(n, n))
        A, b = J @ J.T, rng.normal(size=n)
        np.testing.assert_allclose(solve_lcp(A, b), by_trying(A, b)[0], atol=1e-8)


def test_problems_without_solution_and_bad_arrays_are_errors() -> None:
    for A, b in (
        ([[0.0]], [-1.0]),
        ([[-1.0]], [-1.0]),
        ([[np.nan]], [1.0]),
        ([[1.0]], [np.inf]),
        ([[1.0, 0.0]], [1.0]),
        (np.eye(2), [1.0]),
        ([1.0], [1.0]),
    ):
        with pytest.raises((ValueError, RuntimeError, TypeError)) as caught:
            solve_lcp(A, b)
        print(caught.value)


def lemke_error(world: World, q: Array, v: Array, tau: Array, steps: int = 3) -> dict[str, float]:
    """Return how far velocities are from the oracle's pivoting, and how many contacts push."""
    run, dense = Run.start(world, q, v, tau), DenseRun(world, q, v)
    worst = {"v": 0.0, "touching": 0.0}
    for _ in range(steps):
        record = run.advance(1)
        assert run.status[0, 0] == 0
        solved = dense.advance(1, tau)
        rows = record["contacts"][0, 0]
        p = contact_impulses(world, rows, as_listed(dense.dense, solved.posed, rows))
        away = np.abs(run.v[0] - solved.v).max() / max(1.0, np.abs(solved.v).max())
        worst["v"] = max(worst["v"], float(away))
        worst["touching"] = max(worst["touching"], float((p[::3] > 0.0).sum()))
        dense.q, dense.v = run.q[0].copy(), run.v[0].copy()
    return worst


@pytest.mark.parametrize("facets", [0, 4, 8, 13])
@pytest.mark.parametrize("name", ["box", "quadruped", "solo12.urdf", "anymal.urdf"])
def test_robots_by_pivoting(name: str, facets: int) -> None:
    """Mechanisms on so few points that the solution is unique."""
    world = {"box": lambda: box(3), "quadruped": quadruped}.get(name, lambda: robot(name))()
    world = world.but(law="lemke", law_numbers={"facets": float(facets)}, friction=0.3)
    results = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        q, v = fallen(world, rng, 1e-4)
        results.append(lemke_error(world, q, v, rng.normal(size=(1, world.model.nv))))
    worst = {key: max(result[key] for result in results) for key in results[0]}
    print(name, facets, *(f"{key} {value:.1e}" for key, value in worst.items()))
    assert worst["touching"] > 0 and worst["v"] < 1e-10


def test_without_facets_there_is_no_friction() -> None:
    world = box(law="lemke", friction=5.0)
    q, v = box_at_rest()
    v[0] = 1.0
    run = Run.start(world, q, v)
    record = run.advance(100)
    assert np.abs(record["contacts"][..., 7:9]).max() == 0.0
    np.testing.assert_allclose(run.v[0], v, atol=1e-10)


def test_pivoting_and_sweeps_agree_on_frictionless_impacts() -> None:
    """Post-impact velocities are −e times those before (Ayit 2015, equation 4.14)."""
    for restitution in (0.0, 0.5, 1.0):
        speeds = []
        for law, numbers in (("lemke", {}), ("exact", EXACT)):
            world = robot("anymal.urdf").but(
                law=law,
                law_numbers=numbers,
                friction=0.0,
                restitution=restitution,
                dt=1e-6,
                joint_friction=False,
            )
            q, v = fallen(world, np.random.default_rng(0), 0.0)
            q[2] -= 0.5 * world.dt
            v = -2.0 * np.eye(world.model.nv)[2]
            v[:3] = 2.0 * np.array([0.0, 0.0, -1.0]) @ world.model.forward_kinematics(q)[0, :3, :3]
            run = Run.start(world, q, v)
            run.advance(1)
            speeds.append(run.v[0])
        assert np.abs(speeds[0] - speeds[1]).max() < 1e-10


# --- springs and dampers ------------------------------------------------------------------------


@pytest.mark.parametrize("hunt_crossley", [0.0, 1.0])
@pytest.mark.parametrize("name", ["box", "quadruped", "solo12.urdf"])
def test_springs_in_the_ground(name: str, hunt_crossley: float) -> None:
    world = {"box": box, "quadruped": quadruped}.get(name, lambda: robot(name))()
    numbers = {**SOFT, "hunt_crossley": hunt_crossley}
    world = world.but(law="penalty", law_numbers=numbers, friction=0.3, viscous=2.0, dt=5e-4)
    worst, pushes = 0.0, 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        q, v = fallen(world, rng, 1e-4)
        run, dense = Run.start(world, q, v), DenseRun(world, q, v)
        for _ in range(40):
            record = run.advance(1)["contacts"][0, 0]
            ground = dense.advance(1).posed.ground
            scale = max(1.0, float(np.abs(dense.v).max()))
            worst = max(worst, float(np.abs(run.v[0] - dense.v).max()) / scale)
            forces = {int(row[0]): row[7:10] for row in record if row[0] >= 0}
            size = max([1.0, *(float(np.abs(f).max()) for f in ground.values())])
            for k, force in ground.items():
                worst = max(worst, float(np.abs(forces.get(k, np.zeros(3)) - force).max()) / size)
                pushes += bool(force[2] > 0.0)
            assert set(forces) >= {k for k, force in ground.items() if force.any()}
            assert all(not forces[k].any() for k in set(forces) - set(ground))
            dense.q, dense.v = run.q[0].copy(), run.v[0].copy()
    print(f"{name}: {worst:.1e}, {pushes} pushes")
    assert pushes > 20 and worst < 1e-9


def test_a_mass_on_a_spring_settles_at_its_depth() -> None:
    numbers = {**SOFT, "stiffness": 1e4, "damping": 100.0}
    world = point_mass(law="penalty", law_numbers=numbers, dt=1e-4)
    run = Run.start(world, np.zeros(3), np.zeros(3))
    run.advance(10000)
    assert run.q[0, 2] == pytest.approx(-9.81 / 1e4, rel=1e-6)


def test_a_block_on_bristles_holds_or_slides() -> None:
    for tangent, slides in ((0.29, False), (0.35, True)):
        angle = float(np.arctan(tangent))
        world = box(
            law="penalty", law_numbers=SOFT, friction=0.3, ground_numbers=on_slope(angle), dt=2e-4
        )
        q, v = box_at_rest(angle)
        run = Run.start(world, q, v)
        run.advance(5000)
        settled = run.q[0, :3].copy()
        run.advance(5000)
        moved = float(np.linalg.norm(run.q[0, :3] - settled))
        print(f"slope {tangent}: {moved:.2e} m in a second")
        assert moved > 0.3 if slides else moved < 1e-9


@pytest.mark.parametrize("share", [0.98, 1.02])
@pytest.mark.parametrize(("stiffness", "damping"), [(1e4, 0.0), (1e4, 20.0), (1e3, 100.0)])
def test_the_stability_bound(stiffness: float, damping: float, share: float) -> None:
    """A mass of 1 kg on a spring and damper: K dt² + 2 D dt < 4 is sharp."""
    dt = share * (-damping + np.sqrt(damping**2 + 4.0 * stiffness)) / stiffness
    numbers = {**SOFT, "stiffness": stiffness, "damping": damping}
    world = point_mass(law="penalty", law_numbers=numbers, dt=float(dt), friction=0.0)
    # deep in the ground and without weight, the spring never lets go
    depth = 1.0
    run = Run.start(world, np.array([0.0, 0.0, -depth]), np.array([0.0, 0.0, -1e-3]))
    rest = np.array([[0.0, 0.0, 9.81 - stiffness * depth]])
    run.commands = rest[None]
    run.advance(400)
    moved = abs(run.v[0, 2]) if run.status[0, 0] == 0 else np.inf
    print(f"{share} of the bound: {moved:.1e} m/s")
    assert (moved > 1e-2) if share > 1.0 else (moved < 1e-2)


def test_options_that_change_nothing_are_not_ignored() -> None:
    """Facets, ahead and Hunt–Crossley change where a box goes."""
    q, v = box_at_rest(height=0.13)
    v[:] = [0.5, 0.3, -0.5, 1.0, 2.0, 0.5]
    choices: list[dict[str, Any]] = [
        {},
        {"law_numbers": {"ahead": 0.0}},
        {"law": "lemke"},
        {"law": "lemke", "law_numbers": {"facets": 4.0}},
        {"law": "lemke", "law_numbers": {"facets": 8.0}},
        {"law": "penalty", "law_numbers": SOFT},
        {"law": "penalty", "law_numbers": {**SOFT, "hunt_crossley": 1.0}},
        {"explicit": True},
    ]
    ends = []
    for options in choices:
        run = Run.start(box(8, **options), q, v)
        run.advance(150)
        ends.append(run.q[0, :3])
    apart = [np.abs(a - b).max() for k, a in enumerate(ends) for b in ends[:k]]
    print(f"least distance {min(apart):.1e} m")
    assert min(apart) > 1e-9
