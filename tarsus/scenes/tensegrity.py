"""Five sticks and fifteen rubbers that snap together to a structure, a tensegrity.

P. Schröder, "The Virtual Erector Set", MIT 1990, section 7.2, command by command. No stick touches
another. At rest the structure has a fivefold symmetry: rubbers of 4.4905 m on top and below and of
4.7566 m across, centres of sticks on a ring of 2.136 m; its energy is least, whatever the
stiffness. The thesis does not state over which speeds its rubber is smoothed.
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.forces import Damping, Rubber
from tarsus.model import WORLD, Builder
from tarsus.parts import Part
from tarsus.robots import solids
from tarsus.scenes.bars import MASS, SIZE
from tarsus.scenes.looks import COLORS, show
from tarsus.scenes.scene import Scene, at_rest

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
