"""Scenes whose outcome is a formula: a block that slides, a block on a slope, a ball that bounces.

A block of mass m slides with v̇ = −μ g − k v/m, k the sum of viscous coefficients; on a slope of
angle θ it rests if tan θ ≤ μ, else it accelerates with g (sin θ − μ cos θ); a ball rises to e²
times the height from which it fell.
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.geometry import Ground
from tarsus.model import WORLD, Builder, Model
from tarsus.robots import solids
from tarsus.scenes.scene import Scene, at_rest

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
