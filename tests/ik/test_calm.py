"""Control loops towards targets out of reach come to rest; those within reach are as fast."""

from __future__ import annotations

import numpy as np
import pytest
from ik_arms import planar_arm, seven_joints

from tarsus._lib.files import Array
from tarsus.ik import FrameTask, PlaneTask, PositionTask, PostureTask, Solver, Within

START = np.array([0.3, 0.6, -0.4, -1.1, 0.5, 0.7, 0.2])
SHOULDER, REACH = np.array([0.0, 0.0, 0.3]), 0.95


def loop(solver: Solver, q: Array, steps: int, dt: float = 0.01) -> tuple[Array, Array]:
    """Return where a loop ends, and all its velocities."""
    found = []
    for _ in range(steps):
        step = solver.step(q, dt)
        q = step.q
        found.append(step.v)
    return q, np.array(found)


@pytest.mark.parametrize("beyond", [1e-3, 0.05, 1.0])
@pytest.mark.parametrize("gain", [None, 20.0])
def test_targets_out_of_reach_are_approached_and_held(beyond: float, gain: float | None) -> None:
    """The nearest point of the ball that a hand can reach; without calm joints are never still."""
    m = seven_joints()
    way = np.array([0.8, 0.3, 0.5]) / np.linalg.norm([0.8, 0.3, 0.5])
    hand = PositionTask("hand", SHOULDER + (REACH + beyond) * way, gain=gain)
    q, v = loop(Solver(m, [hand], calm=0.5), START, 1500)
    at = m.frame_pose(q, "hand")[:3, 3]
    restless = loop(Solver(m, [hand]), START, 1500)[1]
    spread = [float(each[-200:].var(axis=0).max()) for each in (v, restless)]
    off = np.linalg.norm(at - SHOULDER - REACH * way)
    print(f"{beyond} m: variances {spread[0]:.1e}, {spread[1]:.1e}; {1e3 * off:.3f} mm off")
    assert spread[0] < 1e-10 < 1e-3 < spread[1]
    assert np.abs(v[-200:]).max() < 1e-4
    assert off < 1e-3


def test_targets_within_reach_are_reached_as_fast() -> None:
    """Errors are squared from step to step; with a gain they fall by 1 − K dt."""
    m = seven_joints()
    target = m.frame_pose(START + 0.2, "hand")
    hand = FrameTask("hand", target)
    solver, q, errors = Solver(m, [hand], calm=0.5, limits=False), START, []
    for _ in range(9):
        errors.append(float(np.linalg.norm(hand.error(q))))
        q = solver.step(q, 0.01).q
    print("errors", [f"{each:.0e}" for each in errors])
    small = [k for k, each in enumerate(errors[:-1]) if 1e-6 < each < 1e-2]
    assert small and all(errors[k + 1] < 100.0 * errors[k] ** 2 for k in small)
    hand.gain = 10.0
    q, _ = loop(solver, START, 150)
    before = np.linalg.norm(hand.error(q))
    q = solver.step(q, 0.01).q
    assert np.linalg.norm(hand.error(q)) / before == pytest.approx(0.9, abs=1e-3)


def test_one_step_is_the_damped_one() -> None:
    """(Jᵀ w J + (ε + calm ‖w e‖) W)⁻¹ Jᵀ w r in NumPy, in the core and out of it, in batches."""
    m, rng = seven_joints(limits=False), np.random.default_rng(1)
    weight, price = rng.uniform(0.5, 2.0, 3), rng.uniform(0.5, 2.0, m.nv)
    q = m.random_configuration(rng, 6)
    hand = PositionTask("hand", rng.normal(size=(6, 3)), weight=weight, gain=3.0)
    posture = PostureTask(level=1)
    far = Within(PlaneTask("hand", (0, 0, -99), (0, 0, 1)), lower=0.0)
    for within in ([], [far]):
        solver = Solver(m, [hand], weight=price, calm=0.7, regularisation=1e-3, within=within)
        found = solver.step(q, 0.01)
        for k, (at, v) in enumerate(zip(q, found.v, strict=True)):
            error = m.frame_pose(at, "hand")[:3, 3] - hand.target[k]
            jacobian = m.frame_jacobian(at, "hand", "local_world_aligned")[:3]
            paid = 1e-3 + 0.7 * np.linalg.norm(weight * error)
            matrix = jacobian.T @ np.diag(weight) @ jacobian + paid * np.diag(price)
            expected = np.linalg.solve(matrix, -3.0 * jacobian.T @ (weight * error))
            assert np.abs(v - expected).max() < 1e-9
        # a posture that comes later raises nothing: the hand moves as it does without it
        leveled = Solver(m, [hand, posture], weight=price, calm=0.7, regularisation=1e-3)
        later = leveled.step(q, 0.01).v
        rows = m.frame_jacobian(q, "hand", "local_world_aligned")[..., :3, :]
        assert np.abs(later - found.v).max() > 1e-3
        assert np.abs(rows @ (later - found.v)[..., None]).max() < 1e-8
    both = [
        Solver(m, [hand, posture], calm=0.7, within=within).step(q, 0.01).v
        for within in ([], [far])
    ]
    assert np.abs(both[0] - both[1]).max() < 1e-8


def test_a_stretched_machine_leaves_its_singularity() -> None:
    m = planar_arm(3)
    tip = PositionTask("tip", [0.6, 0.5, 0.0])
    q, v = loop(Solver(m, [tip], calm=1.0), np.array([0.2, 1e-3, 0.0]), 400)
    assert np.abs(tip.error(q)).max() < 1e-6 and np.isfinite(v).all()


def test_what_is_wrong() -> None:
    m = seven_joints()
    hand = PositionTask("hand", (0.1, 0.2, 0.3))
    with pytest.raises(ValueError, match="calm is -1"):
        Solver(m, [hand], calm=-1.0)
    with pytest.raises(ValueError, match="needs method='qp'"):
        Solver(m, [hand], calm=1.0, method="dls")
    hand.target = np.full(3, np.nan)
    assert Solver(m, [hand], calm=1.0).step(START, 0.01).status == "not finite"
