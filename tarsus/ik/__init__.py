"""Inverse kinematics: from what frames, masses and momenta shall do to how joints move.

s = ts.ik.Solver(m, tasks=[ts.ik.FrameTask("hand", target), ts.ik.PostureTask()])
q = s.solve(q).q
"""

from tarsus.ik.avoid import Avoid
from tarsus.ik.costs import Comfort, Cost, Manipulability, MomentumTracking
from tarsus.ik.damped import Damping
from tarsus.ik.dragging import Dragging, drag
from tarsus.ik.limits import Limits
from tarsus.ik.middle_range import middle
from tarsus.ik.momentum_plan import (
    ArmSwing,
    MomentumPeaks,
    MomentumPlan,
    momentum_peaks,
    vertical_inertia,
)
from tarsus.ik.momentum_weight import MomentumWeight
from tarsus.ik.pose import Search
from tarsus.ik.programme import QPSolution, solve_qp
from tarsus.ik.results import Solution, Step, Track
from tarsus.ik.solver import Solver
from tarsus.ik.status import MEANINGS
from tarsus.ik.tasks import (
    AngularMomentumTask,
    CentroidalMomentumTask,
    ComTask,
    CouplingTask,
    CustomTask,
    FrameTask,
    LineTask,
    LookAtTask,
    OrientationTask,
    PartComTask,
    PlaneTask,
    PositionTask,
    PostureTask,
    Task,
)
from tarsus.ik.within import Within

__all__ = [
    "MEANINGS",
    "AngularMomentumTask",
    "ArmSwing",
    "Avoid",
    "CentroidalMomentumTask",
    "ComTask",
    "Comfort",
    "Cost",
    "CouplingTask",
    "CustomTask",
    "Damping",
    "Dragging",
    "FrameTask",
    "Limits",
    "LineTask",
    "LookAtTask",
    "Manipulability",
    "MomentumPeaks",
    "MomentumPlan",
    "MomentumTracking",
    "MomentumWeight",
    "OrientationTask",
    "PartComTask",
    "PlaneTask",
    "PositionTask",
    "PostureTask",
    "QPSolution",
    "Search",
    "Solution",
    "Solver",
    "Step",
    "Task",
    "Track",
    "Within",
    "drag",
    "middle",
    "momentum_peaks",
    "solve_qp",
    "vertical_inertia",
]
