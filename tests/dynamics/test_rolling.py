"""Skates, wheels, discs, balls and differential bases against closed forms, and a long roll."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tarsus as ts

Array = np.ndarray[Any, Any]
MASS, RADIUS, G = 2.0, 0.3, 9.81


def one_body(
    kind: str,
    inertia: tuple[float, float, float],
    *,
    com: tuple[float, float, float] = (0.0, 0.0, 0.0),
    **joint: Any,
) -> ts.Model:
    """A body on a joint of this kind in the world."""
    builder = ts.Builder(kind, gravity=(0, 0, -G)).body("body", MASS, com, inertia)
    return builder.joint("joint", kind, "world", "body", **joint).build()


def disc() -> ts.Model:
    """A thin homogeneous disc."""
    diameter = MASS * RADIUS**2 / 4
    return one_body("rolling_disc", (diameter, 2 * diameter, diameter), radius=RADIUS)


def roll(model: ts.Model, q: Array, v: Array, step: float, count: int) -> tuple[Array, Array]:
    """Return the states (count + 1, …) of a motion without joint forces (Runge–Kutta, order 4)."""
    idle = np.zeros(model.nv)

    def rates(x: Array) -> Array:
        q, v = x[: model.nq], x[model.nq :]
        return np.concatenate([model.configuration_rate(q, v), model.forward_dynamics(q, v, idle)])

    states = [np.concatenate([q, v])]
    for _ in range(count):
        x = states[-1]
        k1 = rates(x)
        k2 = rates(x + 0.5 * step * k1)
        k3 = rates(x + 0.5 * step * k2)
        k4 = rates(x + step * k3)
        states.append(x + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))
    path = np.array(states)
    return path[:, : model.nq], path[:, model.nq :]


def touching(model: ts.Model, q: Array) -> Array:
    """Return the contact points (…, 3) by geometry: from the centre straight down the body."""
    poses = model.frame_pose(q, "body")
    down = np.broadcast_to([0.0, 0.0, -1.0], poses[..., :3, 3].shape)
    if model.joint("joint").kind != "rolling_ball":
        axle = poses[..., :3, 1]  # a disc touches with the lowest point of its rim
        down = down - axle * (axle * down).sum(-1, keepdims=True)
        down = down / np.linalg.norm(down, axis=-1, keepdims=True)
    return np.asarray(poses[..., :3, 3] + RADIUS * down)


def slip(model: ts.Model, q: Array, v: Array) -> Array:
    """Return the velocities (…, 3) of the points of the body that touch the plane."""
    velocity = model.frame_velocity(q, v, "body", "local_world_aligned")
    arm = touching(model, q) - model.frame_pose(q, "body")[..., :3, 3]
    return np.asarray(velocity[..., :3] + np.cross(velocity[..., 3:], arm))


@pytest.mark.parametrize("kind", ["rolling_wheel", "rolling_disc", "rolling_ball"])
def test_contact_points_are_in_the_plane_and_at_rest(kind: str) -> None:
    model = one_body(kind, (0.1, 0.2, 0.15), radius=RADIUS)
    rng = np.random.default_rng(0)
    q, v = model.random_configuration(rng, 100), rng.normal(size=(100, model.nv))
    apart = np.abs(touching(model, q) - q[:, :2] @ np.eye(2, 3)).max()
    slipping = np.abs(slip(model, q, v)).max()
    print(f"{kind}: contact point {apart:.1e} m, its velocity {slipping:.1e} m/s")
    assert apart < 1e-14 and slipping < 1e-14
    assert np.abs(model.frame_velocity(q, v, "body")).max() > 1.0


def test_a_disc_rolls_for_a_minute() -> None:
    """The contact point rests, and the energy drifts by the order of the integrator."""
    model, q0, v0 = disc(), np.array([0, 0, 0, 0.4, 0]), np.array([0.5, 0.2, 7.0])
    drifts, minute = [], 60.0
    for step in (0.008, 0.004):
        q, v = roll(model, q0, v0, step, round(minute / step))
        energy = model.kinetic_energy(q, v) + model.potential_energy(q)
        drifts.append(float(np.abs(energy - energy[0]).max() / energy[0]))
        slipping = float(np.abs(slip(model, q, v)).max())
        apart = np.abs(touching(model, q) - q[:, :2] @ np.eye(2, 3)).max()
        lean, way = np.ptp(q[:, 3]), np.abs(q[:, 4] - q0[4]).max() * RADIUS
        print(f"step {step}: drift {drifts[-1]:.1e}, slip {slipping:.1e} m/s, apart {apart:.1e} m")
        print(f"  leans through {lean:.2f} rad, rolls {way:.0f} m")
        assert lean > 0.1 and way > 50.0
        assert slipping < 1e-13 and apart < 1e-12
    assert drifts[1] < 1e-6
    assert np.log2(drifts[0] / drifts[1]) > 3.5  # fourth order or better


@pytest.mark.parametrize("lean", [-0.9, -0.2, 0.3, 1.2])
def test_steady_circles_of_a_disc(lean: float) -> None:
    """A Ω² sin cos − (C + m r²) Ω ω cos = m g r sin, ω the spin about the axle in space."""
    model, turn = disc(), 1.7
    diameter, axle, _ = np.diag(model.body("body").inertia)
    s, c = np.sin(lean), np.cos(lean)
    spin_in_space = (diameter * turn**2 * c - MASS * G * RADIUS) * s
    spin_in_space /= (axle + MASS * RADIUS**2) * turn * c
    v = np.array([turn, 0.0, spin_in_space - turn * s])
    q = np.array([0.4, -0.3, 0.7, lean, 0.2])
    a = model.forward_dynamics(q, v, np.zeros(3))
    print(f"lean {lean}: accelerations {np.abs(a).max():.1e}")
    assert np.abs(a).max() < 1e-12

    # once around: back at the same place
    count = 2000
    path, _ = roll(model, q, v, 2 * np.pi / turn / count, count)
    centre = q[:2] + RADIUS * v[2] / turn * np.array([-np.sin(q[2]), np.cos(q[2])])
    circle = np.abs(np.linalg.norm(path[:, :2] - centre, axis=1) - abs(RADIUS * v[2] / turn)).max()
    print(f"circle {circle:.1e} m, closed within {np.abs(path[-1] - q)[:2].max():.1e} m")
    assert circle < 1e-9 and np.abs(path[-1] - q)[:2].max() < 1e-9


def test_a_skate_on_an_incline_draws_a_cycloid() -> None:
    """It does not slide down on average (Bloch, Nonholonomic Mechanics and Control, 2003)."""
    slope, turn = 0.4, 1.3
    model = one_body("knife_edge", (0.1, 0.1, 0.2), rotation=(0, slope, 0))
    q, v = roll(model, np.zeros(3), np.array([0.0, turn]), 1e-3, 10000)
    angle = turn * 1e-3 * np.arange(len(q))
    size = G * np.sin(slope) / (2 * turn**2)
    expected = np.stack([size * np.sin(angle) ** 2, size * (angle - np.sin(2 * angle) / 2), angle])
    error = np.abs(q - expected.T).max()
    print(f"cycloid: {error:.1e} m over {angle[-1]:.0f} rad")
    assert error < 1e-9
    np.testing.assert_allclose(v[:, 0], 2 * turn * size * np.sin(angle), atol=1e-10)


def test_the_chaplygin_sleigh_straightens_out() -> None:
    """With the centre of mass ahead by a: u̇ = a ω², and u² + k² ω² is kept (Bloch 2003)."""
    ahead, moment = 0.25, 0.2
    model = one_body("knife_edge", (0.1, 0.1, moment), com=(ahead, 0.0, 0.1))
    start, step, count = np.array([-0.8, 1.5]), 1e-3, 8000
    _, v = roll(model, np.zeros(3), start, step, count)
    square = (moment + MASS * ahead**2) / MASS
    speed = np.sqrt(start[0] ** 2 + square * start[1] ** 2)
    time = step * np.arange(count + 1)
    forward = speed * np.tanh(ahead * speed / square * time + np.arctanh(start[0] / speed))
    error = np.abs(v[:, 0] - forward).max()
    print(f"sleigh: {error:.1e} m/s, from {v[0, 0]:.2f} to {v[-1, 0]:.2f} m/s")
    assert error < 1e-10 and abs(v[-1, 1]) < 1e-3


def ball(**joint: Any) -> ts.Model:
    """A homogeneous ball."""
    moment = 0.4 * MASS * RADIUS**2
    return one_body("rolling_ball", (moment, moment, moment), radius=RADIUS, **joint)


def test_a_ball_rolls_down_an_incline() -> None:
    slope = 0.35
    model = ball(rotation=(0, slope, 0))
    rng = np.random.default_rng(1)
    q = model.random_configuration(rng)
    v = rng.normal(size=3)
    a = model.forward_dynamics(q, v, np.zeros(3))
    found = model.frame_acceleration(q, v, a, "body", "local_world_aligned")[:3]
    downhill = np.array([np.cos(slope), 0.0, -np.sin(slope)])
    np.testing.assert_allclose(found, 5 / 7 * G * np.sin(slope) * downhill, atol=1e-12)


def test_a_ball_on_a_turntable_runs_in_circles() -> None:
    """v̇ = 2/7 Ω × v in space, wherever the ball is (Weltner, Am. J. Phys. 47, 1979)."""
    moment = 0.4 * MASS * RADIUS**2
    builder = ts.Builder("turntable").body("table", 1.0, inertia=(1, 1, 1))
    builder.body("ball", MASS, inertia=(moment, moment, moment))
    builder.joint("axle", "revolute", "world", "table")
    builder.joint("contact", "rolling_ball", "table", "ball", radius=RADIUS)
    model = builder.build()
    rng = np.random.default_rng(2)
    for q in model.random_configuration(rng, 20):
        v = rng.normal(size=4)
        # the motor of the table keeps its speed
        h, bias = model.mass_matrix(q), model.bias_forces(q, v)
        a = np.concatenate([[0.0], np.linalg.solve(h[1:, 1:], -bias[1:])])
        velocity = model.frame_velocity(q, v, "ball", "local_world_aligned")[:3]
        found = model.frame_acceleration(q, v, a, "ball", "local_world_aligned")[:3]
        expected = 2 / 7 * v[0] * np.cross([0.0, 0.0, 1.0], velocity)
        np.testing.assert_allclose(found, expected, atol=1e-13)


def test_an_upright_wheel_keeps_turning_and_spinning() -> None:
    model = one_body("rolling_wheel", (0.05, 0.09, 0.05), radius=RADIUS)
    rng = np.random.default_rng(3)
    q, v = model.random_configuration(rng, 10), rng.normal(size=(10, 2))
    expected = np.diag([0.05, 0.09 + MASS * RADIUS**2])
    np.testing.assert_allclose(
        model.mass_matrix(q), np.broadcast_to(expected, (10, 2, 2)), atol=1e-15
    )
    np.testing.assert_allclose(model.forward_dynamics(q, v, np.zeros(2)), 0.0, atol=1e-14)


def test_a_differential_base() -> None:
    track, moment, wheel = 0.5, 0.7, 0.01
    model = one_body(
        "differential_base", (1, 1, moment), radius=RADIUS, track=track, armature=wheel
    )
    q, v = np.array([1.0, 2.0, 0.3, 0.1, 0.2]), np.array([2.0, 3.0])
    common, opposed = MASS * RADIUS**2 / 4, moment * RADIUS**2 / track**2
    straight = np.array([[1, 1], [1, 1]]) * common
    turning = np.array([[1, -1], [-1, 1]]) * opposed
    expected = straight + turning + wheel * np.eye(2)
    np.testing.assert_allclose(model.mass_matrix(q), expected, atol=1e-15)
    velocity = model.frame_velocity(q, v, "body")
    np.testing.assert_allclose(velocity, [0.75, 0, 0, 0, 0, 0.6], atol=1e-15)
    # a full circle about the point where the axle meets itself
    period = 2 * np.pi / 0.6
    around = model.integrate(q, v * period)
    np.testing.assert_allclose(around - q, [0, 0, 2 * np.pi, *(v * period)], atol=1e-14)
    half = model.integrate(q, v * period / 2)
    expected = q[:2] + 2 * 0.75 / 0.6 * np.array([-np.sin(0.3), np.cos(0.3)])
    np.testing.assert_allclose(half[:2], expected, atol=1e-14)


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        ("rolling_disc", {}, "radius"),
        ("rolling_ball", {"radius": -0.1}, "radius"),
        ("differential_base", {"radius": 0.1}, "track"),
        ("knife_edge", {"radius": 0.1}, "radius"),
        ("rolling_wheel", {"radius": 0.1, "track": 0.2}, "track"),
        ("knife_edge", {"stiffness": 1.0}, "stiffness"),
        ("rolling_ball", {"radius": 0.1, "stiffness": 1.0}, "stiffness"),
    ],
)
def test_sizes_and_springs_are_checked(kind: str, arguments: Any, message: str) -> None:
    with pytest.raises(ts.ModelError, match=f"joint 'joint'.*{message}"):
        one_body(kind, (1, 1, 1), **arguments)


def test_a_ball_needs_a_quaternion() -> None:
    model = ball()
    with pytest.raises(ValueError, match="elements 2 to 5 are zero"):
        model.forward_kinematics(np.zeros(6))
    assert model.neutral().tolist() == [0, 0, 0, 0, 0, 1]
