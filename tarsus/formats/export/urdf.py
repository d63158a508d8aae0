"""Writing of URDF: links, joints of one coordinate, planar and floating ones, mimics, shapes.

A root that is fixed at the origin by a joint which our reader would add is left to the reader; all
other roots hang on a link `world`, a free one by a floating joint. Loops are written as elements
of URDF+ (`tarsus.formats.urdf_plus`), which most other readers pass over: they are told.
"""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element

import numpy as np

from tarsus.arrays import Array
from tarsus.formats.export.couplings import Mimic, mimics
from tarsus.formats.export.left_out import LeftOuts
from tarsus.formats.export.mesh_references import MeshReferences
from tarsus.formats.export.series import PASSIVE
from tarsus.formats.export.urdf_shapes import add_shape, add_surfaces
from tarsus.formats.export.urdf_transmissions import add_transmissions
from tarsus.formats.export.xml_text import add, document, is_identity, six
from tarsus.formats.urdf import ROOT_JOINT
from tarsus.formats.urdf_plus import LOOP_KINDS
from tarsus.formats.xml import UNLIMITED
from tarsus.model.checks import unused
from tarsus.model.description import WORLD, Body, Description, Joint, Loop
from tarsus.model.references import SENSORS
from tarsus.spatial import inverse, pose, rotation_along

KEEPS = ("revolute", "prismatic", "planar", "free", "fixed", "any")
NAME = "URDF"
Z_AXES = pose(rotation=rotation_along([0.0, 0.0, 1.0]))
"""The frame that URDF+ makes of an axis along z."""


def write_urdf(stated: Description, meshes: MeshReferences, left_out: LeftOuts) -> str:
    """Return the text of a URDF file; the joints of the description are among those it has."""
    robot = Element("robot", name=stated.name)
    _tell(stated, left_out)
    by_reader = _root_by_reader(stated)
    if not by_reader:
        _add_link(robot, Body(WORLD), stated, meshes, left_out)
    for body in stated.bodies:
        _add_link(robot, body, stated, meshes, left_out)
    follows = {mimic.follower: mimic for mimic in mimics(stated, left_out, NAME)}
    independent = {name for loop in stated.loops for name in loop.independent or ()}
    for joint in stated.joints:
        if not (by_reader and joint.name == ROOT_JOINT):
            element = _add_joint(robot, joint, follows.get(joint.name), left_out)
            if joint.name in independent:
                element.set("independent", "true")
    taken = {joint.name for joint in stated.joints}
    for frame in stated.frames:
        add(robot, "link", name=frame.name)
        name = unused(f"{frame.name}_fixed", taken)
        fixed = Joint(name, "fixed", frame.body, frame.name, frame.placement)
        _add_joint(robot, fixed, None, left_out)
    for loop in stated.loops:
        _add_loop(robot, loop, left_out)
    add_transmissions(robot, stated.actuators, left_out)
    for body in stated.bodies:
        add_surfaces(robot, body.name, stated.shapes, left_out)
    return document(robot)


def _tell(stated: Description, left_out: LeftOuts) -> None:
    if not np.array_equal(stated.gravity, Description("").gravity):
        left_out.add("gravity", str(stated.gravity.tolist()), "URDF has none")
    for number, force in enumerate(stated.forces, 1):
        left_out.add(f"force ({force.kind})", force.name or f"#{number}", "URDF has no forces")
    for name, sensor in stated.metadata.get(SENSORS, {}).items():
        left_out.add("sensor", name, f"is {sensor['kind']}, URDF has no sensors")
    for pair in stated.metadata.get("excluded_contacts", ()):
        left_out.add("pair that never touches", " and ".join(pair), "URDF has no such list")


def _root_by_reader(stated: Description) -> bool:
    """Whether the reader makes the joint on the world by itself."""
    roots = [joint for joint in stated.joints if joint.parent == WORLD]
    bodies = [shape.body for shape in stated.shapes] + [frame.body for frame in stated.frames]
    bodies += [body for loop in stated.loops for body in (loop.body_a, loop.body_b)]
    if len(roots) != 1 or WORLD in bodies:
        return False
    root = roots[0]
    return (root.name, root.kind) == (ROOT_JOINT, "fixed") and is_identity(root.placement)


def _add_link(
    robot: Element, body: Body, stated: Description, meshes: MeshReferences, left_out: LeftOuts
) -> None:
    link = add(robot, "link", name=body.name)
    if body.mass or body.inertia.any():
        inertial = add(link, "inertial")
        add(inertial, "origin", xyz=body.com)
        add(inertial, "mass", value=body.mass)
        names = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2)}
        values = {name: body.inertia[at] for name, at in (names | {"izz": (2, 2)}).items()}
        add(inertial, "inertia", **values)
    for shape in stated.shapes:
        if shape.body == body.name:
            add_shape(link, shape, meshes, left_out)


def _add_joint(robot: Element, joint: Joint, mimic: Mimic | None, left_out: LeftOuts) -> Element:
    kinds = {"free": "floating", "revolute": "revolute" if _bounded(joint) else "continuous"}
    kind = kinds.get(joint.kind, joint.kind)
    element = add(robot, "joint", name=joint.name, type=kind)
    add(element, "parent", link=joint.parent)
    add(element, "child", link=joint.child)
    add_origin(element, joint.placement)
    if joint.kind in ("fixed", "free"):
        _tell_numbers(joint, (), left_out)
        return element
    add(element, "axis", xyz=joint.axis)
    if joint.kind == "planar":
        _tell_numbers(joint, (), left_out)
        return element
    _add_limit(element, joint, kind)
    assert joint.damping is not None and joint.friction is not None
    if joint.damping.any() or joint.friction.any():
        add(element, "dynamics", damping=joint.damping, friction=joint.friction)
    if mimic is not None:
        add(element, "mimic", joint=mimic.leader, multiplier=mimic.factor, offset=mimic.offset)
    _tell_numbers(joint, ("damping", "friction"), left_out)
    return element


def add_origin(element: Element, placement: Array) -> None:
    """Append the pose (4, 4) of an element, unless it is the identity."""
    if not is_identity(placement):
        xyz, rpy = six(placement)
        add(element, "origin", xyz=xyz, rpy=rpy)


def _bounded(joint: Joint) -> bool:
    if joint.kind != "revolute":
        return False
    assert joint.lower is not None and joint.upper is not None
    return bool(np.isfinite([joint.lower, joint.upper]).any())


def _add_limit(element: Element, joint: Joint, kind: str) -> None:
    """Append the limits; readers want all of them, and none that is infinite."""
    assert joint.velocity_limit is not None and joint.effort_limit is not None
    limits = {"effort": joint.effort_limit[0], "velocity": joint.velocity_limit[0]}
    if kind != "continuous":
        assert joint.lower is not None and joint.upper is not None
        limits = {"lower": joint.lower[0], "upper": joint.upper[0]} | limits
    if kind != "continuous" or np.isfinite(list(limits.values())).any():
        finite = {
            key: value if math.isfinite(value) else math.copysign(UNLIMITED, value)
            for key, value in limits.items()
        }
        add(element, "limit", **finite)


def _tell_numbers(joint: Joint, said: tuple[str, ...], left_out: LeftOuts) -> None:
    reasons = {"armature": "URDF has no armatures", "stiffness": "URDF has no springs"}
    for key in PASSIVE:
        values = getattr(joint, key)
        if key not in said and values is not None and values.any():
            reason = reasons.get(key, f"URDF has none for {joint.kind} joints")
            left_out.add(
                "spring of joint" if key == "stiffness" else f"{key} of joint", joint.name, reason
            )
    if joint.kind in ("planar", "free"):
        for key in ("lower", "upper", "velocity_limit", "effort_limit"):
            if np.isfinite(getattr(joint, key)).any():
                left_out.add("limits of joint", joint.name, f"URDF has none for {joint.kind} ones")


def _add_loop(robot: Element, loop: Loop, left_out: LeftOuts) -> None:
    if loop.kind not in LOOP_KINDS:
        left_out.add("loop", loop.name, f"is {loop.kind}, which URDF+ has not")
        return
    reason = "URDF has none: written as <loop> of URDF+, which few readers know"
    left_out.add("loop", loop.name, reason)
    if loop.constraint is not None:
        left_out.add("constraint of loop", loop.name, "URDF+ leaves it to the reader")
    length = loop.length if loop.kind == "distance" else None
    element = add(robot, "loop", name=loop.name, type=loop.kind, length=length)
    universal = loop.kind == "universal"
    for tag, body, placement in (
        ("predecessor", loop.body_a, loop.placement_a),
        ("successor", loop.body_b, loop.placement_b),
    ):
        end = add(element, tag, link=body)
        add_origin(end, placement if universal else placement @ inverse(Z_AXES))
    add(element, "axis", xyz=(0.0, 0.0, 1.0))
    if universal:
        add(element, "axis2", xyz=(1.0, 0.0, 0.0))
