"""Motors of a walker by names of its joints, and the electrical power that they take."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.control import CurrentMotor
from tarsus.gait.optimal.by_joints import check_joints
from tarsus.gait.walkers import Walker
from tarsus.model import Model
from tarsus.model.checks import expect

Motors = CurrentMotor | Mapping[str, CurrentMotor]
"""One for all joints, or by their names."""


@dataclass(frozen=True, eq=False)
class Drives:
    """Motors of one phase: joints without one are driven by what loses nothing."""

    slices: Sequence[slice]
    """Coordinates of each joint."""
    motors: Sequence[CurrentMotor | None]
    size: int

    @classmethod
    def of(cls, model: Model, motors: Mapping[str, CurrentMotor]) -> Drives:
        """Return those of a model."""
        joints = [model.joint(name) for name in model.joint_names]
        found = [motors.get(joint.name) for joint in joints]
        return cls([joint.v_slice for joint in joints], found, model.nv)

    @property
    def heat(self) -> Array:
        """Heat for an effort squared (nv,) [W/(N m)²]."""
        return self._each(lambda motor: motor.resistance / float(motor.torque(1.0)) ** 2, 0.0)

    @property
    def share(self) -> Array:
        """Electrical for mechanical power, beside the heat (nv,)."""
        return self._each(lambda motor: 1.0 / motor.efficiency, 1.0)

    @property
    def limits(self) -> Array:
        """Efforts of the largest currents (nv,) [N m or N]."""
        return self._each(lambda motor: float(motor.torque(motor.limit)), math.inf)

    def power(self, v: Array, tau: Array) -> Array:
        """Return the electrical power (n,) [W] at velocities and efforts (n, nv).

        What a joint feeds back is lost.
        """
        total = np.zeros(len(v))
        for at, motor in zip(self.slices, self.motors, strict=True):
            if motor is None:
                total += np.maximum(tau[:, at] * v[:, at], 0.0).sum(axis=-1)
            else:
                total += motor.power(motor.current(tau[:, at]), v[:, at]).sum(axis=-1)
        return total

    def _each(self, number, otherwise: float) -> Array:  # type: ignore[no-untyped-def]
        found = np.full(self.size, otherwise)
        for at, motor in zip(self.slices, self.motors, strict=True):
            if motor is not None:
                found[at] = number(motor)
        return found


def drives(walker: Walker, motors: Motors, *, complete: bool) -> list[Drives]:
    """Return motors of all phases, checked; `complete` asks for one at each joint."""
    models = [phase.model for phase in walker.phases]
    joints = [joint for model in models for joint in model.joints if not joint.dependent]
    names = sorted({joint.name for joint in joints})
    if isinstance(motors, CurrentMotor):
        motors = dict.fromkeys(names, motors)
    expect(motors, Mapping, "motors")
    check_joints(walker, motors, "motors")
    for name, motor in motors.items():
        expect(motor, CurrentMotor, f"motors: {name}")
    missing = [name for name in names if name not in motors]
    if complete and missing:
        raise ValueError(
            f"motors lacks joints {missing}: each joint needs a motor whose power is to be least"
        )
    return [Drives.of(model, motors) for model in models]


def cost_of_transport(
    walker: Walker,
    weight: float,
    way: float,
    phases: Sequence[Drives],
    parts: Sequence[tuple[Array, Array, Array]],
) -> float:
    """Return what slope and motors spend for each unit of weight and way.

    `parts` are times (n,), velocities and efforts (n, nv) of each phase.
    """
    energy = max(weight * math.sin(walker.slope) * way, 0.0)
    for each, (t, v, tau) in zip(phases, parts, strict=True):
        energy += float(np.trapezoid(each.power(v, tau), t))
    return energy / (weight * abs(way))
