"""Gears and couplings: what the builder makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from arms import arm

import tarsus as ts
from tarsus.model.couplings import in_order
from tarsus.model.description import Coupling


def test_a_gear_is_a_joint_and_a_coupling() -> None:
    model = arm().gear("elbow", -7, "r").gear("elbow", 3, "s", damping=0.1, motor=False).build()
    assert model.joint_names == ("shoulder", "elbow", "r_joint", "s_joint")
    assert (model.nq, model.nv) == (2, 2)
    assert model.motors == ("r_joint",)
    rotor, elbow = model.joint("r_joint"), model.joint("elbow")
    assert (rotor.parent, rotor.dependent, rotor.q_slice, rotor.v_slice) == (
        *("upper", "coupling"),
        *(slice(2, 2), slice(2, 2)),
    )
    assert (rotor.position_slice, rotor.velocity_slice) == (slice(2, 3), slice(2, 3))
    assert np.array_equal(rotor.placement, elbow.placement)
    assert np.array_equal(rotor.axis, elbow.axis)
    assert model.joint("s_joint").damping.tolist() == [0.1]
    cluster = model.clusters[1]
    assert cluster == ts.Cluster(
        *(1, ("lower", "r", "s"), ("elbow", "r_joint", "s_joint"), "upper", slice(1, 2)),
        *(slice(1, 2), "gear + coupling", ("elbow",), "linear"),
    )
    q, v = np.array([0.2, 0.5]), np.array([1.0, 2.0])
    assert model.joint_positions(q).tolist() == [0.2, 0.5, -3.5, 1.5]
    assert model.joint_velocities(q, v).tolist() == [1.0, 2.0, -14.0, 6.0]
    assert model.motor_positions(q).tolist() == [-3.5]
    assert model.motor_velocities(q, v).tolist() == [-14.0]
    np.testing.assert_allclose(model.motor_torques(q, [5.0, 14.0]), [-2.0], rtol=1e-14)


def test_rotors_on_ancestors_and_in_stages() -> None:
    builder = arm().gear("shoulder", 5, "r", name="first")
    builder.gear("first", -2, "s", "world", position=(0, 1, 0), axis=(1, 1, 0))
    model = builder.build()
    assert model.joint_positions([0.1, 0.0]).tolist() == pytest.approx([0.1, 0.5, -1.0, 0.0])
    assert [cluster.bodies for cluster in model.clusters] == [("upper", "r", "s"), ("lower",)]
    builder = arm().joint("weld", "fixed", "lower", "s")
    far = builder.gear("elbow", 5, "r", "world", position=(0, 1, 0), axis="x").build()
    assert [cluster.bodies for cluster in far.clusters] == [("upper", "lower", "r")]
    assert far.clusters[0].independent == ("shoulder", "elbow")


def test_a_ratio_of_zero_is_a_weld() -> None:
    geared = arm().gear("elbow", 0.0, "r").joint("weld", "fixed", "lower", "s").build()
    welded = arm().joint("weld", "fixed", "lower", "s")
    welded.joint("other", "fixed", "upper", "r", position=(0, 0, -0.4))
    q = geared.random_configuration(0)
    error = np.abs(geared.mass_matrix(q) - welded.build().mass_matrix(q)).max()
    print(f"mass matrix: {error:.1e}")
    assert error < 1e-15


def test_reflected_inertia() -> None:
    """The rotor is welded, and ratio² times its moment about the axis (Steiner included) added."""
    builder = arm().joint("weld", "fixed", "lower", "s", position=(1, 0, 0))
    builder.gear("elbow", -9, "r", approximate="reflected")
    model = builder.build()
    moment = 2.5e-4 + 0.3 * (0.01**2 + 0.02**2)
    np.testing.assert_allclose(model.joint("elbow").armature, 81 * moment, rtol=1e-14)
    assert (model.n_bodies, model.motors, model.frame("r").body) == (2, (), "upper")
    twice = arm().gear("elbow", 2, "r", approximate="reflected")
    twice.gear("elbow", 1, "s", approximate="reflected")
    np.testing.assert_allclose(twice.build().joint("elbow").armature, 5 * moment, rtol=1e-14)


def test_couple_tells_leaders_by_unit_rows() -> None:
    builder = arm().joint("a", "revolute", "upper", "r").joint("b", "prismatic", "upper", "s")
    rows = [[1, 1], [0, 1], [1, -1], [1, 0]]
    builder.couple(["a", "elbow", "b", "shoulder"], rows, offset=[0, 0, 0.5, 0], name="sum")
    coupling = builder.description().couplings[0]
    assert (coupling.leaders, coupling.followers) == (("shoulder", "elbow"), ("a", "b"))
    model = builder.build()
    q, v = np.array([0.3, 0.1]), np.array([2.0, 5.0])
    np.testing.assert_allclose(model.joint_positions(q), [0.3, 0.1, 0.4, 0.7])
    np.testing.assert_allclose(model.joint_velocities(q, v), [2, 5, 7, -3])
    np.testing.assert_allclose(model.joint_accelerations(q, v, 2 * v), [4, 10, 14, -6])
    matrix = [[1, 0], [0, 1], [1, 1], [1, -1]]
    np.testing.assert_allclose(model.coupling_matrix(q), matrix)
    assert model.clusters[0].kind == "coupling"


def test_motors_of_a_differential() -> None:
    builder = arm().joint("a", "revolute", "upper", "r").joint("b", "revolute", "upper", "s")
    builder.couple(["shoulder", "elbow", "a", "b"], [[1, 0], [0, 1], [2, 1], [2, -1]], motor=True)
    model = builder.build()
    assert model.motors == ("a", "b")
    tau = np.random.default_rng(0).normal(size=(4, 3, 2))
    q = np.zeros((3, 2))
    torques = model.motor_torques(q, tau)
    assert torques.shape == (4, 3, 2)
    error = np.abs(torques @ np.array([[2, 1], [2, -1]]) - tau).max()
    print(f"power of the motors: {error:.1e}")
    assert error < 1e-14
    with pytest.raises(ValueError, match=r"tau has shape \(3,\), must be \(…, 2\)"):
        model.motor_torques(q, np.zeros(3))
    for bad in (np.nan, np.inf):
        tau[2, 1, 0] = bad
        with pytest.raises(ValueError, match="tau has entries that are not finite"):
            model.motor_torques(q, tau)
    with pytest.raises(TypeError, match="tau is not an array of numbers: 'much'"):
        model.motor_torques(q, "much")


def test_several_motors_on_a_coordinate_share_its_torque() -> None:
    model = arm().gear("elbow", 3, "r").gear("elbow", 4, "s").build()
    np.testing.assert_allclose(model.motor_torques([0, 0], [1, 50]), [6, 8])


def test_order_of_couplings() -> None:
    def gear(leader: str, follower: str) -> Coupling:
        return Coupling(follower, "linear", (leader,), (follower,), np.eye(1))

    stages = [gear("c", "d"), gear("b", "c"), gear("x", "y"), gear("a", "b")]
    assert [coupling.name for coupling in in_order(stages)] == ["b", "c", "d", "y"]
    with pytest.raises(ts.ModelError, match="joint 'a' would follow itself"):
        in_order([*stages, gear("d", "a")])
    long = [gear(f"j{i}", f"j{i + 1}") for i in reversed(range(3000))]
    assert [coupling.name for coupling in in_order(long)] == [f"j{i + 1}" for i in range(3000)]


def test_a_thousand_gears() -> None:
    builder = ts.Builder("long")
    parent = "world"
    for i in range(1000):
        builder.body(f"link_{i}", 1.0, (0, 0, 0.1), (1, 1, 1)).body(f"rotor_{i}", 0.1)
        builder.joint(f"joint_{i}", "revolute", parent, f"link_{i}", axis="xyz"[i % 3])
        parent = f"link_{i}"
        builder.gear(f"joint_{i}", 5 + i % 3, f"rotor_{i}")
    model = builder.build()
    assert (model.n_bodies, model.nv, len(model.clusters)) == (2000, 1000, 1000)
    assert np.isfinite(model.forward_dynamics(np.zeros(1000), np.zeros(1000), np.zeros(1000))).all()
