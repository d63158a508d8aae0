"""A cat that falls on its back turns over, though it never has any angular momentum.

T. R. Kane, M. P. Scher, "A dynamical explanation of the falling cat phenomenon", International
Journal of Solids and Structures 5, 1969. Two halves, bodies of revolution with moments of inertia
C along their axes and A across, are bent by β each against a straight line; then both roll about
their own axes by an angle s. All momentum stays zero if the bent line turns by

    −s C cos β / (C cos² β + A sin² β)

about itself meanwhile. Bent so that this is −s/2, one roll of both halves turns the cat by π: its
shape is what it was, and its paws are below. The spine between the halves has no mass; the
muscles have an inertia of their own, which turns nothing else.
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.control import ImplicitPD, Table
from tarsus.gait.plans import quintic
from tarsus.model import WORLD, Builder, Model
from tarsus.model.checks import number
from tarsus.scenes.looks import LYING, ORANGE, WHITE, show
from tarsus.scenes.scene import Scene, at_rest
from tarsus.simulation.contact.numbers import positive

MASS, LENGTH, RADIUS = 2.0, 0.22, 0.065
"""Of a half [kg, m]."""
ALONG, ACROSS = MASS * RADIUS**2 / 2, MASS * (3 * RADIUS**2 + LENGTH**2) / 12
ARMATURE = 1e-4
"""Of muscles [kg m²]: a straight cat's spine would turn without inertia."""
SAMPLE = 2e-3
"""Time between two rows of the plan [s]."""


def bend() -> float:
    """Return the angle β [rad] at which one roll turns the cat by half a turn."""
    share = ALONG / ACROSS
    return math.acos((math.sqrt(share**2 - share + 1) - share) / (1 - share))


def turned(roll: float, beta: float) -> float:
    """Return by what angle [rad] a cat has turned that bends by `beta`, rolls, and stretches."""
    c, s = math.cos(beta), math.sin(beta)
    return roll * (1 - ALONG * c / (ALONG * c * c + ACROSS * s * s))


def cat(roll: float = 2 * math.pi, beta: float | None = None, duration: float = 0.6) -> Scene:
    """Return a cat that falls with its paws up: it bends, rolls both halves, and stretches.

    `roll` [rad] is the angle of both halves, `beta` [rad] their bend, `bend()` unless stated. It
    takes `duration` [s].
    """
    positive(number(duration, "duration"), "duration")
    model = cat_model()
    beta = bend() if beta is None else beta
    t = np.arange(round(duration / SAMPLE) + 1) * SAMPLE
    phase = t / duration
    bent = beta * (quintic(phase / 0.25) - quintic((phase - 0.75) / 0.25))
    rolled = roll * quintic((phase - 0.25) / 0.5)
    q = np.tile(model.neutral(), (len(t), 1))
    for half, sign in (("front", 1), ("back", -1)):
        q[:, model.joint(f"{half}_bend").q_slice.start] = -sign * bent
        q[:, model.joint(f"{half}_roll").q_slice.start] = rolled
    q[:, :7] = 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0  # on its back
    reference = Table(model, t, q)
    controller = ImplicitPD(model, 4000.0, 40.0, reference)
    return Scene(
        *("falling cat", model, q[0], at_rest(model), controller),
        ground=None,
        duration=duration,
        dt=5e-4,
    )


def cat_model() -> Model:
    """Return the cat: a spine without mass, on which two halves bend and roll."""
    builder = Builder("cat")
    builder.body("spine")
    builder.joint("root", "free", WORLD, "spine")
    for half, sign in (("front", 1), ("back", -1)):
        middle = sign * LENGTH / 2
        builder.body(f"{half}_hip")
        builder.body(half, MASS, (middle, 0.0, 0.0), (ALONG, ACROSS, ACROSS))
        for turn, axis, parent, child in (
            ("bend", "y", "spine", f"{half}_hip"),
            ("roll", "x", f"{half}_hip", half),
        ):
            name = f"{half}_{turn}"
            builder.joint(name, "revolute", parent, child, axis=axis, armature=ARMATURE)
        trunk = (RADIUS, LENGTH - 2 * RADIUS)
        show(builder, half, "capsule", trunk, ORANGE, (middle, 0.0, 0.0), LYING)
        for side in (-0.04, 0.04):
            show(builder, half, "capsule", (0.015, 0.1), WHITE, (1.4 * middle, side, -0.08))
    show(builder, "front", "sphere", (0.05,), ORANGE, (LENGTH + 0.02, 0.0, 0.05))
    for side in (-0.025, 0.025):
        show(builder, "front", "sphere", (0.015,), ORANGE, (LENGTH + 0.02, side, 0.1))
    tail = (-LENGTH - 0.06, 0.0, 0.05)
    show(builder, "back", "capsule", (0.012, 0.16), ORANGE, tail, (0.0, -0.9, 0.0))
    return builder.build()
