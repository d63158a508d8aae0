"""Sensors as terms of what robots feel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tarsus.arrays import Array
from tarsus.model.checks import expect
from tarsus.sensors import Errors, Sensor

if TYPE_CHECKING:
    from tarsus.environments.robot_lanes import RobotLanes


@dataclass(frozen=True)
class Sensed:
    """What a sensor of `tarsus.sensors` tells (B, n), without errors: `Noisy` makes it err.

    Accelerations are the mean ones since the last commands. Sensors of contacts are not for robots
    in lanes, which do not keep them.
    """

    sensor: Sensor

    def __post_init__(self) -> None:
        expect(self.sensor, Sensor, "sensor")
        if "contacts" in self.sensor.needs:
            name = type(self.sensor).__name__
            raise ValueError(f"sensor is {name}, which needs contacts: environments keep none")
        if self.sensor.errors != Errors():
            raise ValueError("sensor has errors: wrap the term in Noisy instead")

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the readings."""
        self.sensor.check(robots.model)
        return self.sensor.measure(robots.sample())
