"""The disc that rolls and the snakeboard, against golden numbers and what must stay at rest."""

from __future__ import annotations

import math

import numpy as np
from motion import energy, run

import tarsus as ts

HALF, MASS, TORSO, WHEELS = 0.2, 6.0, 0.1, 0.02


def test_the_contact_point_of_a_disc_is_at_rest() -> None:
    m, rng = ts.robots.rolling_disc(0.3), np.random.default_rng(0)
    speeds = []
    for _ in range(100):
        q, v = m.random_configuration(rng), rng.normal(size=3)
        pose = m.frame_pose(q, "disc")
        velocity = m.frame_velocity(q, v, "disc", reference="local_world_aligned")
        contact = np.array([q[0], q[1], 0.0])
        speeds.append(velocity[:3] + np.cross(velocity[3:], contact - pose[:3, 3]))
    print(f"contact point: {np.abs(speeds).max():.1e} m/s")
    assert np.abs(speeds).max() < 1e-13


def test_a_disc_rolls_a_minute() -> None:
    """The lowest point stays on the ground where the coordinates say; the energy stays."""
    m = ts.robots.rolling_disc(0.3)
    q, v = np.array([0.0, 0.0, 0.2, 0.3, 0.0]), np.array([0.4, 0.0, 8.0])
    before = energy(m, q, v)
    q, v = run(m, q, v, 60.0, 4e-3)
    pose = m.frame_pose(q, "disc")
    axle = pose[:3, 1]
    down = np.array([0.0, 0.0, -1.0]) - axle * -axle[2]
    lowest = pose[:3, 3] + 0.3 * down / np.linalg.norm(down)
    gap, drift = np.abs(lowest - [q[0], q[1], 0.0]).max(), energy(m, q, v) - before
    print(f"contact {gap:.1e} m, energy {drift:.1e} of {before:.2f} J, lean {q[3]:.3f}")
    assert gap < 1e-12
    assert abs(drift) < 1e-3 * before


def to_joints(m: ts.Model, x: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return q and v for the thesis' coordinates (x, y, θ, ψ, φ) and their rates."""
    q, v = m.neutral(), np.zeros(m.nv)
    heading = x[2] - x[4]
    back = np.array([math.cos(x[2]), math.sin(x[2])])
    q[m.joint("ground").q_slice] = [*(x[:2] - HALF * back), heading]
    q[m.joint("rear").q_slice], q[m.joint("torso").q_slice] = x[4], x[3]
    side = np.array([-back[1], back[0]])
    moving = rate[:2] - HALF * rate[2] * side
    forward = moving @ [math.cos(heading), math.sin(heading)]
    v[m.joint("ground").v_slice] = [forward, rate[2] - rate[4]]
    v[m.joint("rear").v_slice], v[m.joint("torso").v_slice] = rate[4], rate[3]
    return q, v


def from_joints(m: ts.Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (x, y, θ, ψ, φ) and the momenta α = (α₁, J_t (θ̇ + ψ̇), J_w φ̇)."""
    x, y, heading = q[m.joint("ground").q_slice]
    (phi,), (psi,) = q[m.joint("rear").q_slice], q[m.joint("torso").q_slice]
    theta = heading + phi
    speed, turn = v[m.joint("ground").v_slice]
    (phi_rate,), (psi_rate,) = v[m.joint("rear").v_slice], v[m.joint("torso").v_slice]
    theta_rate = turn + phi_rate
    # the forward speed of the board is r cos φ/β α₁
    beta = math.sqrt(MASS * HALF**2 - TORSO * math.sin(phi) ** 2)
    forward = speed * math.cos(phi)
    alpha = (
        forward * beta / (HALF * math.cos(phi)),
        TORSO * (theta_rate + psi_rate),
        WHEELS * phi_rate,
    )
    place = (x + HALF * math.cos(theta), y + HALF * math.sin(theta))
    return np.array([*place, theta, psi, phi]), np.array(alpha)


def test_snakeboard() -> None:
    """A torso that swings drives the board; V. Duindam 2006, example 2.21.

    The numbers are those of the reduced equations (2.96) to (2.99), integrated by an independent
    prototype.
    """
    m = ts.robots.snakeboard()
    q, v = to_joints(m, np.zeros(5), np.array([0.0, 0.0, 0.0, 0.0, 0.6]))
    torso, rear = m.joint("torso").v_slice, m.joint("rear").v_slice

    def force(t: float) -> np.ndarray:
        tau = np.zeros(m.nv)
        tau[torso], tau[rear] = 0.1 * math.cos(2 * t), -1.2 * WHEELS * math.sin(2 * t)
        return tau

    q, v = run(m, q, v, 10.0, 2.5e-3, force)
    place, alpha = from_joints(m, q, v)
    expected = (-0.0301002, 0.0000914, -0.0013226, 0.1493021, 0.2738836)
    momenta = (-0.0127790, 0.0456473, 0.0048970)
    slip = np.abs(m.constraint_jacobian(q) @ v).max()
    print(f"place {np.abs(place - expected).max():.1e}, α {np.abs(alpha - momenta).max():.1e}")
    print(f"the front wheels slip at {slip:.1e} m/s")
    np.testing.assert_allclose(place, expected, atol=1e-6)
    np.testing.assert_allclose(alpha, momenta, atol=1e-6)
    assert slip < 1e-8


def test_the_torso_does_not_push_a_straight_snakeboard() -> None:
    m = ts.robots.snakeboard()
    q, v = to_joints(m, np.zeros(5), np.zeros(5))
    tau = np.zeros(m.nv)
    tau[m.joint("torso").v_slice] = 0.1
    a = m.forward_dynamics(q, v, tau)
    print(f"forward acceleration {a[0]:.1e}")
    assert abs(a[m.joint("ground").v_slice][0]) < 1e-14
