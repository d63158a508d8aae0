"""Steps, their rates and relative motions on SO(3), SE(2) and SE(3), beside matrix exponentials."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import Array
from rotations import twist_matrix
from scipy.linalg import expm

from tarsus._lib.differences import derivative
from tarsus.spatial import (
    STRUCTURE,
    TURN,
    bracket_matrix,
    pose_step,
    relative_motion,
    step_rate_matrix,
    step_rate_matrix_rate,
)


def pose(kind: str, x: Array) -> Array:
    """Return the exponential of a step as a homogeneous matrix."""
    if kind == "spherical":
        return expm(twist_matrix(np.zeros(3), x))
    if kind == "planar":
        return expm(twist_matrix(np.array([x[0], x[1], 0.0]), np.array([0.0, 0.0, x[2]])))
    return expm(twist_matrix(x[:3], x[3:]))


def coordinates(kind: str, twist: Array) -> Array:
    """Return the velocity of a kind of joint from a twist (4, 4)."""
    angular = np.array([twist[2, 1], twist[0, 2], twist[1, 0]])
    both = np.concatenate([twist[:3, 3], angular])
    return both[{"spherical": [3, 4, 5], "planar": [0, 1, 5], "free": list(range(6))}[kind]]


def step_between(kind: str, a: Array, b: Array) -> Array:
    return coordinates(kind, _twist_of(pose_step(a, b)))


def _twist_of(x: Array) -> Array:
    return twist_matrix(x[:3], x[3:])


@pytest.mark.parametrize("turn", [0.0, 1e-9, 1e-3, 1.0, 3.0, 3.141])
def test_pose_step_is_the_logarithm(turn: float) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=6)
    x[3:] *= turn / np.linalg.norm(x[3:])
    start = pose("free", rng.normal(size=6))
    found = pose_step(start, start @ pose("free", x))
    print(f"turn {turn}: {np.abs(found - x).max():.1e}")
    np.testing.assert_allclose(found, x, atol=1e-11)


@pytest.mark.parametrize("kind", TURN)
@pytest.mark.parametrize("size", [0.0, 1e-6, 0.3, 1.0])
def test_rates_of_steps_and_relative_motion(kind: str, size: float) -> None:
    rng = np.random.default_rng(2)
    n = len(STRUCTURE[kind])
    e = rng.normal(size=n)
    e *= size * 3.0 / np.linalg.norm(e)
    v, v_d, a, a_d = rng.normal(size=(4, n))
    start = pose(kind, rng.normal(size=n))

    # body and target on curves with velocities v + a t, to second order in t (Magnus)
    def moving(origin: Array, v: Array, a: Array, t: float) -> Array:
        turning = (bracket_matrix(kind, v) @ a) * t**3 / 12.0
        return origin @ pose(kind, v * t + a * t**2 / 2.0 + turning)

    def step_at(t: float) -> Array:
        return step_between(
            kind, moving(start, v_d, a_d, t), moving(start @ pose(kind, e), v, a, t)
        )

    found = relative_motion(kind, e, v, v_d, a_d)
    rate = found.step_rate @ found.velocity
    assert np.abs(step_at(0.0) - e).max() < 1e-12
    expected = derivative(lambda t: step_at(float(t)))
    print(f"{kind}, {size}: rate of the step {np.abs(rate - expected).max():.1e}")
    np.testing.assert_allclose(rate, expected, atol=1e-9)

    def seen(t: float) -> Array:
        there = relative_motion(kind, step_at(t), v + a * t, v_d + a_d * t, a_d)
        return np.stack([there.target_velocity, there.step_rate @ there.velocity])

    target_rate, second = derivative(lambda t: seen(float(t)))
    np.testing.assert_allclose(found.target_acceleration, target_rate, atol=1e-8)

    # the second rate of the step, ë = D ẇ + Ḋ w
    change = step_rate_matrix_rate(kind, e, rate)
    own = found.step_rate @ (a - found.target_acceleration) + change @ found.velocity
    print(f"{kind}, {size}: second rate {np.abs(own - second).max():.1e}")
    np.testing.assert_allclose(own, second, atol=1e-7)


@pytest.mark.parametrize("kind", TURN)
def test_velocity_of_the_target_is_seen_through_the_adjoint(kind: str) -> None:
    rng = np.random.default_rng(3)
    n = len(STRUCTURE[kind])
    e, v_d = rng.normal(size=(2, n))
    found = relative_motion(kind, e, np.zeros(n), v_d, np.zeros(n))
    expected = expm(-bracket_matrix(kind, e)) @ v_d
    np.testing.assert_allclose(found.target_velocity, expected, atol=1e-13)


@pytest.mark.parametrize("kind", TURN)
def test_series_beside_the_integral_of_exponentials(kind: str) -> None:
    rng = np.random.default_rng(4)
    n = len(STRUCTURE[kind])
    for _ in range(20):
        e = rng.normal(size=n)
        e[TURN[kind]] *= np.pi * rng.random() / np.linalg.norm(e[TURN[kind]])
        bracket = bracket_matrix(kind, e)
        # ∫ exp(−s A) ds over [0, 1] is a block of the exponential of a larger matrix
        larger = np.block([[-bracket, np.eye(n)], [np.zeros((n, 2 * n))]])
        inverse = expm(larger)[:n, n:]
        np.testing.assert_allclose(step_rate_matrix(kind, e) @ inverse, np.eye(n), atol=1e-11)
