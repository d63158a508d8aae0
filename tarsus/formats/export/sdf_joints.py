"""Joints of an SDF file that is written, with their axes, and loops as further joints."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element

import numpy as np

from tarsus.arrays import Array
from tarsus.formats.export.couplings import Mimic
from tarsus.formats.export.left_out import LeftOuts
from tarsus.formats.export.xml_text import add, numbers, six
from tarsus.model.description import WORLD, Joint, Loop

TYPES = {"spherical": "ball", "weld": "fixed"}
LOOPS = ("revolute", "prismatic", "universal", "spherical", "weld")
ISOTROPIC = "SDF has one number for a ball, which damps about all axes"


def add_joint(model: Element, joint: Joint, mimic: Mimic | None, left_out: LeftOuts) -> None:
    """Append a joint of the tree."""
    element = add(model, "joint", name=joint.name, type=TYPES.get(joint.kind, joint.kind))
    add(element, "parent", joint.parent)
    add(element, "child", joint.child)
    if joint.kind == "fixed":
        return
    assert joint.armature is not None
    if joint.armature.any():
        left_out.add("armature of joint", joint.name, "SDF has none")
    if joint.kind == "spherical":
        _add_ball(element, joint, left_out)
        return
    if joint.kind == "screw":
        add(element, "screw_thread_pitch", numbers(2 * math.pi * joint.pitch))
    directions = [joint.axis, joint.second_axis] if joint.kind == "universal" else [joint.axis]
    for index, direction in enumerate(directions):
        assert direction is not None
        axis = _add_axis(element, index, direction)
        _add_numbers(axis, joint, index)
        if mimic is not None:
            following = add(axis, "mimic", joint=mimic.leader)
            add(following, "multiplier", numbers(mimic.factor))
            add(following, "offset", numbers(mimic.offset))
            add(following, "reference", numbers(0.0))


def _add_ball(element: Element, joint: Joint, left_out: LeftOuts) -> None:
    damping = joint.damping
    assert damping is not None
    if damping.any() and np.ptp(damping) == 0.0:
        axis = _add_axis(element, 0, np.array([0.0, 0.0, 1.0]))
        add(add(axis, "dynamics"), "damping", numbers(damping[0]))
    elif damping.any():
        left_out.add("damping of joint", joint.name, ISOTROPIC)
    for key, what in (("friction", "dry friction"), ("stiffness", "spring")):
        if getattr(joint, key).any():
            left_out.add(f"{what} of joint", joint.name, "SDF has none for a ball")
    for key in ("velocity_limit", "effort_limit"):
        if np.isfinite(getattr(joint, key)).any():
            left_out.add(f"{key} of joint", joint.name, "SDF has none for a ball")


def _add_axis(joint: Element, index: int, direction: Array) -> Element:
    axis = add(joint, "axis2" if index else "axis")
    add(axis, "xyz", numbers(direction))
    return axis


def _add_numbers(axis: Element, joint: Joint, index: int) -> None:
    limits = {
        tag: float(getattr(joint, key)[index])
        for tag, key in (
            *(("lower", "lower"), ("upper", "upper")),
            *(("effort", "effort_limit"), ("velocity", "velocity_limit")),
        )
    }
    limit = None
    for tag, value in limits.items():
        if math.isfinite(value):
            limit = add(axis, "limit") if limit is None else limit
            add(limit, tag, numbers(value))
    forces = {
        tag: float(getattr(joint, key)[index])
        for tag, key in (
            *(("damping", "damping"), ("friction", "friction")),
            *(("spring_stiffness", "stiffness"), ("spring_reference", "rest")),
        )
    }
    if forces["spring_stiffness"] == 0.0:
        del forces["spring_stiffness"], forces["spring_reference"]
    if any(forces.values()):
        dynamics = add(axis, "dynamics")
        for tag, value in forces.items():
            add(dynamics, tag, numbers(value))


def add_loop(model: Element, loop: Loop, left_out: LeftOuts) -> None:
    """Append a joint that closes a loop: its frame is that of the loop on the child."""
    if loop.kind not in LOOPS:
        left_out.add("loop", loop.name, f"is {loop.kind}, which SDF has not")
        return
    for key in ("independent", "constraint"):
        if getattr(loop, key) is not None:
            left_out.add(f"{key} of loop", loop.name, "SDF leaves it to the reader")
    z, x = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    parent, child, placement, axes = loop.body_a, loop.body_b, loop.placement_b, [z, x]
    if child == WORLD:
        parent, child, placement, axes = child, parent, loop.placement_a, [x, z]
    element = add(model, "joint", name=loop.name, type=TYPES.get(loop.kind, loop.kind))
    add(element, "parent", parent)
    add(element, "child", child)
    add(element, "pose", numbers(np.concatenate(six(placement))))
    count = {"universal": 2, "revolute": 1, "prismatic": 1}.get(loop.kind, 0)
    for index, direction in enumerate(axes if count == 2 else [z][:count]):
        _add_axis(element, index, direction)
