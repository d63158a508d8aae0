"""Tendons and DC motors of MJCF files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tarsus._lib.checks import listing, suggestion, unused
from tarsus._lib.errors import ModelError, Source
from tarsus.formats.couplings import ONE_COORDINATE
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


def is_motor(mujoco: Any, actuator: Any) -> bool:
    """Whether an actuator is stated as a DC motor; MuJoCo before version 4 does not tell."""
    kinds = getattr(mujoco, "mjtActuator", None)
    return kinds is not None and actuator.type == kinds.mjACTUATOR_DCMOTOR


def is_off(mujoco: Any, option: Any, actuator: Any) -> bool:
    """Whether the options of a specification switch off an actuator or its group."""
    group = int(actuator.group)
    off = option.disableflags & int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    return bool(off or (0 <= group < 31 and option.disableactuator >> group & 1))


class StatedMotor:
    """What a specification says of one motor, read before the motor is removed from it."""

    def __init__(self, mujoco: Any, option: Any, actuator: Any) -> None:
        self.mujoco, self.option, self.actuator = mujoco, option, actuator
        self.name, self.joint = actuator.name, actuator.target
        self.resistance, self.constant, self.warming, reference = actuator.gainprm[:4]
        self.time, self.slew, self.cooling, self.capacity, ambient = actuator.dynprm[:5]
        # MuJoCo states the resistance at another temperature than that at which it starts
        self.grown = 1.0 + self.warming * (ambient - reference) if self.cooling > 0 else 1.0
        self.torque_limited = self._limited(actuator.forcelimited, actuator.forcerange)
        self.numbers = self._numbers()
        """Arguments of `Motor`."""
        self.beside = list(self._beside())
        """Attributes that are left out."""
        self.reason = self._reason()
        """Why it becomes no `Motor`, empty if it does."""
        del self.option, self.actuator  # these end with the specification

    def _numbers(self) -> dict[str, float]:
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

    def _beside(self) -> Iterator[str]:
        actuator = self.actuator
        if actuator.biasprm[0]:
            yield "cogging"
        if actuator.dynprm[5] > 0:
            yield "lugre"
        if self._voltage_limited() and not _symmetric(actuator.ctrlrange):
            yield "ctrlrange (not symmetric)"
        if actuator.delay > 0:
            yield "delay"

    def _reason(self) -> str:
        actuator, mujoco = self.actuator, self.mujoco
        kinds, inputs = mujoco.mjtTrn, mujoco.mjtCtrlInput
        volts = (0, int(inputs.mjINPUT_VOLTAGE), int(inputs.mjINPUT_NONE))
        inductive, thermal = self.time > 0, self.cooling > 0
        reasons = {
            "which the file switches off": is_off(mujoco, self.option, actuator),
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


class MjcfMotors:
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

    def read(self, motors: Mapping[int, StatedMotor]) -> list[str]:
        """Append the forces of motors by their numbers, and return warnings of what is left out."""
        left_out: dict[str, list[str]] = defaultdict(list)
        for index, motor in motors.items():
            name = unused(motor.name or f"motor{index}", self.taken)
            source = self.source("actuator", index)
            reason = motor.reason or self._reason_of_joint(motor.joint, name, source)
            if reason:
                left_out[f"dcmotors ({{}}) are not taken over, {reason}"].append(name)
                continue
            for attribute in motor.beside:
                left_out[f"{attribute} of dcmotors ({{}}) are not taken over"].append(name)
            try:
                force = Motor(motor.joint, name=name, source=source, **motor.numbers)
            except ValueError as error:
                raise ModelError(f"dcmotor {name!r}: {error}", source) from None
            self.description.forces.append(force)
        return [
            f"{what.format(len(names))}: {listing(dict.fromkeys(names), limit=10)}"
            for what, names in left_out.items()
        ]

    def _reason_of_joint(self, driven: str, name: str, source: Source) -> str:
        if driven not in self.joint_names:
            hint = suggestion(driven, self.joint_names)
            message = f"dcmotor {name!r} drives the joint {driven!r}, which is not there{hint}"
            raise ModelError(message, source)
        joint = self.joints.get(driven)  # none of a free base that is to be fixed
        if joint is None or joint.kind not in ONE_COORDINATE:
            return f"joint that is {joint.kind if joint else 'fixed'}"
        return "" if joint.effort_limit is None else "actuatorfrcrange of the joint"


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
        self.site_names, self.site = site_names, int(mujoco.mjtWrap.mjWRAP_SITE)
        self.joints = [
            tendon_joints(mujoco, model, index, joint_names) for index in range(model.ntendon)
        ]
        """The joints of fixed tendons with their coefficients."""
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
        joints, path = self.joints[index], _path(model, index)
        if not (model.tendon_stiffness[index] or model.tendon_damping[index]):
            return "which have no springs and no dampers"
        if any(getattr(model, name)[index].any() for name in NONLINEAR if hasattr(model, name)):
            return "whose springs or dampers are not linear"
        if hasattr(model, "tendon_springyield") and model.tendon_springyield[index]:
            return "whose springs yield"
        if not self.fixed.isdisjoint(joints):
            return "which move joints that are fixed"
        if not joints and model.wrap_type[path].tolist() != [self.site] * 2:
            return "whose paths have more than two sites"
        if model.tendon_stiffness[index] and lower < upper and (lower > 0 or joints):
            return "which push and pull with a slack between"
        return ""

    def _forces(self, index: int) -> list[Part]:
        model, name, joints = self.model, self.names[index], self.joints[index]
        stiffness, damping = (
            float(numbers[index]) for numbers in (model.tendon_stiffness, model.tendon_damping)
        )
        lower, upper = (float(length) for length in model.tendon_lengthspring[index])
        source = self.source("fixed" if joints else "spatial", index)
        own: Any = {"name": name, "source": source}
        try:
            if joints:
                return [JointSpring(joints, stiffness, damping, lower, **own)]
            a, b = (self.site_names[site] for site in model.wrap_objid[_path(model, index)])
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
            raise ModelError(f"tendon {name!r}: {error}", source) from None


def tendon_joints(
    mujoco: Any, model: Any, index: int, joint_names: Sequence[str]
) -> dict[str, float]:
    """Return the joints of a fixed tendon with their coefficients, none of one in space."""
    path = _path(model, index)
    if (model.wrap_type[path] != int(mujoco.mjtWrap.mjWRAP_JOINT)).any():
        return {}
    pairs = zip(model.wrap_objid[path], model.wrap_prm[path], strict=True)
    return {joint_names[joint]: float(ratio) for joint, ratio in pairs}


def _path(model: Any, index: int) -> slice:
    """Return the places of a tendon's path in the arrays of the model."""
    first = int(model.tendon_adr[index])
    return slice(first, first + int(model.tendon_num[index]))


def _warning(what: str, reason: str, names: list[str]) -> list[str]:
    if not names:
        return []
    listed = listing(dict.fromkeys(names), limit=10)
    return [f"{what} ({len(names)}) are not taken over{reason}: {listed}"]
