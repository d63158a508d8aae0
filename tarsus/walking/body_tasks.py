"""What the body of a walking machine does: tasks and contacts of whole-body control.

The centre of mass is accelerated away from the zero moment point, its height follows the plan;
trunk and torso stay upright and look ahead; feet follow their ways while they swing, and are held
by their contacts while they stand; the other joints keep the stance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.control.contact_patch import Contact
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.limb_search import FREEDOM
from tarsus.ik.tasks.frames import FrameTask, OrientationTask
from tarsus.ik.tasks.momentum import AngularMomentumTask
from tarsus.ik.tasks.points import ComTask, PartComTask, PositionTask
from tarsus.ik.tasks.posture import PostureTask
from tarsus.ik.tasks.task import Task
from tarsus.model.model import Model
from tarsus.model.views import JointView
from tarsus.spatial import inverse, skew
from tarsus.walking.arms import ArmSwing
from tarsus.walking.references import Aims

SLIPPERY = 0.45
"""On less friction than this a pyramid of four sides would leave too little of the cone."""

ArmStyle: TypeAlias = Literal["still", "swing", "momentum"]
"""Arms keep their posture, follow the opposite legs (Schwienbacher 2013, section 7.3.1), or take
away angular momentum about the vertical."""


@dataclass(frozen=True)
class BodyGains:
    """Weights and gains [1/s] of the tasks of a walking body."""

    com: tuple[float, float] = (500.0, 8.0)
    trunk: tuple[float, float] = (20.0, 10.0)
    torso: tuple[float, float] = (5.0, 10.0)
    feet: tuple[float, float] = (100.0, 25.0)
    yaw: float = 0.1
    """The share of the weights of trunk and torso by which they look ahead: soles hold little about
    the vertical, and what they cannot hold shall turn the trunk, not lead the machine astray."""
    posture: tuple[float, float] = (0.1, 6.0)
    legs: tuple[float, float] = (1e-3, 6.0)
    """Of the posture of the legs, which feet and trunk ask for already."""
    arms: tuple[float, float] = (5.0, 6.0)
    """Of the centres of mass of arms that swing."""
    momentum: tuple[float, float] = (0.2, 0.005)
    """Of the angular momentum about the vertical that arms shall take away, and of the posture of
    arms that do."""


class BodyTasks:
    """The tasks of a machine on two legs that stands in `stance` (nq,), and its contacts."""

    def __init__(
        self,
        body: Anatomy,
        stance: Array,
        friction: float,
        gains: BodyGains,
        margin: float,
        arms: ArmStyle = "still",
    ) -> None:
        if arms not in get_args(ArmStyle):
            raise ValueError(f"arms is {arms!r}{suggestion(arms, get_args(ArmStyle))}")
        if arms != "still" and not body.arms:
            raise ModelError(f"{body.model.name!r} has no arms for {arms!r}")
        model = body.model
        self.body, self.model = body, model
        self.com = ComTask(model.center_of_mass(stance), weight=gains.com[0], gain=gains.com[1])
        frames = {body.trunk: gains.trunk}
        if body.torso != body.trunk:
            frames[body.torso] = gains.torso
        self._level = [model.frame_pose(stance, frame)[:3, :3] for frame in frames]
        self.upright = [
            OrientationTask(frame, weight=weight * _but_yaw(level, gains.yaw), gain=gain)
            for (frame, (weight, gain)), level in zip(frames.items(), self._level, strict=True)
        ]
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
        moved = {joint for arm in body.arms for joint in arm.joints} if arms != "still" else set()
        light = (gains.momentum[1], gains.posture[1])
        for name, own, (weight, gain) in (
            ("posture", [j for j in free if j not in legs | moved], gains.posture),
            ("legs", [j for j in free if j in legs], gains.legs),
            ("arms", [j for j in free if j in moved], light),
        ):
            if own:
                task = PostureTask(stance, joints=own, weight=weight, gain=gain, level=0, name=name)
                self.tasks.append(task)
        self.swings = self._swing_arms(stance, gains) if arms == "swing" else []
        if arms == "momentum":
            self.tasks.append(AngularMomentumTask(axes="z", weight=gains.momentum[0]))
        load = 1.5 * model.total_mass * float(np.linalg.norm(model.gravity))
        self.contacts = [
            Contact(
                leg.end,
                leg.sole.points,
                friction=friction,
                sides=4 if friction > SLIPPERY else 8,
                margin=margin if len(leg.sole.corners) > 2 else 0.0,
                force=load,
                name=f"{leg.name} sole",
            )
            for leg in body.legs
        ]
        self.soles = np.stack([leg.sole.placement for leg in body.legs])
        """Where the soles are on their feet (2, 4, 4)."""
        self._backs = inverse(self.soles)[:, :3]

    def _swing_arms(self, stance: Array, gains: BodyGains) -> list[ArmSwing]:
        """Add tasks of arms that follow the opposite legs, and return what leads them."""
        body, found = self.body, []
        for arm in body.arms:
            leg = next(leg for leg in body.legs if leg.side != arm.side)
            task = PartComTask(
                arm.root,
                relative_to="com",
                axes=body.torso,
                weight=gains.arms[0],
                gain=gains.arms[1],
                name=arm.name,
            )
            self.tasks.append(task.bind(self.model))
            found.append(ArmSwing(task, leg.root, stance, scale=arm.reach / leg.reach))
        return found

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
        motion = np.zeros((2, *place.shape[:-1], 6))
        if aims.swinging.any():
            spin, spin_rate = skew(np.stack([aims.spin, aims.spin_rate]))
            around = spin @ arm
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


def _but_yaw(level: Array, yaw: float) -> Array:
    """Return weights (3,) in axes of an upright frame that count turns about the vertical less."""
    vertical = level[2] ** 2
    return np.asarray(1.0 - (1.0 - yaw) * vertical)


def _yaw(angle: Array) -> Array:
    """Return rotations (B, 3, 3) about the vertical."""
    found = np.zeros((len(angle), 3, 3))
    found[:, 0, 0] = found[:, 1, 1] = np.cos(angle)
    found[:, 1, 0] = np.sin(angle)
    found[:, 0, 1] = -found[:, 1, 0]
    found[:, 2, 2] = 1.0
    return found
