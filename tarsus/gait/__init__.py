"""How machines walk: `plans`, `walk`, `robustness`; `walkers`, their limit cycles and branches."""

from tarsus.gait import plans, walkers
from tarsus.gait.aims import Aims, Measured
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.biped import Biped
from tarsus.gait.body_parts import Leg, Limb
from tarsus.gait.body_tasks import BodyGains, BodyTasks
from tarsus.gait.cycles import (
    Basin,
    Bifurcation,
    Branch,
    Doublings,
    LimitCycle,
    NoGaitError,
    Survival,
    attractor,
    basin,
    continuation,
    doublings,
    limit_cycle,
    limit_cycles,
    survival,
)
from tarsus.gait.estimate_errors import EstimateErrors
from tarsus.gait.felt_pushes import FeltPush
from tarsus.gait.foot_placement import FootPlacement
from tarsus.gait.impact_analysis import ImpactAnalysis, impact_analysis
from tarsus.gait.optimal import (
    BSpline,
    Chebyshev,
    Design,
    Front,
    Grip,
    OptimizedGait,
    Require,
    flat_strike,
    front,
    optimize,
    replayed,
)
from tarsus.gait.point_mass_walk import PointMassWalk, point_mass_walk, standing_start
from tarsus.gait.posture import stance
from tarsus.gait.push_off import push_off
from tarsus.gait.robustness import Robustness, robustness
from tarsus.gait.senses import Senses
from tarsus.gait.soles import Sole
from tarsus.gait.step_feedback import FeedbackWalk, StepFeedback
from tarsus.gait.stepping import Stepping
from tarsus.gait.style import Style
from tarsus.gait.walk import walk
from tarsus.gait.walk_report import WalkReport
from tarsus.gait.walked import Walked
from tarsus.gait.walkers.walker import Walker
from tarsus.gait.walking import Walking

__all__ = [
    "Aims",
    "Anatomy",
    "BSpline",
    "Basin",
    "Bifurcation",
    "Biped",
    "BodyGains",
    "BodyTasks",
    "Branch",
    "Chebyshev",
    "Design",
    "Doublings",
    "EstimateErrors",
    "FeedbackWalk",
    "FeltPush",
    "FootPlacement",
    "Front",
    "Grip",
    "ImpactAnalysis",
    "Leg",
    "Limb",
    "LimitCycle",
    "Measured",
    "NoGaitError",
    "OptimizedGait",
    "PointMassWalk",
    "Require",
    "Robustness",
    "Senses",
    "Sole",
    "StepFeedback",
    "Stepping",
    "Style",
    "Survival",
    "WalkReport",
    "Walked",
    "Walker",
    "Walking",
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
    "plans",
    "point_mass_walk",
    "push_off",
    "replayed",
    "robustness",
    "stance",
    "standing_start",
    "survival",
    "walk",
    "walkers",
]
