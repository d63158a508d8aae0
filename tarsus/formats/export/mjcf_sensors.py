"""Sensors of an MJCF file that is written: each is one of MuJoCo's or several, at sites."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from tarsus.formats.export.left_out import LeftOuts
from tarsus.formats.export.mjcf_bodies import Bodies
from tarsus.formats.export.xml_text import add
from tarsus.model.description import Description
from tarsus.model.references import SENSORS

FRAMES: dict[str, dict[str, tuple[int, int]]] = {
    "Accelerometer": {"accelerometer": (0, 3)},
    "Gyroscope": {"gyro": (0, 3)},
    "IMU": {"accelerometer": (0, 3), "gyro": (3, 6)},
    "FramePose": {"framepos": (0, 3), "framequat": (3, 7)},
    "FrameVelocity": {"framelinvel": (0, 3), "frameangvel": (3, 6)},
    "FrameAcceleration": {"frameangacc": (3, 6)},
    "JointWrench": {"force": (0, 3), "torque": (3, 6)},
    "Touch": {"touch": (0, 1)},
}
"""Kind -> MuJoCo's, and which numbers these tell."""
AT_SITES = ("accelerometer", "gyro", "force", "torque", "touch")
"""Those that state their site as such; others say what kind of object they are at."""
JOINTS = {
    "JointPosition": "jointpos",
    "JointVelocity": "jointvel",
    "JointEffort": "jointactuatorfrc",
}
AROUND = 1e3
"""Radius [m] of the site of a touch sensor: contacts of its body that are in it count."""


def add_sensors(section: Element, stated: Description, bodies: Bodies, left_out: LeftOuts) -> None:
    """Append the sensors whose kinds MuJoCo has, and tell of the others."""
    for name, sensor in stated.metadata.get(SENSORS, {}).items():
        kind = sensor["kind"]
        if "errors" in sensor:
            left_out.add("errors of sensor", name, "MuJoCo has none")
        if kind in JOINTS:
            joints = sensor["joints"]
            for joint in joints:
                called = name if len(joints) == 1 else f"{name}_{joint}"
                add(section, JOINTS[kind], name=called, joint=joint)
        elif kind in FRAMES and sensor.get("reference") is None:
            _add_at_frame(section, name, sensor, bodies, left_out)
        else:
            left_out.add("sensor", name, f"is {kind}, which MuJoCo has not")


def _add_at_frame(
    section: Element, name: str, sensor: dict[str, Any], bodies: Bodies, left_out: LeftOuts
) -> None:
    first, last = sensor.get("part", (0, 100))
    kinds = FRAMES[sensor["kind"]]
    told = [tag for tag, (start, stop) in kinds.items() if first <= start and stop <= last]
    if not told or (len(told) < len(kinds) and "part" not in sensor):
        left_out.add("part of sensor", name, f"MuJoCo has only {', '.join(told) or 'others'}")
    elif sensor["kind"] == "FrameAcceleration" and "part" not in sensor:
        left_out.add("part of sensor", name, "MuJoCo's linear one has gravity in it")
    for tag in told:
        called = name if len(told) == 1 else f"{name}_{tag}"
        if tag == "touch":
            body = bodies.frames[sensor["frame"]].body if sensor["frame"] in bodies.frames else None
            site = bodies.site(f"{name}_pad", body or sensor["frame"], np.eye(4), AROUND)
        else:
            site = bodies.site_at(f"{name}_site", sensor["frame"])
        where = {"site": site} if tag in AT_SITES else {"objtype": "site", "objname": site}
        add(section, tag, name=called, **where)
