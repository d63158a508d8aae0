"""Loose bodies that fly together: gaps close as the formula says, momentum stays, masses count."""

from __future__ import annotations

import numpy as np
import pytest
from free_bodies import Array
from mass_metric import by_singular_values
from rod_catenary import slopes

import tarsus as ts
from tarsus.scenes.toys import CHAIN_MASS as MASS
from tarsus.scenes.toys import LENGTH

TAU = 0.1


def pair(masses: tuple[float, float] = (1.0, 10.0)) -> ts.Model:
    """Return two free bodies, "a" and "b"."""
    builder = ts.Builder("pair", gravity=(0.0, 0.0, 0.0))
    for name, mass in zip("ab", masses, strict=True):
        builder.body(name, mass, inertia=mass * np.array([0.1, 0.2, 0.25]))
        builder.joint(name, "free", "world", name)
    return builder.build()


def momentum(run: ts.Trajectory) -> Array:
    return np.asarray(run.model.centroidal_momentum_matrix(run.q) @ run.v[..., None])[..., 0]


def closing(start: Array, rate: Array, t: Array) -> Array:
    """Return a critically damped gap at times (T, n)."""
    return (start + (rate + start / TAU) * t[:, None]) * np.exp(-t[:, None] / TAU)


@pytest.mark.parametrize("dt", [5e-3, 1e-3])
def test_points_of_two_bodies_come_together(dt: float) -> None:
    """(1 + t/τ) exp(−t/τ) of a metre, to rounding; the light body comes ten times as far."""
    model = pair()
    q0 = model.neutral()
    q0[7] = 1.0
    part = ts.constraint.PointToPoint("a", "b", time_constant=TAU, name="joint")
    run = ts.Simulation(model, dt=dt, forces=[part]).run(q0, duration=0.5)
    gap = run.q[:, 7:10] - run.q[:, :3]
    t = run.t[:, None]
    assert gap == pytest.approx([1.0, 0.0, 0.0] * (1 + t / TAU) * np.exp(-t / TAU), abs=1e-12)
    assert gap[-1, 0] == pytest.approx(0.0404277, abs=5e-8)
    assert np.abs(momentum(run)).max() < 1e-12
    assert run.q[-1, 0] / (1.0 - run.q[-1, 7]) == pytest.approx(10.0)


@pytest.mark.parametrize("seed", range(4))
def test_gaps_of_bodies_that_tumble_close_by_the_same_formula(seed: int) -> None:
    """Convective terms and all, in axes of the world, in which points meet."""
    rng = np.random.default_rng(seed)
    model, at = pair(), rng.normal(0.0, 0.4, (2, 3))
    q0, v0 = model.random_configuration(seed), rng.normal(size=12)
    part = ts.constraint.PointToPoint(("a", at[0]), ("b", at[1]), time_constant=TAU)
    errors = []
    for dt in (1e-3, 5e-4):
        run = ts.Simulation(model, dt=dt, forces=[part]).run(q0, v0, duration=0.5)
        poses = model.forward_kinematics(run.q)
        ends = [poses[:, k, :3, :3] @ at[k] + poses[:, k, :3, 3] for k in range(2)]
        gap = ends[1] - ends[0]
        velocities = [v0[6 * k : 6 * k + 3] + np.cross(v0[6 * k + 3 :][:3], at[k]) for k in (0, 1)]
        world = [poses[0, k, :3, :3] @ velocities[k] for k in (0, 1)]
        expected = closing(gap[0], world[1] - world[0], run.t)
        errors.append(float(np.abs(gap - expected).max() / np.abs(gap).max()))
        linear, angular = momentum(run)[:, :3], momentum(run)[:, 3:]
        assert np.ptp(linear, axis=0).max() < 1e-11
    print(f"gaps off by {errors}, angular momentum by {np.ptp(angular, axis=0).max():.1e}")
    assert errors[0] < 2e-2
    assert errors[1] < 0.6 * errors[0]


@pytest.mark.parametrize("seed", range(4))
def test_distances_close_by_the_same_formula(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model, at = pair(), rng.normal(0.0, 0.4, (2, 3))
    q0, v0 = model.random_configuration(seed), rng.normal(size=12)
    part = ts.constraint.Distance(("a", at[0]), ("b", at[1]), 2.0, time_constant=TAU)
    errors = []
    for dt in (1e-3, 5e-4):
        run = ts.Simulation(model, dt=dt, forces=[part]).run(q0, v0, duration=0.5)
        poses = model.forward_kinematics(run.q)
        ends = [poses[:, k, :3, :3] @ at[k] + poses[:, k, :3, 3] for k in range(2)]
        gap = np.linalg.norm(ends[1] - ends[0], axis=1)[:, None] - 2.0
        velocities = [v0[6 * k : 6 * k + 3] + np.cross(v0[6 * k + 3 :][:3], at[k]) for k in (0, 1)]
        world = [poses[0, k, :3, :3] @ velocities[k] for k in (0, 1)]
        line = (ends[1] - ends[0])[0] / (gap[0] + 2.0)
        expected = closing(gap[0], np.array([line @ (world[1] - world[0])]), run.t)
        errors.append(float(np.abs(gap - expected).max() / np.abs(gap).max()))
    print(f"distances off by {errors}")
    assert errors[0] < 2e-2
    assert errors[1] < 0.6 * errors[0]


@pytest.mark.parametrize("seed", range(6))
def test_redundant_and_contradictory_constraints_are_least_squares(seed: int) -> None:
    """Six nails and rods on two bodies: velocities as by singular values in the mass metric."""
    rng = np.random.default_rng(seed)
    model, dt = pair(), 1e-6
    q0, v0 = model.random_configuration(seed), rng.normal(size=12)
    places = [("a", rng.normal(size=3)), ("a", rng.normal(size=3)), ("b", rng.normal(size=3))]
    places.append(places[0])
    gaps = rng.normal(0.0, 0.1, (4, 3))
    poses = model.forward_kinematics(q0)
    nails = []
    for (body, at), gap in zip(places, gaps, strict=True):
        pose = poses[model.body(body).index]
        target = pose[:3, :3] @ at + pose[:3, 3] - gap
        nails.append(ts.constraint.Nail((body, at), target, time_constant=TAU))
    run = ts.Simulation(model, dt=dt, forces=nails).run(q0, v0, duration=2 * dt)
    rows = []
    for body, at in places:
        pose = poses[model.body(body).index]
        jacobian = model.frame_jacobian(q0, body, reference="local_world_aligned")
        arm = pose[:3, :3] @ at
        cross = np.cross(jacobian[3:].T, arm).T
        rows.append(jacobian[:3] + cross)
    rows = np.concatenate(rows)
    # nothing but the constraints, C̈ + 2 Ċ/τ + C/τ² = 0, and what bodies do by themselves
    free = model.forward_dynamics(q0, v0, np.zeros(12))
    ahead, behind = (model.integrate(q0, s * 1e-6 * v0) for s in (1, -1))
    convective = np.concatenate(
        [
            (_point_velocity(model, ahead, v0, place) - _point_velocity(model, behind, v0, place))
            / 2e-6
            for place in places
        ]
    )
    wanted = -2 / TAU * rows @ v0 - gaps.ravel() / TAU**2 - convective - rows @ free
    exact = free + by_singular_values(rows, model.mass_matrix(q0), wanted)
    found = (run.v[2] - run.v[1]) / dt
    print(f"off by {np.abs(found - exact).max() / np.abs(exact).max():.1e}")
    assert found == pytest.approx(exact, abs=2e-4 * np.abs(exact).max())


def _point_velocity(model: ts.Model, q: Array, v: Array, place: tuple[str, Array]) -> Array:
    body, at = place
    pose = model.forward_kinematics(q)[model.body(body).index]
    moving = model.frame_velocity(q, v, body, reference="local_world_aligned")
    return np.asarray(moving[:3] + np.cross(moving[3:], pose[:3, :3] @ at))


def test_a_chain_hangs_between_poles_as_rods_do() -> None:
    scene = ts.scenes.hanging_chain()
    run = scene.run(duration=20.0, every=50)
    angles, pull = slopes(20, LENGTH, MASS * 9.81, 4.0)
    pole = run.parts["pole"]
    print(f"links off by {np.abs(np.cumsum(run.q[-1]) + angles).max():.1e} rad, {pole.force[-1]}")
    assert -np.cumsum(run.q[-1]) == pytest.approx(angles, abs=1e-3)
    assert pole.force[-1] == pytest.approx([pull, 0.0, 20 * MASS * 9.81 / 2], rel=2e-3)
    assert np.abs(pole.gap[-1]).max() < 1e-9
    assert np.abs(run.energy.relative_residual).max() < 1e-3


def test_the_end_of_the_chain_comes_to_its_pole_by_the_time_constant() -> None:
    scene = ts.scenes.hanging_chain()
    run = scene.run(duration=3.0)
    away = np.linalg.norm(run.model.frame_pose(run.q, "end")[:, :3, 3] - [4.0, 0.0, 0.0], axis=1)
    t = run.t / 0.4
    assert away / away[0] == pytest.approx((1 + t) * np.exp(-t), abs=1e-4)
    with pytest.raises(ValueError, match=r"span is 6.0, must be positive and less than 5.0 m"):
        ts.scenes.hanging_chain(span=6.0)
