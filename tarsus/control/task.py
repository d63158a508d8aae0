"""Where a frame is relative to where it should be, and how its motion depends on the joints.

A task is the position of a frame (three rows, world axes) or its pose (six rows, linear first,
in the axes of the frame). With the error e and the velocity w relative to the target,

    ė = D w,        ẇ = J a + d,

where D is the identity for positions and that of SE(3) for poses, and d has J̇ v and the motion
of the target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tarsus.control.arguments import poses, vectors
from tarsus.control.reference import Setpoint, parts_of
from tarsus.model import WORLD, Model
from tarsus.model.checks import suggestion
from tarsus.model.description import Array
from tarsus.spatial import pose_step
from tarsus.spatial.groups import relative_motion, step_rate_matrix_rate

Kind = Literal["pose", "position"]


@dataclass(frozen=True)
class TaskState:
    """The error of a task and its motion, for states (…)."""

    error: Array
    """e (…, k), from the target to the frame [m, rad]."""
    velocity: Array
    """w (…, k), relative to the target [m/s, rad/s]."""
    step_rate: Array
    """D (…, k, k) or (k, k), with ė = D w."""
    jacobian: Array
    """J (…, k, nv)."""
    drift: Array
    """d (…, k), with ẇ = J a + d."""


class Task:
    """The position or the pose of a frame that moves."""

    def __init__(self, model: Model, frame: str, kind: Kind) -> None:
        if kind not in ("pose", "position"):
            raise ValueError(f"unknown task {kind!r}{suggestion(kind, ('pose', 'position'))}")
        if model.frame(frame).body == WORLD:
            moving = [each.name for each in model.frames if each.body != WORLD]
            raise ValueError(f"frame {frame!r} is fixed to the world{suggestion(frame, moving)}")
        self.model, self.frame, self.kind = model, frame, kind
        self.size = 6 if kind == "pose" else 3

    def setpoint(self, value: Any) -> Setpoint:
        """Return a pose or position, or such with its velocity and acceleration, checked.

        Poses are (…, 4, 4), positions (…, 3). Velocity and acceleration (…, k) are what
        `frame_velocity` and `frame_acceleration` would be of them: of poses in their own frame, of
        positions in world axes; what is missing is zero.
        """
        place, velocity, acceleration = parts_of(value, 2 if self.kind == "pose" else 1)
        return (
            poses(place, "reference") if self.kind == "pose" else vectors(place, 3, "reference"),
            vectors(velocity, self.size, "the velocity of reference"),
            vectors(acceleration, self.size, "the acceleration of reference"),
        )

    def place(self, q: ArrayLike) -> Array:
        """Return the pose (…, 4, 4) of the frame, or its position (…, 3)."""
        pose = np.asarray(self.model.frame_pose(q, self.frame))
        return pose if self.kind == "pose" else pose[..., :3, 3]

    def error(self, q: ArrayLike, target: Array) -> Array:
        """Return e (…, k), the step from a target to where the frame is."""
        place = self.place(q)
        return np.asarray(place - target) if self.kind == "position" else pose_step(target, place)

    def jacobian(self, q: ArrayLike) -> Array:
        """Return J (…, k, nv), in the axes of the task."""
        if self.kind == "pose":
            return np.asarray(self.model.frame_jacobian(q, self.frame))
        return self.model.frame_jacobian(q, self.frame, "local_world_aligned")[..., :3, :]

    def state(self, q: ArrayLike, v: ArrayLike, setpoint: Setpoint) -> TaskState:
        """Return error and motion relative to a setpoint, which may move."""
        k, still = self.size, np.zeros(self.model.nv)
        target, v_d, a_d = setpoint
        reference: Literal["local", "local_world_aligned"] = (
            "local" if self.kind == "pose" else "local_world_aligned"
        )
        error, jacobian = self.error(q, target), self.jacobian(q)
        own = self.model.frame_velocity(q, v, self.frame, reference)[..., :k]
        bias = self.model.frame_acceleration(q, v, still, self.frame, reference)[..., :k]
        if self.kind == "position":
            return TaskState(error, own - v_d, np.eye(k), jacobian, bias - a_d)
        relative = relative_motion("free", error, own, v_d, a_d)
        drift = bias - relative.target_acceleration
        return TaskState(error, relative.velocity, relative.step_rate, jacobian, drift)

    def step_rate_change(self, step: Array, rate: Array) -> Array:
        """Return Ḋ (…, k, k) while the error changes with a rate (…, k); positions have none."""
        if self.kind == "position":
            return np.zeros((3, 3))
        return step_rate_matrix_rate("free", step, rate)
