"""Walks of humanoids in simulation with contact, and their vertical angular momentum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.simulation.trajectory import Trajectory
from tarsus.walking.arms import Arms, Still, length_ratio
from tarsus.walking.ground_wrenches import vertical_torques
from tarsus.walking.kinematic_walk import BalancedWalk, WalkTargets, balanced_walk, walk_targets
from tarsus.walking.plans.footsteps import Footsteps
from tarsus.walking.posture import stance
from tarsus_lab.reproduce.result import Curve
from tarsus_lab.scenes import follow, humanoid

STEPS = 6
STEADY = (2, STEPS - 2)
"""The first and the last step at full length: two get there, and the last one comes to rest."""
WINDOW = 0.02
"""Rates and torques are means over this time, as sensors tell them [s]."""


class Setting(NamedTuple):
    """How a humanoid walks in the studies."""

    length: float
    """Of a step [m]."""
    duration: float
    """Of a step [s]."""
    crouch: float
    """By which share legs are shorter than stretched."""
    swing: float | None = None
    """How far arms follow legs in the reference scheme; by the ratio of lengths if None."""
    angles: Mapping[str, float] = MappingProxyType({})
    """Of arms that shall not hang as they do by themselves [rad]."""


SETTINGS = {
    "lola": Setting(0.4, 0.8, 0.1),
    # its arms are nearly as long as its legs, and their joints end where they touch the body
    "talos": Setting(0.4, 0.8, 0.15, 0.5, {"arm_left_2_joint": 0.25, "arm_right_2_joint": -0.25}),
    "g1": Setting(0.25, 0.7, 0.12),
}
"""That of the thesis, and one that suits the legs of others."""


@dataclass(frozen=True, eq=False)
class SteadySteps:
    """Steady steps of a walk in simulation: samples since the first of them."""

    times: Array
    """(T,) [s], from zero."""
    momentum: Array
    """Angular momentum about the vertical through the centre of mass (T,) [N·m·s]."""
    rate: Array
    """Its rate (T,) [N·m]."""
    torque: Array
    """Vertical torques of the ground on the left and the right sole (T, 2) [N·m]."""
    tilt: float
    """By how much the torso leaned at most, in the whole walk [°]."""
    plan: BalancedWalk

    def curve(self, label: str) -> Curve:
        """Return the momentum over time."""
        return Curve(label, tuple(self.times.tolist()), tuple(self.momentum.tolist()))


class HumanoidWalks:
    """One humanoid that walks straight ahead, with arms that do this or that.

    Its zero moment point is led to where it was planned in `rounds`.
    """

    def __init__(
        self,
        robot: str,
        *,
        length: float | None = None,
        duration: float | None = None,
        body: Anatomy | None = None,
        rounds: int = 1,
    ) -> None:
        self.body = humanoid(robot) if body is None else body
        usual = SETTINGS[robot]
        self.q = stance(self.body, crouch=usual.crouch)
        for name, angle in usual.angles.items():
            self.q[self.body.model.joint(name).q_slice] = angle
        ratio = length_ratio(self.body.arms[0], self.body.legs[1])
        self.swing = ratio if usual.swing is None else usual.swing
        self._rounds = rounds
        self.length = usual.length if length is None else length
        self.duration = usual.duration if duration is None else duration

    @cached_property
    def targets(self) -> WalkTargets:
        """Ways of feet and centre of mass that balance the machine while its arms are held."""
        model, soles = self.body.model, [leg.sole.placement for leg in self.body.legs]
        feet = [model.frame_pose(self.q, leg.end) for leg in self.body.legs]
        left, right = ((foot @ sole)[1, 3] for foot, sole in zip(feet, soles, strict=True))
        steps = Footsteps.steady(steps=STEPS, width=float(left - right), length=self.length)
        height = float(model.center_of_mass(self.q)[2])
        planned = walk_targets(steps, height, duration=self.duration)
        return balanced_walk(self.body, self.q, planned, Still(), rounds=self._rounds).targets

    @property
    def steady(self) -> NDArray[np.bool_]:
        """Which of the times of the targets belong to steady steps (T,)."""
        return (self.targets.step >= STEADY[0]) & (self.targets.step <= STEADY[1])

    def planned(self, arms: Arms) -> BalancedWalk:
        """Return the walk in kinematics."""
        return balanced_walk(self.body, self.q, self.targets, arms, rounds=0)

    def planned_peak(self, arms: Arms) -> float:
        """Return the largest |L_z| [N·m·s] of steady steps, in kinematics."""
        momentum = self.planned(arms).motion.angular_momentum[self.steady, 2]
        return float(np.abs(momentum).max())

    def walked(self, arms: Arms) -> SteadySteps:
        """Return the walk in simulation with contact."""
        plan = self.planned(arms)
        run = follow(self.body, self.targets, plan.motion).run()
        at = np.interp(run.t, self.targets.times, self.steady) > 0.5
        model = self.body.model
        momentum = np.asarray(model.centroidal_momentum(run.q, run.v))[:, 5]
        half = round(WINDOW / 2 / float(run.t[1]))
        rate = (np.roll(momentum, -half) - np.roll(momentum, half)) / WINDOW
        torque = _mean(vertical_torques(run, self.body), 2 * half)
        times = run.t[at] - run.t[at][0]
        tilt = _tilt(self.body, run)
        return SteadySteps(times, momentum[at], rate[at], torque[at], tilt, plan)


def peak(values: Array) -> float:
    """Return the largest size of values."""
    return float(np.abs(values).max())


def rms(values: Array) -> float:
    """Return the root of the mean square of values."""
    return float(np.sqrt(np.mean(values**2)))


def change(now: float, before: float) -> float:
    """Return by how much something has changed [%]."""
    return 100.0 * (now / before - 1.0)


def _mean(values: Array, samples: int) -> Array:
    """Return means of columns over so many samples around each."""
    sums = np.cumsum(np.pad(values, ((samples // 2 + 1, samples // 2), (0, 0))), axis=0)
    return np.asarray((sums[samples:] - sums[:-samples])[: len(values)] / samples)


def _tilt(body: Anatomy, run: Trajectory) -> float:
    """Return how far the torso was from how it stood, but for its heading [°]."""
    poses = np.asarray(body.model.frame_pose(run.q, body.torso))
    # the vertical, as the torso sees it
    down = poses[:, 2, :3]
    return float(np.degrees(np.arccos(np.clip(down @ down[0], -1.0, 1.0)).max()))
