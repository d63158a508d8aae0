"""What an SDF file includes, read in place: models of other files, with names and poses of here."""

from __future__ import annotations

from pathlib import Path

from tarsus.formats.context import Context
from tarsus.formats.xml import Element, read_xml
from tarsus.model.description import ModelError

MAX_INCLUDES = 1000
MAX_ELEMENTS = 200_000
"""In all included files, each counted as often as it is included."""
OLDEST = "1.5"
"""Before, axes were stated in another frame."""


class Includes:
    """Replaces `<include>` by the models that are meant."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.count = 0
        self.elements = 0

    def expand(self, place: Element, open_files: tuple[Path, ...] = ()) -> None:
        """Replace the includes of a world or model and of all models inside it."""
        children: list[Element] = []
        for child in place.children:
            found = child
            files = open_files
            if child.tag == "include":
                file = self._file(child)
                if file is None and place.tag != "model":
                    self._leave_out(child)
                    continue
                if file is None:
                    raise child.error(f"is not found: {_reference(child)}{self._hint(child)}")
                files = (*open_files, file)
                found = self._model(child, file, open_files)
            children.append(found)
            found.parent = place
            if found.tag == "model":
                self.expand(found, files)
        place.children = children

    def _file(self, include: Element) -> Path | None:
        """The file that is included, None if it is not found."""
        reference, source = _reference(include), include.source
        folders = self.context.folders
        if Path(reference).suffix in (".sdf", ".world", ".xml"):
            return folders.find(reference, source)
        reference = reference.rstrip("/")
        config = folders.find(f"{reference}/model.config", source)
        if config is None:
            return folders.find(f"{reference}/model.sdf", source)
        stated = list(read_xml(config).all("sdf"))
        if not stated:
            raise ModelError(f"{config} names no <sdf>", source)
        newest = max(stated, key=lambda each: each.attributes.get("version", ""))
        return folders.find(f"{reference}/{newest.text_string()}", source)

    def _model(self, include: Element, file: Path, open_files: tuple[Path, ...]) -> Element:
        """The model of a file, with what the include says otherwise."""
        self.count += 1
        if file in open_files:
            raise include.error(f"is inside itself: {file}")
        if self.count > MAX_INCLUDES:
            raise include.error(f"is one of more than {MAX_INCLUDES}")
        root = read_xml(file)
        self.elements += sum(1 for _ in root.walk())
        if self.elements > MAX_ELEMENTS:
            raise include.error(f"makes more than {MAX_ELEMENTS} elements of all includes")
        models = list(root.all("model"))
        if root.tag != "sdf" or len(models) != 1:
            raise include.error(f"must be of a file with one <model>: {file}")
        version = root.attributes.get("version", OLDEST)
        if [int(x) for x in version.split(".")[:2] if x.isdigit()] < [1, 5]:
            raise include.error(f"is of SDF {version}; from {OLDEST} on files can be included")
        (model,) = models
        _anchor_meshes(model, file)
        if (name := include.find("name")) is not None:
            model.attributes["name"] = name.text_string()
        for tag in ("pose", "static"):
            if (stated := include.find(tag)) is not None:
                model.children = [each for each in model.children if each.tag != tag]
                model.children.append(stated)
                stated.parent = model
        if (placed := include.find("placement_frame")) is not None:
            model.attributes["placement_frame"] = placed.text_string()
        return model

    def _leave_out(self, include: Element) -> None:
        told = f"{include.source}: include of {_reference(include)} is left out: not found"
        self.context.warnings.append(told + self._hint(include))

    def _hint(self, include: Element) -> str:
        hint = self.context.folders.hint(_reference(include))
        return "" if hint is None else f"; package_dirs lacks {hint}"


def _reference(include: Element) -> str:
    return include.require("uri").text_string()


def _anchor_meshes(model: Element, file: Path) -> None:
    """Let relative paths of meshes be relative to the file that states them."""
    for element in model.walk():
        if element.tag != "mesh" or (uri := element.find("uri")) is None:
            continue
        path = uri.text.strip()
        if path and "://" not in path and not Path(path).is_absolute():
            uri.text = str(file.parent / path)
