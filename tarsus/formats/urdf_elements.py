"""Links, joints and surfaces of URDF files."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from tarsus._lib.checks import read_only, surface_number
from tarsus._lib.files import Array
from tarsus.formats.xml import Color, Context, XmlElement
from tarsus.model.description import Body, Joint, Shape
from tarsus.spatial import pose, rotation_from_rpy

# The parts of a URDF that describe one link or one joint.


JOINT_KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
    "fixed": "fixed",
}


def read_origin(element: XmlElement) -> Array:
    """The pose (4, 4) of the child `<origin>`, identity without one."""
    origin = element.find("origin")
    if origin is None:
        return np.eye(4)
    rpy = origin.vector("rpy", 3, default=(0, 0, 0))
    placement = np.array(_turned(rpy.tobytes()))
    placement[:3, 3] = origin.vector("xyz", 3, default=(0, 0, 0))
    return placement


@lru_cache(maxsize=1024)
def _turned(rpy: bytes) -> Array:
    """The pose (4, 4) at the origin with these angles: most links of a file have the same few."""
    return read_only(pose(rotation=rotation_from_rpy(np.frombuffer(rpy))))


def read_body(link: XmlElement) -> Body:
    """A link's mass, centre of mass, and inertia about it turned into the link's axes."""
    name, inertial = link.string("name"), link.find("inertial")
    if inertial is None:
        return Body(name, source=link.source)
    at = read_origin(inertial)
    values = inertial.require("inertia")
    xx, xy, xz, yy, yz, zz = (
        values.number(entry) for entry in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    mass = inertial.require("mass").number("value")
    if not np.array_equal(at[:3, :3], np.eye(3)):
        turned = at[:3, :3] @ inertia @ at[:3, :3].T
        inertia = (turned + turned.T) / 2
    return Body(name, mass, at[:3, 3], inertia, link.source)


def read_joint(element: XmlElement, context: Context) -> Joint:
    """A joint with its placement, axis, limits, damping and dry friction."""
    known = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
    context.ignore_except(element, *known)
    name, kind = element.string("name"), element.string("type")
    if kind not in JOINT_KINDS:
        valid = ", ".join(JOINT_KINDS)
        raise element.error(f"has the unknown type '{kind}'; the types are {valid}")
    parent, child = (element.require(role).string("link") for role in ("parent", "child"))
    numbers: dict[str, Array] = {"placement": read_origin(element)}
    if kind not in ("floating", "fixed"):
        numbers["axis"] = read_direction(element, "axis")
    if JOINT_KINDS[kind] in ("revolute", "prismatic"):
        numbers |= _read_limits(element, kind, context) | _read_dynamics(element)
    return Joint(name, JOINT_KINDS[kind], parent, child, **numbers, source=element.source)  # type: ignore[arg-type]


def read_direction(element: XmlElement, tag: str) -> Array:
    """The unit vector (3,) of the child with this tag, x without one."""
    child = element.find(tag)
    axis = np.array([1.0, 0, 0]) if child is None else child.vector("xyz", 3, (1, 0, 0))
    length = math.hypot(*axis)
    if child is not None and length < 1e-9:
        raise child.error("has no direction: attribute 'xyz' is zero")
    return axis / length


def _read_limits(element: XmlElement, kind: str, context: Context) -> dict[str, Array]:
    limit = element.find("limit")
    if limit is None:
        if kind != "continuous":
            context.warnings.append(f"{element.label} has no <limit>: it moves without limits")
        return {}
    bounds = {
        "velocity_limit": limit.bound("velocity", math.inf),
        "effort_limit": limit.bound("effort", math.inf),
    }
    if kind != "continuous":
        bounds |= {key: limit.bound(key, 0.0) for key in ("lower", "upper")}
    return {key: np.array([value]) for key, value in bounds.items()}


def _read_dynamics(element: XmlElement) -> dict[str, Array]:
    dynamics = element.find("dynamics")
    if dynamics is None:
        return {}
    return {key: np.array([dynamics.number(key, 0.0)]) for key in ("damping", "friction")}


def read_shapes(link: XmlElement, context: Context) -> list[Shape]:
    """The shapes of a link, for looking at and for touching."""
    context.ignore_except(link, "inertial", "visual", "collision")
    return [
        _read_shape(element, link.string("name"), context)
        for element in link.children
        if element.tag in ("visual", "collision")
    ]


def _read_shape(element: XmlElement, body: str, context: Context) -> Shape:
    context.ignore_except(element, "origin", "geometry", "material")
    geometry = element.require("geometry")
    form = next((child for child in geometry.children if child.tag in SIZES), None)
    if form is None:
        raise geometry.error(f"must contain one of {', '.join(SIZES)}")
    mesh = form.tag == "mesh"
    return Shape(
        body,
        role=element.tag,
        kind=form.tag,
        size=SIZES[form.tag](form),
        placement=read_origin(element),
        file=context.find_mesh(form.string("filename"), form) if mesh else None,
        color=read_color(element.find("material"), context),
        name=element.attributes.get("name", ""),
        source=element.source,
    )


def read_color(material: XmlElement | None, context: Context) -> Color | None:
    """The colour of a material, which may be stated elsewhere in the file by its name."""
    if material is None:
        return None
    context.ignore_except(material, "color")
    color = material.find("color")
    if color is None:
        return context.materials.get(material.attributes.get("name", ""))
    red, green, blue, alpha = (float(value) for value in color.vector("rgba", 4))
    return red, green, blue, alpha


def _box_size(box: XmlElement) -> tuple[float, ...]:
    return tuple(box.vector("size", 3).tolist())


def _sphere_size(sphere: XmlElement) -> tuple[float, ...]:
    return (sphere.number("radius"),)


def _cylinder_size(cylinder: XmlElement) -> tuple[float, ...]:
    return cylinder.number("radius"), cylinder.number("length")


def _mesh_scale(mesh: XmlElement) -> tuple[float, ...]:
    scale = mesh.vector("scale", (1, 3), default=(1, 1, 1))
    return tuple(np.broadcast_to(scale, 3).tolist())


SIZES = {
    "box": _box_size,
    "sphere": _sphere_size,
    "cylinder": _cylinder_size,
    "capsule": _cylinder_size,
    "mesh": _mesh_scale,
}


# How surfaces rub, bounce and give way: <surface> of SDF, and Gazebo's elements in URDF.


def sdf_surface(collision: XmlElement, context: Context) -> dict[str, Any]:
    """Friction, restitution, stiffness and damping of a <collision>, as far as it states them.

    Friction is that of ODE in its first direction, or else that of Bullet.
    """
    surface = collision.find("surface")
    if surface is None:
        return {}
    context.ignore_except(surface, "friction", "bounce", "contact")
    found: dict[str, Any] = {}
    friction = surface.find("friction")
    if friction is not None:
        context.ignore_except(friction, "ode", "bullet")
        ode, bullet = friction.find("ode"), friction.find("bullet")
        first = _number(ode, "mu", "friction")
        found["friction"] = _number(bullet, "friction", "friction") if first is None else first
        _tell_directions(ode, ("mu", "mu2"), context)
    found["restitution"] = _number(surface.find("bounce"), "restitution_coefficient", "restitution")
    if (contact := surface.find("contact")) is not None:
        context.ignore_except(contact, "ode")
        if (ode := contact.find("ode")) is not None:
            context.ignore_except(ode, "kp", "kd")
            found |= _springs(ode)
    return found


def read_gazebo(robot: XmlElement, shapes: list[Shape], context: Context) -> list[Shape]:
    """Return the shapes with what <gazebo reference="link"> states of a link's surfaces.

    It states them as <mu1>, <kp> and <kd>.
    """
    for element in robot.all("gazebo"):
        link = element.attributes.get("reference")
        found = {"friction": _number(element, "mu1", "friction"), **_springs(element)}
        stated: dict[str, Any] = {k: value for k, value in found.items() if value is not None}
        mine = [shape.body == link and shape.role == "collision" for shape in shapes]
        if not stated or not any(mine):
            # plugins are told by their names
            only = element.children and all(child.tag == "plugin" for child in element.children)
            context.ignored["gazebo"] += not only
            continue
        context.ignore_except(element, "mu1", "mu2", "kp", "kd")
        _tell_directions(element, ("mu1", "mu2"), context)
        pairs = zip(shapes, mine, strict=True)
        shapes = [replace(shape, **stated) if own else shape for shape, own in pairs]
    return shapes


def _springs(element: XmlElement) -> dict[str, float | None]:
    """Stiffness and damping of ODE."""
    return {
        name: _number(element, tag, name) for tag, name in (("kp", "stiffness"), ("kd", "damping"))
    }


def _number(element: XmlElement | None, tag: str, name: str) -> float | None:
    child = None if element is None else element.find(tag)
    if child is None:
        return None
    # older files have it as an attribute
    stated = "value" in child.attributes
    found = child.number("value") if stated else float(child.text_vector(1)[0])
    if name == "stiffness" and found == 0.0:
        return None  # as if there were none
    return surface_number(name, found, child.label, child.source)


def _tell_directions(element: XmlElement | None, tags: tuple[str, str], context: Context) -> None:
    first, second = (_number(element, tag, "friction") for tag in tags)
    if first is not None and second is not None and first != second:
        assert element is not None
        context.warnings.append(
            f"{element.source}: <{tags[1]}> ({second:g}) is left out: friction is the same in all "
            f"directions here, <{tags[0]}> ({first:g})"
        )
