"""The simplest walker: a mass at the hip, feet that weigh almost nothing, gravity and legs of 1.

M. Garcia, A. Chatterjee, A. Ruina, M. Coleman, "The simplest walking model: stability, complexity,
and scaling", Journal of Biomechanical Engineering 120, 1998.
"""

from __future__ import annotations

from tarsus.model import Model, ModelError
from tarsus.model.checks import number
from tarsus.robots.compass import compass


def simplest_walker(
    slope: float = 0.009, foot_mass: float = 1e-6, *, rooted: bool = False
) -> Model:
    """Return the simplest walker on a `slope` [rad], whose feet weigh `foot_mass` of its hip.

    Lengths are in legs, masses in hips, times in √(l/g): it is the compass walker
    (`tarsus.robots.compass`, joints, frames and `rooted` are the same) with its mass at the ends.
    """
    number(slope, "simplest_walker: slope")
    if not number(foot_mass, "simplest_walker: foot_mass") > 0.0:
        raise ModelError(f"simplest_walker: foot_mass is {foot_mass}, must be > 0")
    return compass(foot_mass, 1.0, 1.0, slope=slope, rooted=rooted, gravity=1.0, center=0.0)
