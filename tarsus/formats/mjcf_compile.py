"""Compilation of an MJCF model by MuJoCo, in another process first for rare elements."""

from __future__ import annotations

import contextlib
import os
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Iterable, Sequence
from multiprocessing import spawn
from pathlib import Path
from typing import Any, NamedTuple

import tarsus
from tarsus._lib.errors import ModelError, Source
from tarsus.formats.mjcf_actuators import MjcfActuators, switch_off
from tarsus.formats.mjcf_document import MjcfDocument
from tarsus.formats.mjcf_keyframes import StatedKey, StatedSensor, stated_keys, stated_sensors
from tarsus.formats.xml import XmlElement

# MuJoCo's own model of a document, with all passive forces.


LINE = re.compile(r"\bline (?:number=)?(\d+)", re.IGNORECASE)


class Compiled(NamedTuple):
    """What MuJoCo made of a file, and what was read before it did."""

    name: str
    model: Any
    actuators: MjcfActuators
    keys: dict[str, StatedKey]
    sensors: dict[str, StatedSensor]
    sources: ElementSources
    notes: list[str]


def compiled(mujoco: Any, document: MjcfDocument, file: str) -> Compiled:
    """Return what MuJoCo makes of a document; `file` is for messages."""
    errors = (ValueError, RuntimeError, mujoco.FatalError, mujoco.UnexpectedError)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            spec = mujoco.MjSpec.from_string(
                document.text, include=document.models, assets=document.meshes
            )
            actuators = MjcfActuators(mujoco, spec, file)
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


def _model_error(message: str, document: MjcfDocument, file: str) -> ModelError:
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


def actuator_sources(spec: Any, lines: Sequence[XmlElement]) -> ElementSources:
    """Return where actuators are stated, before any is removed; `lines` are those of the text."""
    return _sources("actuator", enumerate(spec.actuators), lines)


def element_sources(spec: Any, lines: Sequence[XmlElement]) -> ElementSources:
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
    tag: str, elements: Iterable[tuple[int, Any]], lines: Sequence[XmlElement]
) -> ElementSources:
    stated = ((number, _stated(element, lines)) for number, element in elements)
    return {(tag, number): element.source for number, element in stated if element}


def _stated(element: Any, lines: Sequence[XmlElement]) -> XmlElement | None:
    match = re.fullmatch(r"line (\d+)", element.info)
    return lines[int(match[1]) - 1] if match and 0 < int(match[1]) <= len(lines) else None


# A first compilation in a process of its own, for MJCF elements that ordinary robots do not have.
#
# MuJoCo can end the process that compiles a wrong file. MuJoCo 4 and later versions compile the
# elements of ordinary robots at once, because a fuzzer has found no crash in mutated files of these
# (`tests/fuzz/mjcf_worker.py`). Documents with other elements, and all documents with earlier
# versions, are compiled in another process before, which takes about a second.


TIMEOUT_S = 120.0
CODE = "from tarsus.formats.mjcf_compile import compile_input; compile_input()"

SECTIONS = """mujoco compiler option default asset worldbody contact tendon equality actuator sensor
keyframe extension deformable"""
BODIES = """body frame inertial joint freejoint geom site flag mesh material hfield replicate model
attach"""
CONSTRAINTS = "pair exclude spatial fixed pulley connect weld"
ACTUATORS = """general motor position velocity intvelocity damper cylinder muscle adhesion dcmotor
key"""
SENSORS = """touch accelerometer velocimeter gyro force torque magnetometer camprojection
rangefinder jointpos jointvel tendonpos tendonvel actuatorpos actuatorvel actuatorfrc
jointactuatorfrc tendonactuatorfrc ballquat ballangvel jointlimitpos jointlimitvel jointlimitfrc
tendonlimitpos tendonlimitvel tendonlimitfrc framepos framequat framexaxis frameyaxis framezaxis
framelinvel frameangvel framelinacc frameangacc subtreecom subtreelinvel subtreeangmom distance
normal fromto contact e_potential e_kinetic clock user"""
ORDINARY = frozenset(" ".join((SECTIONS, BODIES, CONSTRAINTS, ACTUATORS, SENSORS)).split())
"""Elements of ordinary robots."""

MESH_SUFFIXES = (".stl", ".obj")
"""Formats of meshes that ordinary robots have."""


TESTED_VERSION = 4
"""MuJoCo 3.3.7 crashes on meshes with faces and `inertia="convex"`."""


def needs_trial(document: MjcfDocument, version: str) -> bool:
    """Return whether a version of MuJoCo may crash on a document, as far as tests tell."""
    return int(version.partition(".")[0]) < TESTED_VERSION or not _is_ordinary(document)


def _is_ordinary(document: MjcfDocument) -> bool:
    return (
        all(element.tag in ORDINARY for element in document.lines)
        and not any("builtin" in element.attributes for element in document.lines)
        and all(name.lower().endswith(MESH_SUFFIXES) for name in document.meshes)
    )


def check_in_process(document: MjcfDocument, file: str) -> None:
    """Raise if MuJoCo ends the process that compiles a document, or takes too long.

    Errors that MuJoCo reports are none here: the caller compiles the document again.
    """
    executable = spawn.get_executable()
    if not executable:
        raise ModelError(
            "this file has elements that are compiled in another process first, for which Python's "
            "executable is not known: state it with multiprocessing.set_executable",
            Source(file),
        )
    folders = [str(Path(tarsus.__file__).parents[1]), *filter(None, sys.path)]
    try:
        process = subprocess.run(
            [os.fsdecode(executable), "-P", "-c", CODE],
            input=pickle.dumps((document._replace(lines=[]), file)),
            env=os.environ | {"PYTHONPATH": os.pathsep.join(folders)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"MuJoCo did not compile this file within {TIMEOUT_S:g} s"
        raise ModelError(message, Source(file)) from None
    if process.returncode:
        raise ModelError(
            f"MuJoCo crashed while compiling this file ({_ending(process)})", Source(file)
        )


def compile_input() -> None:
    """Compile the document that comes from the standard input, whatever MuJoCo says about it."""
    import mujoco

    document, file = pickle.load(sys.stdin.buffer)
    with contextlib.suppress(ModelError):
        compiled(mujoco, document, file)


def _ending(process: subprocess.CompletedProcess[bytes]) -> str:
    """Return how a process ended that did not end well."""
    if process.returncode < 0:
        return f"signal {-process.returncode}"
    lines = process.stderr.decode(errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "no message")
    return f"exit code {process.returncode}: {last}"
