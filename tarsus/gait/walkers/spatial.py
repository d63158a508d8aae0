"""Spatial walkers: ball feet, hopper, 3D walker."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import number
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.events import guards, parameters, resets
from tarsus.events.foothold_model import held
from tarsus.events.phase import Exit, Phase
from tarsus.gait.walkers.walker import Factory, Section, Walker
from tarsus.model.builder import Builder
from tarsus.model.model import Model
from tarsus.parts.forces import Spring
from tarsus.robots.walkers import walker3d as model
from tarsus.spatial import quaternion_from_vector

# A walker in space on round feet: two straight legs on one axle, whose soles are balls that roll.
#
# It may rock from side to side and turn. Without a distance between its legs it is the walker of
# `round_feet` in the plane, which nothing holds upright; with one it rocks from foot to foot.
#
# T. McGeer, "Passive dynamic walking", International Journal of Robotics Research 9, 1990; A. D.
# Kuo, "Stabilization of lateral motion in passive dynamic walking", International Journal of
# Robotics Research 18, 1999; M. Coleman, A. Ruina, "An uncontrolled walking toy that cannot stand
# still", Physical Review Letters 80, 1998.


LEANING = (-0.006, -0.288, 0.026), -0.545
"""Turn of the stance leg and the angle of the hip after a strike, about those of a gait [rad]."""
RATES = (-0.343, 1.439, 0.097, 0.242)
"""Of the stance leg about its own axes and of the hip [rad/s]."""
BACKWARDS = (0.0, -1.0, 0.0)
"""Legs are swung ahead about −y."""


def model_of(
    leg_mass: float, hip_mass: float, width: float, axle: float, gravity: float, center: float
) -> Model:
    """Return the machine: joints "base", which floats, and "hip"; feet of unit legs are frames.

    Masses [kg] are spread to both sides by `axle` [m], their radius of gyration about the plane of
    the leg.
    """
    b = Builder("ball feet", gravity=(0.0, 0.0, -gravity))
    half = 0.5 * hip_mass
    mass = leg_mass + half
    height = (center * leg_mass + half) / mass
    about = leg_mass * half / mass * (1.0 - center) ** 2
    across = mass * axle**2
    moments = (about + across, about, across)
    b.body("left", mass, (0.0, 0.0, height), inertia=moments)
    b.body("right", mass, (0.0, 0.0, height - 1.0), inertia=moments)
    b.joint("base", "free", WORLD, "left")
    b.joint("hip", "revolute", "left", "right", position=(0.0, -width, 1.0), axis=BACKWARDS)
    b.frame("left_foot", "left").frame("right_foot", "right", position=(0.0, 0.0, -1.0))
    return b.build()


def ball_feet(
    radius: float = 0.6,
    leg_mass: float = 1.0,
    hip_mass: float = 0.5,
    width: float = 0.35,
    axle: float = 0.7,
    slope: float = 0.02,
    gravity: float = 9.8,
    center: float = 0.6,
) -> Walker:
    """Return a walker of unit legs, `width` [m] apart, on balls of `radius` [m].

    Masses [kg] are at the hip and at `center` of the legs from their feet, spread to both sides by
    `axle` [m]: a long axle rocks slowly. As it is stated it walks without falling to a side, and
    without scuffing.
    """
    numbers = {
        "radius": radius,
        "leg_mass": leg_mass,
        "hip_mass": hip_mass,
        "width": width,
        "axle": axle,
        "slope": slope,
        "gravity": gravity,
        "center": center,
    }
    for name, value in numbers.items():
        number(value, f"ball_feet: {name}")
    if not 0.0 < radius <= 1.0:
        raise ModelError(f"ball_feet: radius is {radius:g} m, must be from above 0 to a leg's, 1")
    for name in ("leg_mass", "axle"):
        if not numbers[name] > 0.0:
            raise ModelError(f"ball_feet: {name} is {numbers[name]:g}, must be positive")
    for name in ("hip_mass", "width"):
        if not numbers[name] >= 0.0:
            raise ModelError(f"ball_feet: {name} is {numbers[name]:g}, must not be negative")
    if not 0.0 <= center <= 1.0:
        raise ModelError(f"ball_feet: center is {center:g}, must be from 0 (feet) to 1 (hip)")
    return Walker.from_model(
        model_of(leg_mass, hip_mass, width, axle, gravity, center),
        ("left_foot", "right_foot"),
        stance="round",
        radius=radius,
        slope=slope,
        start=(standing(*LEANING), RATES),
        name="ball feet",
        factory=Factory(ball_feet, numbers),
    )


def standing(turn: ArrayLike, hip: float) -> Array:
    """Return q (7,) on the left foot, whose leg is turned by a vector (3,) [rad], at its root."""
    return np.concatenate([[0.0, 0.0], quaternion_from_vector(turn), [hip]])


# A hopper: a mass on a spring for a leg, which stands, flies, and lands with a leg that is held.
#
# In "stance" the foot is at the origin and the spring pushes the mass; where the leg is as long as
# it is at rest it takes off, and nothing but weight acts: it rises to its apex, and falls. The leg
# is held at an angle to the ground, so that the mass lands where it has come down to the height
# that such a leg has, and the new foot becomes the origin. Legs without mass lose nothing at a
# strike: there is a gait for each of many energies, and what is stable is stable among motions of
# the same.
#
# R. Blickhan, "The spring-mass model for running and hopping", Journal of Biomechanics 22, 1989;
# A. Seyfarth, H. Geyer, M. Günther, R. Blickhan, "A movement criterion for running", Journal of
# Biomechanics 35, 2002.


ANGLE, STIFFNESS = math.radians(68.0), 20_000.0
"""Of the leg at landing from the ground [rad], and of the leg [N/m] (Seyfarth et al. 2002)."""
SPEED, HEIGHT = 5.0, 1.0
"""Of the mass where its flight is highest, from which their runs begin [m/s, m]."""
FOOT = (0.0, 0.0, 0.0)


def hopper(
    angle: float = ANGLE,
    stiffness: float = STIFFNESS,
    mass: float = 80.0,
    length: float = 1.0,
    speed: float = SPEED,
    height: float = HEIGHT,
    gravity: float = 9.81,
) -> Walker:
    """Return a `mass` [kg] on a leg of `length` [m] that lands at an `angle` [rad] to the ground.

    `speed` [m/s] and `height` [m] are those where the flight before its start was highest; they
    choose the energy, and with it which gaits of the family are found.
    """
    numbers = {
        "angle": angle,
        "stiffness": stiffness,
        "mass": mass,
        "length": length,
        "speed": speed,
        "height": height,
        "gravity": gravity,
    }
    for name in ("stiffness", "mass", "length", "speed", "gravity"):
        if not number(numbers[name], name) > 0.0:
            raise ModelError(f"hopper: {name} is {numbers[name]:g}, must be positive")
    if not 0.0 < number(angle, "angle") < math.pi / 2:
        raise ModelError(f"hopper: angle is {angle:g} rad, must be between 0 and π/2")
    landing = np.array([-length * math.cos(angle), length * math.sin(angle)])
    if not number(height, "height") > landing[1]:
        raise ModelError(
            f"hopper: height is {height:g} m, must be more than that of landing, {landing[1]:g} m"
        )
    fall = -math.sqrt(2.0 * gravity * (height - landing[1]))

    def ahead(q: Array) -> Array:
        return np.asarray(q[..., 0] - landing[0])

    def energy(q: Array, v: Array) -> Array:
        short = length - np.linalg.norm(q, axis=-1)
        sprung = 0.5 * stiffness / mass * np.maximum(short, 0.0) ** 2
        return np.asarray(0.5 * (v**2).sum(-1) + gravity * q[..., 1] + sprung)[..., None] / gravity

    return Walker.from_phases(
        _phases(mass, gravity, stiffness, length, landing),
        name="hopper",
        start=(landing, [speed, fall]),
        ahead=ahead,
        factory=Factory(
            hopper,
            numbers,
            {"mass": parameters.Mass("mass"), "gravity": parameters.Gravity()},
        ),
        section=_section(landing),
        kept=energy,
    )


@lru_cache(32)
def _model(mass: float, gravity: float, stiffness: float = 0.0, length: float = 0.0) -> Model:
    """Return the mass, on its leg if that has a stiffness: q = (x, z) from the foot. Made once."""
    b = Builder("hopper", gravity=(0.0, 0.0, -gravity)).body("ahead").body("mass", mass)
    b.joint("forward", "prismatic", WORLD, "ahead", axis="x")
    b.joint("up", "prismatic", "ahead", "mass", axis="z")
    b.shape("mass", "sphere", (0.1,))
    if stiffness > 0.0:
        b.force(Spring(FOOT, "mass", stiffness, rest_length=length))
    return b.build()


def _phases(
    mass: float, gravity: float, stiffness: float, length: float, landing: Array
) -> tuple[Phase, ...]:
    """Return stance, rise and fall, whose coordinates are the same."""
    standing, free = _model(mass, gravity, stiffness, length), _model(mass, gravity)
    fell = Exit(guards.Height("mass"), name="fell")
    take_off = Exit(
        guards.Distance(FOOT, "mass", length), to="rise", crossing="rising", name="take-off"
    )
    # an event of its own, so that no apex, however little above landing, is passed over
    apex = Exit(guards.JointVelocity("up"), to="fall", name="apex")
    touch_down = Exit(
        guards.JointPosition("up", float(landing[1])),
        to="stance",
        # who comes down backwards would hang on its leg
        when=guards.JointVelocity("forward"),
        reset=resets.Linear(np.diag([0.0, 1.0]), [landing[0], 0.0], np.eye(2)),
        name="touch-down",
    )
    return (
        Phase(standing, (take_off, fell), name="stance"),
        Phase(free, (apex, fell), name="rise"),
        Phase(free, (touch_down, fell), name="fall"),
    )


def _section(landing: Array) -> Section:
    """Return the velocity at landing, where the place is always the same."""
    return Section(
        ("forward rate", "up rate"),
        lambda x: (np.broadcast_to(landing, x.shape), x),
        lambda q, v: v,
    )


# A walker in space with straight legs and a trunk, driven at all its joints.
#
# The stance foot is a pivot, and the swing foot strikes where it comes down to the ground ahead.
# Straight legs scuff where they pass: a gait has to swing the foot around, or lift it sideways.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, section 4.4.


LIFT = np.eye(9)[:, 3:]
"""From the six angles to all nine coordinates, the stance foot at the origin."""
MIRROR = np.array(
    [
        [0, 0, 1, 0, 0, 0],
        [0, 0, 0, -1, 0, 0],
        [1, 0, 0, 0, 0, 0],
        [0, -1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, -1],
    ],
    float,
)
"""Legs exchanged and left made right, of the six angles."""
START = np.array([-0.25, -0.1, 0.25, 0.1, 0.0, 0.0])
"""Angles just after a strike with which the search of the thesis begins [rad]."""


def walker3d(
    hip_mass: float = 3.0,
    head_mass: float = 3.0,
    foot_mass: float = 1.0,
    gravity: float = 9.81,
) -> Walker:
    """Return the walker of unit legs and trunk, with point masses [kg], on level ground."""
    numbers = {
        "hip_mass": hip_mass,
        "head_mass": head_mass,
        "foot_mass": foot_mass,
        "gravity": gravity,
    }
    free, pivoted = (
        model(hip_mass, head_mass, foot_mass, gravity=gravity, rooted=rooted)
        for rooted in (False, True)
    )
    strike = Exit(
        guards.Height("left_foot"),
        to="swing",
        when=guards.Height("left_foot", normal=(1.0, 0.0, 0.0)),
        reset=(
            resets.Linear(LIFT),
            resets.Impact(held(free, "left_foot")),
            resets.Linear(MIRROR @ LIFT.T),
        ),
        name="strike",
    )
    rates = np.array([0.6, 0.0, -0.6, 0.0, 0.0, 0.0])
    return Walker.from_phases(
        Phase(pivoted, strike, name="swing"),
        start=(START, rates),
        ahead=_ahead,
        name="walker3d",
        factory=Factory(walker3d, numbers),
    )


def _ahead(q: Array) -> Array:
    """Return how far the swing foot is ahead of the stance foot [m]."""
    ways = [np.sin(q[..., k]) * np.cos(q[..., k + 1]) for k in (0, 2)]
    return np.asarray(ways[0] - ways[1])
