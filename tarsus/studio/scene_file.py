"""Studio scenes: a world in one JSON file, as it stands, to go on with it elsewhere.

Meshes stay in files of their own; those in the scene's folder are named as seen from there, so
that folder may be moved.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.formats import text
from tarsus.formats.native_elements import mapping
from tarsus.model import Model
from tarsus.model.checks import number, numbers
from tarsus.model.description import ModelError, Source
from tarsus.studio.document import Document
from tarsus.studio.documents import FORMAT, Folders, document_data, read_document

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

KEYS = ("t", "q", "v")
KIND = ".json"
HEADER = re.compile(
    rb'\s*\{\s*"format"\s*:\s*"' + FORMAT.encode() + rb'"\s*,\s*"version"\s*:\s*\d+\s*,'
)
"""The first bytes of a scene: its format and version are its first keys."""


@dataclass(frozen=True, eq=False)
class World:
    """A document with its model, in a state at a time [s]; `notes` are for people to know."""

    document: Document
    model: Model
    q: Array
    v: Array
    t: float = 0.0
    notes: tuple[str, ...] = ()


def write_scene(stage: Stage, path: Path) -> list[str]:
    """Write a stage as a scene; return what of it no file can keep."""
    data, lost = document_data(stage.document)
    for shape in data.get("shapes", []):
        if "file" in shape and Path(shape["file"]).is_relative_to(path.parent):
            shape["file"] = str(Path(shape["file"]).relative_to(path.parent))
    data["state"] = {
        "t": stage.t,
        "q": stage.machine.q.tolist(),
        "v": stage.machine.v.tolist(),
    }
    text.write(data, path)
    return lost


def is_scene(data: Any) -> bool:
    """Whether data of a file are those of a scene."""
    return isinstance(data, dict) and data.get("format") == FORMAT


def read_scene(data: Any, path: Path, folders: Folders = ()) -> World:
    """Return the world that a file states; meshes are read below `folders` only."""
    source = Source(str(path))
    document = read_document(data, source, folders, further=("state",))
    try:
        model = Model(document.description, strict=False)
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(str(error), source) from None
    if "state" not in data:
        return World(document, model, model.initial_configuration, np.zeros(model.nv))
    state = mapping(data["state"], KEYS, ("q", "v"), "state", source)
    return World(
        document,
        model,
        numbers(state["q"], (model.nq,), "q of state", source),
        numbers(state["v"], (model.nv,), "v of state", source),
        number(state.get("t", 0.0), "t of state", source),
    )
