"""Integrators of simulations, by name or with their settings.

Semi-implicit and explicit Euler run in the core, with contacts. The others are for smooth motions,
without a ground: RK4 and Gauss with steps of dt, the rest with steps of their own.
"""

from tarsus.simulation.integrators.integrator import (
    INTEGRATORS,
    SMOOTH,
    Integrator,
    Paced,
    Smooth,
    integrator_of,
    refuse,
)
from tarsus.simulation.integrators.methods import (
    RK4,
    DormandPrince,
    ExplicitEuler,
    Gauss,
    Integration,
    Radau,
    SemiImplicit,
)
from tarsus.simulation.integrators.multistep import Adams

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
