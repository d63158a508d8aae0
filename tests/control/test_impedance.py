"""Cartesian impedance: what a wrench displaces, what becomes of the energy, how it is damped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from closed_loop import BENT, motion, redundant_arm, state
from oracle import Array
from rotations import twist_matrix
from scipy.linalg import expm

import tarsus as ts
from tarsus.control import ImpedanceControl
from tarsus.spatial import step_rate_matrix

SPRING = {
    "position": np.diag([800.0, 500.0, 1200.0]) + 60.0 * (np.ones((3, 3)) - np.eye(3)),
    "pose": np.diag([800.0, 500.0, 1200.0, 30.0, 20.0, 25.0]),
}
WRENCH = {
    "position": np.array([6.0, -9.0, 12.0]),
    "pose": np.array([6.0, -9.0, 12.0, 0.8, -0.5, 0.6]),
}


def target_of(m: ts.Model, task: str, q: Array) -> Array:
    pose = m.frame_pose(q, "hand")
    return pose if task == "pose" else pose[:3, 3]


@pytest.mark.parametrize("task", SPRING)
def test_steady_displacement_is_that_of_the_spring(task: Any) -> None:
    m = redundant_arm()
    target, wrench = target_of(m, task, BENT), 0.1 * WRENCH[task]
    control = ImpedanceControl(m, "hand", SPRING[task], None, target, task=task, posture_kd=5.0)

    def law(t: float, q: Array, v: Array) -> Array:
        return control(t, q, v) + control.task.jacobian(q).T @ wrench

    *_, (_, q, v) = motion(m, BENT, np.zeros(7), law, 5.0, 5e-3)
    e = control.error(5.0, q)
    force = SPRING[task] @ e
    # the slope of ½ eᵀ K e, which for small turns is K e
    exact = step_rate_matrix("free", e).T @ force if task == "pose" else force
    print(f"{task}: moves at {np.abs(v).max():.1e} rad/s, e {e.round(4)}")
    linear = np.linalg.solve(SPRING[task], wrench)
    off = np.abs(e - linear).max()
    print(f"  wrench off by {np.abs(exact - wrench).max():.1e}, K⁻¹ f by {off:.1e}")
    np.testing.assert_allclose(exact, wrench, atol=1e-7)
    assert off < (1e-8 if task == "position" else 2e-2 * np.abs(linear).max())


@pytest.mark.parametrize("task", SPRING)
@pytest.mark.parametrize("damping", [None, 0.0, 1.0])
def test_energy_never_rises(task: Any, damping: float | None) -> None:
    m = redundant_arm()
    factors = None if damping is None else damping * np.array([20.0] * 3 + [0.3] * 3)
    rows = None if factors is None else factors[: len(SPRING[task])]
    control = ImpedanceControl(m, "hand", SPRING[task], rows, task=task)
    offset = expm(twist_matrix(np.array([0.1, 0.05, -0.1]), np.array([0.6, -0.5, 0.7])))
    pose = m.frame_pose(BENT, "hand") @ offset
    target = pose if task == "pose" else pose[:3, 3]
    v = np.array([0.5, -1.0, 0.8, 0.3, -0.6, 1.0, 0.4])

    def law(t: float, q: Array, v: Array) -> Array:
        return control(t, q, v, target)

    energies = np.array(
        [control.energy(t, q, v, target) for t, q, v in motion(m, BENT, v, law, 0.6, 2e-3)]
    )
    rise = np.diff(energies).max() / energies[0]
    print(f"{task}, damping {damping}: {energies[0]:.2f} to {energies[-1]:.2e} J, rise {rise:.1e}")
    assert rise < 1e-9
    assert energies[-1] < (0.2 if damping is None else 0.99) * energies[0]


def test_without_any_damping_the_energy_stays() -> None:
    m = redundant_arm()
    target = m.frame_pose(BENT + 0.1, "hand")
    control = ImpedanceControl(m, "hand", SPRING["pose"], 0.0, target, posture_kd=0.0)
    states = motion(m, BENT, np.zeros(7), control, 0.5, 5e-4)
    energies = [control.energy(t, q, v) for t, q, v in states]
    drift = np.ptp(energies) / energies[0]
    print(f"drift {drift:.1e}")
    assert drift < 1e-7


@pytest.mark.parametrize("task", SPRING)
@pytest.mark.parametrize("ratio", [0.5, 1.0])
def test_every_mode_has_the_damping_ratio(task: Any, ratio: float) -> None:
    m = redundant_arm()
    control = ImpedanceControl(m, "hand", SPRING[task], task=task, damping_ratio=ratio)
    J = control.task.jacobian(BENT)
    mobility = J @ m.inverse_mass_matrix(BENT) @ J.T
    n = len(mobility)
    matrix = np.block(
        [
            [np.zeros((n, n)), np.eye(n)],
            [-mobility @ control.kp, -mobility @ control.damping_matrix(mobility)],
        ]
    )
    roots = np.linalg.eigvals(matrix)
    ratios = -roots.real / np.abs(roots)
    print(f"{task}: {ratios.min():.6f} to {ratios.max():.6f}, {np.abs(roots).round(1)} rad/s")
    np.testing.assert_allclose(ratios, ratio, atol=1e-5)


def test_braking_the_posture_does_not_push_the_frame() -> None:
    m = redundant_arm()
    _, v = state(m, 0)
    target = m.frame_pose(BENT, "hand")
    slow, fast = (
        ImpedanceControl(m, "hand", 100.0, posture_kd=rate)(0.0, BENT, v, target)
        for rate in (0.0, 9.0)
    )
    J = m.frame_jacobian(BENT, "hand")
    push = J @ m.inverse_mass_matrix(BENT) @ (fast - slow)
    print(f"forces {np.abs(fast - slow).max():.2f} N·m, accelerations {np.abs(push).max():.1e}")
    assert np.abs(fast - slow).max() > 0.1
    assert np.abs(push).max() < 1e-10
    assert (fast - slow) @ v < 0.0


@pytest.mark.parametrize("task", SPRING)
def test_inertia_of_ones_own(task: Any) -> None:
    """With the wrench measured, the frame obeys M ẇ + K_D w + Dᵀ K e = h."""
    m = redundant_arm()
    n = len(SPRING[task])
    inertia = np.diag([5.0, 8.0, 6.0, 0.3, 0.2, 0.4][:n])
    wrench, target = WRENCH[task], target_of(m, task, BENT + 0.1)
    own: Any = {"task": task, "inertia": inertia, "wrench": lambda t, q, v: wrench}
    control = ImpedanceControl(m, "hand", SPRING[task], None, target, **own)
    _, v = state(m, 1)
    tau = control(0.0, BENT, v)
    J = control.task.jacobian(BENT)
    a = m.forward_dynamics(BENT, v, tau + J.T @ wrench)
    reference: Any = "local" if task == "pose" else "local_world_aligned"
    moved = m.frame_acceleration(BENT, v, a, "hand", reference)[:n]
    e, w = control.error(0.0, BENT), J @ v
    slope = np.eye(3) if task == "position" else step_rate_matrix("free", e)
    damping = control.damping_matrix(np.linalg.inv(inertia))
    left = inertia @ moved + damping @ w + slope.T @ SPRING[task] @ e
    print(f"{task}: {np.abs(left - wrench).max():.1e} N")
    np.testing.assert_allclose(left, wrench, atol=1e-9)
    assert control.energy(0.0, BENT, v) > 0.0


def test_a_spring_in_some_directions_only() -> None:
    m = redundant_arm()
    control = ImpedanceControl(m, "hand", [0.0, 500.0, 0.0], task="position", posture_kd=0.0)
    there = m.frame_pose(BENT, "hand")[:3, 3] + [0.3, 0.0, -0.2]
    tau = control(0.0, BENT, np.zeros(7), there)
    np.testing.assert_allclose(tau, m.gravity_forces(BENT), atol=1e-9)
    _, v = state(m, 2)
    assert np.isfinite(control(0.0, BENT, v, np.zeros(3))).all()


def test_batches_are_loops() -> None:
    m = redundant_arm()
    (q, v), (there, _) = state(m, 3, 2, 3), state(m, 4, 3)
    targets = m.frame_pose(there, "hand")
    for inertia in (None, np.ones(6)):
        wrench = None if inertia is None else lambda t, q, v: WRENCH["pose"]
        control = ImpedanceControl(m, "hand", SPRING["pose"], inertia=inertia, wrench=wrench)
        together = control(0.0, q, v, (targets, np.ones(6)))
        assert together.shape == (2, 3, 7)
        assert np.shape(control.energy(0.0, q, v, targets)) == (2, 3)
        for i in range(2):
            for j in range(3):
                one = control(0.0, q[i, j], v[i, j], (targets[j], np.ones(6)))
                np.testing.assert_allclose(together[i, j], one, rtol=1e-8, atol=1e-8)


def test_mistakes() -> None:
    m = redundant_arm()
    with pytest.raises(ts.UnknownNameError, match="there is no frame 'hant'; did you mean 'hand'"):
        ImpedanceControl(m, "hant", 1.0)
    with pytest.raises(ValueError, match=r"kp has shape \(7,\), must be \(\) or \(6,\)"):
        ImpedanceControl(m, "hand", np.ones(7))
    with pytest.raises(ValueError, match="damping_ratio is not an array of numbers"):
        ImpedanceControl(m, "hand", 1.0, damping_ratio="critical")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"damping_ratio is -1\.0, must not be negative"):
        ImpedanceControl(m, "hand", 1.0, damping_ratio=-1)
    with pytest.raises(ValueError, match=r"posture_kd is -3\.0, must not be negative"):
        ImpedanceControl(m, "hand", 1.0, posture_kd=-3)
    for inertia in (0.0, [1, 1, 1, 1, 0, 1], np.ones((6, 6))):
        with pytest.raises(ValueError, match="inertia is not positive definite"):
            ImpedanceControl(m, "hand", 1.0, inertia=inertia)
    for one in ({"inertia": 1.0}, {"wrench": lambda t, q, v: np.zeros(6)}):
        with pytest.raises(ValueError, match="inertia and wrench go together"):
            ImpedanceControl(m, "hand", 1.0, **one)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"v has shape \(6,\), must be \(…, 7\)"):
        ImpedanceControl(m, "hand", 1.0)(0.0, BENT, np.zeros(6))
