"""Writing of SDF 1.11: links as a graph, loops as further joints, mimics, springs, frames, plugins.

Links are stated where all joints are at zero and all loops are closed. A body that is free in the
world has no joint; which one it is called by, readers choose. What is on the world itself goes to a
link that is fixed there. Fixed bodies without mass are frames, others get `LEAST`: readers refuse
links that weigh nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from tarsus.arrays import Array
from tarsus.formats.export.couplings import Mimic, mimics
from tarsus.formats.export.left_out import LeftOuts
from tarsus.formats.export.massless import LEAST, massless_as_frames
from tarsus.formats.export.mesh_references import MeshReferences
from tarsus.formats.export.plugins import add_plugin
from tarsus.formats.export.sdf_joints import add_joint, add_loop
from tarsus.formats.export.sdf_shapes import add_shapes
from tarsus.formats.export.xml_text import add, document, is_identity, numbers, six
from tarsus.formats.export.zero import free_pose
from tarsus.formats.sdf import ROOT_JOINT
from tarsus.model.checks import unused
from tarsus.model.description import WORLD, Body, Description, Frame, Joint
from tarsus.model.references import SENSORS

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
