"""States are taken over from model to model: exactly where they can be, else as after an impact."""

from __future__ import annotations

import numpy as np
import pytest
from kits import chain, random_kit
from machines import FLAVOURS, machine

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.model import dependents as open_loops


def poses_and_twists(model: ts.Model, q: Array, v: Array, names: list[str]) -> tuple[Array, Array]:
    """Return poses (n, 4, 4) and velocities (n, 6) of bodies."""
    poses = np.array([model.frame_pose(q, name) for name in names])
    return poses, np.array([model.frame_velocity(q, v, name) for name in names])


def arm() -> ts.Model:
    """Return three links on joints of several kinds, one with a spring, one with a gear."""
    builder = ts.Builder("arm")
    for name in ("base", "upper", "lower", "hand"):
        builder.body(name, 1.0, (0.1, 0.05, 0.0), (0.2, 0.3, 0.4))
    builder.joint("root", "free", "world", "base")
    builder.joint("shoulder", "universal", "base", "upper", position=(0.3, 0, 0))
    builder.joint("elbow", "revolute", "upper", "lower", position=(0.4, 0, 0), axis="y", rest=0.1)
    builder.joint("wrist", "spherical", "lower", "hand", position=(0.3, 0, 0.1))
    builder.body("rotor", 0.1, inertia=(1e-3, 1e-3, 2e-3)).gear("elbow", 30.0, "rotor")
    builder.frame("tip", "hand", position=(0.1, 0, 0))
    return builder.build()


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_to_the_same_model_every_bit_stays(flavour: str) -> None:
    model = ts.Model(machine(1, flavour).description)
    rng = np.random.default_rng(0)
    found = ts.snap(model, model.neutral(), rng.normal(size=model.nv))
    again = ts.carry(model, ts.Model(model.description), found.q, found.v)
    assert np.array_equal(again.q, found.q) and np.array_equal(again.v, found.v)
    assert again.exact and not again.found and not again.fresh and not again.gone


@pytest.mark.parametrize("joint", ["shoulder", "wrist"])
def test_a_cut_body_goes_on_as_it_was(joint: str) -> None:
    old = arm()
    rng = np.random.default_rng(1)
    q, v = old.random_configuration(rng, 4), rng.normal(size=(4, old.nv))
    new = ts.Editor(old).cut(joint).build()
    found = ts.carry(old, new, q, v)
    names = [body.name for body in old.description.bodies]
    for k in range(4):
        for a, b in zip(
            poses_and_twists(old, q[k], v[k], names),
            poses_and_twists(new, found.q[k], found.v[k], names),
            strict=True,
        ):
            np.testing.assert_allclose(b, a, atol=1e-13)
    assert found.exact and len(found.found) == 1
    np.testing.assert_allclose(found.momentum_after, found.momentum_before, atol=1e-12)
    np.testing.assert_allclose(found.energy_after, found.energy_before, atol=1e-12)
    one = ts.carry(old, new, q[2], v[2])
    assert np.array_equal(one.q, found.q[2]) and np.array_equal(one.v, found.v[2])


def test_a_joint_of_another_kind_gets_its_coordinates_from_where_the_body_is() -> None:
    old = arm()
    rng = np.random.default_rng(2)
    q, v = old.random_configuration(rng), rng.normal(size=old.nv)
    looser = ts.Editor(old).change("joint", "shoulder", kind="spherical").build()
    found = ts.carry(old, looser, q, v)
    assert found.exact and found.found == ("shoulder",)
    names = [body.name for body in old.description.bodies]
    for a, b in zip(
        poses_and_twists(old, q, v, names),
        poses_and_twists(looser, found.q, found.v, names),
        strict=True,
    ):
        np.testing.assert_allclose(b, a, atol=1e-13)
    # and back: a universal joint can be where a universal joint was
    back = ts.carry(looser, old, found.q, found.v)
    np.testing.assert_allclose(back.v, v, atol=1e-12)


def test_a_body_that_is_hung_elsewhere_stays_where_it_is() -> None:
    old = arm()
    rng = np.random.default_rng(3)
    q, v = old.random_configuration(rng), rng.normal(size=old.nv)
    new = ts.Editor(old).change("joint", "wrist", kind="free", parent="base").build()
    found = ts.carry(old, new, q, v)
    assert found.exact
    np.testing.assert_allclose(new.frame_pose(found.q, "tip"), old.frame_pose(q, "tip"), atol=1e-13)
    velocity = new.frame_velocity(found.q, found.v, "tip")
    np.testing.assert_allclose(velocity, old.frame_velocity(q, v, "tip"), atol=1e-12)


def test_new_bodies_begin_at_rest_and_old_ones_go() -> None:
    old = arm()
    rng = np.random.default_rng(4)
    q, v = old.random_configuration(rng), rng.normal(size=old.nv)
    editor = ts.Editor(old).remove("body", "hand")
    editor.body("claw", 0.5, inertia=(0.1, 0.1, 0.1))
    editor.joint("claw", "revolute", "lower", "claw", position=(0.3, 0, 0), axis="x")
    new = editor.build()
    found = ts.carry(old, new, q, v)
    assert found.gone == ("hand",) and found.fresh == ("claw",)
    assert set(found.kept) == {"root", "shoulder", "elbow", "rotor_joint"}
    for name in found.kept:
        a, b = old.joint(name), new.joint(name)
        assert np.array_equal(found.q[b.q_slice], q[a.q_slice])
        assert np.array_equal(found.v[b.v_slice], v[a.v_slice])
    assert found.q[new.joint("claw").q_slice] == found.v[new.joint("claw").v_slice] == 0.0
    text = str(found)
    assert "new, at rest on their parents: claw" in text and "gone: hand" in text
    assert "momentum changed" in text and "energy changed" in text


def test_masses_change_and_the_motion_stays() -> None:
    old = arm()
    rng = np.random.default_rng(5)
    q, v = old.random_configuration(rng), rng.normal(size=old.nv)
    new = ts.Editor(old).change("body", "hand", mass=5.0).build()
    found = ts.carry(old, new, q, v)
    assert np.array_equal(found.q, q) and np.array_equal(found.v, v) and found.exact
    gained = found.energy_after[0] - found.energy_before[0]
    point = old.frame_pose(q, "hand")[:3, :3] @ np.array([0.1, 0.05, 0.0])
    twist = old.frame_velocity(q, v, "hand", reference="local_world_aligned")
    speed = twist[:3] + np.cross(twist[3:], point)
    assert gained == pytest.approx(0.5 * 4.0 * speed @ speed)


def test_renamed_bodies_are_known_by_their_joints() -> None:
    old = arm()
    rng = np.random.default_rng(6)
    q, v = old.random_configuration(rng), rng.normal(size=old.nv)
    new = ts.Editor(old).change("body", "lower", name="forearm").build()
    found = ts.carry(old, new, q, v)
    assert np.array_equal(found.q, q) and np.array_equal(found.v, v) and not found.found
    new = ts.Editor(old).change("joint", "wrist", name="carpus").build()
    assert np.array_equal(ts.carry(old, new, q, v).q, q)


def test_a_loop_that_is_added_is_a_plastic_impact() -> None:
    old = chain(4).build()
    rng = np.random.default_rng(7)
    q, v = old.neutral(), ts.snap(old, old.neutral(), rng.normal(size=old.nv)).v
    editor = ts.Editor(old)
    editor.close_loop("spherical", "b0", (0.4, 0.2, 0), "b2", (-1.6, 0.2, 0), name="rod")
    new = editor.build()
    found = ts.carry(old, new, q, v)
    assert np.array_equal(found.q, q)  # closed already
    rates = new.constraint_jacobian(found.q) @ found.v
    assert np.abs(rates).max() < 1e-11 and found.jump > 1e-3 and not found.exact
    np.testing.assert_allclose(found.momentum_after, found.momentum_before, atol=1e-11)
    assert found.energy_after[0] < found.energy_before[0]
    dense = ts.snap(new, q, v).v
    np.testing.assert_allclose(found.v, dense, atol=1e-11)
    assert "velocities changed by up to" in str(found)


def test_a_loop_that_is_open_is_closed_by_all() -> None:
    old = chain(4).build()
    editor = ts.Editor(old)
    editor.close_loop("distance", "b0", (0, 0, 0), "b2", (0, 0, 0), length=1.9, name="rope")
    new = editor.build()
    q = old.neutral()
    found = ts.carry(old, new, q)
    assert np.abs(new.loop_gaps(found.q)).max() < 1e-11
    assert 0.01 < found.shift < 0.5
    np.testing.assert_allclose(found.q, ts.snap(new, q).q, atol=1e-12)


def test_what_cannot_be_closed_is_an_error_that_names_the_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = chain(4).build()
    editor = ts.Editor(old)
    editor.close_loop("distance", "b0", (0, 0, 0), "b2", (0, 0, 0), length=1.5, name="rope")
    new = editor.build()
    good = ts.carry(new, old, new.neutral()).q
    monkeypatch.setattr(open_loops, "MOST_STEPS", 1)  # no time to converge
    with pytest.raises(ts.AssemblyError, match="'chain', state 1: a gap of") as caught:
        ts.carry(old, new, np.stack([good, old.neutral(), good]))
    assert caught.value.snapped.q.shape == (1, new.nq)


def test_two_bodies_that_are_welded_in_flight_keep_their_momentum() -> None:
    builder = ts.Builder("pair", gravity=(0, 0, 0))
    for k, name in enumerate(("a", "b")):
        builder.body(name, 1.0 + k, (0.1, 0.2, 0), (0.2, 0.3, 0.4))
        builder.joint(f"{name}_free", "free", "world", name, position=(k, 0, 0))
    old = builder.build()
    rng = np.random.default_rng(8)
    q, v = old.neutral(), rng.normal(size=old.nv)
    editor = ts.Editor(old).change("joint", "b_free", kind="fixed", parent="a", position=(1, 0, 0))
    new = editor.build()
    found = ts.carry(old, new, q, v)
    assert new.n_bodies == 1 and found.shift < 1e-14
    np.testing.assert_allclose(found.momentum_after, found.momentum_before, atol=1e-13)
    assert found.energy_after[0] < found.energy_before[0] and found.jump > 0.1


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "planar", "universal"])
def test_where_a_joint_cannot_follow_the_rest_is_told(kind: str) -> None:
    old = chain(2, "spherical").build()
    rng = np.random.default_rng(9)
    q = ts.snap(old, old.integrate(old.neutral(), 0.3 * rng.normal(size=old.nv))).q
    v = ts.snap(old, q, rng.normal(size=old.nv)).v
    editor = ts.Editor(old).remove("loop", "pin0")
    new = editor.change("joint", "f1", kind=kind, parent="b0", position=(1, 0, 0)).build()
    found = ts.carry(old, new, q, v)
    assert not found.exact and found.turn > 0.05
    # nothing but the two bodies acts: their momentum stays, though positions did not
    wanted = old.frame_velocity(q, v, "b0")
    assert np.isfinite(found.v).all() and wanted.shape == (6,)
    assert found.energy_after[0] < found.energy_before[0] * 1.5


def test_a_coupling_that_is_added_is_an_impact_too() -> None:
    builder = ts.Builder("fingers", gravity=(0, 0, 0))
    for name in ("a", "b"):
        builder.body(name, 1.0, inertia=(1.0, 1.0, 2.0)).joint(name, "revolute", "world", name)
    old = builder.build()
    new = ts.Editor(old).couple(["a", "b"], [[1], [2]]).build()
    found = ts.carry(old, new, [0.3, 0.6], [1.0, 0.0])
    # J (1·1 + 2·0) = J (1 + 4) v
    np.testing.assert_allclose(found.v, [0.2], atol=1e-14)
    assert found.turn < 1e-12 and found.jump == pytest.approx(0.8)


def test_armature_has_momentum() -> None:
    builder = ts.Builder("fingers", gravity=(0, 0, 0))
    for name, armature in (("a", 3.0), ("b", 0.0)):
        builder.body(name, 1.0, inertia=(1.0, 1.0, 2.0))
        builder.joint(name, "revolute", "world", name, armature=armature)
    old = builder.build()
    new = ts.Editor(old).couple(["a", "b"], [[1], [2]]).build()
    found = ts.carry(old, new, [0.0, 0.0], [1.0, 0.0])
    np.testing.assert_allclose(found.v, [5.0 / 13.0], atol=1e-14)


def test_batches_lane_by_lane() -> None:
    old = chain(3).build()
    rng = np.random.default_rng(10)
    start = old.integrate(old.neutral(), 0.05 * rng.normal(size=(5, old.nv)))
    states = ts.snap(old, start, rng.normal(size=(5, old.nv)))
    editor = ts.Editor(old)
    editor.close_loop("distance", "b0", (0, 0, 0), "b2", (0, 0, 0), length=1.95, name="rope")
    new = editor.build()
    many = ts.carry(old, new, states.q, states.v)
    for k in range(5):
        one = ts.carry(old, new, states.q[k], states.v[k])
        assert np.array_equal(one.q, many.q[k]) and np.array_equal(one.v, many.v[k])
    none = ts.carry(old, new, states.q[:0], states.v[:0])
    assert none.q.shape == (0, new.nq) and none.exact


def test_an_empty_model_has_a_state_too() -> None:
    old = arm()
    bare = ts.Builder("post").body("post", 1.0).joint("post", "fixed", "world", "post").build()
    found = ts.carry(old, bare, old.neutral())
    assert found.q.shape == (0,) and set(found.gone) == {
        body.name for body in old.description.bodies
    }


def test_bad_arguments() -> None:
    model = random_kit(0)
    with pytest.raises(TypeError, match=r"new is of type str, must be a tarsus\.Model"):
        ts.carry(model, "model", model.neutral())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"q has shape \(3,\)"):
        ts.carry(model, model, np.zeros(3))
    with pytest.raises(ValueError, match="v has entries that are not finite"):
        ts.carry(model, model, model.neutral(), np.full(model.nv, np.inf))
