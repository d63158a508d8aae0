"""Inverse kinematics: from what frames, masses and momenta shall do to how joints move.

s = ts.ik.Solver(m, tasks=[ts.ik.FrameTask("hand", target), ts.ik.PostureTask()])
q = s.solve(q).q
"""

from tarsus._lib.qp import QPSolution, solve_qp
from tarsus.ik.collision_avoidance import Avoid
from tarsus.ik.costs import Comfort, Cost, Manipulability, MomentumTracking, MomentumWeight
from tarsus.ik.dragging import Dragging, drag
from tarsus.ik.limits import Limits
from tarsus.ik.methods import Damping
from tarsus.ik.pose import Search
from tarsus.ik.priorities import Within
from tarsus.ik.results import MEANINGS, Solution, Step, Track
from tarsus.ik.solver import Solver
from tarsus.ik.tasks.frames import FrameTask, LookAtTask, OrientationTask
from tarsus.ik.tasks.momentum import AngularMomentumTask, CentroidalMomentumTask, CustomTask
from tarsus.ik.tasks.points import ComTask, LineTask, PartComTask, PlaneTask, PositionTask
from tarsus.ik.tasks.posture import CouplingTask, PostureTask
from tarsus.ik.tasks.task import Task
from tarsus.ik.track import middle

__all__ = [
    "MEANINGS",
    "AngularMomentumTask",
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
    "solve_qp",
]
