"""Xacro files, which are programs that write URDF: the package `xacro` of ROS runs them.

Expressions in them are Python, and they include other files: nothing of that is done unless a file
is named `.xacro`, and only such files should be opened that one would also run.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from tarsus.formats.paths import Folders
from tarsus.formats.xml import Element, parse_xml
from tarsus.model.description import ModelError, Source

NAMESPACE = "xmlns:xacro"
"""The attribute by which a root element says that it is xacro."""

_one_at_a_time = threading.Lock()


def read_xacro(
    file: Path, arguments: Mapping[str, Any], package_dirs: Iterable[str | PathLike[str]] = ()
) -> Element:
    """Run a xacro file with `arguments` for its `$(arg …)`, and return the root of the URDF."""
    try:
        import xacro
    except ModuleNotFoundError as error:
        if error.name != "xacro":
            raise
        message = f"{file} needs xacro: pip install 'tarsus[xacro]'"
        raise ModuleNotFoundError(message, name="xacro") from None
    stated = {name: str(value) for name, value in arguments.items()}
    with _finding(Folders(file, package_dirs)):
        try:
            text = xacro.process_file(str(file), mappings=stated).toxml()
        except Exception as error:  # what its expressions raise may be anything
            cause = " ".join(str(error).split()) or type(error).__name__
            raise ModelError(f"xacro: {cause}", Source(str(file))) from error
    return parse_xml(text.encode(), str(file))


def refuse_xacro(root: Element) -> None:
    """Raise if a text, or a file of another name, is xacro."""
    if NAMESPACE in root.attributes and any(_is_xacro(element) for element in root.walk()):
        message = (
            "this is xacro, whose expressions are run as Python: "
            "if you trust it, save it as .xacro and load that file"
        )
        raise ModelError(message, root.source)


def _is_xacro(element: Element) -> bool:
    return element.tag.startswith("xacro:") or any(
        "${" in value or "$(" in value for value in element.attributes.values()
    )


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
