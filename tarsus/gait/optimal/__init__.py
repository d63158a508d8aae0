"""Gaits that need the least efforts, and the mechanics that needs them least."""

from tarsus.gait.optimal.bases import BSpline, Chebyshev
from tarsus.gait.optimal.conditions import Require
from tarsus.gait.optimal.design import Design
from tarsus.gait.optimal.flat_strike import flat_strike
from tarsus.gait.optimal.front import Front, front
from tarsus.gait.optimal.grip import Grip
from tarsus.gait.optimal.optimize import optimize
from tarsus.gait.optimal.optimized import OptimizedGait
from tarsus.gait.optimal.replayed import replayed

__all__ = [
    "BSpline",
    "Chebyshev",
    "Design",
    "Front",
    "Grip",
    "OptimizedGait",
    "Require",
    "flat_strike",
    "front",
    "optimize",
    "replayed",
]
