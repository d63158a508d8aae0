"""Chains and trees after spatial_v2, and random mechanisms."""

from __future__ import annotations

import math

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


@pytest.mark.parametrize("arguments", [(0,), (3, 0.5)])
def test_bad_arguments(arguments: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        ts.robots.tree(*arguments)  # type: ignore[arg-type]


def test_random_mechanisms_can_be_repeated() -> None:
    assert ts.robots.random_mechanism(4, 12) == ts.robots.random_mechanism(4, 12)
    assert ts.robots.random_mechanism(4, 12) != ts.robots.random_mechanism(5, 12)


def test_random_mechanisms_of_chosen_kinds() -> None:
    model = ts.robots.random_mechanism(0, 6, ["revolute", "screw"])
    assert sorted({model.joint(name).kind for name in model.joint_names}) == ["revolute", "screw"]


def test_names_lists_what_is_there() -> None:
    for name in ts.robots.names():
        assert callable(getattr(ts.robots, name))
