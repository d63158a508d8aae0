"""Parameters of mechanisms by which `tarsus.flow` differentiates motions, a kind a file.

They add up, and are multiplied by numbers: one that changes several is their sum.

    Mass("left leg") + Mass("right leg")
"""

from __future__ import annotations

from tarsus.events.joint_sensitivity import Damping, Friction, Length, Rest, Slope, Stiffness
from tarsus.events.sensitivity import CenterOfMass, Gravity, Inertia, Mass, Parameter

__all__ = [
    "CenterOfMass",
    "Damping",
    "Friction",
    "Gravity",
    "Inertia",
    "Length",
    "Mass",
    "Parameter",
    "Rest",
    "Slope",
    "Stiffness",
]
