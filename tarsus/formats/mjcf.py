"""Reading of MJCF, MuJoCo's model format, into a `Description`.

MuJoCo itself parses and compiles the file, so that defaults, units, and masses from
geometry are its own. Several joints on one body become a chain of massless bodies, of which
the last has the frame and the inertia of MuJoCo's body. Configurations have the numbers of
MuJoCo's `qpos`, but for the order of quaternions. Equality constraints become loops and
couplings (`tarsus.formats.mjcf_joints`), springs of tendons and DC motors become forces
(`tarsus.formats.mjcf_tendons`); actuators and keyframes have files of their own
(`tarsus.formats.mjcf_actuators`, `tarsus.formats.mjcf_keyframes`).
"""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.checks import listing, unused
from tarsus._lib.errors import WORLD, ModelError, Source
from tarsus._lib.files import Array
from tarsus.formats.couplings import ONE_COORDINATE
from tarsus.formats.mjcf_actuators import MjcfActuators, MjcfControls
from tarsus.formats.mjcf_compile import check_in_process, compiled, needs_trial
from tarsus.formats.mjcf_document import MjcfDocument, write_document
from tarsus.formats.mjcf_files import read_models
from tarsus.formats.mjcf_joints import (
    Equalities,
    initial_position,
    joint_kind,
    mujoco_pose,
    read_joint,
    reorder,
)
from tarsus.formats.mjcf_keyframes import Keyframes, StatedKey, StatedSensor, read_sensors
from tarsus.formats.mjcf_shapes import (
    excluded_contacts,
    fixed_springs,
    frictions_of_planes,
    pair_frictions,
    read_shapes,
    read_sites,
)
from tarsus.formats.mjcf_tendons import MjcfMotors, Tendons
from tarsus.model.description import Body, Description, DescriptionDraft, Joint
from tarsus.model.keyframes import KEYFRAMES
from tarsus.model.name_references import SENSORS
from tarsus.spatial import pose, rotation_from_quaternion, scalar_last


def read_mjcf(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    package_dirs: Iterable[str | os.PathLike[str]] = (),
) -> Description:
    """Read an MJCF file.

    `base=None` keeps the base as the file states it. `"fixed"` fixes bodies with a free
    joint to the world where they stand; `"free"` sets the only body on the world free.
    `package_dirs` are folders beside the file's own in which included files and meshes may lie.
    """
    if base not in (None, "fixed", "free"):
        raise ValueError(f"base must be None, 'fixed' or 'free', not {base!r}")
    try:
        mujoco: Any = importlib.import_module("mujoco")
    except ImportError as error:
        raise ImportError("reading MJCF needs MuJoCo: pip install 'tarsus[io]'") from error
    if Path(path).suffix.lower() != ".xml":
        raise ModelError("MuJoCo reads only files whose names end in .xml", Source(os.fspath(path)))
    document = write_document(read_models(path, package_dirs))
    if needs_trial(document, mujoco.__version__):
        check_in_process(document, os.fspath(path))
    file = os.fspath(path)
    try:
        with np.errstate(all="ignore"):  # what overflows is found as not finite by the checks
            return _Reader(mujoco, file, document, base).description.build()
    except ValueError as error:  # of frames that MuJoCo computed
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"a number is out of range: {error}", Source(file)) from None


class _Reader:
    """Turns the compiled model into a description, body by body."""

    def __init__(self, mujoco: Any, file: str, document: MjcfDocument, base: str | None) -> None:
        self.mujoco, self.file, self.base = mujoco, file, base
        made = compiled(mujoco, document, file)
        model = self.model = made.model
        actuators, self.sources = made.actuators, made.sources
        self.ignored: Counter[str] = Counter()
        self.description = DescriptionDraft(
            made.name or os.path.basename(self.file), gravity=self._gravity()
        )
        self.initial: dict[str, list[float]] = {}
        self.description.metadata["initial_configuration"] = self.initial
        self.body_names = [model.body(i).name for i in range(model.nbody)]
        self.joint_names = [model.joint(i).name for i in range(model.njnt)]
        self._name_the_nameless()
        for body in range(1, model.nbody):
            self._read_body(body)
        shapes = read_shapes(
            mujoco, model, self.body_names, document.mesh_files, self.source, self.ignored
        )
        self.description.shapes += shapes
        if never := excluded_contacts(model, self.body_names, Source(self.file)):
            self.description.metadata["excluded_contacts"] = never
        if pairs := pair_frictions(mujoco, model, self.body_names):
            self.description.metadata["pair_frictions"] = pairs
            self.description.warnings.append(
                f"of contact pairs ({len(pairs)}) only the friction is taken over"
            )
        sites = list(read_sites(model, self.body_names, self.new_frame, self.source))
        self.description.frames += sites
        names = self.body_names, self.joint_names
        Equalities(mujoco, model, self.description, *names, self.source).read(self.ignored)
        site_names = [site.name for site in sites]
        of_tendons = Tendons(
            mujoco, model, self.description, self.joint_names, site_names, self.source
        ).read()
        of_motors = MjcfMotors(self.description, self.joint_names, self.source).read(
            actuators.motors
        )
        of_actuators = self._read_controls(actuators, made.keys)
        of_actuators += self._read_sensors(made.sensors, site_names)
        self.ignored += document.ignored
        self._count_ignored()
        of_actuators = actuators.left_out(self.ignored) + of_actuators
        self.description.warnings += made.notes + [
            f"{what} ({count}) are not taken over" for what, count in self.ignored.items() if count
        ]
        self.description.warnings += of_tendons + of_motors + of_actuators
        if rough := frictions_of_planes(mujoco, model, self.body_names):
            self.description.warnings.append(
                f"frictions of planes ({len(rough)}) are not taken over, grounds state their own: "
                f"{listing(dict.fromkeys(rough), limit=10)}"
            )
        if stiff := fixed_springs(model, self.body_names):
            self.description.warnings.append(
                f"solref of geoms that do not move ({len(stiff)}) is not taken over, as it is "
                f"stated per mass: {listing(dict.fromkeys(stiff), limit=10)}"
            )

    def _read_controls(self, actuators: MjcfActuators, keys: dict[str, StatedKey]) -> list[str]:
        """Append actuators and keyframes, and return warnings of what is left out."""
        controls = MjcfControls(
            *(self.mujoco, self.model, self.description, self.joint_names),
            *(actuators.kept, self.source),
        )
        warnings = controls.read()
        if keys:
            here = {joint.name for joint in self.description.joints if joint.kind != "fixed"}
            reader = Keyframes(self.model, self.joint_names, here, controls.names)
            found = reader.read(keys, actuators.count, Source(self.file))
            self.description.metadata[KEYFRAMES] = found
        return warnings

    def _read_sensors(self, sensors: dict[str, StatedSensor], site_names: list[str]) -> list[str]:
        """Note the sensors, and return a warning of those that are left out."""
        model = self.model
        frames = {("site", model.site(i).name): name for i, name in enumerate(site_names)}
        frames |= {("xbody", model.body(i).name): n for i, n in enumerate(self.body_names) if i}
        moving = {joint.name for joint in self.description.joints if joint.kind in ONE_COORDINATE}
        found, warnings = read_sensors(sensors, frames, moving)
        if found:
            self.description.metadata[SENSORS] = found
        return warnings

    def source(self, tag: str, index: int) -> Source:
        """Where an element is stated; the line is missing for what MuJoCo made itself."""
        return self.sources.get((tag, index), Source(self.file))

    def new_frame(self, name: str) -> str:
        """A name that no body and no frame has yet."""
        return unused(name, self.taken)

    def _name_the_nameless(self) -> None:
        self.taken = {name for name in self.body_names if name}
        self.taken_joints = {name for name in self.joint_names if name}
        for i, name in enumerate(self.body_names):
            self.body_names[i] = name or unused(f"body{i}", self.taken)
        for i, name in enumerate(self.joint_names):
            body = self.body_names[self.model.jnt_bodyid[i]]
            self.joint_names[i] = name or unused(f"{body}_joint", self.taken_joints)

    def _read_body(self, index: int) -> None:
        """Append a body and the chain of joints between it and its parent."""
        model, name = self.model, self.body_names[index]
        source = self.source("body", index)
        carrier = self.body_names[model.body_parentid[index]]
        placement = mujoco_pose(model.body_pos[index], model.body_quat[index])
        first = int(model.body_jntadr[index])
        joints = list(range(first, first + int(model.body_jntnum[index])))
        if self.base == "free" and carrier == WORLD and self._free_root(index, joints):
            root_joint = self._join("root_joint", "free", carrier, name, np.eye(4), source)
            position = np.concatenate([model.body_pos[index], model.body_quat[index]])
            self.initial[root_joint] = reorder(position).tolist()
            carrier = name
        for i in joints:
            if joint_kind(model, i) == "free" and self.base == "fixed":
                continue
            stated, anchor = read_joint(model, i, placement, self.ignored)
            ends_at_body = i == joints[-1] and not anchor.any()
            child = name if ends_at_body else self.new_frame(f"{name}.{self.joint_names[i]}")
            names = {"name": self.joint_names[i], "parent": carrier, "child": child}
            joint = Joint(**stated, **names, source=self.source("joint", i))
            self.description.joints.append(joint)
            self.initial[joint.name] = initial_position(model, i).tolist()
            if not ends_at_body:
                self.description.bodies.append(Body(child, source=joint.source))
            carrier, placement = child, pose(-anchor)
        if carrier != name:
            self._join(f"{name}_fixed", "fixed", carrier, name, placement, source)
        self.description.bodies.append(self._inertial(index, source))

    def _inertial(self, index: int, source: Source) -> Body:
        model = self.model
        axes = rotation_from_quaternion(scalar_last(model.body_iquat[index]))
        inertia = (axes * model.body_inertia[index]) @ axes.T
        return Body(
            self.body_names[index],
            float(model.body_mass[index]),
            np.array(model.body_ipos[index]),
            (inertia + inertia.T) / 2,
            source,
        )

    def _free_root(self, index: int, joints: list[int]) -> bool:
        """Whether the body needs a free joint; an error if it cannot have one."""
        model = self.model
        if model.body_mocapid[index] >= 0 or (joints and joint_kind(model, joints[0]) == "free"):
            return False
        own = (model.body_parentid == 0) & (model.body_mocapid < 0)
        roots = [i for i in range(1, model.nbody) if own[i]]
        source = self.source("body", index)
        if len(roots) > 1:
            names = ", ".join(self.body_names[i] for i in roots)
            message = f"base='free' needs one body on the world, but there are {names}"
            raise ModelError(message, source)
        if joints:
            names = ", ".join(self.joint_names[i] for i in joints)
            message = f"base='free': body '{self.body_names[index]}' already moves on {names}"
            raise ModelError(message, source)
        return True

    def _join(
        self, name: str, kind: str, parent: str, child: str, placement: Array, source: Source
    ) -> str:
        """Append a joint that the file does not state, and return its name."""
        name = unused(name, self.taken_joints)
        self.description.joints.append(Joint(name, kind, parent, child, placement, source=source))
        return name

    def _gravity(self) -> Array:
        option = self.model.opt
        off = option.disableflags & int(self.mujoco.mjtDisableBit.mjDSBL_GRAVITY)
        return np.zeros(3) if off else np.array(option.gravity)

    def _count_ignored(self) -> None:
        model, ignored = self.model, self.ignored
        ignored["mocap bodies"] += int(model.nmocap)
        ignored["priorities of geoms"] += int(np.count_nonzero(model.geom_priority))
        ignored["gravity compensations"] += int(np.count_nonzero(model.body_gravcomp))
        ignored["densities and viscosities of a fluid"] += int(
            np.count_nonzero([model.opt.density, model.opt.viscosity])
        )
        if hasattr(model, "dof_dampingpoly"):  # from MuJoCo 4 on
            nonlinear = np.count_nonzero(model.dof_dampingpoly.any(axis=-1))
            ignored["non-linear dampers of joints"] += int(nonlinear)
