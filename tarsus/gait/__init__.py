"""Periodic gaits of hybrid walkers: `walkers`, limit cycles, branches, basins, optimal gaits."""

from tarsus.gait import walkers
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.basin import Basin, Survival, basin, survival
from tarsus.gait.bifurcations import Bifurcation
from tarsus.gait.branch import Branch
from tarsus.gait.continuation import Doublings, attractor, continuation, doublings
from tarsus.gait.cycle import LimitCycle
from tarsus.gait.impact_analysis import ImpactAnalysis, impact_analysis, push_off
from tarsus.gait.limb_search import Leg, Limb
from tarsus.gait.limit_cycle import NoGaitError, limit_cycle, limit_cycles
from tarsus.gait.optimal.collocation import BSpline, Chebyshev
from tarsus.gait.optimal.conditions import Require
from tarsus.gait.optimal.design import Design
from tarsus.gait.optimal.foot_conditions import Grip, flat_strike
from tarsus.gait.optimal.optimize import optimize
from tarsus.gait.optimal.pareto_front import Front, front, replayed
from tarsus.gait.optimal.search import OptimizedGait
from tarsus.gait.soles import Sole
from tarsus.gait.step_feedback import FeedbackWalk, StepFeedback
from tarsus.gait.walkers.point_mass import (
    FootPlacement,
    PointMassWalk,
    point_mass_walk,
    standing_start,
)
from tarsus.gait.walkers.walker import Walker

__all__ = [
    "Anatomy",
    "BSpline",
    "Basin",
    "Bifurcation",
    "Branch",
    "Chebyshev",
    "Design",
    "Doublings",
    "FeedbackWalk",
    "FootPlacement",
    "Front",
    "Grip",
    "ImpactAnalysis",
    "Leg",
    "Limb",
    "LimitCycle",
    "NoGaitError",
    "OptimizedGait",
    "PointMassWalk",
    "Require",
    "Sole",
    "StepFeedback",
    "Survival",
    "Walker",
    "attractor",
    "basin",
    "continuation",
    "doublings",
    "flat_strike",
    "front",
    "impact_analysis",
    "limit_cycle",
    "limit_cycles",
    "optimize",
    "point_mass_walk",
    "push_off",
    "replayed",
    "standing_start",
    "survival",
    "walkers",
]
