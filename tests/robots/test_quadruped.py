"""The quadruped of Ayit (2015): masses, postures, contact inertia, collisions, leg kinematics.

Tables 5.1 to 5.3 of the thesis give sizes, masses, friction and gains. Everything else (where the
hips are, even boxes, postures 0.6 m high) is a completion of ours, so the numbers of the tests on
contact are those of an independent prototype of that completion, not of the thesis.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tarsus as ts
from tarsus.robots.quadrupeds import (
    GAINS,
    JOINTS,
    LEGS,
    POSTURES,
    TIPS,
    gains,
    leg_angles,
    standing,
)

NORMALS = [2, 5, 8, 11]
FALL = np.sqrt(2 * 9.81 * 0.5)
"""Speed after a fall of 0.5 m [m/s]."""


def tip_jacobian(m: ts.Model, q: np.ndarray) -> np.ndarray:
    rows = [m.frame_jacobian(q, tip, reference="local_world_aligned")[:3] for tip in TIPS]
    return np.vstack(rows)


def contact_inertia(m: ts.Model, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return J H⁻¹ Jᵀ (12, 12) of the tips by the dense mass matrix, and J."""
    J = tip_jacobian(m, q)
    return J @ np.linalg.solve(m.mass_matrix(q), J.T), J


def falling(m: ts.Model) -> np.ndarray:
    v = np.zeros(m.nv)
    v[2] = -FALL
    return v


def test_masses_and_sizes_of_table_5_1() -> None:
    m = ts.robots.quadruped()
    assert (m.nq, m.nv) == (23, 22)
    assert m.total_mass == pytest.approx(96.8, abs=1e-12)
    masses = {name: m.body(name).mass for name in ("torso", "front_left_thigh", "hind_right_shank")}
    assert masses == {"torso": 50.0, "front_left_thigh": 4.4, "hind_right_shank": 3.65}
    np.testing.assert_allclose(np.diag(m.body("torso").inertia), [1.59375, 6.09375, 7.5])
    np.testing.assert_allclose(
        np.diag(m.body("front_left_thigh").inertia), [0.029663, 0.032413, 0.004583], atol=5e-7
    )


def test_friction_and_gains_of_tables_5_2_and_5_3() -> None:
    m = ts.robots.quadruped()
    joint = m.joint("hind_left_knee")
    assert (joint.damping[0], joint.friction[0]) == (0.3, 0.55)
    found = gains(m)
    assert found["kp"][joint.v_slice] == 70000.0
    assert found["kp"][m.joint("front_right_hip_roll").v_slice] == GAINS["kp"][0] == 6000.0
    assert all((values[:6] == 0.0).all() for values in found.values())
    assert (found["ki"][6:] == 120.0).all() and (found["kd"][6:] == 1.0).all()


@pytest.mark.parametrize(("posture", "height"), [("P1", 0.60022), ("P2", 0.60022), ("P3", 0.60002)])
def test_postures_stand_with_all_tips_on_the_ground(posture: str, height: float) -> None:
    m = ts.robots.quadruped()
    q = standing(m, posture)
    tips = [m.frame_pose(q, tip)[:3, 3] for tip in TIPS]
    heights = [float(tip[2]) for tip in tips]
    print(f"{posture}: torso at {q[2]:.5f} m, tips between {min(heights)} and {max(heights)}")
    assert q[2] == pytest.approx(height, abs=1e-4)
    assert max(abs(h) for h in heights) < 1e-12
    for tip, (front, left) in zip(tips, LEGS.values(), strict=True):
        np.testing.assert_allclose(tip[:2], [0.6 * front, 0.3 * left], atol=1e-3)


def test_inverse_contact_inertia_in_p1() -> None:
    """Block of the right hind leg to all digits of an independent prototype, eigenvalues of all."""
    m = ts.robots.quadruped()
    inverse, _ = contact_inertia(m, standing(m))
    golden = [
        [0.765492, 0.000378, -0.221659],
        [0.000378, 0.274193, -0.000333],
        [-0.221659, -0.000333, 0.287374],
    ]
    print(f"block differs by {np.abs(inverse[:3, :3] - golden).max():.1e} 1/kg")
    np.testing.assert_allclose(inverse[:3, :3], golden, atol=6e-7)
    np.testing.assert_allclose(np.linalg.eigvalsh(inverse)[[0, -1]], [0.1997, 0.8526], atol=5e-5)
    diagonal = np.diag(inverse)
    between = inverse.copy()
    for k in range(4):
        between[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = 0.0
    relative = np.abs(between) / np.sqrt(np.outer(diagonal, diagonal))
    print(f"between legs at most {relative.max():.1%} of the diagonal")
    assert relative.max() < 0.05


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_impulses_of_a_fall_without_friction(restitution: float) -> None:
    """Ayit (4.13), (4.14) at four feet at once: p = (1 + ε) λ v."""
    m = ts.robots.quadruped()
    q = standing(m)
    inverse, J = contact_inertia(m, q)
    v = falling(m)
    p = np.linalg.solve(inverse[np.ix_(NORMALS, NORMALS)], (1.0 + restitution) * FALL * np.ones(4))
    after = v + np.linalg.solve(m.mass_matrix(q), J[NORMALS].T @ p)
    print(f"ε = {restitution}: {p} N s, then {J[NORMALS] @ after} m/s")
    np.testing.assert_allclose(p, 10.8984 * (1.0 + restitution), atol=1e-4)
    np.testing.assert_allclose(J[NORMALS] @ after, restitution * FALL, atol=1e-12)


def test_impulses_of_a_fall_that_sticks() -> None:
    m = ts.robots.quadruped()
    q = standing(m)
    inverse, J = contact_inertia(m, q)
    p = np.linalg.solve(inverse, -J @ falling(m)).reshape(4, 3)
    tangential = np.linalg.norm(p[:, :2], axis=1)
    print(f"normal {p[:, 2]} N s, tangential {tangential} N s, ratio {tangential / p[:, 2]}")
    np.testing.assert_allclose(p[:, 2], 14.0375, atol=1e-4)
    np.testing.assert_allclose(tangential, 4.0672, atol=1e-4)
    assert (tangential < 0.3 * p[:, 2]).all()


def test_shapes_of_the_whole_body() -> None:
    shapes = [shape for shape in ts.robots.quadruped().shapes if shape.role == "collision"]
    assert [s.name for s in shapes if s.kind == "sphere"] == list(TIPS)
    assert all(s.size == (0.0,) for s in shapes if s.kind == "sphere")
    assert len({s.body for s in shapes}) == 13, "torso, and three links of each leg"


@pytest.mark.parametrize("posture", POSTURES)
def test_nothing_but_tips_is_near_the_ground(posture: str) -> None:
    """The shells of the feet stop short of the tips: in each posture the tips touch first."""
    m = ts.robots.quadruped()
    q = standing(m, posture)
    for shape in m.shapes:
        if shape.kind == "capsule":
            radius, length = shape.size
            pose = m.frame_pose(q, shape.body) @ shape.placement
            ends = [pose[2, 3] + s * pose[2, 2] * length / 2 for s in (-1, 1)]
            assert min(ends) - radius > 0.01, shape.body


def test_leg_angles_are_the_inverse_of_the_leg() -> None:
    m, rng, n = ts.robots.quadruped(), np.random.default_rng(0), 200
    foot = np.array([0.0, 0.0, -0.5]) + rng.uniform(-0.1, 0.1, size=(n, 3))
    pitch = rng.choice([-1.0, 1.0], n) * rng.uniform(0.0, 0.9, n)
    angles = leg_angles(foot, pitch)
    q = np.tile(m.neutral(), (n, 1))
    for leg, (front, left) in LEGS.items():
        for k, name in enumerate(JOINTS):
            q[:, m.joint(f"{leg}_{name}").q_slice.start] = angles[:, k]
        tips = m.frame_pose(q, f"{leg}_tip")[:, :3, 3] - [0.6 * front, 0.3 * left, 0.0]
        error = np.abs(tips - foot).max()
        print(f"{leg}: {error:.1e} m")
        assert error < 1e-14
    assert np.allclose(angles[:, 1:].sum(axis=1), pitch)
    assert (angles[:, 2] * np.where(pitch < 0.0, -1.0, 1.0) < 0.0).all()


def test_leg_angles_give_the_postures() -> None:
    found = leg_angles([0.0, 0.0, -0.6], [0.35, -0.35, 0.7])
    postures = [POSTURES["P1"][0], POSTURES["P2"][1], POSTURES["P3"][0]]
    print(found - postures)
    np.testing.assert_allclose(found, postures, atol=2e-3)
    np.testing.assert_allclose(found[2], postures[2], atol=5e-5)


def test_legs_that_are_too_short() -> None:
    with pytest.raises(ValueError, match=r"foot is out of reach: the ankle is 0\.697 m"):
        leg_angles([0.0, 0.0, -0.9])
    with pytest.raises(ValueError, match="there is no posture 'P4'"):
        standing(ts.robots.quadruped(), "P4")


def test_root_as_a_chain_of_six_joints() -> None:
    """Three prismatic and three revolute joints instead of a free root (Ayit, section 3.3).

    Joint accelerations agree; the chain is singular where its middle rotation is 90°.
    """
    free = ts.robots.quadruped()
    chain = _with_root_chain(free)
    rng = np.random.default_rng(1)
    worst = 0.0
    for _ in range(20):
        q, tau = free.random_configuration(rng), np.zeros(free.nv)
        tau[6:] = rng.normal(size=16)
        roll, pitch, yaw = rng.uniform(-1.0, 1.0, 3)
        q[3:7] = _quaternion(roll, pitch, yaw)
        v_chain = rng.normal(size=22)
        q_chain = np.concatenate([q[:3], [yaw, pitch, roll], q[7:]])
        # the same motion: the twist of the torso, which the free root has as its velocity
        twist = chain.frame_velocity(q_chain, v_chain, "torso", reference="local")
        v = np.concatenate([twist, v_chain[6:]])
        a = free.forward_dynamics(q, v, tau)[6:]
        b = chain.forward_dynamics(q_chain, v_chain, tau)[6:]
        worst = max(worst, float(np.abs(a - b).max() / np.abs(a).max()))
    print(f"joint accelerations differ by {worst:.1e}")
    assert worst < 1e-9
    q_chain[4] = np.pi / 2
    condition = np.linalg.cond(chain.mass_matrix(q_chain))
    print(f"condition of the mass matrix at 90°: {condition:.1e}")
    assert condition > 1e14
    at_the_singularity = chain.neutral()
    at_the_singularity[4] = np.pi / 2
    with pytest.raises(ArithmeticError, match="mass matrix is singular"):
        chain.forward_dynamics(at_the_singularity, np.ones(22), np.zeros(22), method="dense")


def _quaternion(roll: float, pitch: float, yaw: float) -> np.ndarray:
    (cr, cp, cy), (sr, sp, sy) = (f(0.5 * np.array([roll, pitch, yaw])) for f in (np.cos, np.sin))
    return np.array(
        [
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
            cr * cp * cy + sr * sp * sy,
        ]
    )


def _with_root_chain(m: ts.Model) -> ts.Model:
    """Return the model with prismatic x, y, z and revolute z, y, x joints for its free root."""
    text = m.description
    names = [f"root_{k}" for k in range(5)]
    kinds = [*3 * ["prismatic"], *3 * ["revolute"]]
    axes = np.eye(3)[[0, 1, 2, 2, 1, 0]]
    ends = ["world", *names, "torso"]
    joints = [
        ts.Joint(f"root_joint_{k}", kinds[k], ends[k], ends[k + 1], axis=axes[k]) for k in range(6)
    ]
    bodies = [*(ts.Body(name) for name in names), *text.bodies]
    return ts.Model(replace(text, bodies=bodies, joints=[*joints, *text.joints[1:]]))
