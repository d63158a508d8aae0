"""What controllers of a frame have in common: a task, its gains, and a reference for the frame."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from tarsus.control.arguments import checked_model, gain
from tarsus.control.control_law import ControlLaw
from tarsus.control.joint_gains import Gains, check_driven
from tarsus.control.reference import Setpoint, Source
from tarsus.control.task import Kind, Task
from tarsus.model import Model
from tarsus.model.description import Array


class FrameController(ControlLaw):
    """A law that leads a frame of a model along a reference.

    `task` is the "pose" of `frame` (six rows: linear, angular, in the axes of the frame) or its
    "position" (three rows, world axes). `kp` and `kd` are numbers, diagonals or matrices for these
    rows. `reference` is a pose (…, 4, 4) or a position (…, 3), that of the neutral configuration
    unless stated, or a function of time that returns one, also with its velocity and acceleration:
    (…, 6) in its own frame for a pose, (…, 3) in world axes for a position. `effort` and `period`
    as of `ControlLaw`; every coordinate needs a drive.
    """

    def __init__(
        self,
        model: Model,
        frame: str,
        kp: ArrayLike,
        reference: Source | None,
        *,
        task: Kind,
        effort: Gains | None,
        period: float | None,
    ) -> None:
        checked_model(model, type(self).__name__)
        self.task = Task(model, frame, task)
        self.kp = gain(kp, self.task.size, "kp")
        start = self.task.place(model.neutral()) if reference is None else reference
        super().__init__(model, start, effort=effort, period=period)
        check_driven(model, self.effort, type(self).__name__)

    def setpoint(self, value: Any) -> Setpoint:
        """Return a pose or position, with velocity and acceleration, as a checked setpoint."""
        return self.task.setpoint(value)

    def error(self, t: float, q: ArrayLike, reference: Any = None) -> Array:
        """Return the error (…, 6) or (…, 3) [m, rad]: the step from the reference to the frame."""
        return self.task.error(q, self.reference.at(t, reference)[0])
