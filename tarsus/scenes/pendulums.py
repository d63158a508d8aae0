"""A wave of pendulums: each makes one swing more than its neighbour until all meet again.

Pendulum k of n makes N + k swings in a time T. What a large amplitude A does to the period,
T = 4 √(l/g) K(sin(A/2)), it does to all alike, so they meet again after T whatever A is.
"""

from __future__ import annotations

import math
from typing import SupportsIndex

from tarsus.model import WORLD, Builder
from tarsus.model.checks import number
from tarsus.robots.sizes import checked_size
from tarsus.scenes.looks import BLUE, GREY, ORANGE, show
from tarsus.scenes.scene import Scene, at_rest
from tarsus.simulation.contact.numbers import positive

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
