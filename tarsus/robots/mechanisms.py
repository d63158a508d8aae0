"""Textbook mechanisms with gears, couplings and rolling joints."""

from __future__ import annotations

import math

import numpy as np

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.builder import Builder
from tarsus.model.model import Model
from tarsus.robots import building as solids
from tarsus.robots.building import checked_lengths

# A bevel-gear differential: two motors together turn a wrist about two axes.
#
# J. J. Uicker, G. R. Pennock, J. E. Shigley, "Theory of Machines and Mechanisms", Oxford
# University Press 2017, chapter 9.


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


# Five bodies, one of which follows two others in a non-linear way.
#
# M. Schwienbacher, "Efficient Algorithms for Biped Robots, Simulation, Collision Avoidance and
# Angular Momentum Tracking", TU München 2013, section 2.7, Figure 2.12: the example on which the
# O(n) recursion with sub-systems is derived there. Sizes and the function are ours.


def five_bodies() -> Model:
    """Return the five-body example: B4 turns on B1 by sin q₂ + q₂ q₃², B5 hangs on B3.

    B1 hangs on the world, B2 and B4 on B1, B3 on B2; q₃ is a slide [m], the others are hinges.
    B2, B3 and B4 are one cluster with two coordinates inside the tree, with B1 before it and B5
    behind it. The function is Python: the model cannot be saved to a file.
    """
    builder = Builder("five_bodies")
    for i, size in enumerate((0.3, 0.25, 0.2, 0.15, 0.25), start=1):
        mass = 4.0 * size
        inertia = solids.box(mass, (size, size / 3, size / 4))
        builder.body(f"B{i}", mass, (size / 2, 0.02, -0.01 * i), inertia)
    builder.joint("q1", "revolute", WORLD, "B1", axis="z")
    builder.joint("q2", "revolute", "B1", "B2", position=(0.3, 0, 0), rotation=(0.4, 0, 0))
    builder.joint("q3", "prismatic", "B2", "B3", position=(0.25, 0, 0), axis=(1, 0, 1))
    builder.joint("q4", "revolute", "B1", "B4", position=(0.1, 0.1, 0), rotation=(0, 0.7, 0))
    builder.joint("q5", "revolute", "B3", "B5", position=(0.2, 0, 0), axis="y")
    builder.transmission("function", ["q2", "q3"], ["q4"], function=_turn_of_b4)
    return builder.build()


def _turn_of_b4(leaders: Array) -> tuple[Array, ...]:
    """Return the angle (1,) of B4 and its first (1, 2), second and third derivatives."""
    q2, q3 = leaders
    value = np.sin(q2) + q2 * q3**2
    first = [np.cos(q2) + q3**2, 2 * q2 * q3]
    second = [[-np.sin(q2), 2 * q3], [2 * q3, 2 * q2]]
    third = [[[-np.cos(q2), 0.0], [0.0, 2.0]], [[0.0, 2.0], [2.0, 0.0]]]
    return np.array([value]), np.array([first]), np.array([second]), np.array([third])


# The drive that turns a pair of cameras towards each other: one lever, two couplers.
#
# M. Schwienbacher, "Efficient Algorithms for Biped Robots, Simulation, Collision Avoidance and
# Angular Momentum Tracking", TU München 2013, section 3.4. Lengths and masses are plausible, not
# those of the robot Lola.


PIVOT, RECEPTACLE = (0.05, 0.0, 0.06), (-0.02, 0.0, -0.03)
"""Where the left camera turns, and from there its end of the coupler [m]; the right is mirrored."""
LEVER, LEVER_ANGLE = 0.02, 1.2
"""Length of the lever [m], and its angle where the cameras look straight ahead [rad]."""
RATIO = 50.0


def vergence() -> Model:
    """Return two cameras on one motor: "left" about y, which a lever moves by couplers.

    The lever turns about x by cos φ = s/(2 l z), s = x² + l² − c² + z², with (x, 0, z) the end of
    the left coupler, l and c the lengths of lever and coupler. "right" turns the other way, so
    that both angles are the vergence; "motor" turns `RATIO` times as far as the lever.
    """
    builder = Builder("vergence")
    builder.body("lever", 0.02, (0.0, 0.0, LEVER / 2), solids.box(0.02, (0.04, 0.004, LEVER)))
    builder.joint("lever", "revolute", WORLD, "lever", axis="x")
    tip = (0.0, 0.0, LEVER)
    end = np.add(PIVOT, RECEPTACLE)
    turned = LEVER * np.array([0.0, -np.sin(LEVER_ANGLE), np.cos(LEVER_ANGLE)])
    coupler = float(np.linalg.norm(end - turned))
    for side, sign in (("left", 1), ("right", -1)):
        camera = f"{side}_camera"
        builder.body(camera, 0.1, (0.0, 0.0, 0.02), solids.box(0.1, (0.03, 0.03, 0.06)))
        place = (sign * PIVOT[0], PIVOT[1], PIVOT[2])
        builder.joint(
            *(side, "revolute", WORLD, camera),
            position=place,
            axis=(0, sign, 0),
            lower=-0.25,
            upper=0.1,
        )
    for side, sign in (("left", 1), ("right", -1)):
        receptacle = (sign * RECEPTACLE[0], RECEPTACLE[1], RECEPTACLE[2])
        builder.close_loop(
            "distance",
            *("lever", tip, f"{side}_camera", receptacle),
            length=coupler,
            name=f"{side}_coupler",
            independent=["left"],
            start={"lever": LEVER_ANGLE},
        )
    builder.body("rotor", 0.01, inertia=solids.rotor("x", 1e-7, 1e-7))
    builder.joint("motor", "revolute", WORLD, "rotor", position=(0.0, 0.03, 0.0), axis="x")
    ratios, offset = [[1.0], [RATIO]], [0.0, -RATIO * LEVER_ANGLE]
    builder.couple(["lever", "motor"], ratios, offset=offset, name="gear", motor=True)
    return builder.build()


# Machines that roll: a disc on the ground, and the snakeboard.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University
# of Twente 2006, section 2.4; J. P. Ostrowski, A. Lewis, R. Murray, J. Burdick, "Nonholonomic
# Mechanics and Locomotion: The Snakeboard Example", ICRA 1994.


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
