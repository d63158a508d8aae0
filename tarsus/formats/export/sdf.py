"""Writer of SDF files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from tarsus._lib.checks import unused
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.formats.export.actuators import MeshReferences, add_plugin
from tarsus.formats.export.losses import LEAST, LeftOuts, massless_as_frames
from tarsus.formats.export.series import free_pose
from tarsus.formats.export.urdf import Mimic, mimics
from tarsus.formats.sdf import ROOT_JOINT
from tarsus.formats.xml import add, document, is_identity, numbers, six
from tarsus.model.description import Body, Description, Frame, Joint, Loop, Shape
from tarsus.model.name_references import SENSORS

# Writing of SDF 1.11: links as a graph, loops as further joints, mimics, springs, frames, plugins.
#
# Links are stated where all joints are at zero and all loops are closed. A body that is free in the
# world has no joint; which one it is called by, readers choose. What is on the world itself goes to
# a link that is fixed there. Fixed bodies without mass are frames, others get `LEAST`: readers
# refuse links that weigh nothing.


KEEPS = ("revolute", "prismatic", "screw", "universal", "spherical", "free", "fixed")
NAME = "SDF"


def write_sdf(
    stated: Description,
    positions: Mapping[str, Array],
    meshes: MeshReferences,
    left_out: LeftOuts,
) -> str:
    """Return the text of an SDF file; the joints of the description are among those it has."""
    stated = massless_as_frames(stated)
    sdf = Element("sdf", version="1.11")
    place = sdf
    if not np.array_equal(stated.gravity, Description("").gravity):
        place = add(sdf, "world", name="default")
        add(place, "gravity", numbers(stated.gravity))
    model = add(place, "model", name=stated.name)
    _tell(stated, left_out)
    on_world = _link_on_world(stated)
    carried = {joint.child: joint for joint in stated.joints}
    for body in stated.bodies:
        link = add(model, "link", name=body.name)
        _add_pose(link, carried[body.name], positions, stated)
        _add_inertial(link, body)
        add_shapes(link, body.name, stated.shapes, meshes, left_out)
    if on_world is not None:
        link = add(model, "link", name=on_world)
        _add_inertial(link, Body(on_world, 1.0, inertia=np.eye(3)))  # it does not move
        add_shapes(link, WORLD, stated.shapes, meshes, left_out)
        fixed = add(model, "joint", name=f"{on_world}_fixed", type="fixed")
        add(fixed, "parent", WORLD)
        add(fixed, "child", on_world)
    follows = {mimic.follower: mimic for mimic in mimics(stated, left_out, NAME)}
    _add_joints(model, stated, follows, left_out)
    for frame in stated.frames:
        attached_to = on_world if frame.body == WORLD else frame.body
        element = add(model, "frame", name=frame.name, attached_to=attached_to)
        _add_six(element, frame.placement)
    _add_sensors(model, stated, on_world, left_out)
    for actuator in stated.actuators:
        add_plugin(model, actuator, left_out)
    return document(sdf)


def _tell(stated: Description, left_out: LeftOuts) -> None:
    for number, force in enumerate(stated.forces, 1):
        reason = "SDF has springs and dampers of joints only"
        left_out.add(f"force ({force.kind})", force.name or f"#{number}", reason)
    for pair in stated.metadata.get("excluded_contacts", ()):
        left_out.add("pair that never touches", " and ".join(pair), "SDF has no such list")


def _add_sensors(
    model: Element, stated: Description, on_world: str | None, left_out: LeftOuts
) -> None:
    """Append inertial units to their links."""
    links = {str(link.get("name")): link for link in model.iter("link")}
    frames = {frame.name: frame for frame in stated.frames}
    for name, sensor in stated.metadata.get(SENSORS, {}).items():
        frame = frames.get(sensor.get("frame", ""))
        body = sensor.get("frame") if frame is None else frame.body
        link = links.get(str(on_world if body == WORLD else body))
        if sensor["kind"] != "IMU" or link is None:
            left_out.add("sensor", name, f"is {sensor['kind']}, SDF has inertial units only")
            continue
        if "errors" in sensor:
            left_out.add("errors of sensor", name, "are not written")
        _add_six(add(link, "sensor", name=name, type="imu"), _placement(frame))


def _placement(frame: Frame | None) -> Array:
    return np.eye(4) if frame is None else frame.placement


def _link_on_world(stated: Description) -> str | None:
    """A name for the link that stands for the world, None if nothing is on it."""
    bodies = [shape.body for shape in stated.shapes] + [frame.body for frame in stated.frames]
    if WORLD not in bodies:
        return None
    elements: list[Any] = [*stated.bodies, *stated.frames, *stated.joints, *stated.loops]
    return unused("world_link", {element.name for element in elements})


def _add_pose(
    link: Element, joint: Joint, positions: Mapping[str, Array], stated: Description
) -> None:
    """Append where a link is, from the one that carries it."""
    placement = joint.placement
    if joint.kind == "free":
        placement = placement @ free_pose(joint, stated, positions)
    _add_six(link, placement, relative_to=None if joint.parent == WORLD else joint.parent)


def _add_six(element: Element, placement: Array, relative_to: str | None = None) -> None:
    if relative_to is not None or not is_identity(placement):
        add(element, "pose", numbers(np.concatenate(six(placement))), relative_to=relative_to)


def _add_inertial(link: Element, body: Body) -> None:
    """Append mass and inertia, which must be positive; links without have 1 kg."""
    inertial = add(link, "inertial")
    if body.com.any():
        add(inertial, "pose", numbers([*body.com, 0.0, 0.0, 0.0]))
    add(inertial, "mass", numbers(max(body.mass, LEAST)))
    moments = body.inertia
    if abs(np.linalg.eigvalsh(moments)[0]) < LEAST:
        moments = moments + LEAST * np.eye(3)
    inertia = add(inertial, "inertia")
    for row, column in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        add(inertia, f"i{'xyz'[row]}{'xyz'[column]}", numbers(moments[row, column]))


def _add_joints(
    model: Element, stated: Description, follows: Mapping[str, Mimic], left_out: LeftOuts
) -> None:
    free = [joint for joint in stated.joints if joint.kind == "free"]
    for joint in free:
        name = ROOT_JOINT if joint is free[0] else f"{ROOT_JOINT}_{joint.child}"
        if joint.name != name:
            reason = f"SDF has no joint there, readers choose a name: ours {name!r}"
            left_out.add("name of free joint", joint.name, reason)
        if not is_identity(joint.placement):
            reason = "SDF has no joint there: positions count from the origin of the world"
            left_out.add("placement of free joint", joint.name, reason)
        for key in ("damping", "friction", "armature"):
            if getattr(joint, key).any():
                left_out.add(f"{key} of free joint", joint.name, "SDF has no joint there")
    for joint in stated.joints:
        if joint.kind != "free":
            add_joint(model, joint, follows.get(joint.name), left_out)
    for loop in stated.loops:
        add_loop(model, loop, left_out)


# Joints of an SDF file that is written, with their axes, and loops as further joints.


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


# Shapes of an SDF file that is written.


def add_shapes(
    link: Element,
    body: str,
    shapes: Iterable[Shape],
    meshes: MeshReferences,
    left_out: LeftOuts,
) -> None:
    """Append the shapes of a body to its link; each has a name, which it must have."""
    taken: set[str] = set()
    for shape in shapes:
        if shape.body == body:
            _add_shape(link, shape, meshes, left_out, taken)


def _add_shape(
    link: Element, shape: Shape, meshes: MeshReferences, left_out: LeftOuts, taken: set[str]
) -> None:
    size = np.array(shape.size)
    file = meshes.of(shape) if shape.kind == "mesh" else None
    forms = {
        "box": {"size": size},
        "sphere": {"radius": size[:1]},
        "cylinder": {"radius": size[:1], "length": size[1:]},
        "capsule": {"radius": size[:1], "length": size[1:]},
        "ellipsoid": {"radii": size},
        "mesh": {"scale": size},
    }
    if shape.kind not in forms:
        left_out.add(f"{shape.role} shape of body", shape.body, f"SDF has no {shape.kind}")
        return
    if shape.kind == "mesh" and file is None:
        return
    element = add(link, shape.role, name=unused(shape.name or shape.role, taken))
    if not is_identity(shape.placement):
        add(element, "pose", numbers(np.concatenate(six(shape.placement))))
    form = add(add(element, "geometry"), shape.kind)
    if file is not None:
        add(form, "uri", file)
    for tag, value in forms[shape.kind].items():
        add(form, tag, numbers(value))
    _add_surface(element, shape, left_out)
    if shape.color is not None:
        material = add(element, "material")
        for tag in ("ambient", "diffuse"):
            add(material, tag, numbers(shape.color))


def _add_surface(element: Element, shape: Shape, left_out: LeftOuts) -> None:
    for name in ("torsion", "rolling"):
        if getattr(shape, name) is not None:
            left_out.add(f"{name} of shape of body", shape.body, "SDF has none as a length")
    springs = {"kp": shape.stiffness, "kd": shape.damping}
    stated = (shape.friction, shape.restitution, *springs.values())
    if all(value is None for value in stated):
        return
    surface = add(element, "surface")
    if shape.friction is not None:
        ode = add(add(surface, "friction"), "ode")
        for tag in ("mu", "mu2"):
            add(ode, tag, numbers(np.array([shape.friction])))
    if shape.restitution is not None:
        coefficient = numbers(np.array([shape.restitution]))
        add(add(surface, "bounce"), "restitution_coefficient", coefficient)
    if any(value is not None for value in springs.values()):
        ode = add(add(surface, "contact"), "ode")
        for tag, value in springs.items():
            if value is not None:
                add(ode, tag, numbers(np.array([value])))
