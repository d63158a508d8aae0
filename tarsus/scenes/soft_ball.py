"""A ball that is pressed into a plane, slides on it and rolls, on surfaces that deform.

Example 3.7 of V. Duindam, "Port-based modeling and control for efficient bipedal walking robots",
University of Twente, 2006: pressing deforms the surfaces across, sliding along, up to a largest
deformation, and rolling takes that away again, the faster the larger β is. The thesis states no
numbers; these are ours.
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry import Ground
from tarsus.model import WORLD, Builder
from tarsus.scenes.looks import BLUE, DARK, show
from tarsus.scenes.scene import Scene, at_rest
from tarsus.simulation.contact import Compliant, Saturation

RADIUS, MASS = 0.1, 1.0
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
    builder.body("ball", MASS, inertia=(0.4 * MASS * RADIUS**2,) * 3)
    builder.joint("along", "prismatic", WORLD, "slide", axis="x")
    builder.joint("across", "prismatic", "slide", "lift", axis="z")
    builder.joint("axle", "revolute", "lift", "ball", axis="y")
    builder.shape("ball", "sphere", (RADIUS,), role="collision")
    show(builder, "ball", "sphere", (RADIUS,), BLUE)
    show(builder, "ball", "sphere", (0.012,), DARK, (0.0, -0.8 * RADIUS, 0.6 * RADIUS))
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
    arm = RADIUS - DEPTH / 2  # to the frame between surfaces that are alike
    start, deep = RADIUS + 1e-3, RADIUS - DEPTH
    q = np.array([WAY * slide + arm * TURN * roll, start + (deep - start) * press, TURN * roll])
    v = np.array(
        [WAY * rates[1] + arm * TURN * rates[2], (deep - start) * rates[0], TURN * rates[2]]
    )
    return q, v


def lead(t: float, q: Array, v: Array) -> Array:
    """Return the efforts of a hand that leads the ball."""
    at, speed = led(t)
    scale = np.array([1.0, 1.0, 0.4 * RADIUS**2])
    return np.asarray(scale * (KP * (at - q) + KD * (speed - v)))
