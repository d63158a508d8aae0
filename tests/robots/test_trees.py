"""Chains and trees after spatial_v2, and random mechanisms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tarsus as ts


def test_parents_of_a_binary_tree() -> None:
    """Breadth first: the children of link i are 2 i + 1 and 2 i + 2."""
    model = ts.robots.tree(63)
    parents = [model.body(name).parent for name in model.body_names]
    assert parents == [-1] + [(i - 1) // 2 for i in range(1, 63)]


def test_parents_by_the_formula_of_spatial_v2() -> None:
    for branching in (1.0, 1.5, 2.0, 3.0):
        model = ts.robots.tree(20, branching)
        parents = [model.body(name).parent for name in model.body_names]
        formula = [math.floor((i - 2 + math.ceil(branching)) / branching) for i in range(1, 21)]
        assert parents[1:] == [parent - 1 for parent in formula[1:]]


def test_chain() -> None:
    model = ts.robots.chain(5, skew=0.3, taper=0.5)
    assert [model.body(name).parent for name in model.body_names] == [-1, 0, 1, 2, 3]
    assert model.joint("joint_1").placement[:3, 3].tolist() == [1.0, 0.0, 0.0]
    assert model.joint("joint_2").placement[:3, 3].tolist() == [0.5, 0.0, 0.0]
    assert np.isclose(model.joint("joint_1").placement[2, 1], math.sin(0.3))
    assert model.body("link_1").mass == 0.125
    assert model.body("link_0").inertia[1, 1] == 1.015 / 12


def test_a_planar_chain_stays_in_its_plane() -> None:
    model = ts.robots.chain(6, skew=0.0)
    poses = model.forward_kinematics(model.random_configuration(0, 10))
    assert np.abs(poses[..., 2, 3]).max() < 1e-15


def test_branching_is_at_least_1() -> None:
    with pytest.raises(ValueError, match=r"branching is 0\.5, must be at least 1"):
        ts.robots.tree(3, 0.5)


@pytest.mark.parametrize("robot", [ts.robots.tree, ts.robots.chain, ts.robots.dill])
@pytest.mark.parametrize(
    ("size", "message"),
    [
        (-1, "n is -1, must be from"),
        (10**9, "n is 1000000000, must be from"),
        ("a", "n is 'a', must be an integer"),
        (2.5, "n is 2.5, must be an integer"),
    ],
)
def test_sizes_are_bounded_integers(robot: Any, size: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        robot(size)


@pytest.mark.parametrize("size", [0, 10**9, "a"])
def test_sizes_of_random_mechanisms(size: Any) -> None:
    with pytest.raises(ValueError, match="n_bodies is"):
        ts.robots.random_mechanism(0, size)


def test_a_mechanism_of_no_kinds() -> None:
    with pytest.raises(ValueError, match="kinds is empty"):
        ts.robots.random_mechanism(0, 3, [])


def test_screws_without_random_axes_have_a_pitch() -> None:
    model = ts.robots.random_mechanism(0, 2, ["screw"], axes=False)
    assert [joint.pitch for joint in model.joints] == [0.1, 0.1]


def test_random_mechanisms_can_be_repeated() -> None:
    assert ts.robots.random_mechanism(4, 12) == ts.robots.random_mechanism(4, 12)
    assert ts.robots.random_mechanism(4, 12) != ts.robots.random_mechanism(5, 12)


def test_random_mechanisms_of_chosen_kinds() -> None:
    model = ts.robots.random_mechanism(0, 6, ["revolute", "screw"])
    assert sorted({model.joint(name).kind for name in model.joint_names}) == ["revolute", "screw"]


def test_names_lists_what_is_there() -> None:
    for name in ts.robots.names():
        assert callable(getattr(ts.robots, name))
