"""An MJCF model as MuJoCo gets it: one text without includes, and the contents of its meshes.

MuJoCo opens no file by itself: included files are in the text, attached models and meshes are
given in memory under names made here. What Tarsus does not read, such as textures, cameras and
plugins, is left out of the text. Each element has a line of its own, and the lines of attached
models have higher numbers than those before them, so that a line number of MuJoCo tells the file
and line in which an element is stated.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from tarsus.formats.mjcf_files import ModelFiles
from tarsus.formats.xml import MAX_BYTES, XmlElement

GENERAL = "general"
"""What stands for an actuator whose force is computed by a plugin: it keeps its number and name."""

MAX_MESH_BYTES = 128 * 1024 * 1024
MAX_BYTES_OF_ALL_MESHES = 1024**3
"""Counted once per mesh element, because MuJoCo builds each."""

IGNORED = {
    "camera": "cameras",
    "light": "lights",
    "flex": "flexible bodies",
    "flexcomp": "flexible bodies",
    "skin": "skins",
    "plugin": "plugins",
}
"""Elements that are left out of the text and reported, with what they are called."""

OMITTED = {
    *("visual", "statistic", "size", "custom", "extension", "texture", "layer"),
    *("flexvert", "flexstrain"),
}
"""Elements that are left out of the text and have no influence on what Tarsus reads."""

OMITTED_ATTRIBUTES = {
    "compiler": {"meshdir", "texturedir", "assetdir", "strippath"},
    "model": {"content_type"},
    "plugin": {"plugin", "instance"},
    "material": {"texture"},
    "hfield": {"content_type", "elevation", "nrow", "ncol"},
}
"""Attributes that are left out of the text, besides the user's own numbers."""


class MjcfDocument(NamedTuple):
    """A model for MuJoCo: texts, contents of mesh files, and where they come from."""

    text: str
    models: dict[str, bytes]
    """Texts of attached models by the names that stand for their files."""
    meshes: dict[str, bytes]
    """Contents of mesh files by the names that stand for them."""
    mesh_files: dict[str, Path]
    lines: list[XmlElement]
    """The elements whose tags are in lines 1, 2, …"""
    ignored: Counter[str]


def write_document(models: Mapping[Path, ModelFiles]) -> MjcfDocument:
    """Return a model, the first of `models`, with all that it attaches."""
    writer = _Writer(models)
    texts = {name: writer.text(models[path]) for path, name in writer.names.items()}
    main, *_ = writer.names.values()
    attached = {name: text.encode() for name, text in texts.items() if name != main}
    return MjcfDocument(
        texts[main], attached, writer.meshes, writer.mesh_files, writer.lines, writer.ignored
    )


class _Writer:
    """Writes models one after the other."""

    def __init__(self, models: Mapping[Path, ModelFiles]) -> None:
        self.names = {path: f"model{number}.xml" for number, path in enumerate(models)}
        self.meshes: dict[str, bytes] = {}
        self.mesh_files: dict[str, Path] = {}
        self.mesh_names: dict[tuple[Path, str], str] = {}
        """Names by file and stated suffix, by which MuJoCo chooses the format."""
        self.mesh_bytes = 0
        self.lines: list[XmlElement] = []
        self.ignored: Counter[str] = Counter()
        self.size = 0

    def text(self, model: ModelFiles) -> str:
        """Return the text of a model, its first line after those of the models before it."""
        self.size += len(self.lines)
        text = [""] * len(self.lines)
        stack: list[tuple[XmlElement, bool]] = [(model.root, True)]
        while stack:
            element, starts = stack.pop()
            tag = GENERAL if element.tag == "plugin" else element.tag
            if not starts:
                text.append(f"</{tag}>")
                self.lines.append(element)
            elif element.tag == "include":
                stack.extend((child, True) for child in reversed(model.children(element)))
            elif not self._is_left_out(element):
                attributes = self._attributes(element, model).items()
                stated = "".join(f" {name}={quoteattr(value)}" for name, value in attributes)
                text.append(f"<{tag}{stated}>")
                self.lines.append(element)
                self.size += len(text[-1])
                if self.size > MAX_BYTES:
                    raise element.error(f"is beyond {MAX_BYTES} bytes of XML in all files")
                stack.append((element, False))
                if tag == element.tag:
                    stack.extend((child, True) for child in reversed(element.children))
        return "\n".join(text)

    def _is_left_out(self, element: XmlElement) -> bool:
        if element.tag not in IGNORED:
            return element.tag in OMITTED
        parent = element.parent or element
        if element.tag == "plugin" and parent.tag == "actuator":
            return False
        if element.tag == "plugin" and parent.tag == "mesh" and not _has_shape(parent):
            raise parent.error("has its shape from a plugin, which Tarsus cannot read")
        if parent.tag not in ("default", "equality"):
            self.ignored[IGNORED[element.tag]] += 1
        return True

    def _attributes(self, element: XmlElement, model: ModelFiles) -> dict[str, str]:
        omitted = OMITTED_ATTRIBUTES.get(element.tag, set()) | {"user", "file"}
        kept = {name: value for name, value in element.attributes.items() if name not in omitted}
        file = element.attributes.get("file", "")
        if file and element.tag in ("mesh", "hfield"):  # as MuJoCo names them
            stem, dot, suffix = file.replace("\\", "/").rpartition("/")[2].rpartition(".")
            kept.setdefault("name", stem if dot else suffix)
        if element.tag == "hfield":
            kept |= {"nrow": "2", "ncol": "2"}
        elif element.tag == "plugin":
            kept["biastype"] = "user"
        elif element.tag == "model":
            kept["file"] = self.names[model.targets[id(element)]]
        elif file and element.tag == "mesh":
            kept["file"] = self._mesh(element, model.mesh_file(element))
        elif file:
            raise element.error("names a file, but only meshes, height fields and models do so")
        return kept

    def _mesh(self, element: XmlElement, file: Path) -> str:
        """Return the name that stands for a mesh file; other contents have another name."""
        suffix = re.search(r"\.\w+$", element.string("file"))
        key = file, suffix[0] if suffix else ""
        if key not in self.mesh_names:
            with file.open("rb") as stream:
                data = stream.read(MAX_MESH_BYTES + 1)
            if len(data) > MAX_MESH_BYTES:
                raise element.error(f"names {file}, which is larger than {MAX_MESH_BYTES} bytes")
            digest = hashlib.blake2b(os.fsencode(file), digest_size=16)
            digest.update(data)
            self.mesh_names[key] = name = digest.hexdigest() + key[1]
            self.meshes[name], self.mesh_files[name] = data, file
        name = self.mesh_names[key]
        self.mesh_bytes += len(self.meshes[name])
        if self.mesh_bytes > MAX_BYTES_OF_ALL_MESHES:
            raise element.error(f"is beyond {MAX_BYTES_OF_ALL_MESHES} bytes of meshes in all")
        return name


def _has_shape(mesh: XmlElement) -> bool:
    return any(name in mesh.attributes for name in ("file", "vertex", "builtin"))
