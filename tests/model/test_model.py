"""What a model knows: names, slices, limits; and that nobody can change it."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

import tarsus as ts
from tarsus.model.description import DescriptionDraft


@pytest.fixture(scope="module")
def model() -> ts.Model:
    return ts.robots.random_mechanism(0, 33, armature=True, springs=True, limits=True)


def test_slices_cover_all_coordinates_in_order(model: ts.Model) -> None:
    joints = [model.joint(name) for name in model.joint_names]
    q = [i for joint in joints for i in range(model.nq)[joint.q_slice]]
    v = [i for joint in joints for i in range(model.nv)[joint.v_slice]]
    assert q == list(range(model.nq))
    assert v == list(range(model.nv))
    assert [joint.index for joint in joints] == list(range(model.n_bodies))


def test_every_kind_occurs(model: ts.Model) -> None:
    kinds = {model.joint(name).kind for name in model.joint_names}
    assert kinds == set(ts._core.joint_kinds())
    assert len(model.frame_names) == 33 + 3


def test_clusters_of_one_body(model: ts.Model) -> None:
    assert len(model.clusters) == model.n_bodies
    for index, cluster in enumerate(model.clusters):
        assert (cluster.index, cluster.kind) == (index, "joint")
        assert cluster.bodies == (model.body_names[index],)
        assert cluster.joints == (model.joint_names[index],)
        assert cluster.v_slice == model.joint(cluster.joints[0]).v_slice


def test_limits_are_gathered(model: ts.Model) -> None:
    for name in model.joint_names:
        joint = model.joint(name)
        assert model.lower[joint.q_slice].tolist() == joint.lower.tolist()
        assert model.upper[joint.q_slice].tolist() == joint.upper.tolist()
    assert model.velocity_limit.tolist() == [np.inf] * model.nv
    assert model.effort_limit.tolist() == [np.inf] * model.nv


def test_neutral_has_identity_quaternions(model: ts.Model) -> None:
    q = model.neutral()
    for name in model.joint_names:
        joint = model.joint(name)
        expected = np.zeros(joint.nq)
        if joint.kind in ("spherical", "free", "rolling_ball", "rolling"):
            expected[-1] = 1.0
        assert q[joint.q_slice].tolist() == expected.tolist()
    q[:] = 9.0
    assert model.neutral()[0] == 0.0


def test_random_configurations(model: ts.Model) -> None:
    q = model.random_configuration(7, (5, 2))
    assert q.shape == (5, 2, model.nq)
    assert np.array_equal(q, model.random_configuration(np.random.default_rng(7), (5, 2)))
    assert model.random_configuration().shape == (model.nq,)
    assert model.random_configuration(1, 3).shape == (3, model.nq)
    assert (q >= model.lower).all()
    assert (q <= model.upper).all()
    for name in model.joint_names:
        joint = model.joint(name)
        if joint.kind in ("spherical", "free"):
            norms = np.linalg.norm(q[..., joint.q_slice][..., -4:], axis=-1)
            np.testing.assert_allclose(norms, 1.0, atol=1e-14)


def test_attributes_cannot_be_set(model: ts.Model) -> None:
    for name in ("name", "lower", "anything", "_bodies"):
        with pytest.raises(AttributeError, match="immutable"):
            setattr(model, name, 1)
    with pytest.raises(AttributeError, match="immutable"):
        del model.name


def test_arrays_cannot_be_changed(model: ts.Model) -> None:
    joint, body = model.joint(model.joint_names[0]), model.body(model.body_names[0])
    frame = model.frame(model.frame_names[0])
    arrays = [model.lower, model.upper, model.gravity, joint.lower, joint.rest, joint.axis]
    arrays += [joint.placement, joint.damping, body.com, body.inertia, frame.placement]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0


def test_the_description_is_shared_and_cannot_be_changed() -> None:
    b = ts.Builder("arm").body("a", 1.0).body("b", 1.0, (0, 0, 1), (1, 1, 1))
    b.joint("ja", "revolute", "world", "a").joint("jb", "revolute", "a", "b")
    b.actuator("drive", "ja").initial_configuration({"ja": 0.1})
    b.force(ts.forces.JointSpring({"ja": 1.0}, 3.0))
    model = b.build()
    stated = model.description
    assert model.description is stated
    before = pickle.dumps(stated)
    changes: list[tuple[type[Exception], Callable[[], Any]]] = [
        (FrozenInstanceError, lambda: setattr(stated, "name", "other")),
        (FrozenInstanceError, lambda: setattr(stated.bodies[0], "mass", 2.0)),
        (FrozenInstanceError, lambda: setattr(stated.joints[0], "damping", None)),
        (AttributeError, lambda: stated.joints.clear()),  # type: ignore[attr-defined]
        (ValueError, lambda: stated.bodies[1].com.__setitem__(0, 9.0)),
        (ValueError, lambda: stated.gravity.fill(0.0)),
        (ValueError, lambda: stated.joints[0].placement.__imul__(2.0)),
        (TypeError, lambda: stated.actuators[0].joints.__setitem__("jb", 1.0)),  # type: ignore[attr-defined]
        (TypeError, lambda: stated.metadata.__setitem__("author", "me")),  # type: ignore[index]
        (TypeError, lambda: stated.metadata["initial_configuration"].clear()),
        (TypeError, lambda: stated.metadata.pop("initial_configuration")),  # type: ignore[attr-defined]
        (TypeError, lambda: stated.forces[0].joints.update(jb=1.0)),
        (TypeError, lambda: stated.metadata.__ior__({})),  # type: ignore[attr-defined]
    ]
    for error, change in changes:
        with pytest.raises(error):
            change()
    assert pickle.dumps(stated) == before


def test_a_record_keeps_nothing_that_its_maker_can_change() -> None:
    com, start, metadata = np.ones(3), {"j": 0.1}, {"author": {"names": ["me"]}}
    view = com[:]
    view.setflags(write=False)
    body, other = ts.Body("b", 1.0, com), ts.Body("b", 1.0, view)
    loop = ts.Loop("l", "weld", "a", "b", start=start)
    bodies = [body]
    stated = ts.Description("d", bodies, metadata=metadata)
    com[:] = 7.0
    start["j"] = 2.0
    metadata["author"]["names"].append("you")
    bodies.clear()
    assert body.com.tolist() == other.com.tolist() == [1.0, 1.0, 1.0]
    assert loop.start == {"j": 0.1}
    assert stated.metadata == {"author": {"names": ("me",)}}
    assert stated.bodies == (body,)
    assert dataclasses.replace(body, mass=2.0).com is body.com


def test_descriptions_are_hashed_by_content_copied_and_pickled(model: ts.Model) -> None:
    stated = model.description
    again = pickle.loads(pickle.dumps(stated))
    assert again is not stated
    assert again == stated
    assert hash(again) == hash(stated)
    assert {stated: 1}[again] == 1
    assert copy.deepcopy(stated) is copy.copy(stated) is stated
    with pytest.raises(ValueError, match="read-only"):
        again.bodies[0].com[:] = 0.0
    heavier = dataclasses.replace(stated.bodies[0], mass=stated.bodies[0].mass + 1.0)
    assert heavier != stated.bodies[0]
    assert hash(heavier) != hash(stated.bodies[0])
    elsewhere = dataclasses.replace(stated.bodies[0], source=ts.Source("elsewhere"))
    assert hash(elsewhere) == hash(stated.bodies[0])


def test_strictness_is_known() -> None:
    stated = ts.robots.chain(2).description
    assert ts.Model(stated).strict
    assert not ts.Model(stated, strict=False).strict


def test_pickle_and_copy(model: ts.Model) -> None:
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert hash(again) == hash(model)
    q = model.random_configuration(0)
    assert np.array_equal(again.mass_matrix(q), model.mass_matrix(q))
    assert copy.copy(model) is model
    assert copy.deepcopy([model])[0] is model


def test_equality(model: ts.Model) -> None:
    bodies = list(model.description.bodies)
    bodies[3] = dataclasses.replace(bodies[3], mass=np.nextafter(bodies[3].mass, 10.0))
    assert ts.Model(dataclasses.replace(model.description, bodies=bodies)) != model
    assert model != "model"


def test_unknown_names(model: ts.Model) -> None:
    with pytest.raises(KeyError, match="did you mean 'body_1'"):
        model.frame("body1")
    with pytest.raises(ValueError, match=r"there is no joint 'x'.*valid: "):
        model.joint("x")
    with pytest.raises(ts.UnknownNameError, match="no body"):
        model.body(3)  # type: ignore[arg-type]
    with pytest.raises(ts.UnknownNameError):
        model.body([])  # type: ignore[arg-type]


def test_a_welded_body_is_pointed_to_its_frame(model: ts.Model) -> None:
    welded = next(joint for joint in model.description.joints if joint.kind == "fixed")
    with pytest.raises(ts.UnknownNameError, match=rf"use frame\('{welded.child}'\)"):
        model.body(welded.child)
    with pytest.raises(ts.UnknownNameError, match="welded away"):
        model.joint(welded.name)
    assert model.frame(welded.child).name == welded.child


def test_repr(model: ts.Model) -> None:
    assert "random_mechanism" in repr(model)
    assert f"nv={model.nv}" in repr(model)


def test_universal_default_axes() -> None:
    cases = {"x": (0, 1, 0), "y": (0, 0, 1), "z": (1, 0, 0), None: (0, 1, 0)}
    for axis, second in cases.items():
        builder = ts.Builder("u").body("b", 1.0)
        joint = builder.joint("j", "universal", "world", "b", axis=axis).build().joint("j")
        assert joint.second_axis.tolist() == list(second)
    builder = ts.Builder("u").body("b", 1.0)
    joint = builder.joint("j", "universal", "world", "b", axis=(1, 2, 3)).build().joint("j")
    assert abs(joint.axis @ joint.second_axis) < 1e-15


def test_parts_in_order(model: ts.Model) -> None:
    assert model.joints == tuple(model.joint(name) for name in model.joint_names)
    assert model.bodies == tuple(model.body(name) for name in model.body_names)
    assert model.frames == tuple(model.frame(name) for name in model.frame_names)


def test_parts_of_copies_are_equal(model: ts.Model) -> None:
    copied = pickle.loads(pickle.dumps(model))
    assert copied.joints == model.joints
    assert set(copied.bodies) == set(model.bodies)
    assert pickle.loads(pickle.dumps(model.frames)) == model.frames
    assert model.joints[0] != model.joints[1]
    assert model.joints[0] != model.joints[0].name


def test_descriptions_are_equal_wherever_they_were_stated(model: ts.Model) -> None:
    stated, other = model.description, DescriptionDraft.of(model.description)
    other.change(other.bodies[0], source=ts.Source("elsewhere"))
    assert stated == other.build()
    other.change(other.joints[0], placement=np.diag([1.0, -1.0, -1.0, 1.0]))
    assert stated != other.build()


def test_a_joint_is_shown_in_a_line() -> None:
    shown = repr(ts.robots.chain(2).joint("joint_1"))
    assert shown == "<tarsus.JointView 'joint_1': revolute, 'link_0' -> 'link_1', q[1:2], v[1:2]>"


def test_the_shape_of_random_configurations(model: ts.Model) -> None:
    assert model.random_configuration(0, np.int64(3)).shape == (3, model.nq)
    assert model.random_configuration(0, (2, np.int64(3))).shape == (2, 3, model.nq)
    for shape in (None, 2.0, "ab"):
        with pytest.raises(TypeError, match=r"shape is .*, must be an integer or a tuple"):
            model.random_configuration(0, shape)  # type: ignore[arg-type]


def test_a_model_is_made_of_a_description() -> None:
    with pytest.raises(TypeError, match=r"description is of type NoneType, must be a tarsus\."):
        ts.Model(None)  # type: ignore[arg-type]
