"""The oracles of construction kits agree with golden numbers, conserve, and minimise.

Golden numbers are converged solutions of the experiments of P. Schröder, "The Virtual Erector
Set", MIT 1990, chapter 7, where its text leaves no choice; bars have 1 kg and 101/12 kg m².
"""

from __future__ import annotations

import car_loads
import crank_rocker
import numpy as np
import pytest
from bar_chains import Bars
from constraint_rates import distance, point_to_point
from free_bodies import Array, Bodies, World
from mass_metric import by_lsqr, by_singular_values, whitened
from scipy.integrate import solve_ivp
from tensegrity_oracle import Tensegrity, nudged, shape, stored, symmetric_rest

FOUR_BARS = {
    (0, False): (
        (-0.03356296, 0.05069963, -0.02918412, 0.00536516),
        (-0.32174333, 0.52994055, -0.27346994, 0.02731349),
        (0.57347613, 3.31307527, 0.58240403, -0.53205150),
    ),
    (0, True): (
        (0.0, 0.0210101503, -0.0244381513, 0.00449267024),
        (0.0, 0.23691695, -0.26258188, 0.03125153),
        (0.0, 1.25251193, -0.58649294, -0.52021124),
    ),
    (3, True): (
        (-0.03342349, 0.04994097, -0.02443815, 0.0),
        (-0.29414678, 0.47889023, -0.22265103, 0.0),
        (-0.10668120, 2.31753131, -0.22570741, 0.0),
    ),
}
"""By root and whether it is nailed: angular accelerations at the start, angles after 5 and 15 s."""

TURNED = [
    [-0.89805649, -0.12151512, -0.42276307],
    [0.28238156, -0.89616727, -0.34226435],
    [-0.33727613, -0.42675321, 0.83912246],
]


@pytest.mark.parametrize("root", [0, 1, 2])
def test_three_bars(root: int) -> None:
    bars, rates = Bars(3, root), np.array([0, 0, 0, 0, 0.1])
    if root == 2:
        rates[:2] = 0.0, 0.4  # the bar that turns is where places are counted from
    q, v = bars.run(np.zeros(5), rates, np.array([0.0, 1.0]))
    c, s = np.cos(q[1, 3]), np.sin(q[1, 3])
    local = np.array([[c, s], [-s, c]]) @ bars.velocities(q[1], v[1])[1]
    assert v[1, 3] == pytest.approx(3.192743e-4, abs=5e-11)
    assert local == pytest.approx([1.3266748e-2, 9.180747e-4], abs=1e-9)
    assert bars.energy(q[0], v[0]) == pytest.approx(0.12208333, abs=5e-9)
    assert bars.energy(q[1], v[1]) == pytest.approx(bars.energy(q[0], v[0]), rel=1e-12)


@pytest.mark.parametrize(("root", "nailed"), FOUR_BARS)
def test_four_bars(root: int, nailed: bool) -> None:
    bars, rest = Bars(4, root, nailed, (0.0, 1.0, 0.0, 0.0)), np.zeros(6)
    start, early, late = FOUR_BARS[root, nailed]
    assert bars.accelerations(rest[2:], rest[2:])[2:] == pytest.approx(start, abs=1e-8)
    q, _ = bars.run(rest, rest, np.array([5.0, 15.0]))
    assert q[:, 2:] == pytest.approx(np.array([early, late]), abs=1e-8)


def test_crank_and_rocker() -> None:
    angles, rates = crank_rocker.run(np.array([0.0, 0.25, 0.5, 1.0, 2.0]))
    start = crank_rocker.accelerations(angles[0], rates[0])
    assert start == pytest.approx([-4.21880112, 0.83255566, -0.91732153], abs=1e-8)
    golden = [0.89862546, 0.24115860, -1.79295103, -4.47082553]
    assert angles[1:, 0] == pytest.approx(golden, abs=1e-8)
    assert np.abs(crank_rocker.gap(angles[-1])).max() < 1e-10
    energies = [crank_rocker.energy(a, r) for a, r in zip(angles, rates, strict=True)]
    assert np.ptp(energies) < 1e-9


def test_car_at_rest() -> None:
    assert car_loads.loads() == pytest.approx((4298.764, 5511.236), abs=1e-3)
    front, rear, z, pitch = car_loads.balance(0.0)
    assert (front, rear) == pytest.approx(car_loads.loads(), abs=1e-6)
    assert pitch == pytest.approx(0.0069863, abs=1e-7)
    assert z + car_loads.FRONT * np.sin(pitch) == pytest.approx(-0.0859753, abs=1e-7)
    # a car that is high leans back and has more weight there
    assert car_loads.balance(0.6)[1] > rear + 5.0


def test_structure_of_five_sticks_at_rest() -> None:
    for stiffness, energy in ((20.0, 52.6856), (40.0, 105.371)):
        bodies, least = symmetric_rest(stiffness)
        found = shape(bodies)
        assert least == pytest.approx(energy, rel=1e-5)
        golden = (4.49053, 4.75662, 4.49053, 2.1360, 0.51652)
        names = ("top", "across", "bottom", "radius", "cosine")
        assert [found[name] for name in names] == pytest.approx(golden, abs=1e-5)
        rng = np.random.default_rng(0)
        near = [nudged(bodies, rng, 10.0 ** -rng.uniform(0.5, 4.0)) for _ in range(300)]
        assert min(stored(each, stiffness) for each in near) > least - 1e-9


def test_sticks_conserve_momentum_without_damping() -> None:
    sticks = Tensegrity(damping=0.0, smoothing=0.5)
    run = solve_ivp(sticks.world.slope, (0.0, 1.0), sticks.start(), rtol=1e-9, atol=1e-9)
    state = run.y[:, -1].reshape(5, 13)
    assert np.abs(state[:, 7:10].sum(axis=0)).max() < 1e-7
    bodies = Bodies.of(state)
    inertia = bodies.rotation @ (np.diag(sticks.world.inertia[0]) @ bodies.rotation.swapaxes(1, 2))
    turning = np.einsum("nij,nj->i", inertia, bodies.spin)
    turning += np.cross(bodies.center, bodies.velocity).sum(axis=0)
    assert np.abs(turning).max() < 1e-5
    assert np.abs(bodies.velocity).max() > 1.0


def test_a_body_without_torques() -> None:
    free = World(np.ones(1), np.array([[1.0, 2.0, 3.0]]), lambda t, b: (0 * b.spin, 0 * b.spin))
    start = np.zeros(13)
    start[6], start[10:] = 1.0, (0.3, 2.0, 0.1)
    run = solve_ivp(free.slope, (0.0, 5.0), start, "DOP853", rtol=1e-13, atol=1e-13)
    assert Bodies.of(run.y[:, -1]).rotation[0] == pytest.approx(np.array(TURNED), abs=1e-8)
    assert free.energy(run.y[:, -1]) == pytest.approx(free.energy(start), rel=1e-11)


def test_second_rates_of_constraints_are_those_of_differences() -> None:
    """Bodies in flight: linear and angular accelerations are known, gaps are differentiated."""
    rng = np.random.default_rng(1)
    inertia = rng.uniform(1.0, 2.0, (2, 3))
    free = World(np.ones(2), inertia, lambda t, b: (0 * b.spin, 0 * b.spin))
    at = (rng.normal(size=3), rng.normal(size=3))
    start = rng.normal(size=(2, 13))
    start[:, 3:7] /= np.linalg.norm(start[:, 3:7], axis=1, keepdims=True)
    bodies = Bodies.of(start)
    turning = free.slope(0.0, start.ravel()).reshape(2, 13)[:, 10:]
    turning = np.einsum("nij,nj->ni", bodies.rotation, turning)
    linear = np.zeros((2, 3))

    def gaps(t: float) -> tuple[Array, float]:
        moved = solve_ivp(free.slope, (0.0, t), start.ravel(), "DOP853", rtol=1e-13, atol=1e-13)
        there = Bodies.of(moved.y[:, -1])
        return (
            point_to_point(there, at, linear, turning)[0],
            distance(there, at, 1.0, linear, turning)[0],
        )

    step, weights = 5e-3, np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12.0
    found = [gaps(k * step) for k in (-2, -1, 0, 1, 2)]
    points, distances = (np.array([each[k] for each in found]) for k in range(2))
    by_points, by_distances = weights @ points / step**2, weights @ distances / step**2
    assert point_to_point(bodies, at, linear, turning)[1] == pytest.approx(by_points, abs=1e-6)
    assert distance(bodies, at, 1.0, linear, turning)[1] == pytest.approx(by_distances, abs=1e-6)


def test_least_squares_by_products_and_by_singular_values() -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(12, 5)) @ np.diag(10.0 ** np.linspace(0, -7, 5))
    rows = rows @ rng.normal(size=(5, 18))  # rank 5 of 12: redundant, and at odds with each other
    root = rng.normal(size=(18, 18))
    mass, wanted = root @ root.T + np.eye(18), rng.normal(size=12)
    exact, found = by_singular_values(rows, mass, wanted), by_lsqr(rows, mass, wanted)
    assert found == pytest.approx(exact, abs=1e-8 * np.abs(exact).max())
    white, lower = whitened(rows, mass)
    null = np.linalg.svd(white)[2][5:]
    # the null space itself is known to rounding times the condition, 1e8
    assert np.abs(null @ lower.T @ found).max() < 1e-8 * np.abs(found).max()
