"""Elements of XML as text: escaped, indented, numbers with all their bits."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.spatial import rpy_from_rotation

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
