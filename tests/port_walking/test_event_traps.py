"""What is easily missed: short flights, grazes, bodies that meet, grounds that are not flat.

What a run must never do is to pass through the ground and say nothing.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import tarsus as ts
from tarsus import SimulationError
from tarsus.geometry import HeightField, Profile, Terrain

X = np.linspace(-5.0, 5.0, 41)
FIELD = 0.05 * np.sin(2 * X)[:, None] * np.cos(2 * X)
GROUNDS = {
    "plane": lambda e: ts.Ground(friction=0.5, restitution=e),
    "slope": lambda e: ts.Ground(slope=0.2, friction=0.5, restitution=e),
    "profile": lambda e: Profile(
        np.stack([X, 0.1 * np.sin(3 * X)], axis=1), friction=0.5, restitution=e
    ),
    "field": lambda e: HeightField(FIELD, spacing=0.25, origin=(-5.0, -5.0), restitution=e),
}
RADIUS = 0.1


def ball() -> ts.Model:
    builder = ts.Builder("ball").body("ball", 1.0, inertia=np.full(3, 0.4 * RADIUS**2))
    builder.joint("flight", "free", "world", "ball")
    return builder.shape("ball", "sphere", (RADIUS,), role="collision").build()


def depth(run: ts.Trajectory, ground: Terrain) -> float:
    """Return how deep the ball is in the ground, by its distance to points of the surface [m]."""
    deepest = 0.0
    near = np.linspace(-RADIUS, RADIUS, 41)
    for x, y, z in run.q[:, :3]:
        places = np.stack(np.meshgrid(x + near, y + near, indexing="ij"), axis=-1).reshape(-1, 2)
        heights = np.asarray(ground.height(places[:, 0], places[:, 1]))
        away = np.linalg.norm(np.column_stack([places, heights]) - [x, y, z], axis=1).min()
        above = z - float(ground.height(x, y))
        deepest = max(deepest, RADIUS - (away if above > 0.0 else -away))
    return deepest


@pytest.mark.parametrize("restitution", [0.0, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("name", GROUNDS)
def test_a_ball_that_is_thrown_stays_above_the_ground(name: str, restitution: float) -> None:
    model, ground = ball(), GROUNDS[name](restitution)
    q0, v0 = model.neutral(), np.zeros(6)
    q0[2], v0[0] = 0.5, 1.0
    simulation = ts.Simulation(model, ground=ground, contact="event", dt=0.01)
    facets = name in ("profile", "field")
    try:
        with warnings.catch_warnings(record=facets) as warned:
            if facets:
                warnings.simplefilter("always")
            run = simulation.run(q0, v0, duration=1.5)
        # at edges between facets changes may be merged: that is told, and happens nowhere else
        assert bool(warned) == bool(run.integration.merged)
    except SimulationError as error:
        # at edges between facets normals jump: where that has no end it is told
        told = "without end" in str(error) or "unseen" in str(error)
        assert facets and told and error.trajectory is not None
        run = error.trajectory
    found = depth(run, ground)
    print(f"{name}, e = {restitution}: {run.events}, {found:.1e} m deep")
    assert found < 1e-6
    # what rolls over an edge between facets turns at once, which no force of the ledger does
    assert float(np.abs(run.energy.relative_residual).max()) < (1e-3 if facets else 1e-8)


def grazing(below: float) -> ts.Trajectory:
    """Return a pendulum whose bob would pass so far below the ground."""
    builder = ts.Builder("pendulum").body("bob", 1.0, (0.0, 0.0, -1.0))
    at = (0.0, 0.0, 1.0 + RADIUS - below)
    builder.joint("pivot", "revolute", "world", "bob", axis="y", position=at)
    builder.shape("bob", "sphere", (RADIUS,), role="collision", position=(0.0, 0.0, -1.0))
    simulation = ts.Simulation(builder.build(), ground=ts.Ground(), contact="event", dt=0.01)
    return simulation.run([1.0], [0.0], duration=1.0)


@pytest.mark.parametrize("below", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8])
def test_a_bob_that_grazes_the_ground_strikes_it(below: float) -> None:
    """It strikes where its height is zero, at an angle of √(2 below), and is stopped there."""
    run = grazing(below)
    (strike,) = run.events.of("impact")
    expected = np.arccos(1.0 - below)
    print(f"{below}: at {run.q[-1, 0]:.3e} rad, expected {expected:.3e}")
    assert strike.lost > 0.0
    assert run.q[-1, 0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("above", [0.0, 1e-12, 1e-8, 1e-4])
def test_a_bob_that_does_not_touch_goes_on(above: float) -> None:
    run = grazing(-above)
    assert not len(run.events.of("impact")) or above == 0.0


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_balls_that_meet(restitution: float) -> None:
    """One and two kilograms, head on: momentum is kept, and a share of the speed."""
    builder = ts.Builder("balls", gravity=(0.0, 0.0, 0.0))
    for k in range(2):
        builder.body(f"ball_{k}", 1.0 + k, inertia=np.full(3, 0.4 * RADIUS**2))
        builder.joint(f"flight_{k}", "free", "world", f"ball_{k}")
        builder.shape(f"ball_{k}", "sphere", (RADIUS,), role="collision")
    model = builder.build()
    q0, v0 = model.neutral(), np.zeros(12)
    q0[[0, 7]], v0[[0, 6]] = (-0.5, 0.5), (1.0, -1.0)
    q0[[2, 9]] = 1.0
    ground = ts.Ground(restitution=restitution)
    run = ts.Simulation(model, ground=ground, contact="event", dt=0.01).run(q0, v0, duration=1.0)
    (strike,) = run.events.of("impact")
    assert strike.t == pytest.approx(0.4, abs=1e-12)
    assert {strike.body, strike.other} == {"ball_0", "ball_1"}
    # u = 2 m/s, reduced mass 2/3 kg
    np.testing.assert_allclose(np.abs(strike.impulse), [4 / 3 * (1 + restitution), 0, 0], atol=1e-9)
    assert strike.lost == pytest.approx(4 / 3 * (1 - restitution**2), abs=1e-9)
    middle = -1.0 / 3.0
    expected = [middle - restitution * 4 / 3, middle + restitution * 2 / 3]
    np.testing.assert_allclose(run.v[-1, [0, 6]], expected, atol=1e-9)
