"""A walker on round feet: straight legs whose soles roll, so that strikes take less than on points.

The stance leg rolls on its sole by `roll` ahead, the swing leg hangs from the hip. With soles as
round as legs are long the hip is the hub of a wheel, which nothing stops: McGeer's synthetic wheel.

T. McGeer, "Passive dynamic walking", International Journal of Robotics Research 9, 1990, sections
3 and 5.
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.gait.walkers.section import Section
from tarsus.gait.walkers.walker import Walker
from tarsus.model import ModelError
from tarsus.model.checks import number
from tarsus.robots.compass import compass as compass_model

FEET = ("left_foot", "right_foot")
START = (-0.3, 1.1, 0.7)
"""Roll, its rate and the hip's after a strike, about those of a gait [rad, rad/s]."""
SECTION = Section(
    ("roll", "roll rate", "hip rate"),
    lambda x: (np.stack([x[..., 0], 2.0 * x[..., 0]], axis=-1), x[..., 1:]),
    lambda q, v: np.concatenate([q[..., :1], v], axis=-1),
)
"""Both feet are on the slope: legs lean as much, one ahead, one back."""


def round_feet(
    radius: float = 0.3,
    leg_mass: float = 1.0,
    hip_mass: float = 5.0,
    slope: float = math.radians(3.0),
    gravity: float = 9.8,
    center: float = 0.5,
) -> Walker:
    """Return a walker of unit legs on soles of `radius` [m], that of a compass but for its feet.

    Masses [kg] are at the hip and at `center` of the legs from their feet.
    """
    numbers = {
        "radius": radius,
        "leg_mass": leg_mass,
        "hip_mass": hip_mass,
        "slope": slope,
        "gravity": gravity,
        "center": center,
    }
    if not 0.0 < number(radius, "radius") <= 1.0:
        raise ModelError(f"round_feet: radius is {radius:g} m, must be from above 0 to a leg's, 1")
    model = compass_model(leg_mass, hip_mass, gravity=gravity, center=center)
    return Walker(
        model,
        FEET,
        stance="round",
        radius=radius,
        slope=slope,
        start=SECTION.place(np.array(START)),
        name="round feet",
        numbers=numbers,
        recipe=round_feet,
        section=SECTION,
    )
