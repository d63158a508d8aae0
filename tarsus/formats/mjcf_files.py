"""What an MJCF model refers to, checked before MuJoCo opens any of it.

MuJoCo resolves includes, attached models, meshes and textures itself. Here they are looked at
first: every file must lie in the model's folders, no file may contain itself, and nothing may ask
for an unreasonable size (`tarsus.formats.mjcf_sizes`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tarsus.formats.mjcf_sizes import Reference, Size, check_file, file_size, reference
from tarsus.formats.paths import Folders
from tarsus.formats.xml import Element, read_xml
from tarsus.model.description import ModelError, Source

Sources = dict[tuple[str, str], Source]
"""Where an element is stated, by its tag and name."""

DIRECTORIES = {"texture": "texturedir", "include": "", "model": ""}
MAX_FILES = 1000
NOT_A_NUMBER = re.compile(r"(^|\s)[+-]?nan($|\s|\()", re.IGNORECASE)


def check_files(
    path: str | os.PathLike[str], package_dirs: Iterable[str | os.PathLike[str]] = ()
) -> Sources:
    """Read the model and all that it includes; return where its named elements are stated."""
    folders = Folders(path, package_dirs)
    files = _Files(Path(path), folders)
    sizes: dict[Path, Size] = {}
    for file in files.contained_first():
        sizes[file] = file_size(files.roots[file], files.referred.get(file, {}), sizes)
    sources: Sources = {}
    for folder, roots in files.models:
        elements = [element for root in roots for element in root.walk()]
        directories = _directories(elements)
        for element in elements:
            _check_numbers(element)
            _check_references(element, folder, folders, directories)
            if "name" in element.attributes:
                sources.setdefault((element.tag, element.attributes["name"]), element.source)
    return sources


class _Files:
    """All files of a model, read once each, and which contains which."""

    def __init__(self, path: Path, folders: Folders) -> None:
        self.folders = folders
        self.roots: dict[Path, Element] = {}
        self.referred: dict[Path, dict[Reference, list[Path]]] = {}
        """By file: the files that may be meant by what it refers to."""
        self.models: list[tuple[Path, list[Element]]] = []
        """Models by themselves: the folder to which their paths are relative, and all roots."""
        waiting, seen = [path.resolve()], set()
        self.roots[path.resolve()] = main = read_xml(path)
        if main.tag != "mujoco":
            raise ModelError(f"the root element is <{main.tag}>, not <mujoco>", main.source)
        while waiting:
            model = waiting.pop()
            if model not in seen:
                seen.add(model)
                waiting += self._read_model(model)

    def _read_model(self, model: Path) -> list[Path]:
        """Read a model with all that it includes, and return the models that it attaches."""
        included, attached = [model], list[Path]()
        roots: dict[Path, Element] = {}
        while included:
            file = included.pop()
            if file in roots:
                continue
            if file not in self.roots:
                self.roots[file] = read_xml(file)
            roots[file] = self.roots[file]
            for element in roots[file].walk():
                if element.tag in ("include", "model") and "file" in element.attributes:
                    found = list(self._find(element, model.parent))
                    self._refer(file, element, found)
                    (included if element.tag == "include" else attached).extend(found)
                    if len(self.roots) + len(included) + len(attached) > MAX_FILES:
                        raise element.error(f"is one of more than {MAX_FILES} included files")
        self._attach(roots)
        self.models.append((model.parent, list(roots.values())))
        return attached

    def _attach(self, roots: dict[Path, Element]) -> None:
        """Find the files of models that are attached by their names, which files may share."""
        elements = [(file, element) for file, root in roots.items() for element in root.walk()]
        named: dict[str, list[Path]] = {}
        for file, element in elements:
            if element.tag == "model":
                # one without a name has that in its file: it may be any
                name = element.attributes.get("name", "")
                named.setdefault(name, []).extend(self._referred(file, element))
        for file, element in elements:
            if element.tag == "attach":
                name = element.attributes.get("model", "")
                self._refer(file, element, named.get(name) or named.get("", []))

    def _refer(self, file: Path, element: Element, found: list[Path]) -> None:
        known = self.referred.setdefault(file, {}).setdefault(reference(element), [])
        known += [other for other in found if other not in known]

    def _referred(self, file: Path, element: Element) -> list[Path]:
        return self.referred.get(file, {}).get(reference(element), [])

    def _find(self, element: Element, folder: Path) -> Iterator[Path]:
        name = element.string("file")
        # relative to the model or to the file with the include, depending on MuJoCo's version
        for place in dict.fromkeys((folder, Path(element.source.file).resolve().parent)):
            file = _inside(place / name, self.folders, element)
            if file.is_file():
                yield file

    def contained_first(self) -> list[Path]:
        """The files, what others contain before them; an error if one contains itself."""
        graph: dict[Path, set[Path]] = {
            file: set().union(*self.referred.get(file, {}).values()) for file in self.roots
        }
        try:
            return list(TopologicalSorter(graph).static_order())
        except CycleError as error:
            circle: list[Path] = error.args[1][::-1]
            names = " → ".join(file.name for file in circle)
            raise ModelError(f"the file contains itself: {names}", Source(str(circle[0]))) from None


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
    element: Element, folder: Path, folders: Folders, directories: dict[str, list[str]]
) -> None:
    bases = directories.get(DIRECTORIES.get(element.tag, "meshdir"), [])
    for attribute, value in element.attributes.items():
        if attribute in ("meshdir", "texturedir", "assetdir"):
            _inside(folder / value, folders, element)
        elif attribute.startswith("file") and value:
            for base in bases or [""]:
                check_file(_inside(folder / base / value, folders, element), element)


def _inside(path: Path, folders: Folders, element: Element) -> Path:
    try:
        return folders.check(path, element.source)
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise element.error(f"refers to an unusable path: {error}") from None


def _check_numbers(element: Element) -> None:
    # MuJoCo reads them, prints a warning and writes a log file into the working directory
    for attribute, value in element.attributes.items():
        if attribute != "name" and NOT_A_NUMBER.search(value):
            raise element.error(f"attribute '{attribute}' must be a number, not '{value}'")
