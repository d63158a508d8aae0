"""A chain that is hung between two poles, one end at a time.

It begins on one pole and comes to the other by a constraint with a time constant, as Schröder
("The Virtual Erector Set", MIT 1990, section 2.2) wants it from a kit that assembles itself. At
rest its links lie as those of a catenary of rods: with a pull of H along the span, link i of n has
the slope (i − (n − 1)/2) m g / H, and the links span the poles.
"""

from __future__ import annotations

import math
from typing import SupportsIndex

from tarsus.constraint import Nail
from tarsus.model import WORLD, Builder
from tarsus.robots import solids
from tarsus.robots.sizes import checked_size
from tarsus.scenes.looks import BLUE, GREY, LYING, ORANGE, show
from tarsus.scenes.scene import Scene, at_rest

LENGTH, MASS = 0.25, 0.5
"""Of a link [m, kg]."""
DAMPING = 2.0
"""In its joints [N m s/rad]."""


def hanging_chain(n: SupportsIndex = 20, span: float = 4.0, time_constant: float = 0.4) -> Scene:
    """Return a chain of `n` links of 0.25 m, on poles that are `span` [m] apart, along x.

    Its free end goes to the second pole, critically damped, by the `time_constant` [s].
    """
    count = checked_size(n, "n", 2)
    if not 0.0 < span < count * LENGTH:
        raise ValueError(f"span is {span}, must be positive and less than {count * LENGTH} m")
    builder = Builder("hanging_chain")
    for k in range(count):
        name, parent = f"link_{k}", f"link_{k - 1}" if k else WORLD
        builder.body(name, MASS, (LENGTH / 2, 0.0, 0.0), solids.rod(MASS, LENGTH))
        at = (LENGTH, 0.0, 0.0) if k else (0.0, 0.0, 0.0)
        builder.joint(name, "revolute", parent, name, position=at, axis="y", damping=DAMPING)
        color = ORANGE if k % 2 else BLUE
        show(builder, name, "capsule", (0.03, LENGTH - 0.06), color, (LENGTH / 2, 0.0, 0.0), LYING)
    for x in (0.0, span):
        show(builder, WORLD, "cylinder", (0.04, 2.0), GREY, (x, 0.0, -1.0))
    builder.frame("end", f"link_{count - 1}", position=(LENGTH, 0.0, 0.0))
    model = builder.build()
    q0 = model.neutral()
    # a straight chain could not begin to rise
    q0[0], q0[1:] = math.pi / 2, -1.0 / (count - 1)
    nail = Nail("end", (span, 0.0, 0.0), time_constant=time_constant, name="pole")
    return Scene(
        *("hanging chain", model, q0, at_rest(model)),
        ground=None,
        forces=(nail,),
        duration=10.0,
        dt=2e-3,
    )
