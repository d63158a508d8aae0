"""MuJoCo's own model of a document, with all passive forces."""

from __future__ import annotations

import re
import warnings
from typing import Any, NamedTuple

from tarsus.formats.mjcf_actuators import Actuators, switch_off
from tarsus.formats.mjcf_document import Document
from tarsus.formats.mjcf_keyframes import KeyStatement
from tarsus.formats.mjcf_lines import ElementSources, actuator_sources, element_sources
from tarsus.formats.mjcf_sensors import SensorStatement
from tarsus.model.description import ModelError, Source

LINE = re.compile(r"\bline (?:number=)?(\d+)", re.IGNORECASE)


class Compiled(NamedTuple):
    """What MuJoCo made of a file, and what was read before it did."""

    spec: Any
    model: Any
    actuators: Actuators
    keys: list[KeyStatement]
    sensors: list[SensorStatement]
    sources: ElementSources
    notes: list[str]


def compiled(mujoco: Any, document: Document, file: str) -> Compiled:
    """The specification and its model, and what MuJoCo warned of; `file` is for messages."""
    errors = (ValueError, RuntimeError, mujoco.FatalError, mujoco.UnexpectedError)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            spec = mujoco.MjSpec.from_string(
                document.text, include=document.models, assets=document.meshes
            )
            actuators = Actuators(mujoco, spec, file)
            sources = actuator_sources(spec, document.lines)
            keys = [KeyStatement.read(key) for key in spec.keys]
            told = [SensorStatement.read(mujoco, i, each) for i, each in enumerate(spec.sensors)]
            for element in (*spec.keys, *spec.sensors):  # nothing that is read refers to them
                spec.delete(element)
            actuators.remove(spec)
            # lengths of muscles are found by simulation, which only actuators need
            spec.compiler.LRopt.mode = int(mujoco.mjtLRMode.mjLRMODE_NONE)
            model = spec.compile()
        except ModelError:
            raise
        except errors as error:
            raise _model_error(str(error), document, file) from None
    actuators.reflect(model, file)
    switch_off(mujoco, model)
    sources |= element_sources(spec, document.lines)
    notes = [f"MuJoCo: {warning.message}" for warning in caught]
    return Compiled(spec, model, actuators, keys, told, sources, notes)


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
