"""Actuators as plugins of Gazebo, in SDF and in <gazebo> of URDF.

They push the joint itself, so that gears have no place in them, and are called as their joints.
"""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from tarsus.formats.export.left_out import LeftOuts
from tarsus.formats.export.xml_text import add, numbers
from tarsus.model.description import Actuator

CLASSES = {
    "motor": ("ApplyJointForce", "apply-joint-force"),
    "position": ("JointPositionController", "joint-position-controller"),
    "velocity": ("JointController", "joint-controller"),
}
UNBOUNDED = {"cmd_min": 0.0, "cmd_max": -1.0}
"""Limits that do not rise are none to Gazebo."""


def add_plugin(parent: Element, actuator: Actuator, left_out: LeftOuts) -> None:
    """Append an actuator of one joint without gears, or tell that it is none."""
    (joint, gear), *others = actuator.joints.items()
    kind = _kind(actuator)
    reason = None
    if others:
        reason = "moves several joints, which no plugin of Gazebo does"
    elif gear != 1.0:
        reason = f"has the gear {gear:g}, plugins of Gazebo have none"
    elif kind is None:
        reason = f"is {actuator.kind}, which no plugin of Gazebo is"
    if kind is None or reason is not None:
        left_out.add("actuator", actuator.name, str(reason))
        return
    if actuator.name != joint:
        left_out.add("name of actuator", actuator.name, f"is {joint!r} in the file")
    if actuator.control_range is not None:
        left_out.add("control_range of actuator", actuator.name, "Gazebo has none")
    title, file = CLASSES[kind]
    names = {"filename": f"gz-sim-{file}-system", "name": f"gz::sim::systems::{title}"}
    plugin = add(parent, "plugin", **names)
    add(plugin, "joint_name", joint)
    if kind == "motor" and actuator.force_range is not None:
        left_out.add("force_range of actuator", actuator.name, "Gazebo has none for forces")
    if kind != "motor":
        for tag, value in _gains(actuator, kind).items():
            add(plugin, tag, value if isinstance(value, str) else numbers(value))


def _kind(actuator: Actuator) -> str | None:
    """Return what the actuator is but for an offset of its force, None if Gazebo has it not."""
    if actuator.kind == "motor":
        return "motor" if actuator.gain[0] == 1.0 else None
    bias = np.array([0.0, *actuator.bias[1:]])
    kind = Actuator("", {}, actuator.gain, bias).kind
    return kind if kind in ("position", "velocity") else None


def _gains(actuator: Actuator, kind: str) -> dict[str, Any]:
    offset, _, damping = actuator.bias.tolist()
    gains: dict[str, Any] = {"p_gain": float(actuator.gain[0]), "i_gain": 0.0}
    if kind == "position":
        gains["d_gain"] = -damping
    else:
        gains = {"use_force_commands": "true", **gains, "d_gain": 0.0}
    limits = UNBOUNDED
    if actuator.force_range is not None:
        limits = dict(zip(UNBOUNDED, actuator.force_range.tolist(), strict=True))
    return gains | limits | ({"cmd_offset": offset} if offset else {})
