"""Operational space control: errors obey their equation, the null space does not disturb them."""

from __future__ import annotations

import numpy as np
import pytest
from closed_loop import BENT, driven_everywhere, motion, redundant_arm, spatial_arm, state
from oracle import Array
from rotations import twist_matrix
from scipy.linalg import expm

import tarsus as ts
from tarsus.control import OperationalSpaceControl

KP, KD = 60.0, 12.0


def matrices(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """Return gains with terms between the rows."""
    a, b = 0.4 * rng.normal(size=(2, n, n))
    return KP * (np.eye(n) + a @ a.T), KD * (np.eye(n) + b @ b.T)


def faded(e: Array, rate: Array, k: Array, d: Array, t: float) -> Array:
    """Return the exact solution of ë + D ė + K e = 0 at a time."""
    n = len(e)
    matrix = np.block([[np.zeros((n, n)), np.eye(n)], [-k, -d]])
    return np.asarray((expm(t * matrix) @ np.concatenate([e, rate]))[:n])


class MovingPose:
    """A target that swings along a screw: its twist and acceleration are those of the angle."""

    def __init__(self, start: Array, direction: Array) -> None:
        self.start, self.direction = start, direction

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        x, v, a = np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)
        step = expm(x * twist_matrix(self.direction[:3], self.direction[3:]))
        return self.start @ step, v * self.direction, a * self.direction


class MovingPosition:
    """A target that swings along a line."""

    def __init__(self, start: Array, direction: Array) -> None:
        self.start, self.direction = start, direction

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        x, v, a = np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)
        return self.start + x * self.direction, v * self.direction, a * self.direction


def errors(
    m: ts.Model, control: OperationalSpaceControl, q: Array, v: Array, duration: float = 0.6
) -> tuple[Array, Array, Array]:
    """Return times, errors and final configuration of a motion."""
    states = motion(m, q, v, control, duration, 2e-3)
    found = [(t, control.error(t, q), q) for t, q, v in states]
    times, error, q_end = zip(*found, strict=True)
    return np.array(times), np.array(error), q_end[-1]


@pytest.mark.parametrize("make", [redundant_arm, spatial_arm])
def test_pose_error_obeys_its_equation(make: object) -> None:
    m = make()  # type: ignore[operator]
    q = BENT if m.nv == 7 else m.random_configuration(0)
    rng = np.random.default_rng(1)
    k, d = matrices(rng, 6)
    direction = np.array([0.05, -0.04, 0.03, 0.15, 0.1, -0.1])
    offset = expm(twist_matrix(np.array([0.03, 0.02, -0.02]), np.array([0.3, -0.2, 0.25])))
    target = MovingPose(m.frame_pose(q, "hand") @ offset, direction)
    control = OperationalSpaceControl(m, "hand", k, d, target, **driven_everywhere(m))
    v = 0.3 * rng.normal(size=m.nv)

    # the rate of the error at the start
    h = 1e-5
    near = [control.error(s, m.integrate(q, s * v)) for s in (-2 * h, -h, h, 2 * h)]
    rate = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * h)
    t, found, _ = errors(m, control, q, v)
    expected = np.array([faded(found[0], rate, k, d, s) for s in t[::50]])
    difference = np.abs(found[::50] - expected).max()
    print(f"{m.name}: {difference:.1e} of {np.abs(found[0]).max():.2f}")
    assert difference < 1e-8
    assert np.abs(found[0]).max() > 0.1


def test_position_error_obeys_its_equation() -> None:
    m = redundant_arm()
    rng = np.random.default_rng(2)
    k, d = matrices(rng, 3)
    v = 0.3 * rng.normal(size=7)
    start = m.frame_pose(BENT, "hand")[:3, 3] + [0.05, -0.03, 0.04]
    target = MovingPosition(start, np.array([0.05, 0.02, -0.04]))
    control = OperationalSpaceControl(m, "hand", k, d, target, task="position")
    rate = m.frame_velocity(BENT, v, "hand", "local_world_aligned")[:3] - target(0.0)[1]
    t, found, _ = errors(m, control, BENT, v)
    expected = np.array([faded(found[0], rate, k, d, s) for s in t])
    print(f"{np.abs(found - expected).max():.1e}")
    assert np.abs(found - expected).max() < 1e-9


def test_a_linkage_follows_in_its_plane() -> None:
    """Two loops in a plane: of three rows two can be followed, and are."""
    m = ts.robots.four_bar_chain(2)
    q = m.integrate(m.neutral(), [-0.5, -0.4])
    start = m.frame_pose(q, "coupler_1")[:3, 3] + [0.02, 0.1, -0.01]
    target = MovingPosition(start, np.array([0.01, 0.1, -0.01]))
    control = OperationalSpaceControl(m, "coupler_1", KP, KD, target, task="position")
    rate = -target(0.0)[1]
    t, found, _ = errors(m, control, q, np.zeros(2))
    expected = np.array([faded(found[0], rate, KP * np.eye(3), KD * np.eye(3), s) for s in t])
    in_plane = np.abs(found - expected)[:, [0, 2]].max()
    print(f"in the plane {in_plane:.1e}, across {np.abs(found[:, 1]).max():.2f} m")
    assert in_plane < 1e-8


def test_default_damping_is_critical() -> None:
    k = np.diag([100.0, 25.0, 4.0])
    control = OperationalSpaceControl(redundant_arm(), "hand", k, task="position")
    np.testing.assert_allclose(control.kd, np.diag([20.0, 10.0, 4.0]), atol=1e-12)
    full = matrices(np.random.default_rng(5), 6)[0]
    half = OperationalSpaceControl(redundant_arm(), "hand", full).kd / 2.0
    np.testing.assert_allclose(half @ half, full, rtol=1e-12, atol=1e-12)


def test_posture_moves_the_arm_and_does_not_disturb_the_task() -> None:
    m = redundant_arm()
    pose = m.frame_pose(BENT, "hand")
    posture = BENT
    for _ in range(300):  # along the motions that leave the hand where it is
        J = m.frame_jacobian(posture, "hand")
        posture = posture + 2e-3 * np.linalg.svd(J)[2][-1]
    v = np.array([0.2, -0.3, 0.1, 0.2, 0.4, -0.1, 0.3])
    runs = [
        errors(m, OperationalSpaceControl(m, "hand", KP, None, pose, posture=p), BENT, v, 2.0)
        for p in (None, posture)
    ]
    disturbed = np.abs(runs[0][1] - runs[1][1]).max()
    distances = [float(np.linalg.norm(q - posture)) for _, _, q in runs]
    print(f"task disturbed by {disturbed:.1e}; to the posture {distances} rad")
    assert disturbed < 1e-7
    assert distances[0] > 0.3 and distances[1] < 0.02

    free, drawn = (
        OperationalSpaceControl(m, "hand", KP, posture=p)(0.0, BENT, v, pose)
        for p in (None, posture)
    )
    J = m.frame_jacobian(BENT, "hand")
    push = J @ m.inverse_mass_matrix(BENT) @ (drawn - free)
    assert np.abs(drawn - free).max() > 1.0
    assert np.abs(push).max() < 1e-10


def test_singular_positions_are_passed_with_bounded_forces() -> None:
    m = redundant_arm()
    wrist = "link_6"  # straight above the other joints if the arm is stretched
    control = OperationalSpaceControl(m, wrist, KP, task="position")
    still, up = np.zeros(7), m.frame_pose(np.zeros(7), wrist)[:3, 3]
    above = up + [0.0, 0.0, 0.1]  # out of reach
    forces = []
    for bend in np.concatenate([[0.0], np.logspace(-4, 0, 600)]):
        q = bend * np.array([0, 1, 0, -1, 0, 0.5, 0])
        forces.append(control(0.0, q, still, above) - m.gravity_forces(q))
    largest, jump = np.abs(forces).max(), np.abs(np.diff(forces, axis=0)).max()
    print(f"stretched {np.abs(forces[0]).max():.1e}, largest {largest:.1f} N·m")
    print(f"largest change from point to point {jump:.1f} N·m")
    assert np.abs(forces[0]).max() < 1e-9  # the lost direction is left alone
    assert largest < 500.0 and jump < 0.1 * largest

    # from nearly stretched to a point within reach
    there = up - [0.2, 0.1, 0.2]

    def law(t: float, q: Array, v: Array) -> Array:
        return control(t, q, v, there)

    *_, (_, q, _) = motion(m, 0.02 * np.ones(7), still, law, 2.0, 4e-3)
    reached = np.abs(control.error(2.0, q, there)).max()
    print(f"out of the singular position to {reached:.1e} m")
    assert reached < 1e-3


def test_batches_are_loops() -> None:
    m = spatial_arm()
    control = OperationalSpaceControl(m, "hand", KP, posture=m.neutral(), **driven_everywhere(m))
    (q, v), (there, _) = state(m, 3, 2, 3), state(m, 4, 3)
    targets, twist = m.frame_pose(there, "hand"), np.ones(6)
    together = control(0.0, q, v, (targets, twist, twist))
    assert together.shape == (2, 3, m.nv)
    for i in range(2):
        for j in range(3):
            one = control(0.0, q[i, j], v[i, j], (targets[j], twist, twist))
            np.testing.assert_allclose(together[i, j], one, rtol=1e-9, atol=1e-9)


def test_mistakes() -> None:
    m = redundant_arm()
    with pytest.raises(ts.UnknownNameError, match="there is no frame 'hands'; did you mean 'hand'"):
        OperationalSpaceControl(m, "hands", 1.0)
    with pytest.raises(ValueError, match=r"unknown task 'place' \(valid: pose, position\)"):
        OperationalSpaceControl(m, "hand", 1.0, task="place")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"kp has shape \(3,\), must be \(\) or \(6,\)"):
        OperationalSpaceControl(m, "hand", np.ones(3))
    with pytest.raises(ValueError, match=r"posture has shape \(6,\), must be \(…, 7\)"):
        OperationalSpaceControl(m, "hand", 1.0, posture=np.zeros(6))
    with pytest.raises(ValueError, match=r"posture_kp is -1\.0, must not be negative"):
        OperationalSpaceControl(m, "hand", 1.0, posture_kp=-1)
    with pytest.raises(ValueError, match=r"posture_kd is -3\.0, must not be negative"):
        OperationalSpaceControl(m, "hand", 1.0, posture_kd=-3)
    control, still = OperationalSpaceControl(m, "hand", 1.0), np.zeros(7)
    with pytest.raises(ValueError, match=r"reference has shape \(3,\), must be \(…, 4, 4\)"):
        control(0.0, BENT, still, np.zeros(3))
    with pytest.raises(ValueError, match="reference has a rotation that is not orthonormal"):
        control(0.0, BENT, still, 2 * np.eye(4))
    with pytest.raises(ValueError, match="the last row of reference must be 0 0 0 1"):
        control(0.0, BENT, still, np.eye(4) + np.eye(4, k=-3))
    with pytest.raises(
        ValueError, match=r"velocity of reference has shape \(3,\), must be \(…, 6\)"
    ):
        control(0.0, BENT, still, (np.eye(4), np.zeros(3)))


def test_a_frame_of_the_world_is_refused() -> None:
    b = ts.Builder("arm")
    b.body("base")
    b.body("link", 1.0, inertia=(1, 1, 1))
    b.joint("foot", "fixed", "world", "base")
    b.joint("hinge", "revolute", "base", "link")
    with pytest.raises(ValueError, match=r"frame 'base' is fixed to the world \(valid: link"):
        OperationalSpaceControl(b.build(), "base", 1.0)
