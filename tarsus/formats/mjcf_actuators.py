"""What an MJCF file says about passive forces besides its joints and tendons.

An actuator may have a damper and an armature, which are in what it drives whatever its control is,
times the square of its gear ratio. What it does with its control is read elsewhere: DC motors in
`tarsus.formats.mjcf_motors`, others in `tarsus.formats.mjcf_controls`.
`<flag spring="disable">` and `damper` switch off the springs and dampers of all joints and tendons.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.formats.mjcf_controls import name_of, reason_of, warning
from tarsus.formats.mjcf_motors import MotorStatement, is_motor
from tarsus.model.checks import suggestion
from tarsus.model.description import ModelError, Source

SPRINGS = ("jnt_stiffness", "tendon_stiffness", "jnt_stiffnesspoly", "tendon_stiffnesspoly")
DAMPERS = ("dof_damping", "tendon_damping", "dof_dampingpoly", "tendon_dampingpoly")


class Actuators:
    """The actuators of a specification, from which all that are not taken over are removed."""

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
        self.motors: list[MotorStatement] = []
        self.nonlinear = 0
        self.reflected: dict[tuple[str, str], Array] = defaultdict(lambda: np.zeros(2))
        for index, actuator in enumerate(spec.actuators):
            if is_motor(mujoco, actuator):
                self.motors.append(MotorStatement.read(mujoco, spec, index, actuator))
            elif reason := reason_of(mujoco, spec, actuator):
                self.without[reason].append(name_of(actuator.name, index))
            else:
                kind = driven[actuator.trntype]
                names = [each.name for each in getattr(spec, f"{kind}s")]
                _check_target(kind, actuator.target, names, file)
                self.kept.append(index)
            # MuJoCo before version 4 has none of this
            damping = np.atleast_1d(getattr(actuator, "damping", 0.0))
            numbers = np.array([damping[0], getattr(actuator, "armature", 0.0)])
            self.nonlinear += bool(damping[1:].any())
            # on other targets MuJoCo itself refuses them
            if numbers.any() and actuator.trntype in driven:
                target = driven[actuator.trntype], actuator.target
                self.reflected[target] += actuator.gear[0] ** 2 * numbers

    def reflect(self, model: Any, file: str) -> None:
        """Add the dampers and armatures to the joints and tendons of the compiled model."""
        counts = {"joint": model.njnt, "tendon": model.ntendon}
        numbers = {
            kind: {getattr(model, kind)(index).name: index for index in range(count)}
            for kind, count in counts.items()
        }
        for (kind, name), (damping, armature) in self.reflected.items():
            _check_target(kind, name, numbers[kind], file)
            index = numbers[kind][name]
            if kind == "joint":
                dofs = model.dof_jntid == index
                model.dof_damping[dofs] += damping
                model.dof_armature[dofs] += armature
            else:
                model.tendon_damping[index] += damping
                model.tendon_armature[index] += armature

    def left_out(self, ignored: Counter[str]) -> list[str]:
        """Count what is not taken over of their dampers; return a warning about their controls."""
        ignored["non-linear dampers of actuators"] += self.nonlinear
        return [warning(reason, names) for reason, names in self.without.items()]

    def remove(self, spec: Any) -> None:
        """Take those from the specification that are not taken over: they may be of any size."""
        for index, actuator in enumerate(list(spec.actuators)):
            if index not in self.kept:
                spec.delete(actuator)


def _check_target(kind: str, name: str, names: Iterable[str], file: str) -> None:
    if name not in names:
        hint = suggestion(name, filter(None, names))
        message = f"an actuator drives the {kind} {name!r}, which is not there{hint}"
        raise ModelError(message, Source(file))


def switch_off(mujoco: Any, model: Any) -> None:
    """Set to zero what the options of the compiled model switch off."""
    bits = mujoco.mjtDisableBit
    for bit, arrays in ((bits.mjDSBL_SPRING, SPRINGS), (bits.mjDSBL_DAMPER, DAMPERS)):
        if model.opt.disableflags & int(bit):
            for array in arrays:
                if hasattr(model, array):
                    getattr(model, array)[:] = 0.0
