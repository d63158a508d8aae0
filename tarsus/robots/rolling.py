"""Machines that roll: a disc on the ground, and the snakeboard.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University
of Twente 2006, section 2.4; J. P. Ostrowski, A. Lewis, R. Murray, J. Burdick, "Nonholonomic
Mechanics and Locomotion: The Snakeboard Example", ICRA 1994.
"""

from __future__ import annotations

import math

from tarsus.model import WORLD, Builder, Model
from tarsus.robots import solids
from tarsus.robots.planar import checked_lengths


def rolling_disc(radius: float = 0.3, mass: float = 2.0) -> Model:
    """Return a thin disc of `radius` [m] and `mass` [kg] that rolls on the ground without slip.

    q is the place of the contact point, x and y, then heading, lean and spin; v are the rates of
    these three angles.
    """
    radius, mass = checked_lengths("rolling_disc", radius=radius, mass=mass)
    builder = Builder("rolling_disc")
    builder.body(
        "disc", mass, inertia=solids.rotor("y", mass * radius**2 / 2, mass * radius**2 / 4)
    )
    builder.joint("contact", "rolling_disc", WORLD, "disc", radius=radius)
    return builder.build()


def snakeboard() -> Model:
    """Return a snakeboard: two trucks steer against each other, a torso turns on the board.

    6 kg in all, the trucks 0.2 m before and behind the centre of the board; the inertia about
    this centre is m r², that of the torso 0.1 kg m², of both trucks about their own axes
    0.02 kg m² (example 2.21 of the thesis has no numbers; these are ours). The rear truck is a
    knife edge on the ground, the front truck another, as a constraint. The board turns by φ on
    the rear truck ("rear"), the front truck by the same angle on the board ("front"), and the
    torso by ψ ("torso").
    """
    half = 0.2
    board, torso, truck = 3.0, 2.0, 0.5
    turning = {"torso": 0.1, "truck": 0.01}
    # what is left for the board, so that the whole has m r² about its centre
    spin = 6.0 * half**2 - turning["torso"] - 2 * turning["truck"] - 2 * truck * half**2
    builder = Builder("snakeboard")
    builder.body("rear_truck", truck, inertia=_flat(turning["truck"]))
    builder.body("board", board, (half, 0.0, 0.0), _flat(spin))
    builder.body("torso", torso, inertia=_flat(turning["torso"]))
    builder.body("front_truck", truck, inertia=_flat(turning["truck"]))
    builder.joint("ground", "knife_edge", WORLD, "rear_truck")
    builder.joint("rear", "revolute", "rear_truck", "board")
    builder.joint("torso", "revolute", "board", "torso", position=(half, 0.0, 0.0))
    builder.joint("front", "revolute", "board", "front_truck", position=(2 * half, 0.0, 0.0))
    builder.couple(["rear", "front"], [[1], [1]], name="steering")
    builder.close_loop(
        *("knife_edge", WORLD, (0.0, 0.0, 0.0), "front_truck", (0.0, 0.0, 0.0)),
        name="front_wheels",
    )
    turned = (math.pi / 2, 0.0, 0.0)
    for name in ("rear_truck", "front_truck"):
        for y in (-0.08, 0.08):
            builder.shape(name, "cylinder", (0.03, 0.03), position=(0, y, 0.03), rotation=turned)
    builder.shape("board", "box", (2.6 * half, 0.1, 0.02), position=(half, 0.0, 0.08))
    builder.shape("torso", "box", (0.06, 0.5, 0.06), position=(0.0, 0.0, 0.4))
    builder.shape("torso", "cylinder", (0.05, 0.3), position=(0.0, 0.0, 0.25))
    return builder.build()


def _flat(turning: float) -> solids.Triple:
    """Return the inertia of a flat body in the plane of the ground, `turning` about z."""
    return turning / 2, turning / 2, turning
