"""The tree of clusters of a description: order of the bodies, welded bodies, grouping by loops."""

from __future__ import annotations

import dataclasses
import functools
import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from tarsus._lib.checks import read_only
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.model import inertia
from tarsus.model.couplings import in_order
from tarsus.model.defaults import filled
from tarsus.model.description import (
    KINDS,
    NONHOLONOMIC,
    Body,
    Coupling,
    Description,
    Frame,
    Joint,
    Loop,
    Shape,
)

# From a description to a tree of clusters: order the joints, weld fixed ones, group bodies.
#
# Moving bodies are numbered cluster after cluster, each after its parent, otherwise in the order
# in which their joints were stated. A body on a fixed joint adds its mass to the body that carries
# it and stays as a frame.


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
        frames=[place(frame) for frame in [*own, *description.frames]],
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


# Which bodies form a cluster: those that share coordinates, up to their common ancestor.
#
# Joints that are coupled, or that lie on the path of a loop, share coordinates; their bodies move
# together. A cluster hangs on one body, so everything between its members and their lowest
# common ancestor belongs to it, and clusters that overlap are one (Schwienbacher 2013, section
# 2.9, for members on different parents and for loops). A loop whose cluster would pass a free
# joint or one that rolls, or would be large, stays outside as a constraint.


MOST_VELOCITIES = 24
"""Velocity coordinates of a cluster's joints, beyond which a loop becomes a constraint."""


@dataclass(frozen=True)
class Ends:
    """The two bodies that a loop connects (−1 for the world), and what was asked for it."""

    body_a: int
    body_b: int
    constraint: bool | None = None
    holonomic: bool = True


@dataclass(frozen=True)
class Grouping:
    """Bodies of each cluster, a cluster after its parent's; reasons why loops are outside.

    `reasons[i]` is empty if loop i is inside a cluster.
    """

    clusters: list[list[int]]
    reasons: list[str]


def find_clusters(
    parents: Sequence[int],
    sizes: Sequence[int],
    obstacles: Sequence[str],
    coupled: Iterable[Iterable[int]],
    loops: Sequence[Ends],
) -> Grouping:
    """Group bodies that are numbered parents first; `coupled` holds the bodies of each coupling.

    `sizes` are the velocity coordinates of the bodies' joints; `obstacles` names joints that no
    loop in a cluster should pass, and is empty for the others.
    """
    sets = _Sets(parents, sizes, obstacles)
    for bodies in coupled:
        sets.unite(sets.together(bodies))
    reasons = [_stated_reason(loop) for loop in loops]
    # what must be a cluster goes first, so that the order of statements does not matter for it
    order = sorted(range(len(loops)), key=lambda i: loops[i].constraint is not False)
    for i in order:
        if reasons[i]:
            continue
        group = sets.together(sets.path(loops[i].body_a, loops[i].body_b))
        if loops[i].constraint is None:
            reasons[i] = sets.reason_against(group)
        if not reasons[i]:
            sets.unite(group)
    return Grouping(sets.clusters(), reasons)


def _stated_reason(loop: Ends) -> str:
    if not loop.holonomic:
        return "it restricts velocities, not positions"
    return "it was stated as a constraint" if loop.constraint else ""


class _Sets:
    """Disjoint sets of bodies; each is connected and hangs on one body outside."""

    def __init__(
        self, parents: Sequence[int], sizes: Sequence[int], obstacles: Sequence[str]
    ) -> None:
        self._parents = parents
        self._depths = _depths(parents)
        self._up = list(range(len(parents)))
        self._top = list(parents)  # of a set's representative: the body that carries the set
        self._size = list(sizes)
        self._obstacle = list(obstacles)

    def find(self, body: int) -> int:
        """Return the representative of the set of `body`."""
        root = body
        while self._up[root] != root:
            root = self._up[root]
        while self._up[body] != root:
            self._up[body], body = root, self._up[body]
        return root

    def together(self, bodies: Iterable[int]) -> set[int]:
        """Return the sets that must be one if `bodies` are to be in a set on one parent."""
        group = {self.find(body) for body in bodies}
        heap = [(-self._depth(self._top[root]), self._top[root]) for root in group]
        heapq.heapify(heap)
        while heap:
            _, carrier = heapq.heappop(heap)
            while heap and heap[0][1] == carrier:
                heapq.heappop(heap)
            if not heap and (carrier < 0 or self.find(carrier) not in group):
                break  # all hang on this body
            # deeper than another parent, so it is not their common ancestor: it belongs inside
            root = self.find(carrier)
            if root not in group:
                group.add(root)
                heapq.heappush(heap, (-self._depth(self._top[root]), self._top[root]))
        return group

    def unite(self, group: set[int]) -> None:
        """Make one set of the representatives `group`, as `together` returned them."""
        if not group:
            return
        first = min(group, key=lambda root: self._depth(self._top[root]))
        for root in group - {first}:
            self._up[root] = first
            self._size[first] += self._size[root]
            self._obstacle[first] = self._obstacle[first] or self._obstacle[root]

    def path(self, a: int, b: int) -> list[int]:
        """Return the bodies from `a` and from `b` up to their common ancestor, without it."""
        bodies = []
        while a != b:
            if self._depth(a) < self._depth(b):
                a, b = b, a
            bodies.append(a)
            a = self._parents[a]
        return bodies

    def reason_against(self, group: set[int]) -> str:
        """Return why these sets should not be one cluster, or nothing."""
        for root in sorted(group):
            if self._obstacle[root]:
                return f"it passes {self._obstacle[root]}"
        size = sum(self._size[root] for root in group)
        if size > MOST_VELOCITIES:
            return f"its cluster would have {size} velocity coordinates, over {MOST_VELOCITIES}"
        return ""

    def clusters(self) -> list[list[int]]:
        """Return the sets in the order of their first bodies, the bodies in order."""
        members: dict[int, list[int]] = {}
        for body in range(len(self._parents)):
            members.setdefault(self.find(body), []).append(body)
        return list(members.values())

    def _depth(self, body: int) -> int:
        return self._depths[body] if body >= 0 else -1


def _depths(parents: Sequence[int]) -> list[int]:
    depths: list[int] = []
    for parent in parents:
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
    return depths
