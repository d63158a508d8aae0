"""From a description to a tree of clusters: order the joints, weld fixed ones, group bodies.

Moving bodies are numbered cluster after cluster, each after its parent, otherwise in the order
in which their joints were stated. A body on a fixed joint adds its mass to the body that carries
it and stays as a frame.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from tarsus.arrays import Array
from tarsus.model import inertia
from tarsus.model.checks import read_only
from tarsus.model.clustering import Ends, Grouping, find_clusters
from tarsus.model.couplings import in_order
from tarsus.model.defaults import filled
from tarsus.model.description import (
    WORLD,
    Body,
    Coupling,
    Description,
    Frame,
    Joint,
    Loop,
    ModelError,
    Shape,
)
from tarsus.model.kinds import KINDS, NONHOLONOMIC

IDENTITY = read_only(np.eye(4))
INDEPENDENT, FOLLOWER, DEPENDENT = 0, 1, 2
"""Roles of velocities: the user's own, given by a coupling, given by a loop."""

Placed = TypeVar("Placed", Frame, Shape)
Carrier = dict[str, tuple[str, Array]]


@dataclass(frozen=True)
class Tree:
    """A compiled mechanism: `joints[i]` carries `bodies[i]` on the body `parents[i]`.

    Joints have all their arrays filled in; frames, shapes and ends of loops are placed on
    moving bodies or on the world, and every declared body has a frame. `welded` maps a welded
    body to the moving body, or the world, that carries it. Couplings are in an order in which
    leaders are known before followers. `roles[i]` tells for each velocity of joint i what gives
    it. `clusters` are ranges of bodies; `reasons[i]` tells why loop i is a constraint, and is
    empty if it is in a cluster. `neutral` is the start configuration (nq,) of the user's
    coordinates, loops closed. `left_out` lists rows of loops that repeat others but for rounded
    numbers.
    """

    bodies: list[Body]
    joints: list[Joint]
    parents: list[int]
    placements: list[Array]
    roles: list[tuple[int, ...]]
    clusters: list[range]
    couplings: list[Coupling]
    loops: list[Loop]
    reasons: list[str]
    frames: list[Frame]
    shapes: list[Shape] = field(default_factory=list)
    welded: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    neutral: Array = field(default_factory=lambda: np.zeros(0))
    left_out: dict[str, list[int]] = field(default_factory=dict)

    @functools.cached_property
    def index(self) -> dict[str, int]:
        """The number of each body, −1 for the world."""
        return {WORLD: -1} | {body.name: i for i, body in enumerate(self.bodies)}

    @functools.cached_property
    def joint_index(self) -> dict[str, int]:
        """The number of each joint, which is that of the body that it carries."""
        return {joint.name: i for i, joint in enumerate(self.joints)}


def build_tree(description: Description, *, strict: bool) -> Tree:
    """Order, weld and group a checked description; loops are not closed yet.

    `strict` is explained at `tarsus.Model`.
    """
    order = _ordered(description)
    parts: dict[str, list[tuple[Body, Array]]] = {WORLD: []}
    bodies = {body.name: body for body in description.bodies}
    carrier: Carrier = {WORLD: (WORLD, IDENTITY)}  # body -> who carries it, and where on that one
    for joint in order:
        if joint.kind == "fixed":
            whole, at = carrier[joint.parent]
            carrier[joint.child] = (whole, at @ joint.placement)
        else:
            carrier[joint.child] = (joint.child, IDENTITY)
            parts[joint.child] = []
        whole, at = carrier[joint.child]
        parts[whole].append((bodies[joint.child], at))

    warnings = inertia.check_parts(description.bodies, strict=strict)
    groups = [(inertia.merge(name, members), members) for name, members in parts.items() if members]
    inertia.check_welded(groups)
    wholes = {whole.name: whole for whole, _ in groups}

    def place(element: Placed) -> Placed:
        whole, at = carrier[element.body]
        placement = read_only(at @ element.placement)
        return dataclasses.replace(element, body=whole, placement=placement)

    loops = [_placed_loop(loop, carrier) for loop in description.loops]
    couplings = in_order(description.couplings)
    moving = [joint for joint in order if joint.kind != "fixed"]
    grouping = _grouped(moving, carrier, couplings, loops)
    moving = [moving[i] for cluster in grouping.clusters for i in cluster]
    index = {WORLD: -1} | {joint.child: i for i, joint in enumerate(moving)}
    followers = {name for coupling in couplings for name in coupling.followers}
    own = [Frame(body.name, body.name, IDENTITY, body.source) for body in description.bodies]
    return Tree(
        bodies=[wholes[joint.child] for joint in moving],
        joints=[filled(joint) for joint in moving],
        parents=[index[carrier[joint.parent][0]] for joint in moving],
        placements=[read_only(carrier[joint.parent][1] @ joint.placement) for joint in moving],
        roles=[_roles(joint, follows=joint.name in followers) for joint in moving],
        clusters=_ranges(grouping.clusters),
        couplings=couplings,
        loops=loops,
        reasons=grouping.reasons,
        frames=[place(frame) for frame in own + description.frames],
        shapes=[place(shape) for shape in description.shapes],
        welded={name: whole for name, (whole, _) in carrier.items() if name != whole},
        warnings=warnings,
    )


def _placed_loop(loop: Loop, carrier: Carrier) -> Loop:
    """Return the loop between the moving bodies, or the world, that carry its frames."""
    (a, at_a), (b, at_b) = carrier[loop.body_a], carrier[loop.body_b]
    if a == b:
        reason = f"bodies {loop.body_a!r} and {loop.body_b!r} do not move relative to each other"
        raise ModelError(f"loop {loop.name!r}: {reason}", loop.source)
    placements = read_only(at_a @ loop.placement_a), read_only(at_b @ loop.placement_b)
    return dataclasses.replace(
        loop, body_a=a, body_b=b, placement_a=placements[0], placement_b=placements[1]
    )


def _grouped(
    joints: Sequence[Joint], carrier: Carrier, couplings: Sequence[Coupling], loops: Sequence[Loop]
) -> Grouping:
    index = {WORLD: -1} | {joint.child: i for i, joint in enumerate(joints)}
    number = {joint.name: i for i, joint in enumerate(joints)}
    coupled = [[number[name] for name in (*c.leaders, *c.followers)] for c in couplings]
    return find_clusters(
        [index[carrier[joint.parent][0]] for joint in joints],
        [KINDS[joint.kind][1] for joint in joints],
        [_obstacle(joint) for joint in joints],
        coupled,
        [
            Ends(index[loop.body_a], index[loop.body_b], loop.constraint, loop.kind != "knife_edge")
            for loop in loops
        ],
    )


def _obstacle(joint: Joint) -> str:
    """Return why loops through a joint are constraints: clusters are small, and integrable."""
    if joint.kind == "free":
        return f"the free joint {joint.name!r}"
    return f"joint {joint.name!r}, which rolls" if joint.kind in NONHOLONOMIC else ""


def _roles(joint: Joint, *, follows: bool) -> tuple[int, ...]:
    return (FOLLOWER if follows else INDEPENDENT,) * KINDS[joint.kind][1]


def _ranges(clusters: list[list[int]]) -> list[range]:
    ranges, start = [], 0
    for cluster in clusters:
        ranges.append(range(start, start + len(cluster)))
        start += len(cluster)
    return ranges


def _ordered(description: Description) -> list[Joint]:
    """Return the joints in the order in which they were stated, each after its parent's."""
    carried: dict[str, Joint] = {}
    for joint in description.joints:
        if joint.child == WORLD:
            raise ModelError(f"joint {joint.name!r}: the world cannot be a child", joint.source)
        if joint.child in carried:
            first = carried[joint.child].name
            raise ModelError(
                f"joint {joint.name!r}: body {joint.child!r} already hangs on joint {first!r}; "
                "a body has one parent joint",
                joint.source,
            )
        carried[joint.child] = joint
    for body in description.bodies:
        if body.name not in carried:
            raise ModelError(
                f"body {body.name!r} hangs on no joint; add one that carries it on another body "
                f"or on {WORLD!r}, say of kind 'fixed' or 'free'",
                body.source,
            )
    order: dict[str, Joint] = {}
    for joint in description.joints:
        path = _path_up(joint, carried, order)
        order.update((member.name, member) for member in reversed(path))
    return list(order.values())


def _path_up(joint: Joint, carried: dict[str, Joint], order: dict[str, Joint]) -> list[Joint]:
    """Return `joint` and its ancestors up to the first one that is already ordered."""
    path: dict[str, Joint] = {}
    while joint.name not in order:
        if joint.name in path:
            cycle = " -> ".join([*path, joint.name][list(path).index(joint.name) :])
            raise ModelError(f"joint {joint.name!r}: the tree has a cycle: {cycle}", joint.source)
        path[joint.name] = joint
        if joint.parent == WORLD:
            break
        joint = carried[joint.parent]
    return list(path.values())
