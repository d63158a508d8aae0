"""Reading of SDF, the format of Gazebo, from version 1.4 on, into a `Description`.

SDF states links and joints as a graph. A spanning tree of it becomes the joints of the model
(`tarsus.formats.sdf_graph`), each joint that is left over a loop. All poses are those in which
the file states the links, and there every joint is at zero and every loop is closed.
Gearboxes become couplings, plugins that push joints actuators.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tarsus.arrays import Array
from tarsus.formats.context import Context
from tarsus.formats.paths import Folders
from tarsus.formats.sdf_actuators import read_actuators
from tarsus.formats.sdf_elements import flag, read_connection, read_link, read_shapes
from tarsus.formats.sdf_flat import one_model
from tarsus.formats.sdf_frames import Frames, read_pose
from tarsus.formats.sdf_graph import SpanningTree
from tarsus.formats.sdf_joints import Gearing, add_joint, add_loop
from tarsus.formats.sdf_sensors import read_sensors
from tarsus.formats.xml import Element, read_xml
from tarsus.model.description import WORLD, Description, Frame, Joint, ModelError
from tarsus.spatial import inverse, quaternion_from_rotation

OLDEST, NEWEST = (1, 4), (1, 12)
ROOT_JOINT = "root_joint"


def read_sdf(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    package_dirs: Iterable[str | os.PathLike[str]] = (),
) -> Description:
    """Read an SDF file: its model, or all models of its world as one, names of theirs in front.

    `base=None` keeps the base as the file states it: free, unless the model is static or a
    joint joins it to the world. `"fixed"` and `"free"` say otherwise. `package_dirs` are the
    folders in which `model://` and `package://` paths are looked for.
    """
    if base not in (None, "fixed", "free"):
        raise ValueError(f"base must be None, 'fixed' or 'free', not {base!r}")
    root = read_xml(path)
    version = _read_version(root)
    context = Context(Folders(path, package_dirs))
    model = one_model(root, context, Path(path).stem, old_axes=version < (1, 5))
    description = Description(model.attributes.get("name") or Path(path).stem)
    world = root.find("world")
    gravity = None if world is None else world.find("gravity")
    if gravity is not None:
        description.gravity = gravity.text_vector(3)
    _Reader(model, version, context, description).read(base)
    if version > NEWEST:
        context.warnings.append(f"SDF {version[0]}.{version[1]} is read like 1.{NEWEST[1]}")
    description.warnings += context.all_warnings()
    return description


def _read_version(root: Element) -> tuple[int, int]:
    if root.tag != "sdf":
        raise ModelError(f"the root element is <{root.tag}>, not <sdf>", root.source)
    match = re.fullmatch(r"\s*(\d{1,4})\.(\d{1,4})(\.\d+)?\s*", root.string("version"))
    if match is None:
        raise root.error(f"has the version '{root.string('version')}', must be a number like 1.6")
    version = int(match[1]), int(match[2])
    if version < OLDEST:
        raise root.error(f"has the version {match[0]}; versions from 1.4 on are read")
    return version


class _Reader:
    """Turns one model into a description, part by part."""

    def __init__(
        self, model: Element, version: tuple[int, int], context: Context, description: Description
    ) -> None:
        self.model, self.context, self.description = model, context, description
        self.frames = frames = Frames(model)
        known = ("pose", "static", "link", "joint", "frame", "plugin")
        context.ignore_except(model, *known)
        self.in_world = read_pose(model)
        if placed := model.attributes.get("placement_frame"):
            self.in_world = self.in_world @ inverse(frames.named_pose(placed, model))
        for link in model.all("link"):
            description.bodies.append(read_link(link, context))
            description.shapes += read_shapes(link, frames, context)
        self.poses: dict[str, Array] = {
            name: frames.pose(link) for name, link in frames.links.items()
        }
        self.poses[WORLD] = inverse(self.in_world)
        self.connections = [read_connection(joint, frames, version) for joint in model.all("joint")]

    def read(self, base: str | None) -> None:
        """Append all of the model."""
        gears = [connection for connection in self.connections if connection.type == "gearbox"]
        joints = [connection for connection in self.connections if connection.type != "gearbox"]
        tree = SpanningTree(self.frames.links, joints, self.frames.canonical)
        self._add_roots(tree, base)
        for link in tree.depth_first():
            if link in tree.carrier:
                add_joint(self.description, self.poses, tree.carrier[link], link)
        for connection in tree.closing:
            left_out = add_loop(self.description, self.poses, connection)
            self.context.warnings += [f"left out: {what}" for what in left_out]
        gearing = Gearing(self.description, tree.carrier)
        for connection in gears:
            gearing.add_gearbox(connection)
        for connection in joints:
            gearing.add_mimic(connection)
        self._add_frames()
        read_actuators(self.model, self.description, self.context)
        read_sensors(self.model, self.frames, self.description, self.context)
        self._add_starts(tree)

    def _add_roots(self, tree: SpanningTree, base: str | None) -> None:
        """Join the links that no joint carries to the world."""
        joined = [name for name, connection in tree.carrier.items() if connection.parent == WORLD]
        if base == "free" and joined:
            message = f"base='free': link '{joined[0]}' is joined to the world"
            raise tree.carrier[joined[0]].element.error(message)
        fixed = base == "fixed" or (base is None and flag(self.model, "static"))
        initial: dict[str, list[float]] = {}
        for link in tree.roots:
            name = ROOT_JOINT if link == tree.roots[0] else f"{ROOT_JOINT}_{link}"
            pose = self.in_world @ self.poses[link]
            placement = pose if fixed else np.eye(4)
            joint = Joint(name, "fixed" if fixed else "free", WORLD, link, placement)
            joint.source = self.frames.links[link].source
            self.description.joints.append(joint)
            if not fixed:
                place = np.concatenate([pose[:3, 3], quaternion_from_rotation(pose[:3, :3])])
                initial[name] = place.tolist()
        if initial:
            self.description.metadata["initial_configuration"] = initial

    def _add_starts(self, tree: SpanningTree) -> None:
        """Let joints start where their axes say, where nothing else moves with them."""
        stated = {
            connection.name: connection.axes[0].start
            for connection in tree.carrier.values()
            if len(connection.axes) == 1 and connection.axes[0].start
        }
        tied = bool(self.description.loops or self.description.couplings)
        if stated and tied:
            told = "are not taken over where there are loops or gears"
            self.context.warnings.append(f"initial positions ({len(stated)}) {told}")
        elif stated:
            starts = {name: [value] for name, value in stated.items()}
            self.description.metadata.setdefault("initial_configuration", {}).update(starts)

    def _add_frames(self) -> None:
        for element in self.model.all("frame"):
            name = element.string("name")
            body = self.frames.body(name, element)
            placement = inverse(self.poses[body]) @ self.frames.pose(element)
            self.description.frames.append(Frame(name, body, placement, element.source))
