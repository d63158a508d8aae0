"""Which bodies form a cluster: those that share coordinates, up to their common ancestor.

Joints that are coupled, or that lie on the path of a loop, share coordinates; their bodies move
together. A cluster hangs on one body, so everything between its members and their lowest
common ancestor belongs to it, and clusters that overlap are one (Schwienbacher 2013, section
2.9, for members on different parents and for loops). A loop whose cluster would pass a free
joint or one that rolls, or would be large, stays outside as a constraint.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
