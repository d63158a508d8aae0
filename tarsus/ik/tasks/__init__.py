"""Tasks, a kind a file: each has an error, its jacobian, a weight, a gain and a level."""

from tarsus.ik.tasks.com import ComTask
from tarsus.ik.tasks.coupling import CouplingTask
from tarsus.ik.tasks.custom import CustomTask
from tarsus.ik.tasks.frame import FrameTask
from tarsus.ik.tasks.line import LineTask
from tarsus.ik.tasks.look_at import LookAtTask
from tarsus.ik.tasks.momentum import AngularMomentumTask, CentroidalMomentumTask
from tarsus.ik.tasks.orientation import OrientationTask
from tarsus.ik.tasks.part_com import PartComTask
from tarsus.ik.tasks.plane import PlaneTask
from tarsus.ik.tasks.position import PositionTask
from tarsus.ik.tasks.posture import PostureTask
from tarsus.ik.tasks.task import Task

__all__ = [
    "AngularMomentumTask",
    "CentroidalMomentumTask",
    "ComTask",
    "CouplingTask",
    "CustomTask",
    "FrameTask",
    "LineTask",
    "LookAtTask",
    "OrientationTask",
    "PartComTask",
    "PlaneTask",
    "PositionTask",
    "PostureTask",
    "Task",
]
