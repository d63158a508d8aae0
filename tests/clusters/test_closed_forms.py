"""Drives with closed forms: a geared pendulum, knee spindle, parallel ankle, a function.

Values after M. Schwienbacher, "Efficient Algorithms for Biped Robots", TU München 2013: sections
3.1 to 3.3, and the example of figure 2.12; derivatives were checked by differences there and here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cluster_cases import METHODS, distance
from oracle import Array, slope
from projection import Projection
from random_parts import random_inertia

import tarsus as ts
from tarsus.robots.trees import random_rotation


def screws(kind: str, leaders: int, **parameters: Any) -> ts.Model:
    """Return leaders in a row and two screws on the world that follow them."""
    builder, parent = ts.Builder(kind), "world"
    names = [f"joint_{i}" for i in range(leaders)]
    for i, name in enumerate(names):
        builder.body(f"link_{i}", 1.0, (0.1, 0.0, -0.2), (0.01, 0.02, 0.03))
        builder.joint(name, "revolute", parent, f"link_{i}", axis="zy"[i])
        parent = f"link_{i}"
    followers = {"spindle": ["screw"], "tilting_spindle": ["tilt", "screw"]}.get(
        kind, ["left", "right"]
    )
    parent = "world"
    for name in followers:
        builder.body(f"{name}_body", 0.2, (0.0, 0.01, 0.0), (1e-4, 2e-4, 1e-4))
        builder.joint(name, "revolute", parent, f"{name}_body", axis="y")
        parent = f"{name}_body" if kind == "tilting_spindle" else "world"
    builder.transmission(kind, names, followers, **parameters)
    return builder.build()


@pytest.mark.parametrize(
    ("ratio", "expected"), [(100.0, -3.67875), (-100.0, -3.67875), (0.0, -14.715)]
)
def test_a_geared_pendulum(ratio: float, expected: float) -> None:
    """A coaxial rotor on the base adds ratio² times its moment: 1/3 + 1 kg m² in all."""
    builder = ts.Builder("pendulum", gravity=(0.0, -9.81, 0.0))
    builder.body("link", 1.0, (0.5, 0.0, 0.0), (0.0, 1 / 12, 1 / 12))
    builder.body("rotor", 0.1, inertia=(5e-5, 5e-5, 1e-4))
    builder.joint("hinge", "revolute", "world", "link").gear("hinge", ratio, "rotor")
    model = builder.build()
    for method in METHODS:
        found = model.forward_dynamics([0.0], [0.0], [0.0], method=method)
        assert abs(found[0] - expected) < 1e-12
    rotor = model.joint("rotor_joint")
    assert model.joint_positions([0.3])[rotor.position_slice] == 0.3 * ratio
    assert model.motors == ("rotor_joint",)


KNEE = {"pivot": (0.02, -0.33, 0.0), "nut": (-0.07, 0.01, 0.0), "axis": (0, 0, 1), "lead": 0.005}
LENGTHS = {
    0.0: (0.323882694814, 0.070704611165, -0.000923612298, 88.85003480),
    0.7: (0.369615548259, 0.055578585142, -0.038544931216, 69.84210991),
    1.2: (0.391894408285, 0.032352021395, -0.052787859366, 40.65474910),
}


@pytest.mark.parametrize("q", LENGTHS)
def test_knee_spindle(q: float) -> None:
    model, per_metre = screws("spindle", 1, **KNEE), 2.0 * np.pi / 0.005
    length, first, second, ratio = LENGTHS[q]
    screw = model.joint("screw")
    found = model.joint_positions([q])[screw.position_slice] / per_metre
    np.testing.assert_allclose(found, length, atol=1e-12)
    rate = model.coupling_matrix([q])[screw.velocity_slice, 0]
    np.testing.assert_allclose(rate / per_metre, first, atol=1e-12)
    np.testing.assert_allclose(rate, ratio, atol=1e-8)
    drift = model.joint_accelerations([q], [1.3], [0.0])[screw.velocity_slice]
    np.testing.assert_allclose(drift / per_metre / 1.3**2, second, atol=1e-12)
    sloped = slope(lambda s: model.coupling_matrix([q + 1.3 * s]))[screw.velocity_slice, 0]
    np.testing.assert_allclose(drift, 1.3 * sloped, rtol=1e-6)


def test_the_angle_of_a_knee_motor_gives_the_angle_of_the_knee() -> None:
    """Newton's method on the closed form and its derivative, from 0.3 rad away."""
    model = screws("spindle", 1, **KNEE)
    at = model.joint("screw").position_slice.start
    target, q = model.joint_positions([0.7])[at], 1.0
    for _ in range(6):
        q -= (model.joint_positions([q])[at] - target) / model.coupling_matrix([q])[at, 0]
    assert abs(q - 0.7) < 1e-12


def test_a_tilting_spindle_points_along_the_screw() -> None:
    model = screws("tilting_spindle", 1, **KNEE, reference=(0.0, -1.0, 0.0))
    tilt = model.joint("tilt").position_slice.start
    for q in LENGTHS:
        c, s = np.cos(q), np.sin(q)
        r = np.array([0.02 - 0.07 * c - 0.01 * s, -0.33 - 0.07 * s + 0.01 * c])
        expected = np.arctan2(r[0], -r[1])  # about z from −y
        assert abs(model.joint_positions([q])[tilt] - expected) < 1e-14


ANKLE = {
    "ankle": (0.0, 0.0, -0.4),
    "first_axis": (0, 1, 0),
    "second_axis": (1, 0, 0),
    "screw_axis": (0, 0, -1),
    "coupler": 0.25,
    "tops": ((-0.05, 0.05, -0.1), (-0.05, -0.05, -0.1)),
    "bottoms": ((-0.08, 0.05, 0.02), (-0.08, -0.05, 0.02)),
    "lead": 0.005,
}


def test_parallel_ankle() -> None:
    model, per_metre = screws("parallel_ankle", 2, **ANKLE), 2.0 * np.pi / 0.005
    q, v = np.array([0.2, -0.1]), np.array([0.7, -1.1])
    sides = [model.joint(name).velocity_slice.start for name in ("left", "right")]
    lengths = model.joint_positions(q)[sides] / per_metre
    np.testing.assert_allclose(lengths, [0.020799463560, 0.010824201796], atol=1e-12)
    jacobian = model.coupling_matrix(q)[sides] / per_metre
    expected = [[-0.078564355056, -0.051871878933], [-0.077257757287, 0.047471236182]]
    np.testing.assert_allclose(jacobian, expected, atol=1e-12)
    rates = [[0.011592829994, -0.013005099275], [0.035244992418, -0.035595351580]]
    drift = model.joint_accelerations(q, v, np.zeros(2))[sides] / per_metre
    np.testing.assert_allclose(drift, np.array(rates) @ v, atol=1e-12)


def test_the_lengths_of_an_ankle_give_its_angles() -> None:
    model, expected = screws("parallel_ankle", 2, **ANKLE), np.array([0.2, -0.1])
    sides = [model.joint(name).velocity_slice.start for name in ("left", "right")]
    target, q = model.joint_positions(expected)[sides], np.zeros(2)
    for _ in range(8):
        jacobian = model.coupling_matrix(q)[sides]
        q = q - np.linalg.solve(jacobian, model.joint_positions(q)[sides] - target)
    np.testing.assert_allclose(q, expected, atol=1e-12)


def test_an_ankle_out_of_reach_is_an_error_that_names_it() -> None:
    model = screws("parallel_ankle", 2, **(ANKLE | {"coupler": 0.02}), name="ankle drive")
    with pytest.raises((ValueError, ArithmeticError), match="ankle drive"):
        model.forward_dynamics([0.2, -0.1], np.zeros(2), np.zeros(2))


def five_bodies(rng: np.random.Generator) -> ts.Model:
    """Figure 2.12: B4 turns on B1 by sin q2 + q2 q3², a free body B5 hangs on B3."""

    def turned(y: Array) -> tuple[Array, Array, Array]:
        a, b = y
        return (
            np.array([np.sin(a) + a * b**2]),
            np.array([[np.cos(a) + b**2, 2.0 * a * b]]),
            np.array([[[-np.sin(a), 2.0 * b], [2.0 * b, 2.0 * a]]]),
        )

    builder = ts.Builder("five bodies", gravity=rng.normal(size=3) * 5.0)
    joints = {
        "B1": ("revolute", "world"),
        "B2": ("revolute", "B1"),
        "B3": ("prismatic", "B2"),
        "B4": ("revolute", "B1"),
        "B5": ("free", "B3"),
    }
    for name, (kind, parent) in joints.items():
        mass = rng.uniform(0.5, 2.0)
        builder.body(name, mass, rng.normal(size=3) * 0.2, random_inertia(rng, mass))
        place = {"position": rng.normal(size=3) * 0.5, "rotation": random_rotation(rng)}
        builder.joint(f"j{name[1]}", kind, parent, name, **place)
    builder.transmission("function", ["j2", "j3"], ["j4"], function=turned)
    return builder.build()


def test_a_body_that_turns_by_a_function_of_two_joints() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        model = five_bodies(rng)
        groups = [set(cluster.bodies) for cluster in model.clusters]
        assert {"B2", "B3", "B4"} in groups and len(groups) == 3
        own, q = Projection.of(model), model.random_configuration(rng)
        v, tau = rng.normal(size=(2, model.nv))
        expected = own.forward_dynamics(model.joint_positions(q), v, tau)
        found = [model.forward_dynamics(q, v, tau, method=method) for method in METHODS]
        residual = max(distance(a, expected) for a in found)
        print(f"five bodies: {residual:.1e}")
        assert residual < 1e-12


def test_samples_of_a_function_are_called_once_for_a_batch() -> None:
    model = five_bodies(np.random.default_rng(0))
    q = model.random_configuration(1, 7)
    found = model.mass_matrix(q)
    for state, matrix in zip(q, found, strict=True):
        np.testing.assert_array_equal(matrix, model.mass_matrix(state))


def test_a_function_that_fails_tells_so() -> None:
    def broken(y: Array) -> tuple[Array, Array, Array]:
        raise RuntimeError("no such table")

    builder = ts.Builder("broken").body("a", 1.0).body("b", 1.0)
    builder.joint("lead", "prismatic", "world", "a").joint("slide", "prismatic", "world", "b")
    builder.transmission("function", ["lead"], ["slide"], function=broken)
    with pytest.raises(RuntimeError, match="no such table"):
        builder.build().mass_matrix([0.1])
