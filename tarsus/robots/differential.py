"""A bevel-gear differential: two motors together turn a wrist about two axes.

J. J. Uicker, G. R. Pennock, J. E. Shigley, "Theory of Machines and Mechanisms", Oxford
University Press 2017, chapter 9.
"""

from __future__ import annotations

from tarsus.model import WORLD, Builder, Model
from tarsus.robots import solids


def differential() -> Model:
    """Return a wrist with a differential: "pitch" about y, "roll" about x, and two bevel gears.

    The gears "left" and "right" turn about y by pitch + roll and by pitch − roll, so that they
    pitch the carrier if they turn alike and roll the hand if they turn against each other.
    """
    builder = Builder("differential")
    builder.body("carrier", 0.6, (0.03, 0.0, 0.0), solids.box(0.6, (0.1, 0.06, 0.06)))
    builder.body("hand", 0.8, (0.1, 0.0, 0.01), solids.box(0.8, (0.16, 0.08, 0.04)))
    for gear in ("left", "right"):
        builder.body(f"{gear}_gear", 0.2, inertia=solids.rotor("y", 6e-5, 4e-5))
    builder.joint("pitch", "revolute", WORLD, "carrier", axis="y")
    builder.joint("roll", "revolute", "carrier", "hand", position=(0.05, 0.0, 0.0), axis="x")
    builder.joint("left", "revolute", WORLD, "left_gear", position=(0.0, 0.04, 0.0), axis="y")
    builder.joint("right", "revolute", WORLD, "right_gear", position=(0.0, -0.04, 0.0), axis="y")
    builder.couple(
        ["pitch", "roll", "left", "right"],
        [[1, 0], [0, 1], [1, 1], [1, -1]],
        name="bevel_gears",
    )
    return builder.build()
