"""Reading of URDF, the robot description of ROS, into a `Description`.

Joints come depth first, those of one link in the order of their names. That is the order
in which Pinocchio counts them, so velocities have the same layout there and here.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from tarsus._lib.checks import listing
from tarsus._lib.errors import WORLD, ModelError, Source
from tarsus.formats.couplings import read_mimics
from tarsus.formats.paths import Folders
from tarsus.formats.sdf_actuators import read_plugins
from tarsus.formats.urdf_elements import read_body, read_color, read_gazebo, read_joint, read_shapes
from tarsus.formats.urdf_extensions import CONTROL, read_interfaces, read_plus, read_transmissions
from tarsus.formats.urdf_extensions import ELEMENTS as PLUS
from tarsus.formats.xacro.files import refuse_xacro
from tarsus.formats.xml import Context, XmlElement, read_xml
from tarsus.model.description import Body, Description, DescriptionDraft, Joint

ROOT_JOINT = "root_joint"


def read_urdf(
    path: str | os.PathLike[str],
    *,
    base: str = "fixed",
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    mimic: str = "coupled",
    root: XmlElement | None = None,
) -> Description:
    """Read a URDF file, whose `root` element may be given, as xacro makes it.

    `base` says whether the root link is "fixed" to the world or "free" to move in it.
    `package_dirs` are the folders that hold the packages of `package://` paths.
    Joints that mimic others are coupled to them; `mimic="independent"` reads them as joints of
    their own. Actuators: `tarsus.formats.urdf_extensions`; loops, couplings and
    rotors as elements of the file: `tarsus.formats.urdf_extensions`.
    """
    if base not in ("fixed", "free"):
        raise ValueError(f"base must be 'fixed' or 'free', not {base!r}")
    if mimic not in ("coupled", "independent"):
        raise ValueError(f"mimic must be 'coupled' or 'independent', not {mimic!r}")
    robot = read_xml(path) if root is None else root
    if root is None:
        refuse_xacro(robot)
    if robot.tag != "robot":
        raise ModelError(f"the root element is <{robot.tag}>, not <robot>", robot.source)
    context = Context(Folders(path, package_dirs))
    description = DescriptionDraft(robot.attributes.get("name") or os.path.basename(path))
    _read_elements(robot, description, context)
    read_mimics(robot, description, mimic)
    read_transmissions(robot, description)
    read_interfaces(robot, description)
    read_plugins(_plugins(robot), description, context)
    read_plus(robot, description)
    _place_root(description, base, robot.source)
    description.joints = _depth_first(description.joints)
    description.warnings += context.all_warnings()
    return description.build()


def _read_elements(robot: XmlElement, description: DescriptionDraft, context: Context) -> None:
    known = ("link", "joint", "material", "transmission", "gazebo", CONTROL, *PLUS)
    context.ignore_except(robot, *known)
    for material in robot.all("material"):
        color = read_color(material, context)
        if color is not None:
            context.materials[material.string("name")] = color
    for link in robot.all("link"):
        description.bodies.append(read_body(link))
        description.shapes += read_shapes(link, context)
    description.shapes = read_gazebo(robot, description.shapes, context)
    names = {body.name for body in description.bodies}
    for element in robot.all("joint"):
        joint = read_joint(element, context)
        for role, link_name in (("parent", joint.parent), ("child", joint.child)):
            if link_name not in names:
                raise element.require(role).error(
                    f"names the unknown link '{link_name}'; the links are {listing(names)}"
                )
        description.joints.append(joint)


def _plugins(robot: XmlElement) -> list[XmlElement]:
    """The plugins of Gazebo, of which some push joints."""
    return [plugin for place in robot.all("gazebo") for plugin in place.all("plugin")]


def _place_root(description: DescriptionDraft, base: str, source: Source) -> None:
    """Join the root link to the world, unless it stands for the world itself."""
    root = _find_root(description, source)
    if root is None:
        description.warnings.append("the file has no links (an unexpanded xacro file?)")
        return
    if root.name == WORLD and not _free_world(description, base):
        if root.mass != 0.0:
            description.warnings.append("the mass of link 'world' is left out: it cannot move")
        description.bodies.remove(root)
        return
    if root.name == WORLD:
        root = _rename_world(description, root)
    kind = "free" if base == "free" else "fixed"
    joint = Joint(ROOT_JOINT, kind, WORLD, root.name, source=root.source)
    description.joints.insert(0, joint)


def _find_root(description: DescriptionDraft, source: Source) -> Body | None:
    children = {joint.child for joint in description.joints}
    roots = [body for body in description.bodies if body.name not in children]
    if WORLD in children:
        raise ModelError(f"link '{WORLD}' is not the root: the name is kept for the world", source)
    if description.bodies and not roots:
        raise ModelError("there is no root link: the joints form a cycle", source)
    if len({body.name for body in roots}) > 1:
        names = listing(body.name for body in roots)
        raise ModelError(f"there are several root links, without a parent joint: {names}", source)
    return roots[0] if roots else None


def _free_world(description: DescriptionDraft, base: str) -> bool:
    """Whether a root link called world is a body that moves in the true world."""
    floats = [joint.kind == "free" for joint in description.joints if joint.parent == WORLD]
    return base == "free" and not (floats and all(floats))


def _rename_world(description: DescriptionDraft, root: Body) -> Body:
    """Give the root link another name than that of the world, and return it."""
    names = {body.name for body in description.bodies}
    name = "world_link"
    while name in names:
        name += "_"
    elements: list[tuple[Any, tuple[str, ...]]] = [
        *((joint, ("parent",)) for joint in description.joints),
        *((shape, ("body",)) for shape in description.shapes),
        *((loop, ("body_a", "body_b")) for loop in description.loops),
    ]
    for element, fields in elements:
        if renamed := {field: name for field in fields if getattr(element, field) == WORLD}:
            description.change(element, **renamed)
    description.warnings.append(f"the root link 'world' moves: it is called '{name}' here")
    return description.change(root, name=name)


def _depth_first(joints: list[Joint]) -> list[Joint]:
    """Parents before children; what no root reaches (a cycle) comes last."""
    below: dict[str, list[Joint]] = defaultdict(list)
    for joint in sorted(joints, key=lambda joint: joint.name, reverse=True):
        below[joint.parent].append(joint)
    children = {joint.child for joint in joints}
    order: dict[int, Joint] = {}
    stack = [joint for name in reversed(below) if name not in children for joint in below[name]]
    while stack:
        joint = stack.pop()
        if id(joint) not in order:
            order[id(joint)] = joint
            stack += below[joint.child]
    order.update((id(joint), joint) for joint in joints)
    return list(order.values())
