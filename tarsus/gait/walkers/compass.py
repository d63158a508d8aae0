"""The compass walker: two straight legs that step down a slope by themselves.

The stance foot is a pivot, on which the walker leans by q₃, its legs q₄ apart.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 4.2; passive gaits at 3°, 9.8 m/s² and masses of 1 and 5 kg.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, guards, parameters
from tarsus.gait.walkers.section import Section
from tarsus.gait.walkers.stance import Stance
from tarsus.gait.walkers.straight_strike import straight_strike
from tarsus.gait.walkers.walker import Walker
from tarsus.robots.compass import compass as compass_model

SLOPE, GRAVITY = math.radians(3.0), 9.8
"""Of the passive gaits [rad, m/s²]."""
STABLE = (0.2992945, -1.0729629, 0.7084066)
UNSTABLE = (0.2795542, -1.1647713, 0.5698736)
"""Passive gaits (q₃, q̇₃, q̇₄) just after a strike [rad, rad/s]."""
SECTION = Section(
    ("lean", "lean rate", "hip rate"),
    lambda x: (np.stack([x[..., 0], -2.0 * x[..., 0]], axis=-1), x[..., 1:]),
    lambda q, v: np.concatenate([q[..., :1], v], axis=-1),
)
"""Both feet are on the slope."""
PARAMETERS = {
    "leg_mass": parameters.Mass("left") + parameters.Mass("right"),
    "hip_mass": parameters.Mass("hip"),
    "slope": parameters.Slope(),
    "gravity": parameters.Gravity(),
    "stiffness": parameters.Stiffness("hip"),
    "damping": parameters.Damping("hip"),
}


def compass(
    leg_mass: float = 1.0,
    hip_mass: float = 5.0,
    slope: float = SLOPE,
    gravity: float = GRAVITY,
    stiffness: float = 0.0,
    damping: float = 0.0,
    center: float = 0.5,
) -> Walker:
    """Return the compass walker of unit legs: masses [kg] in them and at the hip.

    A spring [N m/rad] and a damper [N m s/rad] may act between the legs, whose masses are at
    `center` of their length from the feet. Goswami's walker has `leg_mass=5, hip_mass=10,
    gravity=9.81`.
    """
    numbers = {
        "leg_mass": leg_mass,
        "hip_mass": hip_mass,
        "slope": slope,
        "gravity": gravity,
        "stiffness": stiffness,
        "damping": damping,
        "center": center,
    }
    return Walker(
        walking(**numbers),
        name="compass",
        start=start(),
        ahead=ahead,
        slope=slope,
        numbers=numbers,
        recipe=compass,
        parameters=PARAMETERS,
        section=SECTION,
        machine=partial(_machine, **numbers),
    )


def _machine(slope: float, **numbers: float) -> Stance:
    """Return the walker on its feet, whose coordinates are those of the phase."""
    feet = (("left_foot", np.eye(4)), ("right_foot", np.eye(4)))
    masses = [numbers.pop(name) for name in ("leg_mass", "hip_mass")]
    return Stance(compass_model(*masses, rooted=False, **numbers), feet, "line", None, slope)


def walking(**numbers: float) -> Phase:
    """Return the phase "swing" of `ts.robots.compass(**numbers)`, which a strike leads back into.

    Its coordinates are (q₃, q₄); slope and gravity are those of the thesis unless stated.
    """
    numbers = {"slope": SLOPE, "gravity": GRAVITY, **numbers}
    free, pivoted = (compass_model(**numbers, rooted=rooted) for rooted in (False, True))
    strike = straight_strike(free, "right_foot")
    lean = guards.JointPosition("lean")
    fell = (
        Exit(lean + math.pi / 2, name="fell ahead"),
        Exit(math.pi / 2 - 1.0 * lean, name="fell back"),
    )
    return Phase(pivoted, (strike, *fell), name="swing")


def start(gait: tuple[float, float, float] = STABLE) -> tuple[Array, Array]:
    """Return (q₃, q₄) and their rates for a gait: both feet are on the slope."""
    return np.array([gait[0], -2.0 * gait[0]]), np.array([gait[1], gait[2]])


def ahead(q: Array) -> Array:
    """Return how far the swing foot is ahead of the stance foot [m]."""
    return np.asarray(np.sin(q[..., 0] + q[..., 1]) - np.sin(q[..., 0]))
