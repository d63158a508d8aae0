"""The simplest walker: a mass at the hip, feet that weigh almost nothing, gravity and legs of 1.

M. Garcia, A. Chatterjee, A. Ruina, M. Coleman, "The simplest walking model: stability, complexity,
and scaling", Journal of Biomechanical Engineering 120, 1998.
"""

from __future__ import annotations

import numpy as np

from tarsus.gait.walkers.compass import PARAMETERS, SECTION, ahead, walking
from tarsus.gait.walkers.walker import Walker

LONG = (0.200310900544287, -0.199832473004977)
SHORT = (0.193937369810184, -0.203866927442010)
"""Stance leg and its rate after a strike at a slope of 0.009 with feet without mass (Garcia)."""


def simplest_walker(slope: float = 0.009, foot_mass: float = 1e-6) -> Walker:
    """Return the simplest walker on a `slope` [rad], whose feet weigh `foot_mass` of its hip.

    Lengths are in legs, masses in hips, times in √(l/g).
    """
    lean, rate = LONG
    # the swing foot leaves with no speed of its own: (1 − cos 2θ) θ̇ between the legs
    hip_rate = -(1.0 - np.cos(2.0 * lean)) * rate
    return Walker(
        walking(leg_mass=foot_mass, hip_mass=1.0, slope=slope, gravity=1.0, center=0.0),
        name="simplest_walker",
        start=([lean, -2.0 * lean], [rate, hip_rate]),
        ahead=ahead,
        slope=slope,
        numbers={"slope": slope, "foot_mass": foot_mass},
        recipe=simplest_walker,
        parameters={"slope": PARAMETERS["slope"]},
        section=SECTION,
        longest=20.0,
    )
