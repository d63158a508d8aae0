"""Pendulums, gyroscope, hanging chain, cans, bungee, snakeboard, tensegrity."""

from __future__ import annotations

import math
from typing import SupportsIndex

import numpy as np

from tarsus._lib.checks import checked_size, number, positive
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.control.joint_control import PD
from tarsus.geometry.grounds import Ground
from tarsus.model.builder import Builder
from tarsus.parts.body_forces import Damping
from tarsus.parts.forces import Rubber, String
from tarsus.parts.part import Part
from tarsus.parts.rigid_constraints import Nail
from tarsus.robots import building as solids
from tarsus.robots.mechanisms import snakeboard as machine
from tarsus.scenes.scene import ACROSS as ACROSS_CANS
from tarsus.scenes.scene import (
    BLUE,
    COLORS,
    DARK,
    GREEN,
    GREY,
    LYING,
    ORANGE,
    RED,
    Scene,
    at_rest,
    show,
)
from tarsus.scenes.vehicles import BAR_MASS as MASS
from tarsus.scenes.vehicles import BAR_SIZE as SIZE

# A wave of pendulums: each makes one swing more than its neighbour until all meet again.
#
# Pendulum k of n makes N + k swings in a time T. What a large amplitude A does to the period,
# T = 4 √(l/g) K(sin(A/2)), it does to all alike, so they meet again after T whatever A is.


GRAVITY, SPACING, BOB = 9.81, 0.06, 0.02
"""[m/s²], and of a row of bobs [m]."""


def pendulum_wave(
    n: SupportsIndex = 15, period: float = 20.0, swings: SupportsIndex = 16, amplitude: float = 0.35
) -> Scene:
    """Return `n` pendulums in a row that meet again after `period` [s].

    The longest makes so many `swings` until then. They start at an `amplitude` [rad].
    """
    positive(number(period, "period"), "period")
    swings = checked_size(swings, "swings")
    builder = Builder("pendulum_wave")
    for k in range(checked_size(n, "n")):
        name, length = f"bob_{k}", pendulum_length(period / (swings + k), amplitude)
        builder.body(name, 0.1, (0.0, 0.0, -length))
        builder.joint(name, "revolute", WORLD, name, axis="y", position=(0.0, k * SPACING, 0.0))
        color = ORANGE if k % 2 else BLUE
        show(builder, name, "sphere", (BOB,), color, (0.0, 0.0, -length))
        show(builder, name, "cylinder", (0.002, length), GREY, (0.0, 0.0, -length / 2))
    model = builder.build()
    q0 = model.neutral()
    q0[:] = amplitude
    return Scene(
        *("pendulum wave", model, q0, at_rest(model)),
        ground=None,
        duration=period,
        dt=2e-3,
        integrator="rk4",
    )


def pendulum_length(period: float, amplitude: float) -> float:
    """Return how long a pendulum must be [m] for a `period` [s] at an `amplitude` [rad]."""
    from scipy.special import ellipk  # slow to import, and only needed here

    quarter = float(ellipk(math.sin(amplitude / 2) ** 2))
    return GRAVITY * (period / (4 * quarter)) ** 2


# A gyroscope: a disc that spins on a rod, one end of which stands on a point, does not fall.
#
# With moments of inertia A across the axis, about the point, and C along it, a spin of ω₃ about the
# axis and its tilt θ from the vertical it precesses steadily at a rate Ω with
#
#     A Ω² cos θ − C ω₃ Ω + m g l = 0,
#
# H. Goldstein, "Classical Mechanics", section 5.7. Its energy, and its angular momenta about the
# vertical and about its own axis stay what they are.


RADIUS, THICKNESS, GYROSCOPE_MASS, REACH = 0.05, 0.012, 0.2, 0.06
"""Disc [m, kg], and how far its centre is from the point [m]."""
ALONG = GYROSCOPE_MASS * RADIUS**2 / 2
ACROSS = GYROSCOPE_MASS * (RADIUS**2 / 4 + THICKNESS**2 / 12) + GYROSCOPE_MASS * REACH**2
"""Moments of inertia about the point [kg m²]."""
WEIGHT = GYROSCOPE_MASS * 9.81


def precession(spin: float, tilt: float) -> float:
    """Return the rate [rad/s] of slow steady precession with ω₃ = `spin` [rad/s] and the tilt."""
    a, b, c = ACROSS * math.cos(tilt), ALONG * spin, WEIGHT * REACH
    square = b * b - 4 * a * c
    if square < 0.0:
        raise ValueError(f"spin is {spin:g} rad/s, too slow for a steady precession at this tilt")
    # the slow root, without cancellation; for a horizontal axis it is c/b
    return 2 * c / (b + math.copysign(math.sqrt(square), b))


def gyroscope(spin: float = 200.0, tilt: float = 1.0) -> Scene:
    """Return a gyroscope in steady precession: `spin` [rad/s] about its axis, `tilt` [rad]."""
    rate = precession(spin, tilt)
    builder = Builder("gyroscope")
    across = ACROSS - GYROSCOPE_MASS * REACH**2
    builder.body("disc", GYROSCOPE_MASS, (0.0, 0.0, REACH), (across, across, ALONG))
    builder.joint("point", "spherical", WORLD, "disc")
    middle = (0.0, 0.0, REACH)
    show(builder, "disc", "cylinder", (RADIUS, THICKNESS), ORANGE, middle)
    show(builder, "disc", "cylinder", (0.003, 2 * REACH), GREY, middle)
    # a spot, so that its spin can be seen
    show(builder, "disc", "cylinder", (0.01, 1.3 * THICKNESS), BLUE, (0.7 * RADIUS, 0.0, REACH))
    show(builder, WORLD, "cylinder", (0.006, 0.08), GREY, (0.0, 0.0, -0.04))
    model = builder.build()
    q0, v0 = model.neutral(), at_rest(model)
    q0[:] = 0.0, math.sin(tilt / 2), 0.0, math.cos(tilt / 2)
    # in body axes the vertical is (−sin θ, 0, cos θ)
    v0[:] = -rate * math.sin(tilt), 0.0, spin
    return Scene(
        *("gyroscope", model, q0, v0), ground=None, duration=2.0, integrator="dormand_prince"
    )


# A chain that is hung between two poles, one end at a time.
#
# It begins on one pole and comes to the other by a constraint with a time constant, as Schröder
# ("The Virtual Erector Set", MIT 1990, section 2.2) wants it from a kit that assembles itself. At
# rest its links lie as those of a catenary of rods: with a pull of H along the span, link i of n
# has the slope (i − (n − 1)/2) m g / H, and the links span the poles.


LENGTH, CHAIN_MASS = 0.25, 0.5
"""Of a link [m, kg]."""
CHAIN_DAMPING = 2.0
"""In its joints [N m s/rad]."""


def hanging_chain(n: SupportsIndex = 20, span: float = 4.0, time_constant: float = 0.4) -> Scene:
    """Return a chain of `n` links of 0.25 m, on poles that are `span` [m] apart, along x.

    Its free end goes to the second pole, critically damped, by the `time_constant` [s].
    """
    count = checked_size(n, "n", 2)
    if not 0.0 < span < count * LENGTH:
        raise ValueError(f"span is {span}, must be positive and less than {count * LENGTH} m")
    builder = Builder("hanging_chain")
    for k in range(count):
        name, parent = f"link_{k}", f"link_{k - 1}" if k else WORLD
        builder.body(name, CHAIN_MASS, (LENGTH / 2, 0.0, 0.0), solids.rod(CHAIN_MASS, LENGTH))
        at = (LENGTH, 0.0, 0.0) if k else (0.0, 0.0, 0.0)
        builder.joint(name, "revolute", parent, name, position=at, axis="y", damping=CHAIN_DAMPING)
        color = ORANGE if k % 2 else BLUE
        show(builder, name, "capsule", (0.03, LENGTH - 0.06), color, (LENGTH / 2, 0.0, 0.0), LYING)
    for x in (0.0, span):
        show(builder, WORLD, "cylinder", (0.04, 2.0), GREY, (x, 0.0, -1.0))
    builder.frame("end", f"link_{count - 1}", position=(LENGTH, 0.0, 0.0))
    model = builder.build()
    q0 = model.neutral()
    # a straight chain could not begin to rise
    q0[0], q0[1:] = math.pi / 2, -1.0 / (count - 1)
    nail = Nail("end", (span, 0.0, 0.0), time_constant=time_constant, name="pole")
    return Scene(
        *("hanging chain", model, q0, at_rest(model)),
        ground=None,
        forces=(nail,),
        duration=10.0,
        dt=2e-3,
    )


# A string of cans behind a car, one of the scenarios of Schröder (MIT 1990, section 1.5).
#
# The car is heavy and rolls freely, so that all that slows it is what the cans drag. On level
# ground each string pulls with μ m g for each can behind it; on bumps they rattle, and cost more.


CAN_RADIUS, HEIGHT, CAN_MASS = 0.033, 0.11, 0.05
"""Of a can [m, kg]."""
CAR_MASS, CAR_SIZE = 50.0, (1.2, 0.6, 0.3)
"""Of a small car [kg, m]."""
GAP, CAN_STIFFNESS, CAN_DAMPING = 0.25, 2000.0, 2.0
"""Length [m], stiffness [N/m] and damping [N s/m] of the strings."""


def cans(n: SupportsIndex = 4, speed: float = 2.0, friction: float = 0.4) -> Scene:
    """Return a car that pulls `n` cans on strings, at `speed` [m/s] at first."""
    count = checked_size(n, "n")
    builder = Builder("cans")
    builder.body("car", CAR_MASS, inertia=(1.0, 1.0, 1.0))
    builder.joint("drive", "prismatic", WORLD, "car", axis="x", position=(0.0, 0.0, 0.3))
    show(builder, "car", "box", CAR_SIZE, DARK, (0.6, 0.0, 0.0))
    for x in (0.25, 0.95):
        for y in (-0.3, 0.3):
            show(builder, "car", "cylinder", (0.14, 0.08), GREY, (x, y, -0.16), ACROSS_CANS)
    builder.frame("hook", "car", position=(0.0, 0.0, CAN_RADIUS - 0.3))
    for k in range(count):
        _add_can(builder, f"can_{k}")
    model = builder.build()
    q0, v0 = model.neutral(), at_rest(model)
    for k in range(count):
        root = model.joint(f"can_{k}")
        # a little aside, so that the row is not straight
        start = -(GAP + HEIGHT / 2) - k * (GAP + HEIGHT), 0.01 * (-1) ** k, CAN_RADIUS
        q0[root.q_slice.start : root.q_slice.start + 3] = start
        v0[root.v_slice.start] = speed
    v0[model.joint("drive").v_slice] = speed
    ends = ["hook", *(f"can_{k}_{end}" for k in range(count) for end in ("front", "back"))]
    strings = [
        String(ends[2 * k], ends[2 * k + 1], CAN_STIFFNESS, GAP, CAN_DAMPING, name=f"string_{k}")
        for k in range(count)
    ]
    ground = Ground(friction=friction, restitution=0.3)
    return Scene(
        *("string of cans", model, q0, v0), ground=ground, forces=strings, duration=3.0, dt=5e-4
    )


def _add_can(builder: Builder, name: str) -> None:
    """Add a can that lies along x: a tube with two lids."""
    along = CAN_MASS * CAN_RADIUS**2 * 0.8
    across = along / 2 + CAN_MASS * HEIGHT**2 / 12
    builder.body(name, CAN_MASS, inertia=(along, across, across))
    builder.joint(name, "free", WORLD, name)
    builder.shape(name, "cylinder", (CAN_RADIUS, HEIGHT), role="collision", rotation=LYING)
    show(builder, name, "cylinder", (CAN_RADIUS, HEIGHT), RED, rotation=LYING)
    for end, x in (("front", HEIGHT / 2), ("back", -HEIGHT / 2)):
        builder.frame(f"{name}_{end}", name, position=(x, 0.0, 0.0))


# A bungee jump, with a rope that is one spring or a row of masses and springs.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, example 1.1: whether the jump is safe depends on the model of the rope. The rope has
# no length of its own; each of n pieces is n times as stiff and has 1/n of the mass at its end.


PERSON, ROPE, STIFFNESS, DAMPING, TOP = 91.0, 9.0, 30.0, 1.0, 60.0
"""[kg], [kg], and of the whole rope [N/m], [N s/m]; where it hangs [m]."""
JUMPER, BEAD = 2.5, 1.0
"""Of the jumper and the ends of pieces, as they are drawn [m]."""


def bungee(pieces: SupportsIndex = 10) -> Scene:
    """Return a jump from 60 m with a rope of so many `pieces`; 0 is one spring without mass."""
    n = checked_size(pieces, "pieces", 0)
    springs = max(1, n)
    builder = Builder("bungee")
    for k in range(springs):
        name, parent = f"piece_{k + 1}", f"piece_{k}" if k else WORLD
        mass = (ROPE / n if n else 0.0) + (PERSON if k == springs - 1 else 0.0)
        builder.body(name, mass, inertia=(0.1, 0.1, 0.1))
        builder.joint(
            *(name, "prismatic", parent, name),
            position=(0.0, 0.0, 0.0 if k else TOP),
            axis="z",
            stiffness=STIFFNESS * springs,
            damping=DAMPING * springs,
        )
        last = k == springs - 1
        show(builder, name, "sphere", (JUMPER if last else BEAD,), ORANGE if last else BLUE)
    show(builder, WORLD, "box", (12.0, 8.0, 1.0), GREY, (-6.0, 0.0, TOP + 3.0))
    show(builder, WORLD, "box", (40.0, 40.0, 0.2), GREEN, (0.0, 0.0, -0.1))
    model = builder.build()
    return Scene(
        *("bungee jump", model, model.neutral(), at_rest(model)),
        ground=None,
        duration=15.0,
        dt=5e-3,
        integrator="gauss",
    )


# A snakeboard that drives itself forward: its rider swings and steers, no wheel is driven.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, example 2.21; A. Lewis, J. Ostrowski, R. Murray, J. Burdick, "Nonholonomic mechanics
# and locomotion: the snakeboard example", ICRA 1994: torso and wheels swing in phase. All that the
# board gains comes in at the torso, and only while the wheels are turned.


def snakeboard(swing: float = 1.0, steering: float = 0.4, frequency: float = 0.5) -> Scene:
    """Return a board whose rider swings by `swing` [rad] and steers by `steering` [rad].

    Both at a `frequency` [1/s], in phase.
    """
    positive(frequency, "frequency")
    rate = 2.0 * np.pi * frequency
    model = machine()
    wanted = {"torso": number(swing, "swing"), "rear": number(steering, "steering")}

    def reference(t: float) -> tuple[Array, Array]:
        q, v = model.neutral(), np.zeros(model.nv)
        for name, size in wanted.items():
            joint = model.joint(name)
            q[joint.q_slice] = size * np.sin(rate * t)
            v[joint.v_slice] = size * rate * np.cos(rate * t)
        return q, v

    control = PD(model, {"torso": 20.0, "rear": 10.0}, {"torso": 2.0, "rear": 0.5}, reference)
    return Scene(
        *("snakeboard", model, model.neutral(), at_rest(model)),
        controller=control,
        duration=10.0,
        dt=2e-3,
    )


# Five sticks and fifteen rubbers that snap together to a structure, a tensegrity.
#
# P. Schröder, "The Virtual Erector Set", MIT 1990, section 7.2, command by command. No stick
# touches another. At rest the structure has a fivefold symmetry: rubbers of 4.4905 m on top and
# below and of 4.7566 m across, centres of sticks on a ring of 2.136 m; its energy is least,
# whatever the stiffness. The thesis does not state over which speeds its rubber is smoothed.


CENTERS = ((6, -15, 10), (0, -12, 10), (-1, -17, 10), (0, -18, 10), (4, -18, 10))
"""Where sticks start [m], upright."""
UPRIGHT = (0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5))
"""The orientation of sticks, x down."""
REST_LENGTH, RETURN_RATIO = 4.0, 0.1
RINGS = {
    "B": (0, 1, (-4.0, -0.5, 0.0), (-4.0, -0.5, 0.0)),
    "M": (0, -1, (-4.0, 0.5, 0.0), (4.0, -0.5, 0.0)),
    "T": (-1, 1, (4.0, 0.5, 0.0), (4.0, 0.5, 0.0)),
}
"""Rubbers on top, across and below: the first stick, the way to the other, where they are tied."""


def tensegrity(stiffness: float = 20.0, damping: float = 10.0, smoothing: float = 0.05) -> Scene:
    """Return sticks that are pulled together: rubbers [N/m], damping [N s/m, N m s/rad] of each.

    Rubbers change from pulling to returning within speeds of ± `smoothing` [m/s].
    """
    builder = Builder("tensegrity", gravity=(0.0, 0.0, 0.0))
    names = [f"stick_{k}" for k in range(5)]
    for name, color in zip(names, COLORS, strict=True):
        builder.body(name, MASS, inertia=solids.box(MASS, SIZE))
        builder.joint(name, "free", WORLD, name)
        show(builder, name, "box", SIZE, color)
    model = builder.build()
    q0 = np.concatenate([[*center, *UPRIGHT] for center in CENTERS])
    parts: list[Part] = [Damping(name, damping, name=f"damping_{name}") for name in names]
    for letter, (first, step, here, there) in RINGS.items():
        for k in range(5):
            a, b = names[(first + k) % 5], names[(first + k + step) % 5]
            numbers = stiffness, REST_LENGTH, RETURN_RATIO, smoothing
            parts.append(Rubber((a, here), (b, there), *numbers, name=f"string{letter}{k + 1}"))
    return Scene(
        *("tensegrity", model, q0, at_rest(model)),
        ground=None,
        forces=parts,
        duration=8.0,
        dt=2e-3,
    )
