"""Actuators of MJCF files, as affine functions of their controls."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tarsus._lib.checks import listing, suggestion, unused
from tarsus._lib.errors import ModelError, Source
from tarsus._lib.files import Array
from tarsus.formats.couplings import ONE_COORDINATE
from tarsus.formats.mjcf_tendons import StatedMotor, is_motor, is_off, tendon_joints
from tarsus.model.description import Actuator, DescriptionDraft

# What an MJCF file says about passive forces besides its joints and tendons.
#
# An actuator may have a damper and an armature, which are in what it drives whatever its control
# is, times the square of its gear ratio. What it does with its control is read elsewhere: DC motors
# in `tarsus.formats.mjcf_tendons`, others in `tarsus.formats.mjcf_actuators`. `<flag
# spring="disable">` and `damper` switch off the springs and dampers of all joints and tendons.


SPRINGS = ("jnt_stiffness", "tendon_stiffness", "jnt_stiffnesspoly", "tendon_stiffnesspoly")
DAMPERS = ("dof_damping", "tendon_damping", "dof_dampingpoly", "tendon_dampingpoly")


class MjcfActuators:
    """The actuators of a specification: which are read, and what they add to passive forces."""

    def __init__(self, mujoco: Any, spec: Any, file: str) -> None:
        kinds = mujoco.mjtTrn
        driven = {
            kinds.mjTRN_JOINT: "joint",
            kinds.mjTRN_JOINTINPARENT: "joint",
            kinds.mjTRN_TENDON: "tendon",
        }
        self.without: dict[str, list[str]] = defaultdict(list)
        """Names of those whose controls are not taken over, by the reason."""
        self.kept: list[int] = []
        """Numbers of those whose controls may be."""
        self.count = len(spec.actuators)
        self.motors: dict[int, StatedMotor] = {}
        self.nonlinear = 0
        self.reflected: dict[tuple[str, str], Array] = defaultdict(lambda: np.zeros(2))
        for index, actuator in enumerate(spec.actuators):
            if is_motor(mujoco, actuator):
                self.motors[index] = StatedMotor(mujoco, spec.option, actuator)
            elif reason := reason_of(mujoco, spec, actuator):
                self.without[reason].append(name_of(actuator.name, index))
            else:
                self.kept.append(index)
            # MuJoCo before version 4 has none of this
            damping = np.atleast_1d(getattr(actuator, "damping", 0.0))
            numbers = np.array([damping[0], getattr(actuator, "armature", 0.0)])
            self.nonlinear += bool(damping[1:].any())
            kind, name = driven.get(actuator.trntype), actuator.target
            if kind is None or not (numbers.any() or index in self.kept):
                continue  # MuJoCo itself refuses dampers and armatures on other targets
            if name not in (names := [each.name for each in getattr(spec, f"{kind}s")]):
                hint = suggestion(name, filter(None, names))
                message = f"an actuator drives the {kind} {name!r}, which is not there{hint}"
                raise ModelError(message, Source(file))
            self.reflected[kind, name] += actuator.gear[0] ** 2 * numbers

    def reflect(self, model: Any) -> None:
        """Add the dampers and armatures to the joints and tendons of the compiled model."""
        for (kind, name), (damping, armature) in self.reflected.items():
            index = getattr(model, kind)(name).id
            of, rows = ("dof", model.dof_jntid == index) if kind == "joint" else ("tendon", index)
            getattr(model, f"{of}_damping")[rows] += damping
            getattr(model, f"{of}_armature")[rows] += armature

    def left_out(self, ignored: Counter[str]) -> list[str]:
        """Count what is not taken over of their dampers; return a warning about their controls."""
        ignored["non-linear dampers of actuators"] += self.nonlinear
        return [warning(reason, names) for reason, names in self.without.items()]

    def left_out_of(self, spec: Any) -> list[Any]:
        """Return the elements of the specification whose controls are not taken over."""
        return [each for index, each in enumerate(spec.actuators) if index not in self.kept]


def switch_off(mujoco: Any, model: Any) -> None:
    """Set to zero what the options of the compiled model switch off."""
    bits = mujoco.mjtDisableBit
    for bit, arrays in ((bits.mjDSBL_SPRING, SPRINGS), (bits.mjDSBL_DAMPER, DAMPERS)):
        if model.opt.disableflags & int(bit):
            for array in arrays:
                if hasattr(model, array):
                    getattr(model, array)[:] = 0.0


# The actuators of an MJCF file whose forces are affine in their control, length and velocity.
#
# MuJoCo resolves what depends on the machine (damping ratios, ranges that are inherited) when it
# compiles them. Those with a state of their own (filters, integrators, muscles) and those that push
# on sites, bodies and joints of several coordinates are left out, each with its reason.


def reason_of(mujoco: Any, spec: Any, actuator: Any) -> str:
    """Why an actuator of a specification is not taken over, empty if it may be."""
    kinds, gains, biases = mujoco.mjtTrn, mujoco.mjtGain, mujoco.mjtBias
    joints = (kinds.mjTRN_JOINT, kinds.mjTRN_JOINTINPARENT, kinds.mjTRN_TENDON)
    reasons = {
        "which the file switches off": is_off(mujoco, spec.option, actuator),
        "which have a state of their own": actuator.dyntype != mujoco.mjtDyn.mjDYN_NONE,
        "whose forces are not affine": actuator.gaintype
        not in (gains.mjGAIN_FIXED, gains.mjGAIN_AFFINE)
        or actuator.biastype not in (biases.mjBIAS_NONE, biases.mjBIAS_AFFINE),
        "which drive no joints": actuator.trntype not in joints,
        "which have delays": getattr(actuator, "delay", 0.0) > 0,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def name_of(name: str, index: int) -> str:
    """Return what an actuator is called: by its number if it has no name."""
    return name or f"actuator{index}"


class MjcfControls:
    """Adds the actuators of a compiled model to its description.

    `indices` are the numbers that the compiled ones have in the file.
    """

    def __init__(
        self,
        mujoco: Any,
        model: Any,
        description: DescriptionDraft,
        joint_names: Sequence[str],
        indices: Sequence[int],
        source: Callable[[str, int], Source],
    ) -> None:
        self.mujoco, self.model, self.description = mujoco, model, description
        self.joint_names, self.indices, self.source = joint_names, indices, source
        self.joints = {joint.name: joint for joint in description.joints}
        self.names: dict[int, str] = {}
        """What the actuators that were taken over are called, by their number in the file."""

    def read(self) -> list[str]:
        """Append the actuators, and return warnings of those that are left out."""
        left_out: dict[str, list[str]] = defaultdict(list)
        taken: set[str] = set()
        for place, index in enumerate(self.indices):
            name = unused(name_of(self.model.actuator(place).name, index), taken)
            gears = self._gears(place)
            reason = self._reason(gears)
            if reason:
                left_out[reason].append(name)
                continue
            self.names[index] = name
            self.description.actuators.append(self._actuator(place, index, name, gears))
        return [warning(reason, names) for reason, names in left_out.items()]

    def _gears(self, place: int) -> dict[str, float]:
        """The joints that an actuator moves with their gears; none if its path is in space."""
        model, target = self.model, int(self.model.actuator_trnid[place, 0])
        gear = float(model.actuator_gear[place, 0])
        if int(model.actuator_trntype[place]) != int(self.mujoco.mjtTrn.mjTRN_TENDON):
            return {self.joint_names[target]: gear}
        ratios = tendon_joints(self.mujoco, model, target, self.joint_names)
        return {joint: gear * ratio for joint, ratio in ratios.items()}

    def _reason(self, gears: dict[str, float]) -> str:
        kinds = [self.joints[name].kind if name in self.joints else "fixed" for name in gears]
        if not gears:
            return "which pull at tendons in space"
        if "fixed" in kinds:
            return "which drive joints that are fixed"
        if not set(ONE_COORDINATE).issuperset(kinds):
            return "which drive joints of several coordinates"
        return "" if any(gears.values()) else "whose gears are zero"

    def _actuator(self, place: int, index: int, name: str, gears: dict[str, float]) -> Actuator:
        model, mujoco = self.model, self.mujoco
        gain, bias = np.zeros(3), np.zeros(3)
        numbers = model.actuator_gainprm[place]
        affine = int(model.actuator_gaintype[place]) == int(mujoco.mjtGain.mjGAIN_AFFINE)
        count = 3 if affine else 1
        gain[:count] = numbers[:count]
        if int(model.actuator_biastype[place]) == int(mujoco.mjtBias.mjBIAS_AFFINE):
            bias[:] = model.actuator_biasprm[place, :3]
        clamp = int(mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL) & model.opt.disableflags
        limited = model.actuator_ctrllimited[place] and not clamp
        return Actuator(
            name,
            gears,
            gain,
            bias,
            np.array(model.actuator_ctrlrange[place]) if limited else None,
            np.array(model.actuator_forcerange[place])
            if model.actuator_forcelimited[place]
            else None,
            self.source("actuator", index),
        )


def warning(reason: str, names: Sequence[str]) -> str:
    """Return what is told of actuators that are left out."""
    listed = listing(dict.fromkeys(names), limit=10)
    return f"controls of actuators ({len(names)}) are not taken over, {reason}: {listed}"
