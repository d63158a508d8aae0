"""Documents as plain data, and scene files."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.checks import number, numbers
from tarsus._lib.data import decode, encode
from tarsus._lib.errors import ModelError, Source
from tarsus._lib.files import Array
from tarsus.formats import text
from tarsus.formats.native import KEYS as KEYS_DOCUMENTS
from tarsus.formats.native import decode_force, encode_force, from_data, to_data
from tarsus.formats.native_elements import mapping
from tarsus.geometry.grounds import Ground, SmoothGround, Space, Terrain
from tarsus.geometry.height_field import HeightField, Profile, Steps
from tarsus.geometry.surfaces.graphs import Paraboloid, Plane, Sinusoid
from tarsus.model.model import Model
from tarsus.parts.constraints import CONSTRAINTS
from tarsus.parts.forces import FORCES
from tarsus.parts.part import Part
from tarsus.scenes.scene import scene_named
from tarsus.simulation.contact.compliant import NORMAL_LAWS, SLIP_LAWS
from tarsus.simulation.contact.law import LAWS
from tarsus.simulation.integrators.integrator import INTEGRATORS
from tarsus.studio.document import Document, Guide, Slider
from tarsus.studio.gallery import ENTRIES
from tarsus.studio.opening import of_scene, opened
from tarsus.studio.sizing import check_call

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


# Documents as plain data, without loss: our model format, and beside it what a studio has more.
#
#     {"format": "tarsus studio", "version": 2, "name": "…", "bodies": […], "joints": […],
#      "parts": [{"kind": "spring", "name": "s1", …}], "ground": {"$kind": "Ground", …}, "dt": 1}
#
# Parts are written as forces are in our model format, constraints too. What was made in Python, a
# controller or contact points, is kept by the name of the scene that it is of.


KINDS: Mapping[str, type[Any]] = {
    each.__name__: each
    for each in (
        *(Ground, Space, Profile, Steps, HeightField, SmoothGround, Plane, Paraboloid, Sinusoid),
        *LAWS.values(),
        *NORMAL_LAWS.values(),
        *SLIP_LAWS.values(),
        *INTEGRATORS.values(),
    )
}
"""Grounds, contact laws and integrators that a file may state, by name."""
FORMAT, VERSION = "tarsus studio", 2
PARTS: dict[str, type[Part]] = {**FORCES, **CONSTRAINTS}
OF_PYTHON = ("collision", "controller", "walker")
"""What is made in Python; files say whether it is there."""
OWN = (
    *(
        "parts",
        "resting",
        "left_out",
        "ground",
        "dt",
        "frame",
        "accuracy",
        "contact",
        "settings",
        "scene",
        *OF_PYTHON,
    ),
    *("sliders", "bindings", "charts", "shown", "groups", "guide"),
)
"""What a document has beside a model."""
Folders = Iterable[str | os.PathLike[str]]


def document_data(document: Document) -> tuple[dict[str, Any], list[str]]:
    """Return a document as data for JSON, and what of it no file can keep."""
    data = to_data(document.description)
    data |= {"format": FORMAT, "version": VERSION}
    parts = enumerate(document.parts.values(), 1)
    data["parts"] = [encode_force(part, k, PARTS) for k, part in parts]
    data["resting"] = sorted(document.resting)
    left_out = dataclasses.replace(document.description, loops=list(document.left_out))
    data["left_out"] = to_data(left_out).get("loops", [])
    data["ground"] = encode(document.ground, "the ground", KINDS)
    data["dt"], data["frame"] = document.dt, document.frame
    data["accuracy"] = None if document.accuracy is None else list(document.accuracy)
    data["contact"] = encode(document.contact, "contact", KINDS)
    data["settings"] = {name: encode(each, name, KINDS) for name, each in document.settings.items()}
    lost = []
    if document.scene:
        data["scene"] = document.scene
    for name in OF_PYTHON:
        data[name] = getattr(document, name) is not None
        if data[name] and not document.scene:
            lost.append(f"its {name}, which is of Python")
            data[name] = False
    data["sliders"] = {name: dataclasses.asdict(each) for name, each in document.sliders.items()}
    data["bindings"] = dict(document.bindings)
    data["charts"], data["shown"] = list(document.charts), sorted(document.shown)
    data["groups"] = {name: list(bodies) for name, bodies in document.groups.items()}
    data["guide"] = None if document.guide is None else _guide_data(document.guide)
    return data, lost


def read_document(
    data: Any,
    source: Source,
    folders: Folders = (),
    *,
    further: tuple[str, ...] = (),
    scenes: Callable[[str, Source], Document] | None = None,
) -> Document:
    """Return the document that `document_data` made; `further` are keys that others read.

    Meshes are read from the folder of the source and from `folders` only. `scenes` returns scenes
    by name, `scene_document` unless stated.
    """
    top = mapping(
        data, (*KEYS_DOCUMENTS, *OWN, *further), ("format", "version", "name"), "the file", source
    )
    if top["format"] != FORMAT or top["version"] != VERSION:
        stated = f"format {top['format']!r}, version {top['version']!r}"
        raise ModelError(f"must be format {FORMAT!r}, version {VERSION}, not {stated}", source)
    model = {key: value for key, value in top.items() if key in KEYS_DOCUMENTS}
    stated_model = from_data({**model, "format": "tarsus", "version": 1}, source.file, folders)
    try:
        left_out = {**model, "loops": top.get("left_out", []), "format": "tarsus", "version": 1}
        loops = from_data(left_out, source.file, folders).loops
        document = _completed(Document(stated_model, left_out=tuple(loops)), top, source)
    except ModelError:
        raise
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        raise ModelError(str(error), source) from None
    if document.scene:
        whole = (scenes or scene_document)(document.scene, source)
        document = _of_scene(document, whole, top)
    return document


def _completed(document: Document, data: dict[str, Any], source: Source) -> Document:
    """Return a document with what the data state beside its model."""
    parts: dict[str, Part] = {}
    for k, entry in enumerate(_list(data, "parts"), 1):
        part = decode_force(entry, k, source, PARTS, "parts")
        if not part.name or part.name in parts:
            raise ModelError(f"entry {k} of parts has no name, or one that is taken", source)
        parts[part.name] = part
    ground = decode(data.get("ground"), "ground", KINDS)
    if ground is not None and not isinstance(ground, Terrain):
        raise ModelError("ground is none of the grounds", source)
    guide = data.get("guide")
    return document.but(
        parts=parts,
        resting=frozenset(_words(data.get("resting", []), "resting")) & set(parts),
        ground=ground,
        dt=number(data.get("dt", document.dt), "dt", source),
        frame=number(data.get("frame", document.frame), "frame", source),
        accuracy=_accuracy(data.get("accuracy"), source),
        contact=decode(data.get("contact", document.contact), "contact", KINDS),
        settings={name: decode(each, name, KINDS) for name, each in _map(data, "settings").items()},
        scene=_word(data.get("scene", ""), "scene"),
        sliders={name: _slider(each, name) for name, each in _map(data, "sliders").items()},
        bindings={name: _word(each, name) for name, each in _map(data, "bindings").items()},
        charts=_words(data.get("charts", []), "charts"),
        shown=frozenset(_words(data.get("shown", sorted(document.shown)), "shown")),
        groups={name: _words(each, name) for name, each in _map(data, "groups").items()},
        guide=None if guide is None else _guide(guide, source),
    )


def _accuracy(data: Any, source: Source) -> tuple[float, float] | None:
    if data is None:
        return None
    relative, absolute = numbers(data, (2,), "accuracy", source).tolist()
    return relative, absolute


def _of_scene(document: Document, whole: Document, data: dict[str, Any]) -> Document:
    """Return a document with what is of Python in the scene that it is of."""
    kept = {name: getattr(whole, name) for name in OF_PYTHON if data.get(name) is True}
    if kept.get("walker") is not None and isinstance(document.ground, Ground):
        kept["walker"] = kept["walker"].but(slope=document.ground.slope)
    return document.but(**kept)


def scene_document(name: str, source: Source) -> Document:
    """Return the scene of that name, of `tarsus.scenes` or of the gallery."""
    if name in ENTRIES:
        return opened(ENTRIES[name].make())[0]
    check_call(name)
    scene = scene_named(name, quotes=False)
    if scene is None:
        raise ModelError(f"there is no scene {name!r}", source)
    return of_scene(scene)


def _guide_data(guide: Guide) -> dict[str, Any]:
    stated = dataclasses.asdict(guide).items()
    return {name: list(each) if isinstance(each, tuple) else each for name, each in stated}


def _guide(data: Any, source: Source) -> Guide:
    names = [field.name for field in dataclasses.fields(Guide)]
    stated = mapping(data, names, ("title",), "the guide", source)
    values: dict[str, Any] = {
        name: _words(each, name) if name in ("to_try", "to_measure") else _word(each, name)
        for name, each in stated.items()
    }
    return Guide(**values)


def _slider(data: Any, name: str) -> Slider:
    if not isinstance(data, dict) or set(data) != {"target", "low", "high"}:
        raise ValueError(f"slider {name!r} must have target, low and high")
    low, high = number(data["low"], "low"), number(data["high"], "high")
    return Slider(_word(data["target"], "target"), low, high)


def _word(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what} is {value!r}, must be a word")
    return value


def _words(value: Any, what: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{what} must be a list of words")
    return tuple(_word(each, what) for each in value)


def _list(data: dict[str, Any], key: str) -> list[Any]:
    if not isinstance(data.get(key, []), list):
        raise ValueError(f"{key} must be a list")
    return list(data.get(key, []))


def _map(data: dict[str, Any], key: str) -> dict[str, Any]:
    if not isinstance(data.get(key, {}), dict):
        raise ValueError(f"{key} must be a mapping")
    return dict(data.get(key, {}))


# Studio scenes: a world in one JSON file, as it stands, to go on with it elsewhere.
#
# Meshes stay in files of their own; those in the scene's folder are named as seen from there, so
# that folder may be moved.


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
