"""Design parameters and actuation of a walker."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tarsus._lib.checks import expect, find, number
from tarsus._lib.files import Array
from tarsus.control.current_motor import CurrentMotor
from tarsus.gait.walkers.walker import Walker
from tarsus.model.model import Model

# Numbers of a walker that join the search: masses, springs, dampers, lengths, with bounds.


Tie = Callable[[dict[str, float]], Mapping[str, float]]
"""From the numbers that are free to those that follow from them."""

STEP = 1e-4
"""Of differences by a number, as a part of its range: exact for what enters linearly."""


@dataclass(frozen=True, eq=False)
class Design:
    """Which numbers of `walker.but` are free, between which bounds, and what follows from them.

    `bounds` has (least, most) for each name, or (least, most, first) with where the search begins
    instead of the walker's own number. `tie` is a function of the free numbers that returns others,
    so that a mass moves and none is made: `lambda free: {"hip_mass": 7 - 2 * free["leg_mass"]}`.
    """

    bounds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    tie: Tie | None = None

    def __post_init__(self) -> None:
        for name, listed in self.bounds.items():
            values = [number(x, name) for x in listed]
            if len(values) not in (2, 3) or not values[0] < values[1]:
                raise ValueError(f"design: {name} is {listed}, must be (least, most), in order")
            if len(values) == 3 and not values[0] <= values[2] <= values[1]:
                raise ValueError(f"design: {name} begins at {values[2]}, outside of its bounds")

    @property
    def names(self) -> tuple[str, ...]:
        """What is free."""
        return tuple(self.bounds)

    @property
    def lower(self) -> Array:
        """Least values."""
        return np.array([each[0] for each in self.bounds.values()])

    @property
    def upper(self) -> Array:
        """Largest values."""
        return np.array([each[1] for each in self.bounds.values()])

    @property
    def ranges(self) -> Array:
        """How far values are apart at most."""
        return self.upper - self.lower

    def first(self, walker: Walker) -> Array:
        """Return where the search begins."""
        found = []
        for name, listed in self.bounds.items():
            own = find(walker.numbers, name, "number of the walker")
            found.append(listed[2] if len(listed) == 3 else min(max(own, listed[0]), listed[1]))
        return np.array(found)

    def walker(self, walker: Walker, values: Array) -> Walker:
        """Return the walker with these numbers."""
        if not self.bounds:
            return walker
        free = {name: float(x) for name, x in zip(self.names, values, strict=True)}
        return walker.but(**free, **({} if self.tie is None else self.tie(free)))

    def steps(self, values: Array) -> list[tuple[float, float]]:
        """Return for each number where the other two values of its difference are, from it."""
        found = []
        for x, low, high in zip(values, self.lower, self.upper, strict=True):
            h = STEP * min(high - low, 1.0)
            if x - h < low:
                found.append((h, 2.0 * h))
            elif x + h > high:
                found.append((-h, -2.0 * h))
            else:
                found.append((h, -h))
        return found


def slope(here: Array, one: Array, two: Array, steps: tuple[float, float]) -> Array:
    """Return the derivative of the parabola through values at zero and at two steps."""
    a, b = steps
    return np.asarray((b * b * (one - here) - a * a * (two - here)) / (a * b * (b - a)))


# Motors of a walker by names of its joints, and the electrical power that they take.


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


# Numbers of a walker by names of its joints.


def check_joints(walker: Walker, names: Iterable[str], what: str) -> None:
    """Raise ValueError for a name that no phase of the walker has, with those that there are."""
    there = {name: name for phase in walker.phases for name in phase.model.joint_names}
    for name in names:
        find(there, name, "joint", f"which {what} names")


def by_joints(model: Model, given: Mapping[str, Any], otherwise: float) -> Array:
    """Return numbers (nv,) of a model's coordinates; joints that it does not have are no matter."""
    found = np.full(model.nv, otherwise)
    for name in set(given) & set(model.joint_names):
        found[model.joint(name).v_slice] = given[name]
    return found
