"""Tasks, a kind a file: each has an error, its jacobian, a weight, a gain and a level."""

from tarsus.ik.tasks.frames import FrameTask, LookAtTask, OrientationTask
from tarsus.ik.tasks.momentum import AngularMomentumTask, CentroidalMomentumTask, CustomTask
from tarsus.ik.tasks.points import ComTask, LineTask, PartComTask, PlaneTask, PositionTask
from tarsus.ik.tasks.posture import CouplingTask, PostureTask
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
