"""Sensors as terms of what robots feel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tarsus._lib.checks import expect
from tarsus._lib.files import Array
from tarsus.sensors import Errors, Sensor

if TYPE_CHECKING:
    from tarsus.environments.robot_lanes import RobotLanes


@dataclass(frozen=True)
class Sensed:
    """What a sensor of `tarsus.sensors` tells (B, n), without errors: `Noisy` makes it err.

    Accelerations are the mean ones since the last commands, contacts and efforts those of the last
    step. Where a sensor tells nothing (NaN), as a centre of pressure in the air, it is zero.
    """

    sensor: Sensor

    def __post_init__(self) -> None:
        expect(self.sensor, Sensor, "sensor")
        if self.sensor.errors != Errors():
            raise ValueError("sensor has errors: wrap the term in Noisy instead")

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the readings."""
        self.sensor.check(robots.model)
        sample = robots.sample(contacts="contacts" in self.sensor.needs)
        return np.nan_to_num(self.sensor.measure(sample), posinf=np.inf, neginf=-np.inf)
