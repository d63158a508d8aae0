"""Reader of SDF files."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.checks import unused
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.formats.paths import Folders
from tarsus.formats.sdf_actuators import read_actuators
from tarsus.formats.sdf_elements import Connection, flag, read_connection, read_link, read_shapes
from tarsus.formats.sdf_frames import Frames, read_pose
from tarsus.formats.sdf_includes import one_model
from tarsus.formats.sdf_joints import Gearing, add_joint, add_loop
from tarsus.formats.xml import Context, XmlElement, read_xml
from tarsus.model.description import Description, DescriptionDraft, Frame, Joint
from tarsus.model.name_references import SENSORS
from tarsus.spatial import inverse, quaternion_from_rotation

# Reading of SDF, the format of Gazebo, from version 1.4 on, into a `Description`.
#
# SDF states links and joints as a graph. A spanning tree of it becomes the joints of the model
# (`tarsus.formats.sdf`), each joint that is left over a loop. All poses are those in which
# the file states the links, and there every joint is at zero and every loop is closed.
# Gearboxes become couplings, plugins that push joints actuators.


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
    description = DescriptionDraft(model.attributes.get("name") or Path(path).stem)
    world = root.find("world")
    gravity = None if world is None else world.find("gravity")
    if gravity is not None:
        description.gravity = gravity.text_vector(3)
    _Reader(model, version, context, description).read(base)
    if version > NEWEST:
        context.warnings.append(f"SDF {version[0]}.{version[1]} is read like 1.{NEWEST[1]}")
    description.warnings += context.all_warnings()
    return description.build()


def _read_version(root: XmlElement) -> tuple[int, int]:
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
        self,
        model: XmlElement,
        version: tuple[int, int],
        context: Context,
        description: DescriptionDraft,
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
            kind, source = "fixed" if fixed else "free", self.frames.links[link].source
            joint = Joint(name, kind, WORLD, link, placement, source=source)
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


# The spanning tree of an SDF model, whose links and joints are a graph.


class SpanningTree:
    """Each link hangs on the first joint in the file that has it as its child.

    A later joint to the same link closes a loop; files state these last. A link that is nobody's
    child is a root. If a joint that is left over leads from one such part to another, the two
    parts are joined by it, and joints on the way to the old root of a part are used from child
    to parent. The part of the world keeps its root, after it that of the canonical link.
    """

    def __init__(self, links: Iterable[str], connections: list[Connection], canonical: str) -> None:
        self.carrier: dict[str, Connection] = {}
        self._part = {link: link for link in (WORLD, *links)}
        left = [connection for connection in connections if not self._hang(connection)]
        for connection in left:
            if self._find(connection.parent) != self._find(connection.child):
                self._join(connection, canonical)
        used = {id(connection) for connection in self.carrier.values()}
        self.closing = [connection for connection in left if id(connection) not in used]
        self.roots = [link for link in self._part if link not in self.carrier and link != WORLD]

    def parent(self, link: str) -> str:
        """The link that carries this one."""
        connection = self.carrier[link]
        return connection.child if link == connection.parent else connection.parent

    def depth_first(self) -> list[str]:
        """The links, each after the one that carries it."""
        below: dict[str, list[str]] = defaultdict(list)
        for link in self.carrier:
            below[self.parent(link)].append(link)
        order, stack = [], [*below[WORLD], *self.roots][::-1]
        while stack:
            order.append(stack.pop())
            stack += below[order[-1]][::-1]
        return order

    def _hang(self, connection: Connection) -> bool:
        parent, child = self._find(connection.parent), self._find(connection.child)
        free = connection.child not in self.carrier and parent != child
        if free:
            self.carrier[connection.child] = connection
            self._part[child] = parent
        return free

    def _join(self, connection: Connection, canonical: str) -> None:
        """Hang the lesser of the two parts that are connected on the other one."""
        ranks = [self._find(canonical), self._find(WORLD)]
        ends = [connection.parent, connection.child]
        lesser, greater = sorted(ends, key=lambda link: _rank(self._find(link), ranks))
        self._turn_around(lesser)
        self.carrier[lesser] = connection
        self._part[self._find(lesser)] = self._find(greater)

    def _turn_around(self, link: str) -> None:
        """Make `link` the root of its part."""
        above: Connection | None = None
        while True:
            connection = self.carrier.pop(link, None)
            if above is not None:
                self.carrier[link] = above
            if connection is None:
                return
            above = connection
            link = connection.child if link == connection.parent else connection.parent

    def _find(self, link: str) -> str:
        """The link that stands for the part to which this one belongs."""
        while self._part[link] != link:
            self._part[link] = self._part[self._part[link]]
            link = self._part[link]
        return link


def _rank(part: str, ranks: list[str]) -> int:
    return max((position for position, name in enumerate(ranks) if name == part), default=-1)


# Inertial units of an SDF file, at frames that are called as they are.


def read_sensors(
    model: XmlElement, frames: Frames, description: DescriptionDraft, context: Context
) -> None:
    """Append a frame for each `<sensor type="imu">` of a link, and name others in a warning."""
    taken = {body.name for body in description.bodies}
    taken |= {frame.name for frame in description.frames}
    found: dict[str, Any] = {}
    others: Counter[str] = Counter()
    elements = [each for place in ("link", "joint") for each in model.all(place)]
    for place in elements:
        for sensor in place.all("sensor"):
            kind, name = sensor.attributes.get("type", "?"), sensor.attributes.get("name", "imu")
            if kind != "imu" or place.tag == "joint":
                others[kind] += 1
                continue
            called = unused(name, taken)
            body = place.string("name")
            placement = inverse(frames.pose(place)) @ frames.pose(sensor)
            description.frames.append(Frame(called, body, placement, sensor.source))
            found[called] = {"kind": "IMU", "frame": called}
    if found:
        description.metadata[SENSORS] = found
    if others:
        names = ", ".join(f"{count} {kind}" for kind, count in sorted(others.items()))
        context.warnings.append(f"sensors ({others.total()}) are not taken over: {names}")
