"""A walker in space whose mass is in its hip: light legs, swung at once, and ankles that push.

The stance leg is a pendulum on its head. It leans by `pitch` ahead and by `roll` to the right, so
that the hip is at (sin a cos b, −sin b, cos a cos b) from its foot; the other leg leans likewise
from the foot on which it will stand. At mid-stance, pitch = 0, that foot is aimed at its place by
how fast the hip falls aside; at the strike the ankle has restored what the strike takes. After
it right is left: the state is mirrored, and one step is a gait.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 5.4. Its law for one foot is `roll − gain · roll rate` (5.40).
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, flow, guards, resets
from tarsus.gait.push_off import leg_direction, leg_rates, leg_velocity, push_off, struck
from tarsus.gait.walkers.walker import Walker
from tarsus.model import WORLD, Builder, Model

PITCH, ROLL, GAIN, SPEED = -0.3, 0.1, 0.3, 1.76
"""Of the foot that is placed [rad], of the law [s], of the hip at mid-stance [m/s]."""
FALLEN = 1.2
"""A leg that leans more than this [rad] has fallen."""


def point_mass(
    pitch: float = PITCH,
    roll: float = ROLL,
    gain: float = GAIN,
    speed: float = SPEED,
    gravity: float = 9.81,
) -> Walker:
    """Return the walker with unit legs that places its foot at `pitch` and `roll` [rad].

    `gain` [s] of lateral foot placement; without it steps aside grow. `speed` [m/s] is that of
    the hip at mid-stance in the gait that it starts with: there is one for any speed, as pushes
    restore all energy. Pushes are part of a strike: the ledger of a gait has both as one, and does
    not tell what ankles spend.
    """
    numbers = {"pitch": pitch, "roll": roll, "gain": gain, "speed": speed, "gravity": gravity}
    model = pendulum(gravity)
    q, v = _gait(model, pitch, roll, speed)

    def aimed(t: float, q: Array, v: Array) -> tuple[Array, Array]:
        return np.array([q[0], q[1], pitch, roll - gain * v[1]]), v

    leans = tuple(
        Exit(FALLEN - way * guards.JointPosition(joint), name="fall")
        for joint in ("pitch", "roll")
        for way in (1, -1)
    )
    first = Phase(
        model,
        (
            Exit(
                guards.JointPosition("pitch"),
                "second half",
                resets.Function(aimed),
                crossing="rising",
                name="mid-stance",
            ),
            *leans,
        ),
        name="first half",
    )
    strike = Exit(
        guards.Height("swing_foot"), "first half", resets.Function(strike_of), name="strike"
    )
    second = Phase(model, (strike, *leans), name="second half")
    start = np.concatenate([q, [pitch, roll]]), np.concatenate([v, [0.0, 0.0]])

    def energy(q: Array, v: Array) -> Array:
        return np.asarray(model.kinetic_energy(q, v) + model.potential_energy(q))[..., None]

    return Walker(
        (first, second),
        name="point_mass",
        start=start,
        ahead=_ahead,
        numbers=numbers,
        recipe=point_mass,
        kept=energy,
    )


def pendulum(gravity: float = 9.81, mass: float = 1.0) -> Model:
    """Return the hip on its stance leg, and the leg that swings: pitch, roll, and those of both.

    The swing leg has no inertia but that of its motors, stands still and moves nothing.
    """
    b = Builder("point_mass", gravity=(0.0, 0.0, -gravity))
    b.body("ankle").body("stance_leg").body("hip", mass).body("levelled").body("turned")
    b.body("swing_hip").body("swing_leg")
    b.joint("pitch", "revolute", WORLD, "ankle", axis="y")
    b.joint("roll", "revolute", "ankle", "stance_leg", axis="x")
    b.joint("hip_mount", "fixed", "stance_leg", "hip", position=(0.0, 0.0, 1.0))
    # the swing leg is led in directions of the world, whatever the stance leg does
    b.joint("unroll", "revolute", "hip", "turned", axis="x")
    b.joint("unpitch", "revolute", "turned", "levelled", axis="y")
    b.joint("swing_pitch", "revolute", "levelled", "swing_hip", axis="y", armature=1.0)
    b.joint("swing_roll", "revolute", "swing_hip", "swing_leg", axis="x", armature=1.0)
    b.couple(["roll", "unroll"], [[1.0], [-1.0]])
    b.couple(["pitch", "unpitch"], [[1.0], [-1.0]])
    b.frame("stance_foot", "stance_leg")
    b.frame("swing_foot", "swing_leg", position=(0.0, 0.0, -1.0))
    b.shape("stance_leg", "cylinder", (0.02, 1.0), position=(0.0, 0.0, 0.5))
    b.shape("swing_leg", "cylinder", (0.02, 1.0), position=(0.0, 0.0, -0.5))
    b.shape("hip", "sphere", (0.1,))
    return b.build()


def strike_of(t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """Return the state after a push and a strike, mirrored: q (4,) and v (4,)."""
    old, new = leg_direction(q[0], q[1]), leg_direction(q[2], q[3])
    before = leg_velocity(q[0], q[1], v[:2])
    after = struck(before, old, new, push_off(before, old, new))
    rates = leg_rates(q[2], q[3], after)
    return np.array([q[2], -q[3], q[2], q[3]]), np.array([rates[0], -rates[1], 0.0, 0.0])


def _ahead(q: Array) -> Array:
    """Return how far the swing foot is ahead of the stance foot [m]."""
    way = leg_direction(q[..., 0], q[..., 1]) - leg_direction(q[..., 2], q[..., 3])
    return np.asarray(way[..., 0])


def _gait(model: Model, pitch: float, roll: float, speed: float) -> tuple[Array, Array]:
    """Return pitch and roll, and their rates, after the strikes of a gait.

    A gait is its own mirror image about mid-stance, where roll rests: the roll there is found
    from which the leg strikes at (−pitch, −roll).
    """
    from scipy.optimize import brentq  # slow to import, and only needed here

    there = Phase(model, Exit(-pitch - guards.JointPosition("pitch"), name="there"))

    def reached(middle: float) -> tuple[Array, Array]:
        q, v = np.array([0.0, middle, 0.0, 0.0]), np.array([speed / np.cos(middle), 0.0, 0.0, 0.0])
        found = flow(there, q, v, duration=10.0, rtol=1e-12, atol=1e-13)
        return found.q, found.v

    middle = brentq(lambda x: reached(x)[0][1] + roll, -roll, 0.0, xtol=1e-14)
    q, v = reached(middle)
    return np.array([-q[0], q[1]]), np.array([v[0], -v[1]])
