"""What the body of a walking machine does: tasks and contacts of whole-body control.

The centre of mass is accelerated away from the zero moment point, its height follows the plan;
trunk and torso stay upright and look ahead; feet follow their ways while they swing, and are held
by their contacts while they stand; the other joints keep the stance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.control import Contact
from tarsus.gait.aims import Aims
from tarsus.gait.anatomy import FREEDOM, Anatomy
from tarsus.gait.arms import length_ratio
from tarsus.ik import (
    AngularMomentumTask,
    ArmSwing,
    ComTask,
    FrameTask,
    OrientationTask,
    PartComTask,
    PositionTask,
    PostureTask,
    Task,
)
from tarsus.model import Model
from tarsus.model.views import JointView
from tarsus.spatial import inverse, skew


@dataclass(frozen=True)
class BodyGains:
    """Weights and gains [1/s] of the tasks of a walking body."""

    com: tuple[float, float] = (100.0, 8.0)
    trunk: tuple[float, float] = (20.0, 10.0)
    torso: tuple[float, float] = (5.0, 10.0)
    feet: tuple[float, float] = (100.0, 25.0)
    posture: tuple[float, float] = (0.1, 6.0)
    legs: tuple[float, float] = (1e-3, 6.0)
    """Of the posture of the legs, which feet and trunk ask for already."""
    momentum: float = 0.0
    """The weight of the angular momentum about the vertical, which shall be zero."""
    swing: tuple[float, float] = (0.0, 10.0)
    """Of the arms' centres of mass, which follow those of the opposite legs."""


class BodyTasks:
    """The tasks of a machine on two legs that stands in `stance` (nq,), and its contacts."""

    def __init__(
        self, body: Anatomy, stance: Array, friction: float, gains: BodyGains, margin: float
    ) -> None:
        model = body.model
        self.body, self.model = body, model
        self.com = ComTask(model.center_of_mass(stance), weight=gains.com[0], gain=gains.com[1])
        self.upright = [_upright(body.trunk, *gains.trunk)]
        if body.torso != body.trunk:
            self.upright.append(_upright(body.torso, *gains.torso))
        self._level = [model.frame_pose(stance, task.frame)[:3, :3] for task in self.upright]
        weight, gain = gains.feet
        self.feet = [
            FrameTask(leg.end, weight=weight, gain=gain, name=leg.name)
            if leg.freedom >= FREEDOM
            else PositionTask(
                leg.end, offset=leg.sole.placement[:3, 3], weight=weight, gain=gain, name=leg.name
            )
            for leg in body.legs
        ]
        self.tasks: list[Task] = [self.com, *self.upright, *self.feet]
        legs = {joint for leg in body.legs for joint in leg.joints}
        free = [joint.name for joint in model.joints if _has_posture(joint, model)]
        for name, own, (weight, gain) in (
            ("posture", [joint for joint in free if joint not in legs], gains.posture),
            ("legs", [joint for joint in free if joint in legs], gains.legs),
        ):
            if own:
                task = PostureTask(stance, joints=own, weight=weight, gain=gain, level=0, name=name)
                self.tasks.append(task)
        self._swings = _swings(body, stance, *gains.swing) if gains.swing[0] > 0.0 else []
        self.tasks += [swing.arm for swing in self._swings]
        if gains.momentum > 0.0:
            self.tasks.append(AngularMomentumTask(axes="z", weight=gains.momentum))
        load = 1.5 * model.total_mass * float(np.linalg.norm(model.gravity))
        self.contacts = [
            Contact(
                leg.end,
                leg.sole.points,
                friction=friction,
                margin=margin if len(leg.sole.corners) > 2 else 0.0,
                force=load,
                name=f"{leg.name} sole",
            )
            for leg in body.legs
        ]
        self._soles = np.stack([leg.sole.placement for leg in body.legs])
        self._backs = inverse(self._soles)[:, :3]

    def soles(self, q: Array) -> Array:
        """Return the frames of the soles (B, 2, 4, 4) at configurations (B, nq)."""
        poses = [self.model.frame_pose(q, leg.end) for leg in self.body.legs]
        return np.asarray(np.stack(poses, axis=-3) @ self._soles)

    def swing(self, q: Array, v: Array) -> None:
        """Let arms follow the legs in states (B, nq), (B, nv), if they shall."""
        for swing in self._swings:
            swing.update(q, v)

    def aim(self, aims: Aims, com: Array, velocity: Array, omega: float) -> None:
        """Set the targets of all tasks; the centre of mass (B, 3) and its velocity are measured."""
        self._aim_com(aims, com, velocity, omega)
        turn = _yaw(aims.heading.position[:, 0])
        motion = np.zeros((2, len(com), 3))
        motion[:, :, 2:] = aims.heading[1:]
        for task, level in zip(self.upright, self._level, strict=True):
            task.lead(turn @ level, *motion)
        self._aim_feet(aims)

    def _aim_com(self, aims: Aims, com: Array, velocity: Array, omega: float) -> None:
        # along the ground there is no error: the acceleration of the pendulum alone
        place, rate = com.copy(), velocity.copy()
        faster = np.empty_like(com)
        place[:, 2:], rate[:, 2:], faster[:, 2:] = aims.height
        faster[:, :2] = omega**2 * (com[:, :2] - aims.pressure)
        self.com.lead(place, rate, faster)

    def _aim_feet(self, aims: Aims) -> None:
        place, rate, faster = aims.feet
        target = np.zeros((*place.shape[:-1], 4, 4))
        np.matmul(aims.rotation, self._backs, out=target[..., :3, :])
        arm = target[..., :3, 3:].copy()
        target[..., :3, 3] += place
        target[..., 3, 3] = 1.0
        spin, spin_rate = skew(np.stack([aims.spin, aims.spin_rate]))
        around = spin @ arm
        motion = np.empty((2, *place.shape[:-1], 6))
        motion[0, ..., :3] = rate + around[..., 0]
        motion[1, ..., :3] = faster + (spin_rate @ arm + spin @ around)[..., 0]
        motion[0, ..., 3:], motion[1, ..., 3:] = aims.spin, aims.spin_rate
        for k, task in enumerate(self.feet):
            if isinstance(task, PositionTask):
                task.lead(place[:, k], rate[:, k], faster[:, k])
            else:
                task.lead(target[:, k], *motion[:, :, k])


def _has_posture(joint: JointView, model: Model) -> bool:
    """Whether a joint moves on its own and is not the base."""
    return joint is not model.base and len(joint.own_velocities) == joint.nv > 0


def _swings(body: Anatomy, stance: Array, weight: float, gain: float) -> list[ArmSwing]:
    """Return arms that swing, by the ratio of their length to that of legs."""
    found = []
    for arm in body.arms:
        leg = next(each for each in body.legs if each.side == -arm.side)
        task = PartComTask(
            arm.root,
            relative_to="com",
            axes=body.torso,
            weight=weight,
            gain=gain,
            name=f"{arm.name} swing",
        )
        task.bind(body.model)
        found.append(ArmSwing(task, leg.root, stance, scale=length_ratio(arm, leg)))
    return found


def _upright(frame: str, weight: float, gain: float) -> OrientationTask:
    return OrientationTask(frame, weight=weight, gain=gain)


def _yaw(angle: Array) -> Array:
    """Return rotations (B, 3, 3) about the vertical."""
    found = np.zeros((len(angle), 3, 3))
    found[:, 0, 0] = found[:, 1, 1] = np.cos(angle)
    found[:, 1, 0] = np.sin(angle)
    found[:, 0, 1] = -found[:, 1, 0]
    found[:, 2, 2] = 1.0
    return found
