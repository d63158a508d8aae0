"""Gaits that need the least efforts, and the mechanics that needs them least."""

from tarsus.gait.optimal.collocation import BSpline, Chebyshev
from tarsus.gait.optimal.conditions import Require
from tarsus.gait.optimal.design import Design
from tarsus.gait.optimal.foot_conditions import Grip, flat_strike
from tarsus.gait.optimal.optimize import optimize
from tarsus.gait.optimal.pareto_front import Front, front, replayed
from tarsus.gait.optimal.search import OptimizedGait

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
