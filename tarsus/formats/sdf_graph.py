"""The spanning tree of an SDF model, whose links and joints are a graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from tarsus.formats.sdf_elements import Connection
from tarsus.model.description import WORLD


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
