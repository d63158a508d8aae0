"""A bungee jump, with a rope that is one spring or a row of masses and springs.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, example 1.1: whether the jump is safe depends on the model of the rope. The rope has
no length of its own; each of n pieces is n times as stiff and has 1/n of the mass at its end.
"""

from __future__ import annotations

from typing import SupportsIndex

from tarsus.model import WORLD, Builder
from tarsus.robots.sizes import checked_size
from tarsus.scenes.looks import BLUE, GREEN, GREY, ORANGE, show
from tarsus.scenes.scene import Scene, at_rest

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
