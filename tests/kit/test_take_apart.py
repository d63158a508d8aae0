"""Mechanisms taken apart move as they did: accelerations of every body, and states both ways."""

from __future__ import annotations

import numpy as np
import pytest
from kits import accelerations, relative_error
from machines import FLAVOURS, machine

import tarsus as ts


def moving(model: ts.Model, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a random state that closes all loops."""
    rng = np.random.default_rng(seed)
    v = rng.normal(size=model.nv)
    if not model.constraints:
        return model.random_configuration(rng), v
    found = ts.snap(model, model.neutral(), v)
    return found.q, found.v


@pytest.mark.parametrize("seed", [1, 5])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_kits_accelerate_as_the_machines(flavour: str, seed: int) -> None:
    model = ts.Model(machine(seed, flavour).description)
    q, v = moving(model, seed)
    kit = ts.take_apart(model)
    assert kit.model.nv > model.nv  # something was taken apart
    bodies = [body.name for body in model.description.bodies]
    wanted = accelerations(model, q, v, bodies)
    q_kit, v_kit = kit.to_kit(q, v)
    error = relative_error(accelerations(kit.model, q_kit, v_kit, bodies), wanted)
    q_again, v_again = kit.to_tree(q_kit, v_kit)
    poses = np.abs(model.forward_kinematics(q_again) - model.forward_kinematics(q)).max()
    rates = np.abs(v_again - v).max()
    print(f"nv {model.nv} and {kit.model.nv}: {error:.1e}, back {poses:.1e} and {rates:.1e}")
    assert error < 1e-11 and poses < 1e-12 and rates < 1e-11


@pytest.mark.parametrize("seed", [1, 5])
@pytest.mark.parametrize("flavour", ["gears", "loops", "everything"])
def test_put_together_again_they_accelerate_the_same(flavour: str, seed: int) -> None:
    model = ts.Model(machine(seed, flavour).description)
    q, v = moving(model, seed)
    kit = ts.take_apart(model)
    whole = ts.assemble(kit.model, *kit.to_kit(q, v))
    bodies = [body.name for body in model.description.bodies]
    error = relative_error(
        accelerations(whole.model, whole.q, whole.v, bodies), accelerations(model, q, v, bodies)
    )
    rank = model.nv - np.linalg.matrix_rank(model.constraint_jacobian(q), tol=1e-8)
    print(f"{error:.1e}, nv {model.nv}, {kit.model.nv}, {whole.model.nv}")
    assert error < 1e-11
    assert whole.freedoms == rank
    assert whole.model.nv < kit.model.nv


@pytest.mark.parametrize("name", ["dill", "four_bar_chain", "spatial_four_bar", "strandbeest_leg"])
def test_known_machines_have_their_velocities_again(name: str) -> None:
    sizes = {"dill": (4,), "four_bar_chain": (4,)}
    model = getattr(ts.robots, name)(*sizes.get(name, ()))
    q, v = moving(model, 0)
    kit = ts.take_apart(model)
    whole = ts.assemble(kit.model, *kit.to_kit(q, v))
    bodies = [body.name for body in model.description.bodies]
    error = relative_error(
        accelerations(whole.model, whole.q, whole.v, bodies), accelerations(model, q, v, bodies)
    )
    print(f"{error:.1e}, nv {model.nv}, as a kit {kit.model.nv}")
    assert whole.model.nv == whole.freedoms == model.nv and whole.roots == ("world",)
    assert error < 1e-11
    assert not any(cut.reason for cut in whole.cuts)


@pytest.mark.parametrize("flavour", ["gears", "loops"])
def test_states_in_batches(flavour: str) -> None:
    model = ts.Model(machine(5, flavour).description)
    rng = np.random.default_rng(0)
    q, v = model.random_configuration(rng, (2, 3)), rng.normal(size=(2, 3, model.nv))
    kit = ts.take_apart(model)
    many = kit.to_kit(q, v)
    again = kit.to_tree(*many)
    for index in np.ndindex(2, 3):
        one = kit.to_kit(q[index], v[index])
        assert all(np.array_equal(a[index], b) for a, b in zip(many, one, strict=True))
    np.testing.assert_allclose(
        model.forward_kinematics(again[0]), model.forward_kinematics(q), atol=1e-12
    )
    np.testing.assert_allclose(again[1], v, atol=1e-11)


def test_what_stays_says_why() -> None:
    builder = ts.Builder("arm")
    for name in ("a", "b", "c", "d", "rotor"):
        builder.body(name, 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1))
    builder.joint("plain", "revolute", "world", "a", lower=-1.0, upper=1.0)
    builder.joint("sprung", "revolute", "a", "b", stiffness=3.0)
    builder.joint("thread", "screw", "b", "c", pitch=0.1)
    builder.joint("geared", "revolute", "c", "d")
    builder.gear("geared", 7.0, "rotor")
    builder.body("lid", 1.0, inertia=(1, 1, 1)).joint("coiled", "revolute", "d", "lid")
    builder.force(ts.forces.JointSpring({"coiled": 1.0}, 2.0, name="coil"))
    builder.force(ts.forces.Spring("a", "lid", 10.0, name="band"))
    kit = ts.take_apart(builder.build())
    assert set(kit.stayed) == {"sprung", "thread", "geared", "rotor_joint", "coiled"}
    assert kit.stayed["coiled"] == "a joint_spring acts on it"
    assert [force.name for force in kit.model.description.forces] == ["coil", "band"]
    assert "no stiffness" in kit.stayed["sprung"]
    assert "'screw'" in kit.stayed["thread"] and "coupled" in kit.stayed["geared"]
    assert kit.without_limits == ("plain",)
    assert "plain" in str(kit) and "coupled with others" in str(kit)
    assert kit.model.joint_names[0] == "a_free"
    assert [loop.name for loop in kit.model.description.loops] == ["plain"]


def test_chosen_joints_only() -> None:
    kit = ts.take_apart(ts.robots.four_bar(), ["rocker"])
    assert [loop.name for loop in kit.model.description.loops] == ["rocker", "pin"]
    with pytest.raises(ts.ModelError, match="there is no joint 'rockr'; did you mean 'rocker'"):
        ts.take_apart(ts.robots.four_bar(), ["rockr"])
    geared = ts.robots.mini_cheetah()
    with pytest.raises(ts.ModelError, match="cannot be taken apart: it is coupled"):
        ts.take_apart(geared, [geared.description.couplings[0].leaders[0]])


def test_a_weld_can_be_taken_apart_if_it_is_named() -> None:
    builder = ts.Builder("tool")
    for name in ("hand", "knife"):
        builder.body(name, 1.0, (0.1, 0.2, 0), (0.1, 0.1, 0.1))
    builder.joint("wrist", "spherical", "world", "hand")
    builder.joint("grip", "fixed", "hand", "knife", position=(0.2, 0, 0))
    model = builder.build()
    assert ts.take_apart(model).model.n_bodies == 1
    kit = ts.take_apart(model, ["grip"])
    assert (kit.model.n_bodies, kit.model.description.loops[0].kind) == (2, "weld")
    q, v = model.random_configuration(0), np.array([1.0, -2.0, 0.5])
    bodies = ["hand", "knife"]
    error = relative_error(
        accelerations(kit.model, *kit.to_kit(q, v), bodies), accelerations(model, q, v, bodies)
    )
    assert error < 1e-13
    whole = ts.assemble(kit.model)
    assert whole.model.n_bodies == 1 and whole.joints == ("grip",)
