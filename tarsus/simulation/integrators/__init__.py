"""Integrators, a file each.

Semi-implicit and explicit Euler run in the core, with contacts. RK4 and Dormand–Prince are for
smooth motions, without a ground.
"""

from tarsus.simulation.integrators.dormand_prince import DormandPrince
from tarsus.simulation.integrators.explicit_euler import ExplicitEuler
from tarsus.simulation.integrators.integrator import INTEGRATORS, Integrator, integrator_of, refuse
from tarsus.simulation.integrators.rk4 import RK4
from tarsus.simulation.integrators.semi_implicit import SemiImplicit

__all__ = [
    "INTEGRATORS",
    "RK4",
    "DormandPrince",
    "ExplicitEuler",
    "Integrator",
    "SemiImplicit",
    "integrator_of",
    "refuse",
]
