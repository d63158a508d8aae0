"""The tree of a xacro file: elements whose texts stay in order between their children."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from tarsus.formats.xml import MAX_BYTES, Element, TreeReader, parse_with
from tarsus.model.description import ModelError

PREFIX = "xacro:"

SHOWN = 300
"""Characters of a text that a message shows."""


def shortened(text: str) -> str:
    """Return the beginning of a text, for messages."""
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


class Verbatim(str):
    """Text of a CDATA section, in which nothing is replaced."""


@dataclass(eq=False)
class Node(Element):
    """An element with its children and texts in order.

    `children` and `text` of the base class are set by `finish`, when the content is complete.
    """

    content: list[Node | str] = field(default_factory=list, repr=False)

    @property
    def nodes(self) -> list[Node]:
        """The children that are elements."""
        return [item for item in self.content if isinstance(item, Node)]

    def required(self, attribute: str) -> str:
        """Return an attribute, which may be empty; an error if there is none."""
        if attribute not in self.attributes:
            raise self.failure(f"has no attribute '{attribute}'")
        return self.attributes[attribute]

    def failure(self, message: str) -> ModelError:
        """Return an error about this element, which the caller raises."""
        return ModelError(f"xacro: {shortened(f'<{self.tag}>: {message}')}", self.source)

    def renamed(self, tag: str, without: str) -> Node:
        """Return this element with another tag, and without one of its attributes."""
        attributes = {key: value for key, value in self.attributes.items() if key != without}
        return Node(tag, attributes, self.source, content=self.content)

    def finish(self) -> Element:
        """Set parents, children and texts of the whole tree, and return its root."""
        stack = [self]
        while stack:
            node = stack.pop()
            node.children = list(node.nodes)
            node.text = "".join(item for item in node.content if isinstance(item, str))
            for child in node.nodes:
                child.parent = node
            stack += node.nodes
        return self


def read_tree(data: bytes, file: Path) -> Node:
    """Parse the bytes of a xacro file and return its root element."""
    return cast(Node, parse_with(_NodeReader(str(file)), data))


def read_bytes(file: Path) -> bytes:
    """Return the content of a file, as far as `parse_with` accepts it."""
    with file.open("rb") as opened:
        return opened.read(MAX_BYTES + 1)


class _NodeReader(TreeReader):
    """Builds nodes from the events of expat."""

    element_type = Node

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.is_verbatim = False
        self.parser.StartCdataSectionHandler = self.start_cdata
        self.parser.EndCdataSectionHandler = self.end_cdata

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        super().start(tag, attributes)
        if len(self.open) > 1:
            cast(Node, self.open[-2]).content.append(cast(Node, self.open[-1]))

    def characters(self, text: str) -> None:
        text = Verbatim(text) if self.is_verbatim else text
        cast(Node, self.open[-1]).content.append(text)

    def start_cdata(self) -> None:
        self.is_verbatim = True

    def end_cdata(self) -> None:
        self.is_verbatim = False
