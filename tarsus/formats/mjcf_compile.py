"""Compilation of an MJCF model by MuJoCo, with the lines of its elements."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tarsus._lib.errors import ModelError, Source
from tarsus.formats.mjcf_actuators import Actuators, switch_off
from tarsus.formats.mjcf_document import Document
from tarsus.formats.mjcf_keyframes import StatedKey, StatedSensor, stated_keys, stated_sensors
from tarsus.formats.xml import Element

# MuJoCo's own model of a document, with all passive forces.


LINE = re.compile(r"\bline (?:number=)?(\d+)", re.IGNORECASE)


class Compiled(NamedTuple):
    """What MuJoCo made of a file, and what was read before it did."""

    name: str
    model: Any
    actuators: Actuators
    keys: dict[str, StatedKey]
    sensors: dict[str, StatedSensor]
    sources: ElementSources
    notes: list[str]


def compiled(mujoco: Any, document: Document, file: str) -> Compiled:
    """Return what MuJoCo makes of a document; `file` is for messages."""
    errors = (ValueError, RuntimeError, mujoco.FatalError, mujoco.UnexpectedError)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            spec = mujoco.MjSpec.from_string(
                document.text, include=document.models, assets=document.meshes
            )
            actuators = Actuators(mujoco, spec, file)
            sources = actuator_sources(spec, document.lines)
            keys, sensors = stated_keys(spec), stated_sensors(mujoco, spec)
            # nothing that is compiled refers to them, and they may be of any size
            for element in (*spec.keys, *spec.sensors, *actuators.left_out_of(spec)):
                spec.delete(element)
            # lengths of muscles are found by simulation, which only actuators need
            spec.compiler.LRopt.mode = int(mujoco.mjtLRMode.mjLRMODE_NONE)
            model = spec.compile()
        except ModelError:
            raise
        except errors as error:
            raise _model_error(str(error), document, file) from None
    actuators.reflect(model)
    switch_off(mujoco, model)
    sources |= element_sources(spec, document.lines)
    notes = [f"MuJoCo: {warning.message}" for warning in caught]
    return Compiled(spec.modelname, model, actuators, keys, sensors, sources, notes)


def _model_error(message: str, document: Document, file: str) -> ModelError:
    """Return an error of MuJoCo with the file and line in which the element is stated."""
    message = " ".join(message.split())
    for name, path in document.mesh_files.items():
        message = message.replace(name, path.name)
    line = LINE.search(message)
    source = Source(file)
    if line and 0 < int(line[1]) <= len(document.lines):
        source = document.lines[int(line[1]) - 1].source
        message = LINE.sub(f"line {source.line}", message, count=1)
    return ModelError(f"MuJoCo cannot build this model: {message}", source)


# Where the elements of a MuJoCo specification are stated.


ElementSources = dict[tuple[str, int], Source]
"""Sources by tag and number; actuators have the number that they have in the file."""


def actuator_sources(spec: Any, lines: Sequence[Element]) -> ElementSources:
    """Return where actuators are stated, before any is removed; `lines` are those of the text."""
    return _sources("actuator", enumerate(spec.actuators), lines)


def element_sources(spec: Any, lines: Sequence[Element]) -> ElementSources:
    """Return where other elements are stated, after the specification is compiled."""
    lists = {"body": spec.bodies, "joint": spec.joints, "geom": spec.geoms, "site": spec.sites}
    # equality constraints are numbered together, whatever their tag
    lists |= dict.fromkeys(("connect", "weld", "equality"), spec.equalities)
    lists |= dict.fromkeys(("spatial", "fixed"), spec.tendons)
    sources: ElementSources = {}
    for tag, elements in lists.items():
        sources |= _sources(tag, ((element.id, element) for element in elements), lines)
    for joint in spec.joints:  # MuJoCo keeps no line of <freejoint>
        body = _stated(joint.parent, lines)
        if body and ("joint", joint.id) not in sources:
            sources["joint", joint.id] = (body.find("freejoint") or body).source
    return sources


def _sources(
    tag: str, elements: Iterable[tuple[int, Any]], lines: Sequence[Element]
) -> ElementSources:
    stated = ((number, _stated(element, lines)) for number, element in elements)
    return {(tag, number): element.source for number, element in stated if element}


def _stated(element: Any, lines: Sequence[Element]) -> Element | None:
    match = re.fullmatch(r"line (\d+)", element.info)
    return lines[int(match[1]) - 1] if match and 0 < int(match[1]) <= len(lines) else None
