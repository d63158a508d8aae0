"""Encoders, tachometers and torque sensors of joints: positions, velocities and efforts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.sensors.sensor import Sample, Sensor


@dataclass(frozen=True)
class JointSensor(Sensor):
    """A sensor of one number in each of some joints with one coordinate, all unless stated."""

    joints: tuple[str, ...]

    def __post_init__(self) -> None:
        names = (self.joints,) if isinstance(self.joints, str) else tuple(self.joints)
        object.__setattr__(self, "joints", names)

    @property
    def parts(self) -> tuple[str, ...]:
        """The joints."""
        return self.joints

    def check(self, model: Model) -> None:
        """Raise unless the model has the joints, each with one coordinate."""
        for name in self.joints:
            joint = model.joint(name)
            if (joint.nq, joint.nv) != (1, 1):
                raise ValueError(f"joint {name!r} is {joint.kind}, must have one coordinate")


@dataclass(frozen=True)
class JointPosition(JointSensor):
    """Positions of joints (n,), also of those that follow others [rad or m]."""

    unit: ClassVar[str] = "rad or m"

    def measure(self, sample: Sample) -> Array:
        """Return the positions (…, n)."""
        at = [sample.model.joint(name).position_slice.start for name in self.joints]
        return np.asarray(sample.model.joint_positions(sample.q)[..., at])


@dataclass(frozen=True)
class JointVelocity(JointSensor):
    """Velocities of joints (n,), also of those that follow others [rad/s or m/s]."""

    unit: ClassVar[str] = "rad/s or m/s"

    def measure(self, sample: Sample) -> Array:
        """Return the velocities (…, n)."""
        at = [sample.model.joint(name).velocity_slice.start for name in self.joints]
        return np.asarray(sample.model.joint_velocities(sample.q, sample.v)[..., at])


@dataclass(frozen=True)
class JointEffort(JointSensor):
    """Efforts of the controller in the last step at joints (n,) [N·m or N]."""

    unit: ClassVar[str] = "N m or N"
    needs: ClassVar[tuple[str, ...]] = ("q", "v", "tau")

    def check(self, model: Model) -> None:
        """Raise unless the joints have velocities of their own."""
        super().check(model)
        for name in self.joints:
            if not model.joint(name).own_velocities:
                raise ValueError(f"joint {name!r} follows others: it has no effort of its own")

    def measure(self, sample: Sample) -> Array:
        """Return the efforts (…, n)."""
        if sample.tau is None:
            raise ValueError("efforts are not known here: JointEffort needs recorded tau")
        at = [sample.model.joint(name).v_slice.start for name in self.joints]
        return np.asarray(sample.tau[..., at])
