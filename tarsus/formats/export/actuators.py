"""Plugins, transmissions and mesh references of exported models."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import unused
from tarsus._lib.files import Array
from tarsus.formats.export.losses import LeftOuts
from tarsus.formats.mesh_files import MAX_BYTES, read_mesh
from tarsus.formats.urdf_extensions import DIFFERENTIAL
from tarsus.formats.xml import add, numbers
from tarsus.model.actuators import RANGE_FIELDS
from tarsus.model.description import Actuator, Shape

# Actuators as plugins of Gazebo, in SDF and in <gazebo> of URDF.
#
# They push the joint itself, so that gears have no place in them, and are called as their joints.


CLASSES = {
    "motor": ("ApplyJointForce", "apply-joint-force"),
    "position": ("JointPositionController", "joint-position-controller"),
    "velocity": ("JointController", "joint-controller"),
}
UNBOUNDED = {"cmd_min": 0.0, "cmd_max": -1.0}
"""Limits that do not rise are none to Gazebo."""


def add_plugin(parent: Element, actuator: Actuator, left_out: LeftOuts) -> None:
    """Append an actuator of one joint without gears, or tell that it is none."""
    (joint, gear), *others = actuator.joints.items()
    kind = _kind(actuator)
    reason = None
    if others:
        reason = "moves several joints, which no plugin of Gazebo does"
    elif gear != 1.0:
        reason = f"has the gear {gear:g}, plugins of Gazebo have none"
    elif kind is None:
        reason = f"is {actuator.kind}, which no plugin of Gazebo is"
    if kind is None or reason is not None:
        left_out.add("actuator", actuator.name, str(reason))
        return
    if actuator.name != joint:
        left_out.add("name of actuator", actuator.name, f"is {joint!r} in the file")
    if actuator.control_range is not None:
        left_out.add("control_range of actuator", actuator.name, "Gazebo has none")
    title, file = CLASSES[kind]
    names = {"filename": f"gz-sim-{file}-system", "name": f"gz::sim::systems::{title}"}
    plugin = add(parent, "plugin", **names)
    add(plugin, "joint_name", joint)
    if kind == "motor" and actuator.force_range is not None:
        left_out.add("force_range of actuator", actuator.name, "Gazebo has none for forces")
    if kind != "motor":
        for tag, value in _gains(actuator, kind).items():
            add(plugin, tag, value if isinstance(value, str) else numbers(value))


def _kind(actuator: Actuator) -> str | None:
    """Return what the actuator is but for an offset of its force, None if Gazebo has it not."""
    if actuator.kind == "motor":
        return "motor" if actuator.gain[0] == 1.0 else None
    bias = np.array([0.0, *actuator.bias[1:]])
    kind = Actuator("", {}, actuator.gain, bias).kind
    return kind if kind in ("position", "velocity") else None


def _gains(actuator: Actuator, kind: str) -> dict[str, Any]:
    offset, _, damping = actuator.bias.tolist()
    gains: dict[str, Any] = {"p_gain": float(actuator.gain[0]), "i_gain": 0.0}
    if kind == "position":
        gains["d_gain"] = -damping
    else:
        gains = {"use_force_commands": "true", **gains, "d_gain": 0.0}
    limits = UNBOUNDED
    if actuator.force_range is not None:
        limits = dict(zip(UNBOUNDED, actuator.force_range.tolist(), strict=True))
    return gains | limits | ({"cmd_offset": offset} if offset else {})


# Actuators of a URDF that is written: transmissions of motors, plugins of Gazebo for servos.


SAME = 1e-12
"""How near products of gears must be to come from one differential."""


def add_transmissions(robot: Element, actuators: Sequence[Actuator], left_out: LeftOuts) -> None:
    """Append all actuators that URDF can say, and tell of the others.

    A gain of a motor is part of its reduction. Motors of two joints that follow each other are a
    differential if the one moves them together and the other against each other.
    """
    waiting = list(actuators)
    while waiting:
        actuator, *waiting = waiting
        if actuator.kind != "motor":
            gazebo = Element("gazebo")
            add_plugin(gazebo, actuator, left_out)
            robot.extend([gazebo] if len(gazebo) else [])
        elif len(actuator.joints) == 1:
            _add_simple(robot, actuator, left_out)
        elif waiting and _is_differential(actuator, waiting[0]):
            _add_differential(robot, actuator, waiting.pop(0), left_out)
        else:
            reason = "moves several joints, URDF has motors of one joint and differentials only"
            left_out.add("actuator", actuator.name, reason)


def _add_simple(robot: Element, actuator: Actuator, left_out: LeftOuts) -> None:
    ((joint, gear),) = actuator.joints.items()
    _tell_ranges(actuator, left_out)
    element = _add_transmission(robot, actuator.name, "SimpleTransmission")
    _add_joint(element, joint)
    motor = add(element, "actuator", name=actuator.name)
    add(motor, "mechanicalReduction", numbers(gear * float(actuator.gain[0])))


def _is_differential(one: Actuator, other: Actuator) -> bool:
    """Whether x = n_1 q_1 + n_2 q_2 and x = n_1 q_1 - n_2 q_2, each times a number."""
    if other.kind != "motor" or len(one.joints) != 2 or set(one.joints) != set(other.joints):
        return False
    (first, a), (second, b) = one.joints.items()
    c, d = other.joints[first], other.joints[second]
    return a * c != 0.0 and math.isclose(a * d, -b * c, rel_tol=SAME)


def _add_differential(robot: Element, one: Actuator, other: Actuator, left_out: LeftOuts) -> None:
    (first, a), (second, b) = one.joints.items()
    reductions = ((one, a), (other, other.joints[first]))
    element = _add_transmission(robot, f"{one.name}_{other.name}", DIFFERENTIAL)
    for number, (actuator, reduction) in enumerate(reductions, 1):
        _tell_ranges(actuator, left_out)
        motor = add(element, "actuator", name=actuator.name)
        add(motor, "role", f"actuator{number}")
        add(motor, "mechanicalReduction", numbers(reduction * float(actuator.gain[0])))
    for number, (joint, ratio) in enumerate(((first, 1.0), (second, b / a)), 1):
        end = _add_joint(element, joint)
        add(end, "role", f"joint{number}")
        add(end, "mechanicalReduction", numbers(ratio))


def _add_transmission(robot: Element, name: str, kind: str) -> Element:
    element = add(robot, "transmission", name=name)
    add(element, "type", f"transmission_interface/{kind}")
    return element


def _add_joint(transmission: Element, name: str) -> Element:
    joint = add(transmission, "joint", name=name)
    add(joint, "hardwareInterface", "hardware_interface/EffortJointInterface")
    return joint


def _tell_ranges(actuator: Actuator, left_out: LeftOuts) -> None:
    for key in RANGE_FIELDS:
        if getattr(actuator, key) is not None:
            left_out.add(f"{key} of actuator", actuator.name, "URDF has none")


# Meshes of a file that is written: by their paths, or as copies in a folder beside it.
#
# Names of copies have letters, digits, dots, hyphens and underscores only, so that none leaves its
# folder.


ALONE = (".stl", ".obj", ".dae", ".ply", ".off", ".glb")
"""Files of meshes that stand alone; a .gltf has its numbers elsewhere."""


class MeshReferences:
    """What stands in a file for each mesh, and the copies that belong beside it.

    `folder` is that of the file, `beside` the name of the one for copies. `copy` makes copies of
    all; `readable` tells which files the format's readers read: others become copies as .obj.
    """

    def __init__(
        self,
        folder: Path,
        beside: str,
        left_out: LeftOuts,
        *,
        copy: bool = False,
        readable: Callable[[Path], bool] | None = None,
    ) -> None:
        self.folder, self.beside, self.left_out = folder.resolve(), beside, left_out
        self.copy, self.readable = copy, readable
        self.copies: dict[str, bytes] = {}
        self._found: dict[str, str | None] = {}
        self._names: set[str] = set()

    def of(self, shape: Shape) -> str | None:
        """Return the path or address of a mesh, None if it cannot be written."""
        file = shape.file or ""
        if file not in self._found:
            self._found[file] = self._reference(file)
        found = self._found[file]
        if found is None:
            self.left_out.add("mesh of body", shape.body, self._reason(file))
        return found

    def _reference(self, file: str) -> str | None:
        path = Path(file)
        if "://" in file or not path.is_file():
            # as it was stated: readers elsewhere may have it
            return None if self.copy or self.readable else file or None
        if self.readable is not None and not self.readable(path):
            return self._converted(path)
        if not self.copy:
            resolved = path.resolve()
            if resolved.is_relative_to(self.folder):
                return str(resolved.relative_to(self.folder))
            # ROS and Gazebo want addresses, MuJoCo paths
            return resolved.as_uri() if self.readable is None else str(resolved)
        if path.suffix.lower() not in ALONE:
            return self._converted(path)
        if path.stat().st_size > MAX_BYTES:
            return None
        return self._keep(path.stem, path.suffix.lower(), path.read_bytes())

    def _converted(self, path: Path) -> str | None:
        try:
            vertices, triangles = read_mesh(path, merge=True)
        except (OSError, ValueError, ImportError):
            return None
        return self._keep(path.stem, ".obj", obj(vertices, triangles)) if len(triangles) else None

    def _keep(self, stem: str, suffix: str, data: bytes) -> str:
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", stem)
        name = f"{self.beside}/{unused(plain or 'mesh', self._names)}{suffix}"
        self.copies[name] = data
        return name

    def _reason(self, file: str) -> str:
        path = Path(file)
        there = "://" not in file and path.is_file()
        return f"{file!r} {'cannot be read, or is empty' if there else 'is not there'}"


def obj(vertices: Array, triangles: NDArray[np.int64]) -> bytes:
    """Return a mesh as the bytes of an .obj file, with all bits of its numbers."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (triangles + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()
