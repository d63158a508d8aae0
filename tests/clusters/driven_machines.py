"""Machines with one of each drive, and which of their joints are motors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import tarsus as ts

KNEE: Mapping[str, Any] = {"pivot": (0.02, -0.33, 0.0), "nut": (-0.07, 0.01, 0.0), "lead": 0.005}
"""Lengths of the golden numbers: screw pivot and nut [m], and the lead of the screw."""
SIDES = (0.05, -0.05)


def knee(*, tilt: bool = False) -> ts.Model:
    """Return a hinge about z that a spindle bends, with or without the tilt of the screw."""
    builder = ts.Builder("knee")
    for body in ("shank", "screw", "pivot")[: 3 if tilt else 2]:
        builder.body(body, 1.0, (0.0, 0.1, 0.0), (0.01, 0.02, 0.03))
    builder.joint("knee", "revolute", "world", "shank", axis="z", lower=-0.3, upper=1.5)
    if not tilt:
        builder.joint("motor", "revolute", "world", "screw", axis="y")
        return builder.transmission("spindle", "knee", "motor", motor=True, **KNEE).build()
    builder.joint("tilt", "revolute", "world", "pivot", axis="z")
    builder.joint("motor", "revolute", "pivot", "screw", axis="y")
    followers = ["tilt", "motor"]
    return builder.transmission(
        "tilting_spindle", "knee", followers, reference=(0, -1, 0), motor=True, **KNEE
    ).build()


def ankle() -> ts.Model:
    """Return two axes that two screws move together by couplers."""
    builder = ts.Builder("ankle")
    for body in ("cross", "foot", "left_screw", "right_screw"):
        builder.body(body, 1.0, (0.0, 0.0, 0.1), (0.01, 0.02, 0.03))
    limits = {"lower": -0.5, "upper": 0.5}
    builder.joint(
        "flexion", "revolute", "world", "cross", position=(0, 0, -0.4), axis="y", **limits
    )
    builder.joint("adduction", "revolute", "cross", "foot", axis="x", **limits)
    for side in ("left", "right"):
        builder.joint(side, "revolute", "world", f"{side}_screw")
    return builder.transmission(
        "parallel_ankle",
        ["flexion", "adduction"],
        ["left", "right"],
        motor=True,
        ankle=(0, 0, -0.4),
        first_axis=(0, 1, 0),
        second_axis=(1, 0, 0),
        screw_axis=(0, 0, -1),
        coupler=0.25,
        tops=[(-0.05, y, -0.1) for y in SIDES],
        bottoms=[(-0.08, y, 0.02) for y in SIDES],
        lead=0.005,
    ).build()


def belt() -> ts.Model:
    """Return an arm whose elbow is driven from the shoulder, and whose shoulder has a gear."""
    builder = ts.Builder("belt")
    for body in ("upper", "lower"):
        builder.body(body, 1.0, (0.2, 0, 0), (0.01, 0.01, 0.01))
    builder.joint("shoulder", "revolute", "world", "upper")
    builder.joint("elbow", "revolute", "upper", "lower", position=(0.4, 0, 0))
    for joint, rotor, ratio in (("elbow", "r", 20), ("shoulder", "s", -7)):
        builder.body(rotor, 0.1, (0.0, 0.01, 0.0), (1e-5, 1e-5, 2e-5))
        builder.gear(joint, ratio, rotor, "world", position=(0, 0, 0.1), axis="z")
    return builder.build()


def cam() -> ts.Model:
    """Return a valve on a shaft by a function, with a motor on the valve."""

    def lift(y: Any) -> tuple[Any, ...]:
        s = np.sin(y[0] + 0.3)
        c = np.cos(y[0] + 0.3)
        return np.array([0.1 * s]), np.array([[0.1 * c]]), np.array([[[-0.1 * s]]])

    builder = ts.Builder("cam").body("shaft", 1.0, inertia=(1, 1, 1)).body("valve", 0.1)
    builder.joint("shaft", "revolute", "world", "shaft", axis="y", lower=-1.0, upper=1.0)
    builder.joint("valve", "prismatic", "world", "valve", axis="z")
    return builder.transmission("function", "shaft", "valve", function=lift, motor=True).build()


Machine = tuple[Callable[[], ts.Model], Sequence[str] | None]
MACHINES: Mapping[str, Machine] = {
    "knee": (knee, None),
    "tilting knee": (lambda: knee(tilt=True), ["motor"]),
    "ankle": (ankle, None),
    "vergence": (ts.robots.vergence, None),
    "belt": (belt, None),
    "cam": (cam, None),
    "differential": (ts.robots.differential, ["left", "right"]),
    "harmonic drives": (ts.robots.lola, None),
    "joints themselves": (lambda: ts.robots.chain(5), ["joint_2", "joint_4"]),
    "rocker of a four-bar": (ts.robots.four_bar, ["rocker"]),
    "cross of a spatial four-bar": (ts.robots.spatial_four_bar, ["cross"]),
}


WORKING = {"vergence": 0.1}
"""How far a machine moves within its branch [rad], where it is not 0.3."""


def near(model: ts.Model, rng: np.random.Generator, count: int, spread: float) -> Any:
    """Return configurations (count, nq) around the neutral one, coordinates by up to `spread`."""
    steps = rng.uniform(-spread, spread, (count, model.nv))
    return model.integrate(model.neutral(), steps)
