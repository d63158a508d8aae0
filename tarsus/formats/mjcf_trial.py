"""A first compilation in a process of its own, for MJCF elements that ordinary robots do not have.

MuJoCo can end the process that compiles a wrong file. MuJoCo 4 and later versions compile the
elements of ordinary robots at once, because a fuzzer has found no crash in mutated files of these
(`tests/fuzz/mjcf_worker.py`). Documents with other elements, and all documents with earlier
versions, are compiled in another process before, which takes about a second.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from multiprocessing import spawn
from pathlib import Path

import tarsus
from tarsus._lib.errors import ModelError, Source
from tarsus.formats.mjcf_document import Document

TIMEOUT_S = 120.0
CODE = "from tarsus.formats.mjcf_trial import compile_input; compile_input()"

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


def needs_trial(document: Document, version: str) -> bool:
    """Return whether a version of MuJoCo may crash on a document, as far as tests tell."""
    return int(version.partition(".")[0]) < TESTED_VERSION or not _is_ordinary(document)


def _is_ordinary(document: Document) -> bool:
    return (
        all(element.tag in ORDINARY for element in document.lines)
        and not any("builtin" in element.attributes for element in document.lines)
        and all(name.lower().endswith(MESH_SUFFIXES) for name in document.meshes)
    )


def check_in_process(document: Document, file: str) -> None:
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

    from tarsus.formats.mjcf_compile import compiled

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
