"""Smooth bodies on smooth grounds: a ball in a bowl, and eggs that tumble and meet.

Surfaces as in section 3.1 of V. Duindam, "Port-based modeling and control for efficient bipedal
walking robots", University of Twente, 2006; the thesis states no numbers, these are ours.
"""

from __future__ import annotations

import numpy as np

from tarsus.geometry import Ground, SmoothGround
from tarsus.model import WORLD, Builder
from tarsus.scenes.looks import BLUE, DARK, RED, show
from tarsus.scenes.scene import Scene, at_rest
from tarsus.surfaces import Paraboloid

RADIUS, MASS = 0.1, 1.0
"""Of the ball [m, kg]."""
CURVATURE = 0.5
"""Of the bowl: z = ½ (x² + y²) [1/m]."""
EGG = (0.12, 0.09, 0.07)
"""Half axes [m]."""


def bowl(friction: float = 0.5) -> Scene:
    """Return a ball that is let go on the side of a bowl; it rolls, or slides without friction."""
    builder = Builder("bowl").body("ball", MASS, inertia=(0.4 * MASS * RADIUS**2,) * 3)
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
    inertia = MASS / 5.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    for name, color in (("low", BLUE), ("high", RED)):
        builder.body(name, MASS, inertia=inertia)
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
