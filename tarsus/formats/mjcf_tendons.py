"""Tendons and DC motors of MJCF files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tarsus._lib.checks import suggestion, unused
from tarsus._lib.errors import ModelError, Source
from tarsus.formats.context import listing
from tarsus.model.description import DescriptionDraft
from tarsus.parts.forces import Damper, JointSpring, Spring, String
from tarsus.parts.motor import Motor
from tarsus.parts.part import Part

# The `<dcmotor>` actuators of an MJCF file: motors of `tarsus.forces` where the law is the same.
#
# MuJoCo's motor of constant K, resistance R and electrical time t has the current
#
#     t di/dt = (u − K N q̇) / R − i
#
# and the torque N K i on its joint, N being `gear`: that of `Motor` with L = t R. What else it may
# have is named in a warning. Torques of their own (cogging, LuGre) and what is done to the voltage
# on its way (a delay, a range that is not symmetric) are left out and the motor is not; where the
# circuit is another, the whole motor is left out. MuJoCo limits the torque and not the current, and
# keeps t, which makes such circuits:
#
# - With an inductance, the current goes on beyond the limit of torque.
# - The winding is heated by the current that there would be without the limit.
# - With a resistance that grows, the inductance t R grows, too.


ONE_COORDINATE = ("revolute", "prismatic")


def is_motor(mujoco: Any, actuator: Any) -> bool:
    """Whether an actuator is stated as a DC motor; MuJoCo before version 4 does not tell."""
    kinds = getattr(mujoco, "mjtActuator", None)
    return kinds is not None and actuator.type == kinds.mjACTUATOR_DCMOTOR


@dataclass(frozen=True)
class MotorStatement:
    """What a specification says of one motor, read before the actuators are removed from it."""

    name: str
    index: int
    joint: str
    numbers: dict[str, float]
    """Arguments of `Motor`."""
    beside: tuple[str, ...]
    """Attributes that are left out."""
    reason: str
    """Why it becomes no `Motor`, empty if it does."""

    @staticmethod
    def read(mujoco: Any, spec: Any, index: int, actuator: Any) -> MotorStatement:
        """The statement of an actuator, which is the `index`th of its specification."""
        circuit = _Circuit(mujoco, spec, actuator)
        own = actuator.name, index, actuator.target
        return MotorStatement(*own, circuit.numbers(), tuple(circuit.beside()), circuit.reason())


class _Circuit:
    """The numbers of one actuator, as MuJoCo keeps them."""

    def __init__(self, mujoco: Any, spec: Any, actuator: Any) -> None:
        self.mujoco, self.option, self.actuator = mujoco, spec.option, actuator
        self.resistance, self.constant, self.warming, reference = actuator.gainprm[:4]
        self.time, self.slew, self.cooling, self.capacity, ambient = actuator.dynprm[:5]
        # MuJoCo states the resistance at another temperature than that at which it starts
        self.grown = 1.0 + self.warming * (ambient - reference) if self.cooling > 0 else 1.0
        self.torque_limited = self._limited(actuator.forcelimited, actuator.forcerange)

    def numbers(self) -> dict[str, float]:
        actuator, inputs = self.actuator, self.mujoco.mjtCtrlInput
        numbers = {
            "constant": self.constant,
            "resistance": self.resistance * self.grown,
            "inductance": self.time * self.resistance,
            "ratio": actuator.gear[0],
        }
        if self.cooling > 0:
            numbers |= {"thermal_resistance": self.cooling, "thermal_capacity": self.capacity}
            numbers["warming"] = self.warming / self.grown
        if actuator.ctrlspec == int(inputs.mjINPUT_NONE):
            numbers["voltage_limit"] = 0.0
        elif self._voltage_limited() and _symmetric(actuator.ctrlrange):
            numbers["voltage_limit"] = actuator.ctrlrange[1]
        if self.torque_limited:
            numbers["current_limit"] = actuator.forcerange[1] / self.constant
        return {name: float(value) for name, value in numbers.items()}

    def beside(self) -> Iterator[str]:
        actuator = self.actuator
        if actuator.biasprm[0]:
            yield "cogging"
        if actuator.dynprm[5] > 0:
            yield "lugre"
        if self._voltage_limited() and not _symmetric(actuator.ctrlrange):
            yield "ctrlrange (not symmetric)"
        if actuator.delay > 0:
            yield "delay"

    def reason(self) -> str:
        actuator, mujoco = self.actuator, self.mujoco
        kinds, inputs = mujoco.mjtTrn, mujoco.mjtCtrlInput
        off = int(mujoco.mjtDisableBit.mjDSBL_ACTUATION) & self.option.disableflags
        volts = (0, int(inputs.mjINPUT_VOLTAGE), int(inputs.mjINPUT_NONE))
        inductive, thermal = self.time > 0, self.cooling > 0
        reasons = {
            "which the file switches off": off or self._group_is_off(),
            "transmission to no joint": actuator.trntype
            not in (kinds.mjTRN_JOINT, kinds.mjTRN_JOINTINPARENT),
            "input other than voltage": actuator.ctrlspec not in volts,
            "saturation or forcerange beside inductance": inductive and self.torque_limited,
            "saturation of the rate of current": inductive and self.slew > 0,
            "forcerange that is not symmetric": self.torque_limited
            and not _symmetric(actuator.forcerange),
            "thermal beside saturation or forcerange": thermal and self.torque_limited,
            "thermal beside inductance": thermal and inductive and self.warming != 0,
            "thermal with a resistance that falls": thermal and self.warming < 0,
        }
        return next((reason for reason, holds in reasons.items() if holds), "")

    def _voltage_limited(self) -> bool:
        free = int(self.mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL) & self.option.disableflags
        return not free and self._limited(self.actuator.ctrllimited, self.actuator.ctrlrange)

    def _limited(self, stated: Any, limits: Any) -> bool:
        """Whether limits hold, which they do if they are there unless it is stated."""
        kinds = self.mujoco.mjtLimited
        automatic = stated == int(kinds.mjLIMITED_AUTO) and bool(limits.any())
        return automatic or stated == int(kinds.mjLIMITED_TRUE)

    def _group_is_off(self) -> bool:
        group = int(self.actuator.group)
        return 0 <= group < 31 and bool(self.option.disableactuator >> group & 1)


class Motors:
    """Adds the motors of one model to its description."""

    def __init__(
        self,
        description: DescriptionDraft,
        joint_names: Sequence[str],
        source: Callable[[str, int], Source],
    ) -> None:
        self.description, self.joint_names, self.source = description, joint_names, source
        self.joints = {joint.name: joint for joint in description.joints}
        self.taken = {force.name for force in description.forces}

    def read(self, stated: list[MotorStatement]) -> list[str]:
        """Append the forces, and return warnings of what is left out."""
        left_out: dict[str, list[str]] = defaultdict(list)
        for motor in stated:
            name = unused(motor.name or f"motor{motor.index}", self.taken)
            reason = motor.reason or self._reason_of_joint(motor, name)
            if reason:
                left_out[f"dcmotors ({{}}) are not taken over, {reason}"].append(name)
                continue
            for attribute in motor.beside:
                left_out[f"{attribute} of dcmotors ({{}}) are not taken over"].append(name)
            self.description.forces.append(self._force(motor, name))
        return [
            f"{what.format(len(names))}: {listing(dict.fromkeys(names), limit=10)}"
            for what, names in left_out.items()
        ]

    def _reason_of_joint(self, motor: MotorStatement, name: str) -> str:
        if motor.joint not in self.joint_names:
            hint = suggestion(motor.joint, self.joint_names)
            message = f"dcmotor {name!r} drives the joint {motor.joint!r}, which is not there{hint}"
            raise ModelError(message, self.source("actuator", motor.index))
        joint = self.joints.get(motor.joint)  # none of a free base that is to be fixed
        if joint is None or joint.kind not in ONE_COORDINATE:
            return f"joint that is {joint.kind if joint else 'fixed'}"
        return "" if joint.effort_limit is None else "actuatorfrcrange of the joint"

    def _force(self, motor: MotorStatement, name: str) -> Motor:
        source = self.source("actuator", motor.index)
        try:
            return Motor(motor.joint, name=name, source=source, **motor.numbers)
        except ValueError as error:
            raise ModelError(f"dcmotor {name!r}: {error}", source) from None


def _symmetric(limits: Any) -> bool:
    return bool(limits[0] == -limits[1])


# Tendons of a compiled MuJoCo model with springs and dampers: forces of `tarsus.forces`.
#
# MuJoCo pulls a tendon of length l with
#
#     k max(0, l − upper) − k max(0, lower − l) + d l̇
#
# A spatial one from one site to another is a `Spring` if upper is lower, a `Damper` without k, and,
# if lower is zero, a `String` with a `Damper` beside it, which damps also when it is slack. A fixed
# one is a `JointSpring`. Others are left out, with a warning that names them.


ASPECTS = {
    "ranges": "tendon_limited",
    "dry frictions": "tendon_frictionloss",
    "armatures": "tendon_armature",
}
"""What of tendons is not taken over, whatever becomes of their springs."""

NONLINEAR = ("tendon_stiffnesspoly", "tendon_dampingpoly")
"""Not in MuJoCo before version 4, as `tendon_springyield`."""


class Tendons:
    """Adds the springs and dampers of the tendons of one model to its description."""

    def __init__(
        self,
        mujoco: Any,
        model: Any,
        description: DescriptionDraft,
        joint_names: Sequence[str],
        site_names: Sequence[str],
        source: Callable[[str, int], Source],
    ) -> None:
        self.model, self.description, self.source = model, description, source
        self.joint_names, self.site_names = joint_names, site_names
        wraps = mujoco.mjtWrap
        self.joint, self.site = int(wraps.mjWRAP_JOINT), int(wraps.mjWRAP_SITE)
        self.fixed = {joint.name for joint in description.joints if joint.kind == "fixed"}
        stated = [str(model.tendon(index).name) for index in range(model.ntendon)]
        self.taken = set(filter(None, stated))
        self.names = [
            name or unused(f"tendon{index}", self.taken) for index, name in enumerate(stated)
        ]

    def read(self) -> list[str]:
        """Append the forces, and return warnings of what is left out."""
        left_out: dict[str, list[str]] = defaultdict(list)
        for index, name in enumerate(self.names):
            reason = self._reason(index)
            if reason:
                left_out[reason].append(name)
            else:
                self.description.forces += self._forces(index)
        warnings = []
        for what, array in ASPECTS.items():
            stated = getattr(self.model, array, [False] * len(self.names))
            found = [name for name, number in zip(self.names, stated, strict=True) if number]
            warnings += _warning(f"{what} of tendons", "", found)
        for reason, found in left_out.items():
            warnings += _warning("tendons", f", {reason}", found)
        return warnings

    def _reason(self, index: int) -> str:
        """Why a tendon becomes no force, empty if it does."""
        model = self.model
        lower, upper = model.tendon_lengthspring[index]
        kinds = [int(kind) for kind in model.wrap_type[self._path(index)]]
        if not (model.tendon_stiffness[index] or model.tendon_damping[index]):
            return "which have no springs and no dampers"
        if any(getattr(model, name)[index].any() for name in NONLINEAR if hasattr(model, name)):
            return "whose springs or dampers are not linear"
        if hasattr(model, "tendon_springyield") and model.tendon_springyield[index]:
            return "whose springs yield"
        if kinds[0] == self.joint and not self.fixed.isdisjoint(self._joints(index)):
            return "which move joints that are fixed"
        if kinds[0] != self.joint and kinds != [self.site] * 2:
            return "whose paths have more than two sites"
        if (
            model.tendon_stiffness[index]
            and lower < upper
            and (lower > 0 or kinds[0] == self.joint)
        ):
            return "which push and pull with a slack between"
        return ""

    def _path(self, index: int) -> slice:
        first = int(self.model.tendon_adr[index])
        return slice(first, first + int(self.model.tendon_num[index]))

    def _joints(self, index: int) -> dict[str, float]:
        """The joints of a fixed tendon with their coefficients."""
        path = self._path(index)
        pairs = zip(self.model.wrap_objid[path], self.model.wrap_prm[path], strict=True)
        return {self.joint_names[joint]: float(ratio) for joint, ratio in pairs}

    def _forces(self, index: int) -> list[Part]:
        model, name, path = self.model, self.names[index], self._path(index)
        stiffness, damping = (
            float(numbers[index]) for numbers in (model.tendon_stiffness, model.tendon_damping)
        )
        lower, upper = (float(length) for length in model.tendon_lengthspring[index])
        tag = "fixed" if model.wrap_type[path][0] == self.joint else "spatial"
        own: Any = {"name": name, "source": self.source(tag, index)}
        try:
            if tag == "fixed":
                return [JointSpring(self._joints(index), stiffness, damping, lower, **own)]
            a, b = (self.site_names[site] for site in model.wrap_objid[path])
            if not stiffness:
                return [Damper(a, b, damping, **own)]
            if lower == upper:
                return [Spring(a, b, stiffness, lower, damping, **own)]
            string = String(a, b, stiffness, upper, **own)
            if not damping:
                return [string]
            own["name"] = unused(f"{name}_damper", self.taken)
            return [string, Damper(a, b, damping, **own)]
        except ValueError as error:
            raise ModelError(f"tendon {name!r}: {error}", own["source"]) from None


def _warning(what: str, reason: str, names: list[str]) -> list[str]:
    if not names:
        return []
    listed = listing(dict.fromkeys(names), limit=10)
    return [f"{what} ({len(names)}) are not taken over{reason}: {listed}"]
