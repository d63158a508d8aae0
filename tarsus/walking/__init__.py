"""Legged robots that walk in simulation: `walk`, `robustness`, controllers and `plans`."""

from tarsus.walking import plans
from tarsus.walking.arms import (
    ArmSwing,
    MomentumPeaks,
    MomentumPlan,
    momentum_peaks,
    vertical_inertia,
)
from tarsus.walking.biped import Biped
from tarsus.walking.body_tasks import BodyGains, BodyTasks
from tarsus.walking.posture import stance
from tarsus.walking.references import Aims, Measured
from tarsus.walking.report import WalkReport
from tarsus.walking.robustness import Robustness, robustness
from tarsus.walking.settings import Style
from tarsus.walking.state_feedback import EstimateErrors, FeltPush, Senses
from tarsus.walking.step_planner import Stepping
from tarsus.walking.walk import Walked, walk
from tarsus.walking.walking_controller import Walking

__all__ = [
    "Aims",
    "ArmSwing",
    "Biped",
    "BodyGains",
    "BodyTasks",
    "EstimateErrors",
    "FeltPush",
    "Measured",
    "MomentumPeaks",
    "MomentumPlan",
    "Robustness",
    "Senses",
    "Stepping",
    "Style",
    "WalkReport",
    "Walked",
    "Walking",
    "momentum_peaks",
    "plans",
    "robustness",
    "stance",
    "vertical_inertia",
    "walk",
]
