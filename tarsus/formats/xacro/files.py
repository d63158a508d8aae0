"""Xacro files, from which URDF is generated.

They are expanded by `tarsus.formats.xacro.expand`, which runs no code of the file. Files that the
user trusts may be handed to the xacro package of ROS instead, which evaluates expressions as
Python.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from tarsus._lib.errors import ModelError, Source
from tarsus.formats.paths import Folders
from tarsus.formats.xacro.expand import expand
from tarsus.formats.xml import XmlElement, parse_xml

NAMESPACE = "xmlns:xacro"
"""The attribute by which a root element says that it is xacro."""

_one_at_a_time = threading.Lock()


def read_xacro(
    file: Path,
    arguments: Mapping[str, Any],
    package_dirs: Iterable[str | PathLike[str]] = (),
    *,
    trust: bool = False,
) -> tuple[XmlElement, list[str]]:
    """Expand a xacro file and return the root element of the URDF, and warnings.

    `arguments` are the values for `$(arg …)`. With `trust` the xacro package expands the file: its
    expressions can run any code.
    """
    folders = Folders(file, package_dirs)
    if trust:
        return _expand_trusted(file, arguments, folders), []
    return expand(file, arguments, folders)


def refuse_xacro(root: XmlElement) -> None:
    """Raise if a text, or a file of another name, is xacro."""
    if NAMESPACE in root.attributes and any(_is_xacro(element) for element in root.walk()):
        message = "this is xacro, not URDF: save it as a .xacro file and load that file"
        raise ModelError(message, root.source)


def _is_xacro(element: XmlElement) -> bool:
    return element.tag.startswith("xacro:") or any(
        "${" in value or "$(" in value for value in element.attributes.values()
    )


def _expand_trusted(file: Path, arguments: Mapping[str, Any], folders: Folders) -> XmlElement:
    """Expand a file with the xacro package."""
    try:
        import xacro
    except ModuleNotFoundError as error:
        if error.name != "xacro":
            raise
        message = f"{file} with trust=True needs xacro: pip install 'tarsus[xacro]'"
        raise ModuleNotFoundError(message, name="xacro") from None
    mappings = {name: str(value) for name, value in arguments.items()}
    with _finding(folders):
        try:
            text = xacro.process_file(str(file), mappings=mappings).toxml()
        except Exception as error:  # what its expressions raise may be anything
            cause = " ".join(str(error).split()) or type(error).__name__
            raise ModelError(f"xacro: {cause}", Source(str(file))) from error
    return parse_xml(text.encode(), str(file))


@contextmanager
def _finding(folders: Folders) -> Iterator[None]:
    """Let `$(find package)` look where `package://` does, too; without ROS it knows no place."""
    from xacro import substitution_args as own

    before = own._eval_find

    def found(name: str) -> str:
        folder = folders.package(name)
        if folder is not None:
            return str(folder)
        try:
            return str(before(name))
        except ImportError:
            message = (
                f"$(find {name}): there is no package {name!r}; name its folder in package_dirs"
            )
            raise own.SubstitutionException(message) from None

    with _one_at_a_time:
        own._eval_find = own._eval_dict["find"] = found
        try:
            yield
        finally:
            own._eval_find = own._eval_dict["find"] = before
