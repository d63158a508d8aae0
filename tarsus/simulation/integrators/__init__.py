"""Integrators, a file each.

Semi-implicit and explicit Euler run in the core, with contacts. The others are for smooth motions,
without a ground: RK4 and Gauss with steps of dt, the rest with steps of their own.
"""

from tarsus.simulation.integrators.dormand_prince import DormandPrince
from tarsus.simulation.integrators.explicit_euler import ExplicitEuler
from tarsus.simulation.integrators.gauss import Gauss
from tarsus.simulation.integrators.integration import Integration
from tarsus.simulation.integrators.integrator import (
    INTEGRATORS,
    SMOOTH,
    Integrator,
    Paced,
    Smooth,
    integrator_of,
    refuse,
)
from tarsus.simulation.integrators.multistep import Adams
from tarsus.simulation.integrators.radau import Radau
from tarsus.simulation.integrators.rk4 import RK4
from tarsus.simulation.integrators.semi_implicit import SemiImplicit

__all__ = [
    "INTEGRATORS",
    "RK4",
    "SMOOTH",
    "Adams",
    "DormandPrince",
    "ExplicitEuler",
    "Gauss",
    "Integration",
    "Integrator",
    "Paced",
    "Radau",
    "SemiImplicit",
    "Smooth",
    "integrator_of",
    "refuse",
]
