"""Files that an MJCF model refers to, and their sizes, checked before MuJoCo reads them."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tarsus._lib.errors import ModelError, Source
from tarsus.formats.paths import Folders, is_network_path, normalized
from tarsus.formats.xml import XmlElement, read_xml

# The files of an MJCF model: included parts, attached models and meshes, found and checked.
#
# A file must lie in the model's folders, no file may contain itself, and nothing may ask for an
# unreasonable size (`tarsus.formats.mjcf_files`). References are resolved here as MuJoCo resolves
# them; MuJoCo itself gets the contents and opens no file (`tarsus.formats.mjcf_document`).


MAX_FILES = 1000
ROOT = "mujoco"
NOT_A_NUMBER = re.compile(r"(^|\s)[+-]?nan($|\s|\()", re.IGNORECASE)


class ModelFiles:
    """One model: its main file, the files that it includes, and those that it names.

    Relative paths start at the folder of the main file, as in MuJoCo. If nothing is there, paths
    in an included file start at the folder of that file.
    """

    def __init__(self, path: Path, folders: Folders, roots: dict[Path, XmlElement]) -> None:
        self.path, self.folders = path, folders
        self.roots: dict[Path, XmlElement] = {}
        """The main file and the included ones."""
        self.targets: dict[int, Path] = {}
        """The file that an include or model element names, by the identity of the element."""
        waiting = [path]
        while waiting:
            file = waiting.pop()
            if file not in roots:
                roots[file] = read_xml(file)
            self.roots[file] = roots[file]
            for element in roots[file].walk():
                if element.tag == "include" and element.children:
                    raise element.error("must have nothing inside")
                if element.tag in ("include", "model"):
                    self.targets[id(element)] = target = self._find(element)
                    if element.tag == "include" and target not in self.roots:
                        waiting.append(target)
                    if len(roots) + len(waiting) > MAX_FILES:
                        raise element.error(f"is one of more than {MAX_FILES} included files")

    @property
    def root(self) -> XmlElement:
        """The root element of the main file."""
        return self.roots[self.path]

    @cached_property
    def elements(self) -> list[XmlElement]:
        """The elements of the main file and, in the place of includes, of the included files."""
        elements, included, stack = list[XmlElement](), {self.path}, [self.root]
        while stack:
            element = stack.pop()
            elements.append(element)
            stack.extend(reversed(self.children(element)))
            if element.tag == "include":
                file = self.targets[id(element)]
                if file in included:
                    raise element.error(f"includes {file.name} again; include each file once")
                included.add(file)
        return elements

    def children(self, element: XmlElement) -> list[XmlElement]:
        """Return what is inside an element, or in the file that it includes."""
        if element.tag != "include":
            return element.children
        return self.roots[self.targets[id(element)]].children

    def attached(self) -> list[Path]:
        """Return the files of the models that this one attaches."""
        elements = [element for root in self.roots.values() for element in root.walk()]
        return [self.targets[id(element)] for element in elements if element.tag == "model"]

    def mesh_file(self, element: XmlElement) -> Path:
        """Return the file of a mesh element."""
        return self._find(element, *self._mesh_settings)

    @cached_property
    def _mesh_settings(self) -> tuple[str, bool]:
        """The folder of meshes, and whether their file names lose their folders."""
        folder, strip = "", False
        for element in self.elements:
            stated = element.attributes if element.tag == "compiler" else {}
            folder = stated.get("meshdir", stated.get("assetdir", folder))
            strip = stated.get("strippath", "true" if strip else "false") == "true"
        return folder, strip

    def _find(self, element: XmlElement, directory: str = "", strip: bool = False) -> Path:
        """Return the file that an element names, in `directory` unless its path is absolute."""
        name, source = element.string("file"), element.source
        path, folder = normalized(name, source), normalized(directory, source)
        if is_network_path(path) or is_network_path(folder):
            raise element.error(f"names '{directory or name}' on another computer: copy it here")
        if strip:
            path = path.rpartition("/")[2]
        here = self.path.parent
        including = os.path.relpath(Path(source.file).resolve().parent, here)
        error = element.error(f"names the file '{name}', which is not there")
        for candidate in (here / folder / path, here / folder / including / path):
            try:
                file = self.folders.check(candidate, source)
                if file.is_file():
                    return file
            except ModelError as outside:
                error = outside
            except (OSError, RuntimeError, ValueError) as unusable:
                error = element.error(f"names the file '{name}': {unusable}")
        raise error


def read_models(
    path: str | os.PathLike[str], package_dirs: Iterable[str | os.PathLike[str]] = ()
) -> dict[Path, ModelFiles]:
    """Read a model and all models that it attaches, itself first; an error if one is not safe."""
    folders = Folders(path, package_dirs)
    main = Path(path).resolve()
    roots = {main: read_xml(path)}
    models: dict[Path, ModelFiles] = {}
    waiting = [main]
    while waiting:
        file = waiting.pop()
        if file not in models:
            models[file] = model = ModelFiles(file, folders, roots)
            if model.root.tag != ROOT:
                message = f"the root element is <{model.root.tag}>, not <{ROOT}>"
                raise ModelError(message, model.root.source)
            waiting += model.attached()
    _check_sizes(roots, list(models.values()))
    for model in models.values():
        for element in model.elements:
            _check_numbers(element)
    return models


def _check_sizes(roots: dict[Path, XmlElement], models: list[ModelFiles]) -> None:
    """Raise if a file contains itself, or stands for too many elements."""
    referred: dict[Path, dict[Reference, list[Path]]] = {file: {} for file in roots}
    """By file: the files that may be meant by what it refers to."""
    for model in models:
        named: dict[str, list[Path]] = {}
        elements = [(file, e) for file, root in model.roots.items() for e in root.walk()]
        for file, element in elements:
            if element.tag in ("include", "model"):
                target = model.targets[id(element)]
                _add(referred[file].setdefault(reference(element), []), [target])
                if element.tag == "model":
                    # one without a name has that in its file: it may be any
                    named.setdefault(element.attributes.get("name", ""), []).append(target)
        for file, element in elements:
            if element.tag == "attach":
                targets = named.get(element.attributes.get("model", "")) or named.get("", [])
                _add(referred[file].setdefault(reference(element), []), targets)
    sizes: dict[Path, Size] = {}
    for file in _contained_first(referred):
        sizes[file] = file_size(roots[file], referred[file], sizes)


def _add(known: list[Path], targets: list[Path]) -> None:
    known += [target for target in dict.fromkeys(targets) if target not in known]


def _contained_first(referred: dict[Path, dict[Reference, list[Path]]]) -> list[Path]:
    """Return the files, what others contain before them; an error if one contains itself."""
    graph = {
        file: {t for targets in refs.values() for t in targets} for file, refs in referred.items()
    }
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle: list[Path] = error.args[1][::-1]
        names = " → ".join(file.name for file in circle)
        raise ModelError(f"the file contains itself: {names}", Source(str(circle[0]))) from None


def _check_numbers(element: XmlElement) -> None:
    # MuJoCo reads them, prints a warning and writes a log file into the working directory
    for attribute, value in element.attributes.items():
        if attribute != "name" and NOT_A_NUMBER.search(value):
            raise element.error(f"attribute '{attribute}' must be a number, not '{value}'")


# What an MJCF file makes MuJoCo allocate: elements that are made by others.
#
# A few lines can ask for billions of bodies. MuJoCo would try, in time that grows with the square
# of their number: the elements that a file asks for are counted before.


MAX_MADE = 10_000
"""Elements that replicate, attach and composite may make in all."""

POINTS = 1000
"""Points of a mesh that MuJoCo makes that count as one element."""

COUNTS = {"replicate": (1.0,), "composite": (1.0,)}
"""Elements that make others, and how many unless their count tells."""

Size = tuple[float, int]
"""How many elements a file stands for when all is made, and how many are stated one by one."""

Reference = tuple[str, str]
"""A tag and what it names: the path of an include or a model, the name of a model to attach."""


def reference(element: XmlElement) -> Reference:
    """Return what an include, model or attach element refers to."""
    return element.tag, element.attributes.get("model" if element.tag == "attach" else "file", "")


def file_size(
    root: XmlElement, referred: Mapping[Reference, list[Path]], known: Mapping[Path, Size]
) -> Size:
    """Return how many elements a file stands for; an error if too many are made.

    `referred` are the files that may be meant by its references, `known` their sizes.
    """
    sizes: dict[int, Size] = {}
    for element in reversed(list(root.walk())):  # children before their parents
        parts = [(1.0, 1), *(sizes.pop(id(child)) for child in element.children)]
        parts += [known[file] for file in referred.get(reference(element), ())]
        made, stated = sum(part[0] for part in parts), sum(part[1] for part in parts)
        if element.tag in ("model", "attach"):
            stated = 1
        elif element.tag in COUNTS:
            count = element.vector("count", (1, 2, 3), COUNTS[element.tag])
            made *= max(1.0, abs(math.prod(count.tolist())))
        elif element.tag == "mesh" and "params" in element.attributes:
            # a grid with as many lines in both directions, for some of the forms
            made += float(max(abs(element.vector("params", tuple(range(1, 20)))))) ** 2 / POINTS
        if made - stated > MAX_MADE:
            raise element.error(f"asks for more than {MAX_MADE} elements")
        sizes[id(element)] = made, stated
    return sizes[id(root)]
