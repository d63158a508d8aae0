"""The task of walking: a robot, its stance and gains, the ground, and when an episode ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import not_negative
from tarsus._lib.files import Array
from tarsus.control.joint_control import ImplicitPD
from tarsus.environments.herd import Herd
from tarsus.environments.lanes import joints_of
from tarsus.environments.reward import Outcome, WalkReward
from tarsus.environments.walking_lanes import WalkingLanes
from tarsus.geometry.collision import Collision
from tarsus.geometry.grounds import Ground, Terrain
from tarsus.model import Model
from tarsus.robots.quadrupeds import legged
from tarsus.sensors import Sensor
from tarsus.simulation import Simulation


class Task(Protocol):
    """What environments ask of a task."""

    @property
    def model(self) -> Model:
        """The robot."""

    @property
    def ground(self) -> Terrain:
        """What it walks on."""

    @property
    def reward(self) -> Callable[[Outcome], Array]:
        """What a control period is worth (B,)."""

    def herd(self, robots: int, threads: int = 1) -> WalkingLanes:
        """Return robots with this task."""


@dataclass(frozen=True, eq=False)
class WalkTask:
    """A robot on legs that shall walk.

    An action in −1 … 1 for each joint moves the target of a joint controller away from `stance`
    by up to `reach` [rad]. A control period has `hold` steps of `dt` [s]. Each episode starts
    from the stance, with joints moved by up to `noise` [rad], on ground whose friction is drawn
    from `friction`, and the base is pushed once, at any time and to any side, with up to `push`
    [m/s] times the mass; it is cut off after `episode` [s], and ends when the base is lower than
    `lowest` times its height in the stance, or tilts by more than `tilt` [rad].
    """

    model: Model
    stance: Array
    kp: float
    kd: float
    collision: Collision | None = None
    ground: Terrain = field(default_factory=Ground)
    reach: float = 0.4
    dt: float = 2e-3
    hold: int = 10
    episode: float = 10.0
    noise: float = 0.05
    friction: tuple[float, float] = (0.5, 1.0)
    push: float = 0.0
    lowest: float = 0.6
    tilt: float = 0.8
    reward: Callable[[Outcome], Array] = field(default_factory=WalkReward)
    sensors: Mapping[str, Sensor] = field(default_factory=dict)
    """What robots feel besides."""

    def __post_init__(self) -> None:
        low, high = self.friction
        if not 0.0 <= low <= high:
            raise ValueError(f"friction is {self.friction}, must be a range from 0 on")
        for sensor in self.sensors.values():
            sensor.check(self.model)
        if self.model.base is None or self.model.base.kind != "free":
            raise ValueError(f"{self.model.name} has no free root: it cannot walk")
        not_negative(self.push, "push")
        for name in ("reach", "dt", "hold", "episode"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}, must be positive")

    @classmethod
    def of(cls, robot: str = "quadruped", **changes: object) -> WalkTask:
        """Return the task for a robot: "quadruped", "anymal", "solo12"; fields can be changed."""
        one = legged(robot)
        known: dict[str, object] = {"kp": one.kp, "kd": one.kd, "collision": one.collision}
        return cls(one.model, one.stance, **{**known, **changes})  # type: ignore[arg-type]

    def simulation(self) -> Simulation:
        """Return the simulation of the task."""
        return Simulation(self.model, ground=self.ground, collision=self.collision, dt=self.dt)

    def herd(self, robots: int, threads: int = 1) -> Herd:
        """Return robots with this task."""
        return Herd(self, robots, threads)

    def controller(self) -> ImplicitPD:
        """Return what moves the joints to their targets."""
        return ImplicitPD(self.model, self.kp, self.kd, self.stance)

    @property
    def period(self) -> float:
        """The time between two actions [s]."""
        return self.hold * self.dt

    @property
    def joints(self) -> NDArray[np.int64]:
        """Places in q (n,) of the joints that actions move."""
        return joints_of(self.model)
