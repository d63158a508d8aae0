"""A planar four-bar: ten minutes without friction, redundant rows, branches."""

from __future__ import annotations

import numpy as np
import pytest
from cluster_cases import METHODS, distance
from four_bars import COUPLER, CRANK, GROUND, ROCKER, four_bar, gap
from oracle import Array, slope
from projection import Projection

import tarsus as ts

KINDS = ("point_on_line", "spherical", "universal", "cylindrical", "revolute")
"""Loop joints that close a planar four-bar, with one row to spare or more but for the first."""


def angles(model: ts.Model, crank: float, branch: float = 1.0) -> Array:
    """Return q of the closed four-bar by the law of cosines, rocker above or below."""
    tip = CRANK * np.array([np.cos(crank), np.sin(crank)])
    across = np.array([GROUND, 0.0]) - tip
    far = np.linalg.norm(across)
    inner = np.arccos((COUPLER**2 + far**2 - ROCKER**2) / (2.0 * COUPLER * far))
    coupler = np.arctan2(across[1], across[0]) + branch * inner
    end = tip + COUPLER * np.array([np.cos(coupler), np.sin(coupler)]) - [GROUND, 0.0]
    values = {"drive": crank, "knuckle": coupler - crank, "swing": np.arctan2(end[1], end[0])}
    q = np.zeros(3)
    for name, value in values.items():
        q[model.joint(name).q_slice] = value
    return q


def swing(
    model: ts.Model, q: Array, v: Array, duration: float, dt: float
) -> tuple[Array, Array, float]:
    """Return the state after a free motion, and the largest gap on the way (Runge–Kutta)."""
    rates, still = np.zeros((3, 1)), np.zeros(1)
    crank = model.joint("drive").q_slice
    largest, forward = 0.0, model.forward_dynamics
    for step in range(round(duration / dt)):
        # the other joints of a stage start from the step's; they are closed within the call
        stage = q.copy()
        k1 = forward(q, v, still)
        rates[0] = v + 0.5 * dt * k1
        stage[crank] = q[crank] + 0.5 * dt * v
        k2 = forward(stage, rates[0], still)
        rates[1] = v + 0.5 * dt * k2
        stage[crank] = q[crank] + 0.5 * dt * rates[0]
        k3 = forward(stage, rates[1], still)
        rates[2] = v + dt * k3
        stage[crank] = q[crank] + dt * rates[1]
        k4 = forward(stage, rates[2], still)
        q = model.integrate(q, dt / 6.0 * (v + 2.0 * rates[0] + 2.0 * rates[1] + rates[2]))
        v = v + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        if step % 1000 == 0:
            largest = max(largest, float(np.abs(model.loop_gaps(q)).max()), gap(model, q))
    return q, v, largest


def energy(model: ts.Model, q: Array, v: Array) -> float:
    return float(model.kinetic_energy(q, v) + model.potential_energy(q))


def test_ten_minutes_without_friction() -> None:
    """The gap stays closed; energy drifts as much in each ten seconds as in the first."""
    model = four_bar("point_on_line")
    q, v = angles(model, 0.5), np.array([8.0])
    before = energy(model, q, v)
    early = abs(energy(model, *swing(model, q, v, 10.0, 5e-3)[:2]) - before)
    q, v, largest = swing(model, q, v, 600.0, 5e-3)
    lost = abs(energy(model, q, v) - before)
    turns = q[model.joint("drive").q_slice][0] / (2.0 * np.pi)
    print(f"{turns:.0f} turns, gap {largest:.1e} m, energy {lost:.1e} J ({early:.1e} J in 10 s)")
    assert abs(turns) > 100.0
    assert largest < 1e-10
    assert lost < 1.5 * 60.0 * early


def test_energy_falls_as_the_integrator_says() -> None:
    """Halving the step divides the drift by 2⁴ or more."""
    model = four_bar("point_on_line")
    q, v = angles(model, 0.5), np.array([8.0])
    before = energy(model, q, v)
    drifts = []
    for dt in (2e-2, 1e-2, 5e-3):
        end = swing(model, q, v, 10.0, dt)[:2]
        drifts.append(abs(energy(model, *end) - before))
    print("drifts", drifts)
    assert drifts[0] > 12.0 * drifts[1] > 144.0 * drifts[2]


@pytest.mark.parametrize("kind", KINDS)
def test_redundant_rows_change_nothing(kind: str) -> None:
    reference, model = four_bar("point_on_line"), four_bar(kind)
    assert model.nv == 1 and model.nq == 3
    own = Projection.of(model)
    for crank in (0.5, 2.0, -1.3):
        q, v, tau = angles(model, crank), np.array([3.0]), np.array([0.7])
        assert np.abs(model.loop_gaps(q)).max() < 1e-14
        expected = reference.forward_dynamics(angles(reference, crank), v, tau)
        by_oracle = own.forward_dynamics(model.joint_positions(q), v, tau)
        for method in METHODS:
            found = model.forward_dynamics(q, v, tau, method=method)
            assert max(distance(found, expected), distance(found, by_oracle)) < 1e-11
        assert distance(model.inverse_dynamics(q, v, expected), tau) < 1e-11


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_free_body_askew(kind: str) -> None:
    """In space the plane of the four-bar is any plane; redundant rows stay redundant."""
    model, rng = four_bar(kind, on_a_body=True, constraint=False), np.random.default_rng(0)
    own = Projection.of(model)
    q = model.integrate(model.neutral(), 0.3 * rng.normal(size=model.nv))
    v, tau = rng.normal(size=(2, model.nv))
    expected = own.forward_dynamics(model.joint_positions(q), v, tau)
    residual = distance(model.forward_dynamics(q, v, tau), expected)
    print(f"{kind}: {residual:.1e}")
    assert model.nv == 7 and residual < 1e-10


@pytest.mark.parametrize("branch", [1.0, -1.0])
def test_both_branches_are_followed_by_continuity(branch: float) -> None:
    model = four_bar("revolute")
    q = angles(model, 0.5, branch)
    for _ in range(130):
        q = model.integrate(q, [0.1])
        crank = float(q[model.joint("drive").q_slice][0])
        expected = angles(model, crank, branch)
        turns = np.round((q - expected) / (2.0 * np.pi)) * 2.0 * np.pi
        assert distance(q, expected + turns) < 1e-10


def test_the_coupling_matrix_is_the_slope_of_the_closed_form() -> None:
    model = four_bar("revolute")
    for crank in (0.5, 2.0, -1.3):
        q, sloped = angles(model, crank), slope(lambda s, c=crank: angles(model, c + s))
        assert distance(model.coupling_matrix(q)[:, 0], sloped) < 1e-10
        bend = slope(lambda s, c=crank: model.coupling_matrix(angles(model, c + s))[:, 0])
        assert distance(model.joint_accelerations(q, [1.7], [0.0]), bend * 1.7**2) < 1e-8
