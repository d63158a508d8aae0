"""Safe reading and writing of XML."""

from __future__ import annotations

import math
import os
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import listing
from tarsus._lib.errors import ModelError, Source
from tarsus._lib.files import Array
from tarsus.spatial import rpy_from_rotation

if TYPE_CHECKING:
    from tarsus.formats.paths import Folders

# Safe reading of XML: no document types, no entities, limits on size and depth.
#
# Elements remember their line, and the readers of numbers say which attribute of which
# element in which line is wrong.


MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 1000
MAX_ELEMENTS = 1_000_000

LARGEST = 1e100
"""Larger numbers cannot be physical and would overflow when they are multiplied."""

UNLIMITED = 1e16
"""Limits of this size stand for none: not all programs read infinities."""


@dataclass(eq=False)
class XmlElement:
    """An XML element with its attributes, children, text and place in the file."""

    tag: str
    attributes: dict[str, str]
    source: Source
    parent: XmlElement | None = field(default=None, repr=False)
    children: list[XmlElement] = field(default_factory=list, repr=False)
    text: str = ""

    def find(self, tag: str) -> XmlElement | None:
        """The first child with this tag, or None."""
        return next(self.all(tag), None)

    def all(self, tag: str) -> Iterator[XmlElement]:
        """All children with this tag, in file order."""
        return (child for child in self.children if child.tag == tag)

    def walk(self) -> Iterator[XmlElement]:
        """This element and everything inside it, in file order."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))

    def require(self, tag: str) -> XmlElement:
        """The first child with this tag; an error if there is none."""
        child = self.find(tag)
        if child is None:
            raise self.error(f"has no <{tag}>")
        return child

    def string(self, attribute: str, default: str | None = None) -> str:
        """An attribute that must not be empty."""
        value = self.attributes.get(attribute, default)
        if value is None:
            raise self.error(f"has no attribute '{attribute}'")
        if not value.strip():
            raise self.error(f"has an empty attribute '{attribute}'")
        return value

    def number(self, attribute: str, default: float | None = None) -> float:
        """An attribute that is one finite number."""
        if default is not None and attribute not in self.attributes:
            return default
        return float(self.vector(attribute, 1)[0])

    def bound(self, attribute: str, default: float) -> float:
        """An attribute that is one number and may be infinite: a limit."""
        if attribute not in self.attributes:
            return default
        return unlimited(self._numbers(attribute, (1,), largest=math.inf)[0])

    def vector(
        self, attribute: str, sizes: int | tuple[int, ...], default: Iterable[float] | None = None
    ) -> Array:
        """An attribute that is a list of finite numbers of one of the given lengths."""
        if default is not None and attribute not in self.attributes:
            return np.array(list(default), dtype=np.float64)
        sizes = (sizes,) if isinstance(sizes, int) else sizes
        return np.array(self._numbers(attribute, sizes, LARGEST), dtype=np.float64)

    def text_vector(self, sizes: int | tuple[int, ...]) -> Array:
        """The text of this element, a list of finite numbers of one of the given lengths."""
        sizes = (sizes,) if isinstance(sizes, int) else sizes
        return np.array(self._parse(self.text, "its text", sizes, LARGEST), dtype=np.float64)

    def text_bound(self) -> float:
        """The text of this element, one number that may be infinite."""
        return unlimited(self._parse(self.text, "its text", (1,), math.inf)[0])

    def text_string(self) -> str:
        """The text of this element, which must not be empty."""
        text = self.text.strip()
        if not text:
            raise self.error("is empty")
        return text

    def _numbers(self, attribute: str, sizes: tuple[int, ...], largest: float) -> list[float]:
        return self._parse(self.string(attribute), f"attribute '{attribute}'", sizes, largest)

    def _parse(self, text: str, what: str, sizes: tuple[int, ...], largest: float) -> list[float]:
        words = text.split()
        if len(words) not in sizes:
            wanted = " or ".join(str(size) for size in sizes)
            raise self.error(f"{what} must have {wanted} numbers, not '{text.strip()}'")
        return [self._number(what, word, largest) for word in words]

    def _number(self, what: str, word: str, largest: float) -> float:
        try:
            value = math.nan if "_" in word else float(word)
        except ValueError:
            value = math.nan
        if math.isnan(value):
            raise self.error(f"{what} must be a number, not '{word}'")
        if abs(value) > largest:
            raise self.error(f"{what} is out of range: '{word}'")
        return value

    def error(self, message: str) -> ModelError:
        """An error about this element, which the caller raises."""
        return ModelError(f"{self.label} {message}", self.source)

    @property
    def label(self) -> str:
        """What this element is called in messages: its tag and the nearest name."""
        named: XmlElement | None = self
        while named is not None and not named.attributes.get("name"):
            named = named.parent
        if named is None:
            return f"<{self.tag}>"
        name = f"{named.tag} '{named.attributes['name']}'"
        return name if named is self else f"<{self.tag}> of {name}"


def unlimited(limit: float) -> float:
    """Return a limit, infinite if it is so large that it stands for none."""
    return limit if abs(limit) < UNLIMITED else math.copysign(math.inf, limit)


def read_xml(path: str | os.PathLike[str]) -> XmlElement:
    """Read a file and return its root element."""
    with Path(path).open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    return parse_xml(data, os.fspath(path))


def parse_xml(data: bytes, file: str) -> XmlElement:
    """Parse the bytes of `file` (a name for messages) and return the root element."""
    return parse_with(TreeReader(file), data)


def parse_with(reader: TreeReader, data: bytes) -> XmlElement:
    """Parse bytes with a reader and return the root element."""
    file = reader.file
    if len(data) > MAX_BYTES:
        raise ModelError(f"more than {MAX_BYTES} bytes of XML", Source(file))
    try:
        reader.parser.Parse(data, True)
    except ModelError:
        raise
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        raise ModelError(f"malformed XML: {message}", Source(file, error.lineno)) from None
    except (LookupError, ValueError) as error:
        raise ModelError(f"unreadable encoding: {error}", Source(file)) from None
    return reader.root


class TreeReader:
    """Builds the tree from the events of expat."""

    element_type: type[XmlElement] = XmlElement

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: XmlElement
        self.open: list[XmlElement] = []
        self.texts: list[list[str]] = []
        self.count = 0
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.StartDoctypeDeclHandler = self.refuse
        parser.EntityDeclHandler = self.refuse
        parser.ExternalEntityRefHandler = self.refuse

    def here(self) -> Source:
        return Source(self.file, self.parser.CurrentLineNumber)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MAX_ELEMENTS:
            raise ModelError(f"more than {MAX_ELEMENTS} elements", self.here())
        if len(self.open) >= MAX_DEPTH:
            raise ModelError(f"elements nested more than {MAX_DEPTH} deep", self.here())
        parent = self.open[-1] if self.open else None
        element = self.element_type(tag, attributes, self.here(), parent)
        if parent is None:
            self.root = element
        else:
            parent.children.append(element)
        self.open.append(element)
        self.texts.append([])

    def end(self, tag: str) -> None:
        self.open.pop().text = "".join(self.texts.pop())

    def characters(self, text: str) -> None:
        self.texts[-1].append(text)

    def refuse(self, *_: object) -> int:
        raise ModelError("document types and entities are not read", self.here())


Color = tuple[float, float, float, float]


@dataclass
class Context:
    """What the elements of one URDF or SDF file share: folders, materials, what is left out."""

    folders: Folders
    materials: dict[str, Color] = field(default_factory=dict)
    ignored: Counter[str] = field(default_factory=Counter)
    missing_meshes: list[str] = field(default_factory=list)
    massless: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def ignore_except(self, element: XmlElement, *tags: str) -> None:
        """Count the children that no reader looks at."""
        self.ignored.update(child.tag for child in element.children if child.tag not in tags)

    def find_mesh(self, reference: str, element: XmlElement) -> str:
        """The path of a mesh, or the reference as stated if there is no such file."""
        path = self.folders.find(reference, element.source)
        if path is None:
            self.missing_meshes.append(reference)
        return self.folders.absent(reference) if path is None else str(path)

    def all_warnings(self) -> list[str]:
        """The warnings so far, then what was left out, then meshes that are missing."""
        left_out = [
            f"{tag} elements ({count}) are not taken over"
            for tag, count in sorted(self.ignored.items())
        ]
        missing = []
        if self.massless:
            names = listing(dict.fromkeys(self.massless))
            missing.append(f"links ({len(self.massless)}) without a mass have 1 kg in SDF: {names}")
        if self.missing_meshes:
            names = listing(dict.fromkeys(self.missing_meshes), limit=5)
            text = f"mesh files ({len(self.missing_meshes)}) are not found: {names}"
            found = map(self.folders.hint, self.missing_meshes)
            hints = dict.fromkeys(hint for hint in found if hint is not None)
            missing.append(f"{text}; package_dirs lacks {listing(hints)}" if hints else text)
        return self.warnings + left_out + missing


# Elements of XML as text: escaped, indented, numbers with all their bits.


Node = ElementTree.Element


def add(parent: Node, tag: str, text: str | None = None, /, **attributes: Any) -> Node:
    """Append an element; attributes that are None are left out, numbers are written."""
    element = ElementTree.SubElement(parent, tag)
    for key, value in attributes.items():
        if value is not None:
            element.set(key.rstrip("_"), value if isinstance(value, str) else numbers(value))
    element.text = text
    return element


def numbers(values: ArrayLike) -> str:
    """Return numbers as words between blanks; zeros have no sign."""
    return " ".join(repr(value + 0.0) for value in np.ravel(np.asarray(values, float)).tolist())


def six(placement: Array) -> tuple[Array, Array]:
    """Return position (3,) and roll, pitch, yaw (3,) of a pose (4, 4)."""
    return placement[:3, 3], rpy_from_rotation(placement[:3, :3])


def is_identity(placement: Array) -> bool:
    """Whether a pose (4, 4) is that of the frame itself."""
    return np.array_equal(placement, np.eye(4))


def document(root: Node, comments: Iterable[str] = ()) -> str:
    """Return the whole file."""
    for position, comment in enumerate(comments):
        # two hyphens would end a comment
        root.insert(position, ElementTree.Comment(f" {comment.replace('--', '- -')} "))
    ElementTree.indent(root)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"
