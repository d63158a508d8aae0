"""Keyframes and sensors of MJCF files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tarsus._lib.checks import listing, unused
from tarsus._lib.errors import ModelError, Source
from tarsus._lib.files import Array
from tarsus.formats.mjcf_joints import TYPES, reorder
from tarsus.spatial import rotation_from_quaternion

# The keyframes of an MJCF file, by names of joints and actuators.


StatedKey = dict[str, Array]
"""The numbers of one keyframe: qpos, qvel and ctrl, empty if they are not stated."""


def stated_keys(spec: Any) -> dict[str, StatedKey]:
    """Return the keyframes of a specification, which are removed from it later, by name."""
    taken: set[str] = set()
    return {
        unused(key.name or f"key{index}", taken): {
            what: np.array(list(getattr(key, what))) for what in ("qpos", "qvel", "ctrl")
        }
        for index, key in enumerate(spec.keys)
    }


class Keyframes:
    """Turns keyframes into poses by name, for joints that are there."""

    def __init__(
        self, model: Any, joint_names: Sequence[str], here: set[str], controls: Mapping[int, str]
    ) -> None:
        self.model, self.joint_names, self.here, self.controls = model, joint_names, here, controls

    def read(self, keys: Mapping[str, StatedKey], count: int, source: Source) -> dict[str, Any]:
        """Return all keyframes; the file has `count` actuators."""
        sizes = {"qpos": self.model.nq, "qvel": self.model.nv, "ctrl": count}
        for name, key in keys.items():
            for what, numbers in key.items():
                if len(numbers) not in (0, sizes[what]):
                    has = f"{len(numbers)} numbers, not {sizes[what]}"
                    raise ModelError(f"keyframe {name!r}: {what} has {has}", source)
                if not np.isfinite(numbers).all():
                    raise ModelError(f"keyframe {name!r}: {what} is not finite", source)
        return {name: self._pose(**key) for name, key in keys.items()}

    def _pose(self, qpos: Array, qvel: Array, ctrl: Array) -> dict[str, Any]:
        """Return the positions, velocities and controls of a keyframe by name."""
        qpos = qpos if len(qpos) else np.array(self.model.qpos0)
        pose: dict[str, Any] = {"q": self._each(lambda i: self._position(i, qpos))}
        if qvel.any():
            pose["v"] = self._each(lambda i: self._velocity(i, qpos, qvel))
        if len(ctrl):
            pose["u"] = {name: float(ctrl[i]) for i, name in self.controls.items()}
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


StatedSensor = tuple[str, tuple[str, str]]
"""The type of a sensor, and the kind ("site", "xbody", "joint" …) and name of what it is on.

The kind is empty if the sensor measures relative to another frame.
"""


def stated_sensors(mujoco: Any, spec: Any) -> dict[str, StatedSensor]:
    """Return the sensors of a specification, which are removed from it later, by name."""
    found: dict[str, StatedSensor] = {}
    taken: set[str] = set()
    for index, sensor in enumerate(spec.sensors):
        kind = mujoco.mjtSensor(sensor.type).name.removeprefix("mjSENS_")
        on = mujoco.mjtObj(sensor.objtype).name.removeprefix("mjOBJ_").lower()
        name = unused(sensor.name or f"sensor{index}", taken)
        found[name] = kind, ("" if sensor.refname else on, sensor.objname)
    return found


def read_sensors(
    sensors: Mapping[str, StatedSensor], frames: dict[tuple[str, str], str], joints: set[str]
) -> tuple[dict[str, Any], list[str]]:
    """Return sensors by name, and warnings of those that are left out.

    `frames` are names of ours by the kinds and names of MuJoCo's sites and bodies.
    """
    found: dict[str, Any] = {}
    left_out: list[str] = []
    for name, (stated, place) in sensors.items():
        frame, (_, joint) = frames.get(place), place
        if stated in FRAMES and frame is not None:
            kind, part = FRAMES[stated]
            found[name] = {"kind": kind, "frame": frame} | ({"part": part} if part else {})
        elif stated in JOINTS and joint in joints:
            found[name] = {"kind": JOINTS[stated], "joints": [joint]}
        else:
            left_out.append(f"{name} ({stated.lower()})")
    count, names = len(left_out), listing(dict.fromkeys(left_out), limit=10)
    warnings = [f"sensors ({count}) are not taken over: {names}"] if left_out else []
    if pads := [name for name, each in found.items() if each["kind"] == "Touch"]:
        names = listing(dict.fromkeys(pads), limit=10)
        warnings.append(f"touch sensors ({len(pads)}) feel all contacts of their bodies: {names}")
    return found, warnings
