"""Actuators and sensors of exported MJCF files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from tarsus._lib.checks import unused
from tarsus._lib.files import Array
from tarsus.formats.export.losses import LeftOuts
from tarsus.formats.export.mjcf_bodies import Bodies
from tarsus.formats.xml import UNLIMITED, add
from tarsus.model.description import Actuator, Description
from tarsus.model.keyframes import KEYFRAMES
from tarsus.model.name_references import SENSORS
from tarsus.spatial import (
    pose,
    quaternion_conjugate,
    quaternion_from_rotation,
    quaternion_product,
    rotation_from_quaternion,
    scalar_first,
)

# Actuators and keyframes of an MJCF file that is written.
#
# MuJoCo's `<general>` actuators have the same law. One that moves several joints pulls at a fixed
# tendon. Keyframes have the order in which the joints stand in the file.


def add_actuators(
    section: Element, tendon: Element, world: Element, stated: Description, left_out: LeftOuts
) -> list[str]:
    """Append the actuators whose joints are in the file, and return their names."""
    here = {joint.get("name", "") for joint in world.iter("joint")}
    taken = {str(each.get("name")) for each in tendon}
    written = []
    for actuator in stated.actuators:
        if not here.issuperset(actuator.joints):
            left_out.add("actuator", actuator.name, "its joint is a chain of others in the file")
            continue
        (first, gear), *others = actuator.joints.items()
        target: dict[str, Any] = {"joint": first, "gear": gear}
        if others:
            name = unused(f"{actuator.name}_tendon", taken)
            fixed = add(tendon, "fixed", name=name)
            for joint, ratio in actuator.joints.items():
                add(fixed, "joint", joint=joint, coef=ratio)
            target = {"tendon": name}
        add(section, "general", name=actuator.name, **target, **_law(actuator))
        written.append(actuator.name)
    return written


def _law(actuator: Actuator) -> dict[str, Any]:
    affine = actuator.gain[1:].any()
    return {
        "gaintype": "affine" if affine else None,
        "gainprm": actuator.gain if affine else actuator.gain[:1],
        "biastype": "affine" if actuator.bias.any() else None,
        "biasprm": actuator.bias if actuator.bias.any() else None,
        "ctrlrange": _range(actuator.control_range),
        "forcerange": _range(actuator.force_range),
    }


def _range(limits: Array | None) -> list[float] | None:
    if limits is None:
        return None
    return [x if math.isfinite(x) else math.copysign(UNLIMITED, x) for x in limits.tolist()]


def add_keyframes(
    section: Element,
    world: Element,
    stated: Description,
    positions: Mapping[str, Array],
    actuators: list[str],
    left_out: LeftOuts,
) -> None:
    """Append the keyframes; joints that they do not name are as in the file."""
    joints = [(str(joint.get("name")), joint.get("type")) for joint in world.iter("joint")]
    names = {name for name, _ in joints}
    for title, key in stated.metadata.get(KEYFRAMES, {}).items():
        q, v, u = (key.get(part, {}) for part in "qvu")
        lost = ({*q, *v} & {joint.name for joint in stated.joints}) - names
        if lost:
            left_out.add("keyframe", title, f"has joints that the file has not: {sorted(lost)}")
            continue
        at = {name: np.asarray(q.get(name, positions[name]), float) for name, _ in joints}
        moved = {joint.name: joint.placement for joint in stated.joints}
        qpos = [_coordinates(at[n], kind, positions[n], moved[n]) for n, kind in joints]
        rates = {name: np.asarray(v.get(name, ()), float) for name, _ in joints}
        qvel = [_rates(rates[n], moved[n], at[n], kind) for n, kind in joints]
        add(
            section,
            "key",
            name=title,
            qpos=np.concatenate(qpos) if qpos else None,
            qvel=np.concatenate(qvel) if v else None,
            ctrl=[float(u.get(name, 0.0)) for name in actuators] if u else None,
        )


def _coordinates(q: Array, kind: str | None, zero: Array, placement: Array) -> Array:
    """Return MuJoCo's coordinates: balls count from where they stand, free ones in the world."""
    if kind == "ball":
        return scalar_first(quaternion_product(quaternion_conjugate(zero), q))
    if kind == "free":
        place = placement @ pose(q[:3], rotation_from_quaternion(q[3:]))
        return np.concatenate([place[:3, 3], scalar_first(quaternion_from_rotation(place[:3, :3]))])
    return q


def _rates(v: Array, placement: Array, q: Array, kind: str | None) -> Array:
    """Return MuJoCo's velocity of a joint; free ones have the linear part in world axes."""
    found = v if len(v) else np.zeros({"ball": 3, "free": 6}.get(str(kind), 1))
    if kind != "free":
        return found
    turned = placement[:3, :3] @ rotation_from_quaternion(q[3:])
    return np.concatenate([turned @ found[:3], found[3:]])


# Sensors of an MJCF file that is written: each is one of MuJoCo's or several, at sites.


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
