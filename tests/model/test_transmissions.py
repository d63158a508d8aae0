"""Closed forms and functions by which joints follow others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from arms import arm, square
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus._lib.files import Array


def spindle(model: ts.Model, q: float, kind: str) -> Array:
    pivot, nut, lead = np.array([0.02, 0.0, -0.33]), np.array([-0.07, 0.0, 0.01]), 0.01
    r = pivot + Rotation.from_rotvec([0, q, 0]).apply(nut)
    screw = 2 * np.pi / lead * np.linalg.norm(r)
    if kind == "spindle":
        return np.array([screw])
    reference = np.array([0.0, 0.0, -1.0])
    return np.array([np.arctan2(np.cross(reference, r)[1], reference @ r), screw])


@pytest.mark.parametrize("kind", ["spindle", "tilting_spindle"])
def test_spindles(kind: str) -> None:
    builder = arm().joint("weld", "fixed", "lower", "s") if kind == "spindle" else arm()
    parameters: dict[str, Any] = {"pivot": (0.02, 0, -0.33), "nut": (-0.07, 0, 0.01), "lead": 0.01}
    followers = ["screw"]
    if kind == "tilting_spindle":
        builder.joint("tilt", "revolute", "world", "s", axis="y")
        parameters["reference"] = (0, 0, -2)
        followers = ["tilt", "screw"]
    builder.joint("screw", "revolute", "s" if len(followers) > 1 else "world", "r")
    builder.transmission(kind, "shoulder", followers, name="knee", motor=True, **parameters)
    model = builder.build()
    assert model.clusters[0].closure == kind
    q = np.array([0.7, 0.2])
    where = [model.joint(name).position_slice.start for name in followers]
    expected = spindle(model, 0.7, kind)
    error = np.abs(model.joint_positions(q)[where] - expected).max()
    print(f"{kind}: {error:.1e} rad of {expected.max():.0f}")
    assert error < 1e-12 * np.abs(expected).max()


ANKLE: dict[str, Any] = {
    "ankle": (0, 0, -0.4),
    "first_axis": (0, 1, 0),
    "second_axis": (2, 0, 0),
    "screw_axis": (0, 0, -1),
    "coupler": 0.15,
    "tops": [(-0.05, 0.04, -0.05), (-0.05, -0.04, -0.05)],
    "bottoms": [(-0.06, 0.035, 0.0), (-0.06, -0.035, 0.0)],
    "lead": 0.005,
}


def ankle(**changes: Any) -> ts.Builder:
    builder = ts.Builder("ankle")
    for name in ("cross", "foot", "r", "s"):
        builder.body(name, 1.0, inertia=(1, 1, 1))
    builder.joint("flexion", "revolute", "world", "cross", position=(0, 0, -0.4), axis="y")
    builder.joint("adduction", "revolute", "cross", "foot", axis="x")
    builder.joint("left", "revolute", "world", "r").joint("right", "revolute", "world", "s")
    parameters = {key: value for key, value in (ANKLE | changes).items() if value is not None}
    return builder.transmission(
        "parallel_ankle", ["flexion", "adduction"], ["left", "right"], **parameters
    )


def test_parallel_ankle() -> None:
    """Schwienbacher 2013, equation 3.25, with the screws at the shorter of the two solutions."""
    model = ankle().build()
    q = np.array([0.2, -0.1])
    turn = Rotation.from_rotvec([0, 0.2, 0]) * Rotation.from_rotvec([-0.1, 0, 0])
    e = np.array([0.0, 0.0, -1.0])
    for name, top, bottom in zip(("left", "right"), ANKLE["tops"], ANKLE["bottoms"], strict=True):
        r = np.array(ANKLE["ankle"]) + turn.apply(bottom) - np.array(top)
        length = e @ r - np.sqrt(0.15**2 - r @ r + (e @ r) ** 2)
        found = model.joint_positions(q)[model.joint(name).position_slice][0]
        error = abs(found - 2 * np.pi / 0.005 * length)
        print(f"{name}: {error:.1e} rad of {found:.0f}")
        assert error < 1e-12 * abs(found)


def with_function(function: Any) -> ts.Builder:
    builder = arm().joint("a", "revolute", "upper", "r").joint("weld", "fixed", "lower", "s")
    return builder.transmission("function", ["shoulder", "elbow"], "a", function=function)


def test_functions_of_your_own() -> None:
    model = with_function(square).build()
    q, v = np.array([[2.0, 3.0], [0.5, -1.0]]), np.array([1.0, 10.0])
    assert model.clusters[0].closure == "function"
    np.testing.assert_allclose(model.joint_positions(q)[:, 2], [6.0, -0.5])
    np.testing.assert_allclose(model.joint_velocities(q, v)[:, 2], [23.0, 4.0])
    zeros = np.zeros(2)
    np.testing.assert_allclose(model.joint_accelerations(q, v, zeros)[:, 2], [20.0, 20.0])


BAD_FUNCTIONS: dict[str, tuple[Any, str]] = {
    "value only": (lambda y: y[0], "must return value, first and second derivatives"),
    "shape": (lambda y: (y, y, y), r"its value has shape \(2,\), must be \(1,\)"),
    "not finite": (
        lambda y: (np.array([np.nan]), np.zeros((1, 2)), np.zeros((1, 2, 2))),
        "its value is not finite at",
    ),
}


@pytest.mark.parametrize("name", BAD_FUNCTIONS)
def test_functions_that_are_wrong(name: str) -> None:
    function, message = BAD_FUNCTIONS[name]
    with pytest.raises(ValueError, match=f"the function of coupling 'a'.*{message}"):
        with_function(function).build().joint_positions([0.1, 0.2])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"coupler": -1.0}, "coupler is -1.0"),
        ({"coupler": None}, "parameter 'coupler' is missing"),
        ({"tops": np.zeros((3, 2))}, r"tops has shape \(3, 2\), must be \(2, 3\)"),
        ({"screw_axis": (0, 0, 0)}, "screw_axis is zero"),
    ],
)
def test_wrong_parameters_of_an_ankle(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ts.ModelError, match=message):
        ankle(**changes)
