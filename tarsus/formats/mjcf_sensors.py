"""The sensors of an MJCF file whose kinds `tarsus.sensors` has, by names of frames and joints.

A description keeps them in its metadata; `tarsus.sensors.of(model)` makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tarsus.formats.context import listing
from tarsus.model.checks import unused

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
