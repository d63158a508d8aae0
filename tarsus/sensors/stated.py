"""Sensors that a file states with a mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tarsus.arrays import Array
from tarsus.model import Model, ModelError
from tarsus.model.checks import expect, suggestion
from tarsus.model.references import SENSORS
from tarsus.sensors.accelerometer import Accelerometer
from tarsus.sensors.frame_acceleration import FrameAcceleration
from tarsus.sensors.frame_pose import FramePose
from tarsus.sensors.frame_velocity import FrameVelocity
from tarsus.sensors.gyroscope import Gyroscope
from tarsus.sensors.joint_sensors import JointEffort, JointPosition, JointVelocity
from tarsus.sensors.joint_wrench import JointWrench
from tarsus.sensors.sensor import Sample, Sensor
from tarsus.sensors.suite import Suite

FRAMES = (Accelerometer, Gyroscope, FramePose, FrameVelocity, FrameAcceleration, JointWrench)
JOINTS = (JointPosition, JointVelocity, JointEffort)
KINDS: dict[str, Any] = {kind.__name__: kind for kind in (*FRAMES, *JOINTS)}


@dataclass(frozen=True)
class Part(Sensor):
    """Numbers `start` to `stop` of another sensor."""

    sensor: Sensor
    start: int
    stop: int

    @property
    def unit(self) -> str:  # type: ignore[override]
        """That of the other sensor."""
        return self.sensor.unit

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        """What the other sensor needs."""
        return self.sensor.needs

    @property
    def parts(self) -> tuple[str, ...]:
        """Those of the other sensor."""
        return self.sensor.parts[self.start : self.stop]

    def check(self, model: Model) -> None:
        """Raise unless the model has what the other sensor sits on."""
        self.sensor.check(model)

    def measure(self, sample: Sample) -> Array:
        """Return these numbers (…, stop − start)."""
        return self.sensor.measure(sample)[..., self.start : self.stop]


def of(model: Model) -> Suite:
    """Return the sensors that the file of a model states, those whose places are still there.

    Frames are those of MJCF sites and bodies. Quaternions are [x y z w], as everywhere.
    """
    expect(model, Model, "model")
    found: dict[str, Sensor] = {}
    for name, stated in model.description.metadata.get(SENSORS, {}).items():
        kind = stated.get("kind")
        if kind not in KINDS:
            raise ModelError(f"sensor {name!r}: unknown kind {kind!r}{suggestion(kind, KINDS)}")
        place = stated.get("frame", stated.get("joint"))
        here = model.frame_names if "frame" in stated else model.joint_names
        if place in here:
            sensor = KINDS[kind](place)
            found[name] = Part(sensor, *stated["part"]) if "part" in stated else sensor
    return Suite(found)
