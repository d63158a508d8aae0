"""A hopper: a mass on a spring for a leg, which stands, flies, and lands with a leg that is held.

In "stance" the foot is at the origin and the spring pushes the mass; where the leg is as long as it
is at rest it takes off, and nothing but weight acts: it rises to its apex, and falls. The leg is
held at an angle to the ground, so that the mass lands where it has come down to the height that
such a leg has, and the new foot becomes the origin. Legs without mass lose nothing at a strike:
there is a gait for each of many energies, and what is stable is stable among motions of the same.

R. Blickhan, "The spring-mass model for running and hopping", Journal of Biomechanics 22, 1989;
A. Seyfarth, H. Geyer, M. Günther, R. Blickhan, "A movement criterion for running", Journal of
Biomechanics 35, 2002.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, guards, parameters, resets
from tarsus.forces import Spring
from tarsus.gait.walkers.section import Section
from tarsus.gait.walkers.walker import Walker
from tarsus.model import WORLD, Builder, Model, ModelError
from tarsus.model.checks import number

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

    return Walker(
        _phases(mass, gravity, stiffness, length, landing),
        name="hopper",
        start=(landing, [speed, fall]),
        ahead=ahead,
        numbers=numbers,
        recipe=hopper,
        parameters={"mass": parameters.Mass("mass"), "gravity": parameters.Gravity()},
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
