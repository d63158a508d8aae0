"""Joints and a mechanism that are worked out by hand: poses, space twists, a Jacobian.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, examples 2.10 and 2.12. Twists there have the angular part first. Random mechanisms
with every joint are in `tests/dynamics/test_frames.py` and `test_configuration.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from oracle import Array
from rotations import axial
from rotations import skew as cross
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus._lib.differences import derivative

A, B = 0.3, 0.7
P1, P2 = np.array([0.2, -0.1, 0.4]), np.array([-0.3, 0.5, 0.1])


def one_joint(kind: str, position: Array, tip: Array, **options: object) -> ts.Model:
    builder = ts.Builder(kind).body("body", 1.0, inertia=(1.0, 1.0, 1.0))
    builder.joint("joint", kind, "world", "body", position=position, **options)  # type: ignore[arg-type]
    return builder.frame("tip", "body", position=tip).build()


def homogeneous(rotation: Array, place: Array) -> Array:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = rotation, place
    return found


def along(axis: str, angle: float) -> Array:
    return Rotation.from_euler(axis, angle).as_matrix()


@dataclass(frozen=True)
class Worked:
    """H(Q) of the tip and X(Q), angular part first, of a joint and of its rates by the thesis."""

    model: ts.Model
    pose: Callable[[Array], Array]
    twists: Callable[[Array], Array]
    rates: Callable[[Array, Array], Array]
    """From q and v of the library to v of the thesis."""


def same(q: Array, v: Array) -> Array:
    return v


def planar_rates(q: Array, v: Array) -> Array:
    """Velocities of planar joints are in body axes here, rates of x and y there."""
    return along("z", q[2]) @ v


WORKED = {
    "revolute": Worked(
        one_joint("revolute", np.array([0.0, A, 0.0]), np.array([0.0, B, 0.0]), axis="x"),
        lambda q: homogeneous(
            along("x", q[0]), np.array([0.0, A + B * np.cos(q[0]), B * np.sin(q[0])])
        ),
        lambda q: np.array([[1.0, 0.0, 0.0, 0.0, 0.0, -A]]).T,
        same,
    ),
    "prismatic": Worked(
        one_joint("prismatic", np.zeros(3), np.zeros(3), axis="x"),
        lambda q: homogeneous(np.eye(3), np.array([q[0], 0.0, 0.0])),
        lambda q: np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]]).T,
        same,
    ),
    "planar": Worked(
        one_joint("planar", np.zeros(3), np.zeros(3)),
        lambda q: homogeneous(along("z", q[2]), np.array([q[0], q[1], 0.0])),
        lambda q: np.array([[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 1, q[1], -q[0], 0]]).T,
        planar_rates,
    ),
    "spherical": Worked(
        one_joint("spherical", P1, P2),
        lambda q: homogeneous(
            Rotation.from_quat(q).as_matrix(), Rotation.from_quat(q).apply(P2) + P1
        ),
        lambda q: np.vstack([np.eye(3), cross(P1)]),
        lambda q, v: Rotation.from_quat(q).apply(v),
    ),
    "free": Worked(
        one_joint("free", np.zeros(3), np.zeros(3)),
        lambda q: homogeneous(Rotation.from_quat(q[3:]).as_matrix(), q[:3]),
        lambda q: np.eye(6),
        lambda q, v: np.concatenate(_space_twist(q, v)),
    ),
}


def _space_twist(q: Array, v: Array) -> tuple[Array, Array]:
    turn = Rotation.from_quat(q[3:])
    angular = turn.apply(v[3:])
    return angular, turn.apply(v[:3]) + np.cross(q[:3], angular)


def space_twist(pose: Callable[[float], Array]) -> Array:
    """Return Ḣ H⁻¹ (6,), angular part first, by differences."""
    matrix = derivative(lambda t: pose(float(t))) @ np.linalg.inv(pose(0.0))
    return np.concatenate([axial(matrix[:3, :3]), matrix[:3, 3]])


@pytest.mark.parametrize("kind", WORKED)
def test_worked_joints(kind: str) -> None:
    worked, rng = WORKED[kind], np.random.default_rng(1)
    model = worked.model
    for _ in range(20):
        q, v = model.random_configuration(rng), rng.normal(size=model.nv)
        np.testing.assert_allclose(model.frame_pose(q, "tip"), worked.pose(q), atol=1e-14)
        by_hand = worked.twists(q) @ worked.rates(q, v)
        found = model.frame_velocity(q, v, "tip", "world")
        np.testing.assert_allclose(np.roll(found, 3), by_hand, atol=1e-13)
        moved = space_twist(lambda t, q=q, v=v: worked.pose(model.integrate(q, t * v)))
        np.testing.assert_allclose(moved, by_hand, atol=1e-8)
        np.testing.assert_allclose(model.integrate(q, np.zeros(model.nv)), q, atol=1e-15)


def test_gears_with_axes_across_meet_without_slip() -> None:
    """(2.34) and (2.35): unit wheels about y and z that touch in (0, −1, 1)."""
    builder = ts.Builder("gears")
    for name, axis, at in (("second", (0, -1, 0), (0, -1, 0)), ("third", (0, 0, -1), (0, 0, 1))):
        builder.body(name, 1.0, inertia=(1.0, 1.0, 1.0))
        builder.joint(name, "revolute", "world", name, axis=axis, position=at)
    model = builder.couple(["second", "third"], [[1.0], [1.0]]).build()
    assert model.nv == 1
    twists = [np.roll(model.frame_velocity([0.4], [1.0], n, "world"), 3) for n in model.body_names]
    np.testing.assert_allclose(twists, [[0, -1, 0, 0, 0, 0], [0, 0, -1, 0, 0, 0]], atol=1e-15)
    speeds = [twist[3:] + np.cross(twist[:3], [0.0, -1.0, 1.0]) for twist in twists]
    np.testing.assert_allclose(speeds[0], speeds[1], atol=1e-15)
    np.testing.assert_allclose(speeds[0], [-1.0, 0.0, 0.0], atol=1e-15)


def geared() -> ts.Model:
    """Return a slide along −y, two unit gears on it, hubs at 1 and 3 m, a slide on the upper."""
    builder = ts.Builder("example_2_12")
    for k in range(1, 5):
        builder.body(f"B{k}", 1.0, inertia=(1.0, 1.0, 1.0))
    builder.joint("q1", "prismatic", "world", "B1", axis=(0, -1, 0))
    builder.joint("q2", "revolute", "B1", "B2", axis="x", position=(0, 0, 1))
    builder.joint("gear", "revolute", "B1", "B3", axis="x", position=(0, 0, 3))
    builder.joint("q3", "prismatic", "B3", "B4", axis="z")
    return builder.couple(["q2", "gear"], [[1.0], [-1.0]]).build()


def test_a_worked_jacobian() -> None:
    """(2.43), where the gear's last entry has lost its sign; the other gear would have +q₁."""
    model = geared()
    q = np.zeros(3)
    for name, value in (("q1", 0.3), ("q2", 0.7), ("q3", 0.2)):
        q[model.joint(name).q_slice] = value
    found = np.roll(model.frame_jacobian(q, "B4", "world"), 3, axis=0)
    order = [model.joint(name).v_slice.start for name in ("q1", "q2", "q3")]
    golden = [
        *([0, -1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]),
        *([-1, -3, 0.644218], [0, -0.3, 0.764842]),
    ]
    np.testing.assert_allclose(found[:, order], golden, atol=1e-6)
    other = np.roll(model.frame_jacobian(q, "B2", "world"), 3, axis=0)[:, order[1]]
    np.testing.assert_allclose(other, [1, 0, 0, 0, 1, 0.3], atol=1e-15)
