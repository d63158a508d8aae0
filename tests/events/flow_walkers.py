"""The compass walker in the numbers of Duindam 2006, chapter 5, as phases of a flow."""

from __future__ import annotations

import math

import numpy as np

import tarsus as ts
from tarsus._lib.files import Array

STABLE, UNSTABLE = (0.299294, -1.072963, 0.708407), (0.279554, -1.164771, 0.569874)
"""(q3, q̇3, q̇4) of the two gaits on a slope of 3°."""


def compass_model(
    *,
    floating: bool,
    slope: float = math.radians(3.0),
    gravity: float = 9.8,
    leg: float = 1.0,
    hip: float = 5.0,
    length: float = 1.0,
    stiffness: float = 0.0,
    damping: float = 0.0,
) -> ts.Model:
    """Return two legs [kg, at their middle] and a hip [kg]; floating, the foot can move, too."""
    b = ts.Builder("compass", (gravity * math.sin(slope), 0.0, -gravity * math.cos(slope)))
    root = "world"
    if floating:
        b.body("slider").body("foot")
        b.joint("x", "prismatic", "world", "slider", axis="x")
        b.joint("z", "prismatic", "slider", "foot", axis="z")
        root = "foot"
    middle = (0.0, 0.0, 0.5 * length)
    b.body("stance", leg, middle).body("hip", hip).body("swing", leg, -np.array(middle)).body("toe")
    b.joint("ankle", "revolute", root, "stance", axis=(0, -1, 0))
    b.joint("top", "fixed", "stance", "hip", position=(0, 0, length))
    springs = {"stiffness": stiffness, "damping": damping}
    b.joint("hinge", "revolute", "hip", "swing", axis=(0, -1, 0), **springs)
    b.joint("end", "fixed", "swing", "toe", position=(0, 0, -length))
    return b.build()


def compass(**numbers: float) -> ts.Phase:
    """Return a step: until the toe strikes, and the legs change their roles."""
    two = compass_model(floating=False, **numbers)
    four = compass_model(floating=True, **numbers)
    up = np.vstack([np.zeros((2, 2)), np.eye(2)])
    down = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, -1.0]])
    p = ts.guards.JointPosition
    exit = ts.Exit(
        2.0 * p("ankle") + p("hinge"),
        to="step",
        when=p("hinge") - 1e-3,
        reset=[
            ts.resets.Linear(up),
            ts.resets.Impact(ts.held(four, "toe", _struck(numbers))),
            ts.resets.Linear(down),
        ],
    )
    return ts.Phase(two, exit, name="step")


def _struck(numbers: dict[str, float]) -> Array:
    """Return a configuration in which the toe is on the ground; where does not matter."""
    return np.array([0.0, 0.0, -0.3, 0.6])


def start(q3: float, v3: float, v4: float) -> tuple[Array, Array]:
    """Return a state just after a strike."""
    return np.array([q3, -2.0 * q3]), np.array([v3, v4])
