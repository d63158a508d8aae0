"""Writer of URDF files."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from tarsus._lib.checks import unused
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.formats.export.actuators import MeshReferences, add_transmissions
from tarsus.formats.export.losses import LeftOuts
from tarsus.formats.export.series import PASSIVE
from tarsus.formats.urdf import ROOT_JOINT
from tarsus.formats.urdf_extensions import LOOP_KINDS
from tarsus.formats.xml import UNLIMITED, add, document, is_identity, numbers, six
from tarsus.model.description import (
    SURFACE_NUMBERS,
    Body,
    Coupling,
    Description,
    Joint,
    Loop,
    Shape,
)
from tarsus.model.name_references import SENSORS
from tarsus.spatial import inverse, pose, rotation_along

# Writing of URDF: links, joints of one coordinate, planar and floating ones, mimics, shapes.
#
# A root that is fixed at the origin by a joint which our reader would add is left to the reader;
# all other roots hang on a link `world`, a free one by a floating joint. Loops are written as
# elements of URDF+ (`tarsus.formats.urdf_extensions`), which most other readers pass over: they are
# told.


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


# Shapes of a URDF: boxes, spheres, cylinders, meshes, and capsules made of these.
#
# How they rub and give way is said for all shapes of a link at once, by Gazebo's elements.


GAZEBO = {"friction": ("mu1", "mu2"), "stiffness": ("kp",), "damping": ("kd",)}
"""What Gazebo calls the numbers of surfaces."""


def add_shape(link: Element, shape: Shape, meshes: MeshReferences, left_out: LeftOuts) -> None:
    """Append a shape to its link, or tell why not."""
    if shape.kind == "capsule":
        for part in _solids(shape):
            add_shape(link, part, meshes, left_out)
        return
    size = np.array(shape.size)
    file = meshes.of(shape) if shape.kind == "mesh" else None
    forms: dict[str, dict[str, Any]] = {
        "box": {"size": size},
        "sphere": {"radius": size[:1]},
        "cylinder": {"radius": size[:1], "length": size[1:]},
        "mesh": {"filename": file, "scale": None if (size == 1.0).all() else size},
    }
    if shape.kind not in forms:
        left_out.add(f"{shape.role} shape of body", shape.body, f"URDF has no {shape.kind}")
        return
    if shape.kind == "mesh" and file is None:
        return
    element = add(link, shape.role, name=shape.name or None)
    if not is_identity(shape.placement):
        xyz, rpy = six(shape.placement)
        add(element, "origin", xyz=xyz, rpy=rpy)
    add(add(element, "geometry"), shape.kind, **forms[shape.kind])
    if shape.color is not None:
        add(add(element, "material", name=_material(shape)), "color", rgba=shape.color)


def add_surfaces(robot: Element, body: str, shapes: Sequence[Shape], left_out: LeftOuts) -> None:
    """Append what all shapes that touch with a body state of their surfaces, or tell why not."""
    touching = [shape for shape in shapes if shape.body == body and shape.role == "collision"]
    written: dict[str, float] = {}
    for name in SURFACE_NUMBERS:
        stated = {getattr(shape, name) for shape in touching}
        if stated <= {None}:
            continue
        if name in GAZEBO and len(stated) == 1:
            written |= dict.fromkeys(GAZEBO[name], stated.pop())
            continue
        one = "Gazebo's elements have one number for all shapes of a link"
        reason = one if name in GAZEBO else "Gazebo's elements in URDF have none"
        left_out.add(f"{name} of shape of body", body, reason)
    if written:
        element = add(robot, "gazebo", reference=body)
        for tag, value in written.items():
            add(element, tag, numbers(np.array([value])))


def _solids(capsule: Shape) -> list[Shape]:
    """Return a cylinder with a ball at each end, which together are the capsule."""
    radius, length = capsule.size
    names = [f"{capsule.name}_{end}" if capsule.name else "" for end in ("top", "bottom")]
    balls = [
        dataclasses.replace(
            capsule,
            kind="sphere",
            size=(radius,),
            placement=capsule.placement @ pose([0.0, 0.0, height]),
            name=name,
        )
        for name, height in zip(names, (length / 2, -length / 2), strict=True)
    ]
    return [dataclasses.replace(capsule, kind="cylinder"), *balls]


def _material(shape: Shape) -> str:
    """Return the name of a colour: the same for the same, as materials of a name are one."""
    assert shape.color is not None
    return "color_" + "_".join(f"{round(255 * part):d}" for part in shape.color)


# Couplings as formats have them: one joint that follows one other, linearly.


@dataclass(frozen=True)
class Mimic:
    """follower = factor · leader + offset."""

    name: str
    follower: str
    leader: str
    factor: float
    offset: float


def mimics(stated: Description, left_out: LeftOuts, format_name: str) -> list[Mimic]:
    """Return the couplings that are of this kind, and tell of the others."""
    found = []
    for coupling in stated.couplings:
        if coupling.motor:
            left_out.add("motor", coupling.name, f"{format_name} does not mark rotors of motors")
        rows = _rows(coupling)
        if rows is None:
            reason = f"is {_form(coupling)}, but joints of {format_name} follow one other, linearly"
            left_out.add("coupling", coupling.name, reason)
        else:
            found += rows
    return found


def _form(coupling: Coupling) -> str:
    return "of several leaders" if coupling.kind == "linear" else coupling.kind


def _rows(coupling: Coupling) -> list[Mimic] | None:
    """A line for each follower, None if one follows several leaders, or none."""
    if coupling.kind != "linear":
        return None
    assert coupling.matrix is not None
    if (np.count_nonzero(coupling.matrix, axis=1) != 1).any():
        return None
    offsets = np.zeros(len(coupling.followers)) if coupling.offset is None else coupling.offset
    several = len(coupling.followers) > 1
    return [
        Mimic(
            f"{coupling.name}_{follower}" if several else coupling.name,
            follower,
            coupling.leaders[leader := int(np.flatnonzero(row)[0])],
            float(row[leader]),
            float(offset),
        )
        for follower, row, offset in zip(coupling.followers, coupling.matrix, offsets, strict=True)
    ]
