"""Small mechanisms for symbolic equations: each kind of joint, each kind of coupling."""

from __future__ import annotations

from typing import Any

import numpy as np

import tarsus as ts
from tarsus.model.description import KINDS, ROLLING
from tarsus.model.symbolic import Symbolic

EQUATIONS = {
    "mass_matrix": "q",
    "coriolis_matrix": "qv",
    "gravity_forces": "q",
    "christoffel_symbols": "q",
    "inverse_dynamics": "qva",
    "configuration_rate": "qv",
}
AXES: dict[str, dict[str, Any]] = {
    **{kind: {"axis": (1, 2, 2)} for kind in ("revolute", "prismatic", "cylindrical")},
    "screw": {"axis": (0, 1, 1), "pitch": 0.2},
    "planar": {"axis": (2, 1, 2)},
    "universal": {"axis": "y", "second_axis": (3, 0, 4)},
    **{kind: {"radius": 0.3} for kind in ROLLING},
    "differential_base": {"radius": 0.3, "track": 0.5},
    "rolling": {
        "surface": {"kind": "torus", "numbers": (0.3, 0.1)},
        "ground": {"kind": "paraboloid", "numbers": (0.3, -0.2)},
    },
}


def with_joint(kind: str) -> ts.Model:
    """Return a body on a joint of some kind between two hinges, with armatures."""
    b = ts.Builder(kind)
    b.body("base", 2.0, com=(0.1, 0.02, -0.03), inertia=(0.02, 0.03, 0.04))
    b.joint("root", "revolute", "world", "base", axis="y")
    b.body("middle", 1.0, com=(0.1, 0.2, 0.3), inertia=(0.2, 0.3, 0.4))
    place = {"position": (0.3, 0.0, 0.1), "rotation": (np.pi / 2, 0.0, np.pi / 6)}
    armature = 0.1 * np.arange(1, KINDS[kind][1] + 1)
    b.joint("between", kind, "base", "middle", **place, armature=armature, **AXES.get(kind, {}))
    b.body("tip", 0.5, com=(0.1, 0.0, 0.0), inertia=(0.02, 0.03, 0.04))
    b.joint("last", "revolute", "middle", "tip", position=(0.1, 0.2, 0.0), axis="x")
    return b.build()


def two_bodies(kind: str) -> ts.Model:
    """Return a body on a joint of some kind, with a hinge, all in round numbers."""
    b = ts.Builder(kind)
    b.body("one", 2.0, com=(0.1, 0.0, -0.3), inertia=(0.2, 0.3, 0.4))
    b.joint("first", kind, "world", "one", **{**AXES.get(kind, {}), "second_axis": None})
    b.body("two", 1.0, com=(0.5, 0.0, 0.0), inertia=(0.1, 0.2, 0.2))
    b.joint("last", "revolute", "one", "two", position=(1.0, 0.0, 0.0), axis="z")
    return b.build()


def coupled(kind: str) -> ts.Model:
    """Return an arm of two hinges, and one or two joints that follow them."""
    b = ts.Builder(kind)
    for name, parent, axis in (("upper", "world", "z"), ("lower", "upper", "y")):
        b.body(name, 1.0, com=(0.1, 0.2, 0.3), inertia=(0.2, 0.3, 0.4))
        b.joint(name, "revolute", parent, name, position=(0.1, 0.2, 0.3), axis=axis, armature=[0.1])
    for name, parent in (("first", "upper"), ("second", "first")):
        b.body(name, 0.3, com=(0.01, 0.02, 0.03), inertia=(0.02, 0.03, 0.04))
        b.joint(name, "revolute", parent, name, position=(0.1, 0.0, 0.2), axis="x", armature=[0.2])
    spindle = {"pivot": (0.3, 0.0, 0.1), "nut": (0.0, 0.1, 0.0), "lead": 0.5}
    if kind == "linear":
        rows = [[1, 0], [0, 1], [0.5, -2], [3, 1]]
        b.couple(["upper", "lower", "first", "second"], rows, offset=[0, 0, 0.3, 0])
    elif kind == "stages":
        b.couple(["lower", "first"], [[1], [-4]])
        b.couple(["first", "second"], [[1], [2.5]])
    elif kind == "spindle":
        b.transmission("spindle", "lower", "first", **spindle)
    elif kind == "tilting_spindle":
        reference = {"reference": (1.0, 0.0, 0.2)}
        b.transmission("tilting_spindle", "lower", ["first", "second"], **spindle, **reference)
    else:
        sides = {
            "tops": [(0.1, 0.05, 0), (0.1, -0.05, 0)],
            "bottoms": [(0, 0.05, 0), (0, -0.05, 0)],
        }
        axes = {"first_axis": (0, 1, 0), "second_axis": (1, 0, 0), "screw_axis": (0, 0, 1)}
        sizes = {"ankle": (0.1, 0.0, -0.3), "coupler": 0.4, "lead": 0.1}
        names = ["upper", "lower"], ["first", "second"]
        b.transmission("parallel_ankle", *names, **sides, **axes, **sizes)
    return b.build()


def state(model: ts.Model, count: int = 3) -> dict[str, Any]:
    """Return some configurations, velocities and accelerations."""
    rng = np.random.default_rng(0)
    v, a = rng.normal(size=(2, count, model.nv))
    return {"q": model.random_configuration(rng, count), "v": v, "a": a}


def residuals(model: ts.Model, equations: Symbolic, *more: Any) -> dict[str, float]:
    """Return how far the equations are from the core, relative to the largest number."""
    states, found = state(model), {}
    for name, letters in EQUATIONS.items():
        arguments = [states[letter] for letter in letters]
        expected = getattr(model, name)(*arguments)
        difference = np.abs(equations.function(name)(*arguments, *more) - expected)
        assert difference.shape == expected.shape
        found[name] = float(difference.max() / max(1.0, np.abs(expected).max()))
    return found
