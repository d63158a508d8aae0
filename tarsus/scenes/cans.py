"""A string of cans behind a car, one of the scenarios of Schröder (MIT 1990, section 1.5).

The car is heavy and rolls freely, so that all that slows it is what the cans drag. On level ground
each string pulls with μ m g for each can behind it; on bumps they rattle, and cost more.
"""

from __future__ import annotations

from typing import SupportsIndex

from tarsus.forces import String
from tarsus.geometry import Ground
from tarsus.model import WORLD, Builder
from tarsus.robots.sizes import checked_size
from tarsus.scenes.looks import ACROSS, DARK, GREY, LYING, RED, show
from tarsus.scenes.scene import Scene, at_rest

RADIUS, HEIGHT, MASS = 0.033, 0.11, 0.05
"""Of a can [m, kg]."""
CAR_MASS, CAR_SIZE = 50.0, (1.2, 0.6, 0.3)
"""Of a small car [kg, m]."""
GAP, STIFFNESS, DAMPING = 0.25, 2000.0, 2.0
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
            show(builder, "car", "cylinder", (0.14, 0.08), GREY, (x, y, -0.16), ACROSS)
    builder.frame("hook", "car", position=(0.0, 0.0, RADIUS - 0.3))
    for k in range(count):
        _add_can(builder, f"can_{k}")
    model = builder.build()
    q0, v0 = model.neutral(), at_rest(model)
    for k in range(count):
        root = model.joint(f"can_{k}")
        # a little aside, so that the row is not straight
        start = -(GAP + HEIGHT / 2) - k * (GAP + HEIGHT), 0.01 * (-1) ** k, RADIUS
        q0[root.q_slice.start : root.q_slice.start + 3] = start
        v0[root.v_slice.start] = speed
    v0[model.joint("drive").v_slice] = speed
    ends = ["hook", *(f"can_{k}_{end}" for k in range(count) for end in ("front", "back"))]
    strings = [
        String(ends[2 * k], ends[2 * k + 1], STIFFNESS, GAP, DAMPING, name=f"string_{k}")
        for k in range(count)
    ]
    ground = Ground(friction=friction, restitution=0.3)
    return Scene(
        *("string of cans", model, q0, v0), ground=ground, forces=strings, duration=3.0, dt=5e-4
    )


def _add_can(builder: Builder, name: str) -> None:
    """Add a can that lies along x: a tube with two lids."""
    along = MASS * RADIUS**2 * 0.8
    across = along / 2 + MASS * HEIGHT**2 / 12
    builder.body(name, MASS, inertia=(along, across, across))
    builder.joint(name, "free", WORLD, name)
    builder.shape(name, "cylinder", (RADIUS, HEIGHT), role="collision", rotation=LYING)
    show(builder, name, "cylinder", (RADIUS, HEIGHT), RED, rotation=LYING)
    for end, x in (("front", HEIGHT / 2), ("back", -HEIGHT / 2)):
        builder.frame(f"{name}_{end}", name, position=(x, 0.0, 0.0))
