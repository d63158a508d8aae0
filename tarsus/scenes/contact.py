"""Scenes with contact: blocks, bowls, eggs, soft balls, closets, releases."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from tarsus._lib.checks import number, suggestion
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.geometry.collision import Collision
from tarsus.geometry.grounds import Ground, SmoothGround
from tarsus.geometry.surfaces.graphs import Paraboloid
from tarsus.model.builder import Builder
from tarsus.model.model import Model
from tarsus.parts.body_forces import Wrench
from tarsus.robots import building as solids
from tarsus.robots.building import checked_lengths
from tarsus.scenes.scene import BLUE, DARK, GREY, ORANGE, RED, Scene, at_rest, show
from tarsus.simulation.contact.compliant import Compliant
from tarsus.simulation.contact.event import Event
from tarsus.simulation.contact.saturation import Saturation

# Scenes whose outcome is a formula: a block that slides, a block on a slope, a ball that bounces.
#
# A block of mass m slides with v̇ = −μ g − k v/m, k the sum of viscous coefficients; on a slope of
# angle θ it rests if tan θ ≤ μ, else it accelerates with g (sin θ − μ cos θ); a ball rises to e²
# times the height from which it fell.


SIZE = (0.4, 0.3, 0.1)
MASS = 10.0


def block() -> Model:
    """Return a box of 10 kg whose four lower corners have frames, "corner_0" to "corner_3"."""
    builder = Builder("block")
    builder.body("block", MASS, inertia=solids.box(MASS, SIZE))
    builder.joint("root", "free", WORLD, "block")
    for role in ("visual", "collision"):
        builder.shape("block", "box", SIZE, role=role)
    for k, (x, y) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1))):
        at = (x * SIZE[0] / 2, y * SIZE[1] / 2, -SIZE[2] / 2)
        builder.frame(f"corner_{k}", "block", position=at)
    return builder.build()


def slide(speed: float = 1.0, friction: float = 0.3, viscous: float = 0.0) -> Scene:
    """Return a block that slides on level ground until it stops; it starts at `speed` [m/s]."""
    model = block()
    q0, v0 = model.neutral(), at_rest(model)
    q0[2], v0[0] = SIZE[2] / 2, speed
    ground = Ground(friction=friction, viscous=viscous)
    return Scene("slide", model, q0, v0, ground=ground, duration=0.5, dt=5e-4)


def incline(slope: float = math.radians(10.0), friction: float = 0.7) -> Scene:
    """Return a block at rest on a plane that falls by `slope` [rad] along x."""
    model = block()
    q0 = model.neutral()
    up = SIZE[2] / 2
    q0[:3] = up * np.array([math.sin(slope), 0.0, math.cos(slope)])
    q0[3:7] = [0.0, math.sin(slope / 2), 0.0, math.cos(slope / 2)]
    ground = Ground(friction=friction, slope=slope)
    return Scene("incline", model, q0, at_rest(model), ground=ground, duration=5.0)


def bounce(restitution: float = 0.5, height: float = 1.0, radius: float = 0.05) -> Scene:
    """Return a ball of 1 kg that falls from rest, its lowest point at `height` [m]."""
    builder = Builder("ball")
    builder.body("ball", 1.0, inertia=np.full(3, 0.4 * max(radius, 1e-3) ** 2))
    builder.joint("root", "free", WORLD, "ball")
    for role in ("visual", "collision"):
        builder.shape("ball", "sphere", (radius,), role=role)
    model = builder.build()
    q0 = model.neutral()
    q0[2] = height + radius
    ground = Ground(friction=0.3, restitution=restitution)
    return Scene("bounce", model, q0, at_rest(model), ground=ground, duration=3.0, dt=5e-4)


# Smooth bodies on smooth grounds: a ball in a bowl, and eggs that tumble and meet.
#
# Surfaces as in section 3.1 of V. Duindam, "Port-based modeling and control for efficient bipedal
# walking robots", University of Twente, 2006; the thesis states no numbers, these are ours.


RADIUS, SMOOTH_MASS = 0.1, 1.0
"""Of the ball [m, kg]."""
CURVATURE = 0.5
"""Of the bowl: z = ½ (x² + y²) [1/m]."""
EGG = (0.12, 0.09, 0.07)
"""Half axes [m]."""


def bowl(friction: float = 0.5) -> Scene:
    """Return a ball that is let go on the side of a bowl; it rolls, or slides without friction."""
    builder = Builder("bowl").body(
        "ball", SMOOTH_MASS, inertia=(0.4 * SMOOTH_MASS * RADIUS**2,) * 3
    )
    builder.joint("flight", "free", WORLD, "ball")
    builder.shape("ball", "sphere", (RADIUS,), role="collision")
    show(builder, "ball", "sphere", (RADIUS,), BLUE)
    show(builder, "ball", "sphere", (0.015,), DARK, (0.0, 0.0, 0.95 * RADIUS))
    model = builder.build()
    x = 0.5
    slope = 2.0 * CURVATURE * x
    normal = np.array([-slope, 0.0, 1.0]) / np.hypot(slope, 1.0)
    q0 = model.neutral()
    q0[:3] = np.array([x, 0.0, CURVATURE * x * x]) + RADIUS * normal
    ground = SmoothGround(Paraboloid(CURVATURE, CURVATURE), friction=friction)
    v0 = at_rest(model)
    v0[1] = 0.3
    return Scene(*("bowl", model, q0, v0), ground=ground, contact="event", duration=4.0, dt=0.01)


def eggs() -> Scene:
    """Return two ellipsoids, one at rest on its flat side, and one that falls on it."""
    builder = Builder("eggs")
    a, b, c = EGG
    inertia = SMOOTH_MASS / 5.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    for name, color in (("low", BLUE), ("high", RED)):
        builder.body(name, SMOOTH_MASS, inertia=inertia)
        builder.joint(f"{name} flight", "free", WORLD, name)
        builder.shape(name, "ellipsoid", EGG, role="collision")
        show(builder, name, "ellipsoid", EGG, color)
    model = builder.build()
    q0 = model.neutral()
    q0[:7] = 0.0, 0.0, c, 0.0, 0.0, 0.0, 1.0
    turn = np.array([0.3, 0.2, 0.1, 1.0])
    q0[7:] = 0.06, 0.02, 0.45, *(turn / np.linalg.norm(turn))
    return Scene(
        *("eggs", model, q0, at_rest(model)),
        ground=Ground(friction=0.4),
        duration=1.5,
        dt=1e-3,
    )


# A ball that is pressed into a plane, slides on it and rolls, on surfaces that deform.
#
# Example 3.7 of V. Duindam, "Port-based modeling and control for efficient bipedal walking robots",
# University of Twente, 2006: pressing deforms the surfaces across, sliding along, up to a largest
# deformation, and rolling takes that away again, the faster the larger β is. The thesis states no
# numbers; these are ours.


BALL_RADIUS, BALL_MASS = 0.1, 1.0
"""Of the ball [m, kg]."""
STIFFNESS, LARGEST = 1e4, 4e-3
"""Of the surfaces [N/m], and how far they deform along [m]."""
DEPTH, WAY, TURN = 4e-3, 0.03, 1.2
"""How deep it is pressed [m], how far it slides [m], and how far it rolls [rad]."""
TIMES = (0.3, 0.9, 2.1)
"""When each motion is over [s]."""
KP, KD = 4e6, 4e3
"""Of the hand that leads it."""


def soft_ball(roll: float = 5.0) -> Scene:
    """Return a ball that is led through three motions, on surfaces that relax by `roll` [1/rad]."""
    builder = Builder("soft ball")
    for body in ("slide", "lift"):
        builder.body(body, 1e-3, inertia=(1e-6,) * 3)
    builder.body("ball", BALL_MASS, inertia=(0.4 * BALL_MASS * BALL_RADIUS**2,) * 3)
    builder.joint("along", "prismatic", WORLD, "slide", axis="x")
    builder.joint("across", "prismatic", "slide", "lift", axis="z")
    builder.joint("axle", "revolute", "lift", "ball", axis="y")
    builder.shape("ball", "sphere", (BALL_RADIUS,), role="collision")
    show(builder, "ball", "sphere", (BALL_RADIUS,), BLUE)
    show(builder, "ball", "sphere", (0.012,), DARK, (0.0, -0.8 * BALL_RADIUS, 0.6 * BALL_RADIUS))
    model = builder.build()
    slip = Saturation(LARGEST)
    law = Compliant(STIFFNESS, damping=20.0, slip=slip, roll=roll, rtol=1e-7, atol=1e-9)
    return Scene(
        *("soft ball", model, led(0.0)[0], at_rest(model)),
        controller=lead,
        contact=law,
        ground=Ground(),
        duration=TIMES[-1],
        dt=2e-3,
    )


def led(t: float) -> tuple[Array, Array]:
    """Return where the ball shall be at a time, and how fast: along, across, and its angle."""
    starts = (0.0, *TIMES[:-1])
    part = [min(max((t - a) / (b - a), 0.0), 1.0) for a, b in zip(starts, TIMES, strict=True)]
    press, slide, roll = (0.5 - 0.5 * math.cos(math.pi * x) for x in part)
    rates = [
        0.5 * math.pi * math.sin(math.pi * x) / (b - a)
        for x, a, b in zip(part, starts, TIMES, strict=True)
    ]
    arm = BALL_RADIUS - DEPTH / 2  # to the frame between surfaces that are alike
    start, deep = BALL_RADIUS + 1e-3, BALL_RADIUS - DEPTH
    q = np.array([WAY * slide + arm * TURN * roll, start + (deep - start) * press, TURN * roll])
    v = np.array(
        [WAY * rates[1] + arm * TURN * rates[2], (deep - start) * rates[0], TURN * rates[2]]
    )
    return q, v


def lead(t: float, q: Array, v: Array) -> Array:
    """Return the efforts of a hand that leads the ball."""
    at, speed = led(t)
    scale = np.array([1.0, 1.0, 0.4 * BALL_RADIUS**2])
    return np.asarray(scale * (KP * (at - q) + KD * (speed - v)))


# A closet that is tilted and let go: its other edge strikes the floor, and it rocks, or stands.
#
# With half a width w, half a height h, a mass m and a moment of inertia J about its centre it turns
# about one edge with a rate ω when the other one strikes. Without bouncing and sliding the first
# edge would then move up with
#
#     2 w (J + m (h² − w²)) / (J + m (h² + w²)) ω .
#
# If that is positive it is let go and the closet rocks; if not, both edges hold, and it stands. So
# a closet of even density rocks if h > w/√2, one with all its mass in the centre if h > w.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, example 3.10.


FEET = ("left_edge", "right_edge")


def closet_model(
    half_width: float = 0.3,
    half_height: float = 0.8,
    mass: float = 40.0,
    inertia: float | None = None,
) -> Model:
    """Return a closet in the plane of x and z: joints "x", "z" of its centre, "turn" about −y.

    Sizes [m]; `inertia` about its centre [kg m²] is that of a box of even density if it is None.
    Its lower edges are the frames "left_edge" and "right_edge".
    """
    w, h, mass = checked_lengths(
        "closet", half_width=half_width, half_height=half_height, mass=mass
    )
    turning = mass * (w**2 + h**2) / 3 if inertia is None else number(inertia, "closet: inertia")
    builder = Builder("closet").body("across").body("along")
    # only the moment about y matters; of the others a body has at least as much together
    builder.body("closet", mass, inertia=(turning, turning, turning))
    builder.joint("x", "prismatic", WORLD, "across", axis="x")
    builder.joint("z", "prismatic", "across", "along", axis="z")
    builder.joint("turn", "revolute", "along", "closet", axis=(0.0, -1.0, 0.0))
    for name, side in zip(FEET, (-1.0, 1.0), strict=True):
        builder.frame(name, "closet", position=(side * w, 0.0, -h))
    depth = 0.8 * w
    show(builder, "closet", "box", (2 * w, depth, 2 * h), ORANGE)
    for side in (-1.0, 1.0):  # two doors with knobs
        at = (side * w / 2, -depth / 2, 0.0)
        show(builder, "closet", "box", (0.9 * w, 0.02 * w, 1.9 * h), GREY, at)
        knob = (side * 0.15 * w, -0.55 * depth, 0.0)
        show(builder, "closet", "sphere", (0.05 * w,), ORANGE, knob)
    return builder.build()


def closet(
    half_width: float = 0.3,
    half_height: float = 0.8,
    mass: float = 40.0,
    inertia: float | None = None,
    *,
    tilt: float = 0.2,
) -> Scene:
    """Return a closet that stands on its left edge, tilted by `tilt` [rad], and is let go."""
    model = closet_model(half_width, half_height, mass, inertia)
    q0 = model.neutral()
    c, s = math.cos(tilt), math.sin(tilt)
    # from the left edge to the centre is (w, h), turned by the tilt
    q0[:] = c * half_width - s * half_height, s * half_width + c * half_height, tilt
    return Scene(
        *("closet", model, q0, at_rest(model)),
        ground=Ground(),
        collision=Collision.from_model(model, FEET),
        contact=Event(slips=False),
        duration=4.0,
        dt=0.01,
    )


# Contacts that hold or let go, decided by hand: an arm whose tip is down, a bar on two supports.
#
# The sign of a contact's force does not say whether it lets go. An arm of two links touches the
# floor with its tip and is pulled along it: held without slip, the floor would have to pull the tip
# down, and yet, if it were let go, the tip would move into the floor. What decides is the
# acceleration without the contact (V. Duindam, "Port-Based Modeling and Control for Efficient
# Bipedal Walking Robots", University of Twente 2006, section 3.3.4). A bar on two supports stays on
# both, one or none of them (example 3.11 there, whose sizes are ours).


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
