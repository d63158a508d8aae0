"""Forces that are stated with a mechanism: kept as they are, and checked when it is built."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import tarsus as ts
from tarsus.parts.forces import FORCES


def arm() -> ts.Builder:
    """Two links, a ball on the second, and a bracket that is welded to the world."""
    builder = ts.Builder("arm")
    for name in ("upper", "lower", "ball", "bracket"):
        builder.body(name, 1.0, (0, 0, -0.2), (0.1, 0.1, 0.1))
    builder.joint("shoulder", "revolute", "world", "upper", axis="y")
    builder.joint("elbow", "revolute", "upper", "lower", axis="y", position=(0, 0, -0.4))
    builder.joint("wrist", "spherical", "lower", "ball", position=(0, 0, -0.4))
    builder.joint("screws", "fixed", "world", "bracket", position=(0, 0, 1))
    return builder.frame("hand", "lower", position=(0, 0, -0.4))


def test_forces_are_part_of_a_model() -> None:
    spring = ts.forces.Spring("hand", ("bracket", (0.1, 0, 0)), 50.0, 0.3, name="biceps")
    wind = ts.forces.Drag("lower", 0.1)
    model = arm().force(spring).force(wind).build()
    assert model.forces == (spring, wind)
    assert model.description.forces == (spring, wind)
    assert model != arm().build()
    assert model == arm().force(spring).force(wind).build()
    assert hash(model) == hash(arm().build())


def test_forces_may_come_before_what_they_act_on() -> None:
    builder = ts.Builder("late").force(ts.forces.Brake("tip", 1.0))
    builder.body("rod", 1.0, (0, 0, 1), (1, 1, 1)).joint("hinge", "revolute", "world", "rod")
    assert [force.kind for force in builder.frame("tip", "rod").build().forces] == ["brake"]


def test_models_with_forces_are_copied_and_sent() -> None:
    ratios = {"shoulder": 1.0, "elbow": -0.5}
    model = arm().force(ts.forces.JointSpring(ratios, 3.0, name="belt")).build()
    for other in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert other == model
        assert other.forces == model.forces
    assert ts.Model(model.description) == model


def test_nobody_changes_a_models_forces() -> None:
    point, ratios = np.array([0.0, 0.0, 1.0]), {"elbow": 1.0}
    builder = arm().force(ts.forces.Spring(("hand", point), [0, 0, 1], 50.0))
    builder.force(ts.forces.JointSpring(ratios, 3.0))
    model = builder.build()
    stated = pickle.loads(pickle.dumps(model.description))
    point[:] = 7.0
    ratios["shoulder"] = 2.0
    with pytest.raises(TypeError, match="cannot be changed"):
        model.forces[1].joints["wrist"] = 1.0  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="cannot be changed"):
        model.description.forces[1].joints.clear()
    assert model.description == stated
    assert model.forces[0].a == ("hand", (0.0, 0.0, 1.0))  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        model.forces = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    ("force", "message"),
    [
        (
            ts.forces.Spring("hnad", "ball", 1.0),
            r"a: there is no frame 'hnad'; did you mean 'hand'",
        ),
        (ts.forces.Damper("hand", ("bal", (0, 0, 1)), 1.0), "b: there is no frame 'bal'"),
        (ts.forces.String("hand", (0, 0), 1.0), r"b has shape \(2,\), must be \(3,\)"),
        (ts.forces.Rubber("hand", (0, 0, np.nan), 1.0), "b is not finite"),
        (ts.forces.Support(("hand", 3.0), 1.0), "where has shape"),
        (ts.forces.Wrench(("hand", np.ones((4, 4)))), "where: the last row of placement"),
        (ts.forces.Brake(3, 1.0), "where has shape"),  # type: ignore[arg-type]
        (ts.forces.Damping("hips", 1.0), "where: there is no frame 'hips'"),
        (ts.forces.Drag("hips", 1.0), "where: there is no frame 'hips'"),
        (
            ts.forces.JointSpring({"elbows": 1.0}, 1.0),
            "there is no joint 'elbows'.*did you mean 'elbow'",
        ),
        (ts.forces.JointSpring({"screws": 1.0}, 1.0), "there is no joint 'screws', or it is fixed"),
        (ts.forces.JointSpring({"wrist": 1.0}, 1.0), "'wrist' is spherical, must have one coord"),
    ],
    ids=lambda value: value.kind if isinstance(value, ts.parts.Part) else None,
)
def test_names_and_places_are_checked(force: Any, message: str) -> None:
    with pytest.raises(ts.ModelError, match=rf"force 1 \(a {force.kind}\): .*{message}"):
        arm().force(force).build()


def test_errors_name_the_force_and_where_it_is_stated() -> None:
    source = ts.Source("arm.yaml", 7)
    lost = ts.forces.Spring("hand", "nowhere", 1.0, name="biceps", source=source)
    with pytest.raises(ts.ModelError, match=r"arm\.yaml:7: force 'biceps': b: there is no frame"):
        arm().force(lost).build()


def test_a_name_is_used_once_and_many_have_none() -> None:
    brake, other = (ts.forces.Brake("hand", damping, name="b") for damping in (1.0, 2.0))
    with pytest.raises(ts.ModelError, match="the force name 'b' is used twice"):
        arm().force(brake).force(other)
    description = arm().force(brake).description()
    for twice in (other, brake):
        with pytest.raises(ts.ModelError, match="the force name 'b' is used twice"):
            ts.Model(dataclasses.replace(description, forces=[brake, twice]))
    nameless = ts.forces.Brake("hand", 1.0)
    assert len(arm().force(nameless).force(nameless).build().forces) == 2


@pytest.mark.parametrize("force", ["spring", None, 3.0, ts.forces.Spring, ts.Body("b"), {}])
def test_what_is_no_force(force: Any) -> None:
    with pytest.raises(
        TypeError, match=r"a force is of type .*, must be an element of tarsus\.forces"
    ):
        arm().force(force)
    description = arm().description()
    with pytest.raises(TypeError, match=r"must be an element of tarsus\.forces"):
        ts.Model(dataclasses.replace(description, forces=[force]))


def test_each_kind_of_force_is_known_by_its_name() -> None:
    assert isinstance(FORCES, Mapping)
    assert all(kind == force.kind for kind, force in FORCES.items())
