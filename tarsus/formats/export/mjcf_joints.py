"""Joints of an MJCF file that is written: hinges, slides, balls, and free ones."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element

import numpy as np

from tarsus.arrays import Array
from tarsus.formats.export.left_out import LeftOuts
from tarsus.formats.export.xml_text import add, is_identity
from tarsus.formats.xml import UNLIMITED
from tarsus.model.description import Joint

TYPES = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}
NAMES = {"damping": "damping", "friction": "frictionloss", "armature": "armature"}
"""What MuJoCo calls the passive numbers of a joint, one for all of its coordinates."""


def add_joint(
    body: Element, joint: Joint, place: Array, position: Array | None, left_out: LeftOuts
) -> None:
    """Append a joint that is at `place` (4, 4) in the frame of its body.

    `position` is where it stands there.
    """
    numbers = _passive(joint, left_out)
    anchor = place[:3, 3] if place[:3, 3].any() else None
    common = {"name": joint.name, "type": TYPES[joint.kind], "pos": anchor}
    if joint.kind == "spherical":
        assert joint.rest is not None
        if numbers.get("stiffness") and abs(joint.rest[3]) < 1.0 - 1e-15:
            left_out.add("rest of the spring of joint", joint.name, "MJCF has none for a ball")
        add(body, "joint", **common, **numbers)
        return
    assert joint.axis is not None and joint.rest is not None
    assert joint.lower is not None and joint.upper is not None and joint.effort_limit is not None
    zero = 0.0 if position is None else float(position[0])
    if numbers.get("stiffness"):
        numbers["springref"] = float(joint.rest[0]) + zero
    limits = [float(joint.lower[0]) + zero, float(joint.upper[0]) + zero]
    bounds = [_finite(limit) for limit in limits] if np.isfinite(limits).any() else None
    effort = float(joint.effort_limit[0])
    add(
        body,
        "joint",
        **common,
        axis=place[:3, :3] @ joint.axis,
        ref=zero if zero else None,
        range=bounds,
        actuatorfrcrange=[-effort, effort] if 0.0 < effort < math.inf else None,
        **numbers,
    )
    if effort == 0.0:
        left_out.add("effort limit (0) of joint", joint.name, "MuJoCo has no empty ranges")
    _tell_speed(joint, left_out)


def add_free(body: Element, joint: Joint, left_out: LeftOuts) -> None:
    """Append the joint of a body that is free in the world."""
    if not is_identity(joint.placement):
        reason = "MuJoCo's free joints count from the origin of the world"
        left_out.add("placement of free joint", joint.name, reason)
    add(body, "joint", name=joint.name, type="free", **_passive(joint, left_out))
    _tell_speed(joint, left_out)


def _passive(joint: Joint, left_out: LeftOuts) -> dict[str, float]:
    """Return damping, friction, armature and stiffness, as far as they are the same for all."""
    found = {}
    for key, attribute in (NAMES | {"stiffness": "stiffness"}).items():
        values = getattr(joint, key)
        if values.any() and np.ptp(values) == 0.0:
            found[attribute] = float(values[0])
        elif values.any():
            reason = f"MJCF has one number for all axes of a {joint.kind} joint"
            left_out.add(f"{key} of joint", joint.name, reason)
    return found


def _tell_speed(joint: Joint, left_out: LeftOuts) -> None:
    assert joint.velocity_limit is not None
    if np.isfinite(joint.velocity_limit).any():
        left_out.add("velocity limit of joint", joint.name, "MJCF has none")


def _finite(limit: float) -> float:
    return limit if math.isfinite(limit) else math.copysign(UNLIMITED, limit)
