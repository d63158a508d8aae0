"""Sensors that are stated with a mechanism, by a file or by a builder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tarsus._lib.checks import expect, suggestion
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.model.name_references import SENSOR_FRAMES, SENSOR_JOINTS, SENSORS, places_of
from tarsus.sensors.accelerometer import Accelerometer
from tarsus.sensors.center_of_pressure import CenterOfPressure
from tarsus.sensors.contact_wrench import ContactWrench
from tarsus.sensors.distance import Distance
from tarsus.sensors.errors import Errors
from tarsus.sensors.frame_acceleration import FrameAcceleration
from tarsus.sensors.frame_pose import FramePose
from tarsus.sensors.frame_velocity import FrameVelocity
from tarsus.sensors.gyroscope import Gyroscope
from tarsus.sensors.inertial_unit import IMU
from tarsus.sensors.joint_sensors import JointEffort, JointPosition, JointVelocity
from tarsus.sensors.joint_wrench import JointWrench
from tarsus.sensors.sensor import Sample, Sensor
from tarsus.sensors.suite import Suite
from tarsus.sensors.touch import Touch
from tarsus.sensors.zero_moment_point import ZeroMomentPoint

ALL: tuple[Any, ...] = (
    *(Accelerometer, Gyroscope, IMU, FramePose, FrameVelocity, FrameAcceleration, Distance),
    *(JointPosition, JointVelocity, JointEffort, JointWrench),
    *(ContactWrench, Touch, CenterOfPressure, ZeroMomentPoint),
)
KINDS: dict[str, Any] = {kind.__name__: kind for kind in ALL}


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

    def stated(self) -> dict[str, Any]:
        """Return the other sensor as plain data, and which part it is."""
        return {**self.sensor.stated(), "part": [self.start, self.stop]}

    def check(self, model: Model) -> None:
        """Raise unless the model has what the other sensor sits on."""
        self.sensor.check(model)

    def measure(self, sample: Sample) -> Array:
        """Return these numbers (…, stop − start)."""
        return self.sensor.measure(sample)[..., self.start : self.stop]


def of(model: Model) -> Suite:
    """Return the sensors that are stated with a model, those whose places are still there.

    They come from `Builder.sensor`, from our own format, and from MJCF, where frames are those of
    sites and bodies. Quaternions are [x y z w], as everywhere.
    """
    expect(model, Model, "model")
    found: dict[str, Sensor] = {}
    for name, stated in model.description.metadata.get(SENSORS, {}).items():
        frames, joints = (places_of(stated, f) for f in (SENSOR_FRAMES, SENSOR_JOINTS))
        if {*frames} <= {*model.frame_names} and {*joints} <= {*model.joint_names}:
            found[name] = sensor_of(name, stated)
    return Suite(found)


def sensor_of(name: str, stated: Mapping[str, Any]) -> Sensor:
    """Return a sensor from what `Sensor.stated` returned."""
    own = dict(stated)
    kind, part, errors = (own.pop(key, None) for key in ("kind", "part", "errors"))
    if kind not in KINDS:
        raise ModelError(f"sensor {name!r}: unknown kind {kind!r}{suggestion(kind, KINDS)}")
    try:
        made: Sensor = KINDS[kind](**own, errors=Errors(**(errors or {})))
    except (TypeError, ValueError) as error:
        raise ModelError(f"sensor {name!r} ({kind}): {error}") from None
    return made if part is None else Part(made, *part)
