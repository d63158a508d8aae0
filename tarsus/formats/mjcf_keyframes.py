"""Keyframes and sensors of MJCF files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus._lib.checks import unused
from tarsus._lib.errors import ModelError, Source
from tarsus._lib.files import Array
from tarsus.formats.context import listing
from tarsus.formats.mjcf_joints import TYPES, reorder
from tarsus.spatial import rotation_from_quaternion

# The keyframes of an MJCF file, by names of joints and actuators.


@dataclass(frozen=True)
class KeyStatement:
    """What a specification says of one keyframe, read before the keyframes are removed from it."""

    name: str
    qpos: Array
    qvel: Array
    ctrl: Array

    @staticmethod
    def read(key: Any) -> KeyStatement:
        """The statement of a keyframe; what it does not state is empty."""
        return KeyStatement(key.name, *(np.array(list(x)) for x in (key.qpos, key.qvel, key.ctrl)))


class Keyframes:
    """Turns keyframes into poses by name, for joints that are there."""

    def __init__(
        self, model: Any, joint_names: Sequence[str], here: set[str], controls: Mapping[int, str]
    ) -> None:
        self.model, self.joint_names, self.here, self.controls = model, joint_names, here, controls

    def read(self, stated: Sequence[KeyStatement], count: int, source: Source) -> dict[str, Any]:
        """Return all keyframes; the file has `count` actuators."""
        found: dict[str, Any] = {}
        taken: set[str] = set()
        for index, key in enumerate(stated):
            name = unused(key.name or f"key{index}", taken)
            sizes = {"qpos": self.model.nq, "qvel": self.model.nv, "ctrl": count}
            for what, size in sizes.items():
                if len(numbers := getattr(key, what)) not in (0, size):
                    message = f"keyframe {name!r}: {what} has {len(numbers)} numbers, not {size}"
                    raise ModelError(message, source)
                if not np.isfinite(numbers).all():
                    raise ModelError(f"keyframe {name!r}: {what} is not finite", source)
            found[name] = self._pose(key)
        return found

    def _pose(self, key: KeyStatement) -> dict[str, Any]:
        model, qpos = self.model, key.qpos if len(key.qpos) else np.array(self.model.qpos0)
        pose: dict[str, Any] = {"q": self._each(lambda i: self._position(i, qpos))}
        if len(key.qvel) and key.qvel.any():
            pose["v"] = self._each(lambda i: self._velocity(i, qpos, key.qvel))
        if len(key.ctrl):
            pose["u"] = {name: float(key.ctrl[i]) for i, name in self.controls.items()}
        assert model.njnt == len(self.joint_names)
        return pose

    def _each(self, numbers: Callable[[int], Array]) -> dict[str, list[float]]:
        names = enumerate(self.joint_names)
        return {name: numbers(i).tolist() for i, name in names if name in self.here}

    def _position(self, index: int, qpos: Array) -> Array:
        first = int(self.model.jnt_qposadr[index])
        return reorder(qpos[first : first + TYPES[self.model.jnt_type[index]][1]])

    def _velocity(self, index: int, qpos: Array, qvel: Array) -> Array:
        """The velocity of a joint; MuJoCo's free joints have the linear one in world axes."""
        first = int(self.model.jnt_dofadr[index])
        kind, _, nv = TYPES[self.model.jnt_type[index]]
        v = np.array(qvel[first : first + nv])
        if kind == "free":
            quaternion = self._position(index, qpos)[3:]
            turned = rotation_from_quaternion(quaternion / np.linalg.norm(quaternion))
            v[:3] = turned.T @ v[:3]
        return v


# The sensors of an MJCF file whose kinds `tarsus.sensors` has, by names of frames and joints.
#
# A description keeps them in its metadata; `tarsus.sensors.of(model)` makes them.


FRAMES = {
    "ACCELEROMETER": ("Accelerometer", None),
    "GYRO": ("Gyroscope", None),
    "FRAMEPOS": ("FramePose", [0, 3]),
    "FRAMEQUAT": ("FramePose", [3, 7]),
    "FRAMELINVEL": ("FrameVelocity", [0, 3]),
    "FRAMEANGVEL": ("FrameVelocity", [3, 6]),
    "FRAMEANGACC": ("FrameAcceleration", [3, 6]),
    "FORCE": ("JointWrench", [0, 3]),
    "TORQUE": ("JointWrench", [3, 6]),
    "TOUCH": ("Touch", None),
}
"""MuJoCo's types of sensors at sites and bodies -> our kinds, and which of their numbers."""
JOINTS = {"JOINTPOS": "JointPosition", "JOINTVEL": "JointVelocity", "JOINTACTFRC": "JointEffort"}


@dataclass(frozen=True)
class SensorStatement:
    """What a specification says of one sensor, read before the sensors are removed from it."""

    name: str
    type: str
    on: str
    """What it sits on: "site", "xbody", "joint" …"""
    object: str
    relative: bool
    """Whether it tells what it sees from another frame."""

    @staticmethod
    def read(mujoco: Any, index: int, sensor: Any) -> SensorStatement:
        """The statement of a sensor, which is the `index`th of its specification."""
        kind = mujoco.mjtSensor(sensor.type).name.removeprefix("mjSENS_")
        on = mujoco.mjtObj(sensor.objtype).name.removeprefix("mjOBJ_").lower()
        name = sensor.name or f"sensor{index}"
        return SensorStatement(name, kind, on, sensor.objname, bool(sensor.refname))


def read_sensors(
    stated: Sequence[SensorStatement], frames: dict[tuple[str, str], str], joints: set[str]
) -> tuple[dict[str, Any], list[str]]:
    """Return sensors by name, and warnings of those that are left out.

    `frames` are names of ours by what MuJoCo's are on, and are called.
    """
    found: dict[str, Any] = {}
    left_out: list[str] = []
    taken: set[str] = set()
    for each in stated:
        name = unused(each.name, taken)
        frame = frames.get((each.on, each.object))
        if each.type in FRAMES and frame is not None and not each.relative:
            kind, part = FRAMES[each.type]
            found[name] = {"kind": kind, "frame": frame} | ({"part": part} if part else {})
        elif each.type in JOINTS and each.object in joints:
            found[name] = {"kind": JOINTS[each.type], "joints": [each.object]}
        else:
            left_out.append(f"{name} ({each.type.lower()})")
    count, names = len(left_out), listing(dict.fromkeys(left_out), limit=10)
    warnings = [f"sensors ({count}) are not taken over: {names}"] if left_out else []
    if pads := [name for name, each in found.items() if each["kind"] == "Touch"]:
        names = listing(dict.fromkeys(pads), limit=10)
        warnings.append(f"touch sensors ({len(pads)}) feel all contacts of their bodies: {names}")
    return found, warnings
