"""The parts of an SDF file that describe one link, one joint or one axis."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from tarsus._lib.errors import WORLD, Source
from tarsus._lib.files import Array
from tarsus.formats.sdf_frames import MODEL, Frames, read_pose
from tarsus.formats.urdf_elements import sdf_surface
from tarsus.formats.xml import Color, Context, XmlElement
from tarsus.model.description import Body, Shape
from tarsus.spatial import inverse

TYPES = ("revolute", "continuous", "prismatic", "screw", "universal", "revolute2", "ball", "fixed")
AXES = {"ball": 0, "fixed": 0, "universal": 2, "revolute2": 2, "gearbox": 2}


@dataclass
class Axis:
    """One axis of a joint: its direction (3,) in the model's axes, limits, damper and spring."""

    direction: Array
    lower: float = -math.inf
    upper: float = math.inf
    velocity_limit: float = math.inf
    effort_limit: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    start: float = 0.0

    def flipped(self) -> Axis:
        """The same axis seen from the other body: coordinates stay, directions turn around."""
        return replace(self, direction=-self.direction)


@dataclass
class Connection:
    """A joint as SDF states it, with its pose (4, 4) in the frame of the model."""

    element: XmlElement
    name: str
    type: str
    parent: str
    child: str
    pose: Array
    axes: list[Axis] = field(default_factory=list)
    pitch: float = 0.0
    ball_damping: float = 0.0

    @property
    def source(self) -> Source:
        """Where the joint is stated."""
        return self.element.source


def read_link(link: XmlElement, context: Context) -> Body:
    """A link's mass, centre of mass, and inertia about it turned into the link's axes."""
    context.ignore_except(link, "pose", "inertial", "visual", "collision", "sensor")
    name, inertia, inertial = link.string("name"), np.eye(3), link.find("inertial")
    if inertial is None or inertial.find("mass") is None:
        context.massless.append(name)
    if inertial is None:
        return Body(name, 1.0, inertia=inertia, source=link.source)
    if inertial.attributes.get("auto", "false").strip() in ("true", "1"):
        raise inertial.error("asks for masses from shapes (auto), which are not computed here")
    context.ignore_except(inertial, "pose", "mass", "inertia")
    pose = read_pose(inertial)
    mass = number(inertial, "mass", 1.0)
    stated = inertial.find("inertia")
    if stated is not None:
        xx, yy, zz = (number(stated, tag, 1.0) for tag in ("ixx", "iyy", "izz"))
        xy, xz, yz = (number(stated, tag, 0.0) for tag in ("ixy", "ixz", "iyz"))
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if not np.array_equal(pose[:3, :3], np.eye(3)):
        turned = pose[:3, :3] @ inertia @ pose[:3, :3].T
        inertia = (turned + turned.T) / 2
    return Body(name, mass, pose[:3, 3], inertia, link.source)


def read_connection(joint: XmlElement, frames: Frames, version: tuple[int, int]) -> Connection:
    """A joint with its axes."""
    name, kind = joint.string("name"), joint.string("type")
    if kind not in (*TYPES, "gearbox"):
        valid = ", ".join((*TYPES, "gearbox"))
        raise joint.error(f"has the unknown type '{kind}'; the types are {valid}")
    parent, child = joint.require("parent"), joint.require("child")
    connection = Connection(
        joint,
        name,
        kind,
        WORLD if parent.text.strip() == WORLD else frames.body(parent.text_string(), parent),
        frames.body(child.text_string(), child),
        frames.pose(joint),
    )
    if connection.parent == connection.child:
        raise joint.error(f"joins link '{connection.child}' to itself")
    for tag in ("axis", "axis2")[: AXES.get(kind, 1)]:
        stated = joint.find(tag)
        # SDF gives every joint an axis along z
        axis = Axis(connection.pose[:3, 2])
        if stated is not None:
            axis = _read_axis(stated, frames, version, connection)
        connection.axes.append(axis)
    if kind == "screw":
        connection.pitch = _read_pitch(joint)
    if kind == "ball" and (stated := joint.find("axis")) is not None:
        # a ball joint has no axis, but files state its damping there
        connection.ball_damping = _read_axis(stated, frames, version, connection).damping
    return connection


def _read_axis(
    element: XmlElement, frames: Frames, version: tuple[int, int], connection: Connection
) -> Axis:
    stated = element.find("xyz")
    direction = np.array([0.0, 0.0, 1.0]) if stated is None else stated.text_vector(3)
    length = math.hypot(*direction)
    if not length > 1e-9:
        raise element.error("has no direction: its <xyz> is zero")
    rotation = connection.pose[:3, :3]
    expressed_in = "" if stated is None else stated.attributes.get("expressed_in", "")
    if expressed_in:
        rotation = frames.named_pose(expressed_in, element)[:3, :3]
    elif version < (1, 5) or flag(element, "use_parent_model_frame"):
        rotation = frames.named_pose(MODEL, element)[:3, :3]
    axis = Axis(rotation @ direction / length)
    limit, dynamics = element.find("limit"), element.find("dynamics")
    if limit is not None and connection.type != "continuous":
        axis.lower = _limit(limit, "lower", -math.inf)
        axis.upper = _limit(limit, "upper", math.inf)
    if limit is not None:
        for key, tag in (("velocity_limit", "velocity"), ("effort_limit", "effort")):
            stated_limit = _limit(limit, tag, math.inf)
            # minus one stands for none in versions before 1.9
            setattr(axis, key, stated_limit if stated_limit >= 0 else math.inf)
    axis.start = number(element, "initial_position", 0.0)
    if dynamics is not None:
        axis.damping = number(dynamics, "damping", 0.0)
        axis.friction = number(dynamics, "friction", 0.0)
        axis.stiffness = number(dynamics, "spring_stiffness", 0.0)
        axis.rest = number(dynamics, "spring_reference", 0.0)
    return axis


def _limit(limit: XmlElement, tag: str, default: float) -> float:
    stated = limit.find(tag)
    return default if stated is None else stated.text_bound()


def _read_pitch(joint: XmlElement) -> float:
    """The pitch of a screw [m/rad], right-handed."""
    if joint.find("screw_thread_pitch") is None and joint.find("thread_pitch") is not None:
        # before SDF 1.10: radians per metre, left-handed
        pitch = number(joint, "thread_pitch", 1.0)
        if not pitch:
            raise joint.error("has a <thread_pitch> of zero")
        return -1.0 / pitch
    return number(joint, "screw_thread_pitch", 1.0) / (2 * math.pi)


def read_shapes(link: XmlElement, frames: Frames, context: Context) -> list[Shape]:
    """The shapes of a link, for looking at and for touching."""
    to_link = inverse(frames.pose(link))
    shapes = []
    for element in link.children:
        if element.tag not in ("visual", "collision"):
            continue
        context.ignore_except(element, "pose", "geometry", "material", "surface")
        geometry = element.require("geometry")
        form = next((child for child in geometry.children if child.tag in SIZES), None)
        context.ignore_except(geometry, *SIZES)
        if form is None:
            continue
        placed, mesh = element.find("pose") is not None, form.tag == "mesh"
        shape = Shape(
            link.string("name"),
            role=element.tag,
            kind=form.tag,
            size=SIZES[form.tag](form),
            placement=to_link @ frames.pose(element) if placed else np.eye(4),
            file=context.find_mesh(form.require("uri").text_string(), form) if mesh else None,
            color=_read_color(element.find("material")),
            name=element.attributes.get("name", ""),
            source=element.source,
            **sdf_surface(element, context),
        )
        shapes.append(shape)
    return shapes


def _read_color(material: XmlElement | None) -> Color | None:
    if material is None:
        return None
    stated = material.find("diffuse") or material.find("ambient")
    if stated is None:
        return None
    numbers = stated.text_vector((3, 4)).tolist()
    red, green, blue, alpha = numbers if len(numbers) == 4 else [*numbers, 1.0]
    return red, green, blue, alpha


def number(element: XmlElement, tag: str, default: float) -> float:
    """The number in the child with this tag."""
    child = element.find(tag)
    return default if child is None else float(child.text_vector(1)[0])


def flag(element: XmlElement, tag: str) -> bool:
    """Whether the child with this tag says true."""
    child = element.find(tag)
    word = "false" if child is None else child.text.strip().lower()
    if child is not None and word not in ("true", "1", "false", "0"):
        raise child.error(f"must be true or false, not '{word}'")
    return word in ("true", "1")


def _vector(element: XmlElement, tag: str, default: Array) -> tuple[float, ...]:
    child = element.find(tag)
    return tuple((default if child is None else child.text_vector(3)).tolist())


def _round_size(element: XmlElement) -> tuple[float, ...]:
    return number(element, "radius", 0.5), number(element, "length", 1.0)


SIZES: dict[str, Callable[[XmlElement], tuple[float, ...]]] = {
    "box": lambda box: _vector(box, "size", np.ones(3)),
    "sphere": lambda sphere: (number(sphere, "radius", 1.0),),
    "cylinder": _round_size,
    "capsule": _round_size,
    "ellipsoid": lambda ellipsoid: _vector(ellipsoid, "radii", np.ones(3)),
    "mesh": lambda mesh: _vector(mesh, "scale", np.ones(3)),
}
