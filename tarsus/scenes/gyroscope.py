"""A gyroscope: a disc that spins on a rod, one end of which stands on a point, does not fall.

With moments of inertia A across the axis, about the point, and C along it, a spin of ω₃ about the
axis and its tilt θ from the vertical it precesses steadily at a rate Ω with

    A Ω² cos θ − C ω₃ Ω + m g l = 0,

H. Goldstein, "Classical Mechanics", section 5.7. Its energy, and its angular momenta about the
vertical and about its own axis stay what they are.
"""

from __future__ import annotations

import math

from tarsus.model import WORLD, Builder
from tarsus.scenes.looks import BLUE, GREY, ORANGE, show
from tarsus.scenes.scene import Scene, at_rest

RADIUS, THICKNESS, MASS, REACH = 0.05, 0.012, 0.2, 0.06
"""Disc [m, kg], and how far its centre is from the point [m]."""
ALONG = MASS * RADIUS**2 / 2
ACROSS = MASS * (RADIUS**2 / 4 + THICKNESS**2 / 12) + MASS * REACH**2
"""Moments of inertia about the point [kg m²]."""
WEIGHT = MASS * 9.81


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
    across = ACROSS - MASS * REACH**2
    builder.body("disc", MASS, (0.0, 0.0, REACH), (across, across, ALONG))
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
