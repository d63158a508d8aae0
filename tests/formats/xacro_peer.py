"""Expanded xacro files in a form that can be compared, from Tarsus and from the xacro package."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tarsus.formats.xacro.files import read_xacro
from tarsus.formats.xml import XmlElement

Plain = tuple[str, tuple[tuple[str, str], ...], str, tuple[Any, ...]]


def plain(element: XmlElement) -> Plain:
    """Return tag, attributes, text without its white space at line ends, and children."""
    attributes = tuple(sorted(element.attributes.items()))
    text = " ".join(element.text.split())
    return element.tag, attributes, text, tuple(plain(child) for child in element.children)


def expanded_by_tarsus(
    file: Path, package_dirs: Iterable[Path] = (), arguments: Mapping[str, Any] | None = None
) -> Plain:
    """Return the file as Tarsus expands it."""
    return plain(read_xacro(file, arguments or {}, package_dirs)[0])


def expanded_by_xacro(
    file: Path, package_dirs: Iterable[Path] = (), arguments: Mapping[str, Any] | None = None
) -> Plain:
    """Return the file as the xacro package expands it; its messages are not shown."""
    with contextlib.redirect_stderr(io.StringIO()):
        return plain(read_xacro(file, arguments or {}, package_dirs, trust=True)[0])
