"""What an MJCF model refers to, checked before MuJoCo opens any of it.

MuJoCo resolves includes, meshes and textures itself. Here they are looked at first: every
file must lie in the model's folder, and no element may ask for an unreasonable size.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

from tarsus.formats.paths import Folders
from tarsus.formats.xml import Element, read_xml
from tarsus.model.description import ModelError, Source

Sources = dict[tuple[str, str], Source]
"""Where an element is stated, by its tag and name."""

LARGEST_COUNTS = {
    ("replicate", "count"): 10_000,
    ("composite", "count"): 10_000,
    ("flexcomp", "count"): 10_000,
    ("texture", "width"): 20_000,
    ("texture", "height"): 200_000,
    ("hfield", "nrow"): 10_000,
    ("hfield", "ncol"): 10_000,
}
DIRECTORIES = {"texture": "texturedir", "include": "", "model": ""}
MAX_FILES = 1000
NOT_A_NUMBER = re.compile(r"(^|\s)[+-]?nan($|\s|\()", re.IGNORECASE)


def check_files(path: str | os.PathLike[str]) -> Sources:
    """Read the model and all that it includes; return where its named elements are stated."""
    folders = Folders(path)
    roots = _read_all(Path(path), folders)
    if roots[0].tag != "mujoco":
        raise ModelError(f"the root element is <{roots[0].tag}>, not <mujoco>", roots[0].source)
    elements = [element for root in roots for element in root.walk()]
    directories = _directories(elements)
    sources: Sources = {}
    for element in elements:
        _check_numbers(element)
        _check_counts(element)
        _check_references(element, folders, directories)
        if "name" in element.attributes:
            sources.setdefault((element.tag, element.attributes["name"]), element.source)
    return sources


def _read_all(path: Path, folders: Folders) -> list[Element]:
    roots = {path.resolve(): read_xml(path)}
    waiting = list(roots.values())
    while waiting:
        for element in waiting.pop().walk():
            for file in _included(element, folders):
                if len(roots) >= MAX_FILES:
                    raise element.error(f"is one of more than {MAX_FILES} included files")
                if file not in roots:
                    roots[file] = read_xml(file)
                    waiting.append(roots[file])
    return list(roots.values())


def _included(element: Element, folders: Folders) -> Iterator[Path]:
    if element.tag not in ("include", "model") or "file" not in element.attributes:
        return
    name = element.string("file")
    # relative to the main file or to the file with the include, depending on MuJoCo's version
    for folder in (folders.here, Path(element.source.file).resolve().parent):
        file = _inside(folder / name, folders, element)
        if file.is_file():
            yield file


def _directories(elements: list[Element]) -> dict[str, list[str]]:
    """The folders of meshes and textures that the compiler is told."""
    directories: dict[str, list[str]] = {"meshdir": [], "texturedir": []}
    for element in elements:
        if element.tag == "compiler":
            for kind in directories:
                names = [name for name in (kind, "assetdir") if name in element.attributes]
                directories[kind] += [element.attributes[name] for name in names]
    return directories


def _check_references(
    element: Element, folders: Folders, directories: dict[str, list[str]]
) -> None:
    bases = directories.get(DIRECTORIES.get(element.tag, "meshdir"), [])
    for attribute, value in element.attributes.items():
        if attribute in ("meshdir", "texturedir", "assetdir"):
            _inside(folders.here / value, folders, element)
        elif attribute.startswith("file") and value:
            for base in bases or [""]:
                _inside(folders.here / base / value, folders, element)


def _inside(path: Path, folders: Folders, element: Element) -> Path:
    try:
        return folders.check(path, element.source)
    except (OSError, RuntimeError) as error:
        raise element.error(f"refers to an unusable path: {error}") from None


def _check_numbers(element: Element) -> None:
    # MuJoCo reads them, prints a warning and writes a log file into the working directory
    for attribute, value in element.attributes.items():
        if attribute != "name" and NOT_A_NUMBER.search(value):
            raise element.error(f"attribute '{attribute}' must be a number, not '{value}'")


def _check_counts(element: Element) -> None:
    for (tag, attribute), largest in LARGEST_COUNTS.items():
        if element.tag == tag and attribute in element.attributes:
            count = math.prod(element.vector(attribute, (1, 2, 3)).tolist())
            around = element.parent
            while around is not None:
                if around.tag == "replicate" and "count" in around.attributes:
                    count *= around.number("count")
                around = around.parent
            if not abs(count) <= largest:
                raise element.error(f"attribute '{attribute}' asks for more than {largest}")
