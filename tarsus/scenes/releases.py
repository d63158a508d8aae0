"""Contacts that hold or let go, decided by hand: an arm whose tip is down, a bar on two supports.

The sign of a contact's force does not say whether it lets go. An arm of two links touches the floor
with its tip and is pulled along it: held without slip, the floor would have to pull the tip down,
and yet, if it were let go, the tip would move into the floor. What decides is the acceleration
without the contact (V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking
Robots", University of Twente 2006, section 3.3.4). A bar on two supports stays on both, one or
none of them (example 3.11 there, whose sizes are ours).
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from tarsus.forces import Wrench
from tarsus.geometry import Collision, Ground
from tarsus.model import WORLD, Builder, Model
from tarsus.model.checks import suggestion
from tarsus.scenes.looks import BLUE, DARK, GREY, ORANGE, show
from tarsus.scenes.scene import Scene, at_rest

WEIGHT, LIFT, LENGTH = 10.0, 11.0, 2.0
"""Of the bar [N], the force that lifts it [N], and its length [m]."""
APART, ASIDE, LIFTED_AT = (-0.7, 0.7), (-0.8, -0.3), 0.5
"""Where supports are, on both sides of the centre or on one, and where the lift is [m]."""
CASES = {
    "rests": (APART, None),
    "lifts": (APART, 0.0),
    "tips": (ASIDE, None),
    "turns": (ASIDE, LIFTED_AT),
}
"""Supports, and where it is lifted: (a) to (d) of example 3.11."""
LEG = 0.3
"""How long the supports are [m]."""


def release() -> Scene:
    """Return an arm of two links, bent by a right angle, whose tip touches the floor: example 3.9.

    Links have unit lengths, and unit masses at their centres; q₁ = π/4 and q₂ = π/2 lean back from
    up, there is no gravity, and 1 N along +x pulls at the centre of the second link.
    """
    builder = Builder("release", gravity=(0.0, 0.0, 0.0))
    parent, at = WORLD, (0.0, 0.0, 0.0)
    for name, color in (("upper", BLUE), ("lower", ORANGE)):
        middle = (0.0, 0.0, 0.5)
        builder.body(name, 1.0, middle)
        builder.joint(name, "revolute", parent, name, axis=(0.0, -1.0, 0.0), position=at)
        builder.frame(f"{name}_middle", name, position=middle)
        show(builder, name, "cylinder", (0.025, 1.0), color, middle)
        show(builder, name, "sphere", (0.06,), color, middle)
        parent, at = name, (0.0, 0.0, 1.0)
    builder.frame("tip", "lower", position=(0.0, 0.0, 1.0))
    model = builder.build()
    return Scene(
        *("release", model, np.array([math.pi / 4, math.pi / 2]), at_rest(model)),
        ground=Ground(friction=0.5),
        collision=Collision.from_model(model, ["tip"]),
        forces=[Wrench("lower_middle", force=(1.0, 0.0, 0.0), name="pull")],
        contact="event",
        duration=1.0,
        dt=0.01,
    )


def bar_model(supports: tuple[float, float] = APART) -> Model:
    """Return a bar of even density in the plane of x and z: joints "x", "z", "turn" about −y.

    It has two short legs at `supports` [m] along it, whose ends are the frames "first" and
    "second".
    """
    mass = WEIGHT / 9.81
    builder = Builder("bar").body("across").body("along")
    across = mass * LENGTH**2 / 12
    builder.body("bar", mass, inertia=(across, across, across))
    builder.joint("x", "prismatic", WORLD, "across", axis="x")
    builder.joint("z", "prismatic", "across", "along", axis="z")
    builder.joint("turn", "revolute", "along", "bar", axis=(0.0, -1.0, 0.0))
    show(builder, "bar", "box", (LENGTH, 0.08, 0.04), ORANGE)
    show(builder, "bar", "sphere", (0.04,), DARK)
    for name, x in zip(("first", "second"), supports, strict=True):
        builder.frame(name, "bar", position=(x, 0.0, -LEG))
        show(builder, "bar", "cylinder", (0.012, LEG), GREY, (x, 0.0, -LEG / 2))
    builder.frame("hook", "bar", position=(LIFTED_AT, 0.0, 0.0))
    return builder.build()


def supports(case: Literal["rests", "lifts", "tips", "turns"] = "rests") -> Scene:
    """Return a bar of 10 N on two supports: example 3.11.

    It "rests" on both; 11 N at its centre "lifts" it off both; with both on one side it "tips" over
    the second; and with 11 N at its other side it "turns" about the first.
    """
    if case not in CASES:
        raise ValueError(f"unknown case {case!r}{suggestion(case, CASES)}")
    places, lifted_at = CASES[case]
    model = bar_model(places)
    q0 = model.neutral()
    q0[1] = LEG
    forces = []
    if lifted_at is not None:
        where = "hook" if lifted_at else "bar"
        forces.append(Wrench(where, force=(0.0, 0.0, LIFT), name="lift"))
    return Scene(
        *("supports", model, q0, at_rest(model)),
        ground=Ground(friction=0.0),
        collision=Collision.from_model(model, ["first", "second"]),
        forces=forces,
        contact="event",
        duration=0.24,
        dt=0.005,
    )
