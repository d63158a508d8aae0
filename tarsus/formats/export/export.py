"""Models as texts of other programs' formats, with a list of what these cannot say."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus._lib.files import replacing
from tarsus.formats.export.actuators import MeshReferences
from tarsus.formats.export.losses import ExportWarning, LeftOut, LeftOuts, tell, with_safe_names
from tarsus.formats.export.mjcf import KEEPS as MJCF_KEEPS
from tarsus.formats.export.mjcf import mujoco_reads, write_mjcf
from tarsus.formats.export.mjcf_bodies import moved_mass
from tarsus.formats.export.sdf import KEEPS as SDF_KEEPS
from tarsus.formats.export.sdf import write_sdf
from tarsus.formats.export.series import (
    JointChain,
    Positions,
    initial_positions,
    moved_zero,
    neutral_positions,
)
from tarsus.formats.export.urdf import KEEPS as URDF_KEEPS
from tarsus.formats.export.urdf import write_urdf
from tarsus.model.description import Description
from tarsus.model.model import Model

__all__ = ["Export", "ExportWarning", "Format", "LeftOut", "Meshes", "export", "save_export"]


Format: TypeAlias = Literal["urdf", "sdf", "mjcf"]
Meshes: TypeAlias = Literal["refer", "copy"]


@dataclass(frozen=True)
class Export:
    """A model as a file of another program: its text, and what it does not say."""

    text: str
    left_out: tuple[LeftOut, ...]
    copies: Mapping[str, bytes]
    """Meshes that belong beside the file, by their paths from its folder."""


def export(
    model: Model | Description,
    format: Format,
    *,
    folder: str | os.PathLike[str] = ".",
    beside: str = "meshes",
    meshes: Meshes = "refer",
) -> Export:
    """Return a model as "urdf", "sdf" or "mjcf", for a file in `folder`.

    Meshes are named by their paths, from `folder` if they are inside; "copy" puts copies into a
    folder `beside`, as far as they can be read. For MuJoCo, which reads .stl and .obj only, others
    become .obj there in any case. Joints that the format has not are chains of those that it has.
    """
    for name, value, known in (("format", format, Format), ("meshes", meshes, Meshes)):
        if value not in get_args(known):
            raise ValueError(f"{name} is {value!r}{suggestion(value, get_args(known))}")
    left_out = LeftOuts()
    built = model if isinstance(model, Model) else Model(model, strict=False)
    stated = with_safe_names(built.description, left_out, sdf=format == "sdf")
    safe = Model(stated, strict=False)
    positions = initial_positions(safe) if format == "mjcf" else neutral_positions(safe)
    tell_poses(safe, positions, format, left_out)
    keeps = {"urdf": URDF_KEEPS, "sdf": SDF_KEEPS, "mjcf": MJCF_KEEPS}[format]
    if format == "sdf" and stated.loops:
        keeps = tuple(kind for kind in keeps if kind != "universal")  # its zero cannot be moved
    series = JointChain(stated, keeps, positions, left_out, format.upper())
    stated, positions = series.replaced(), series.positions
    if stated.loops or format == "mjcf":
        stated = moved_zero(stated, positions)
    files = MeshReferences(
        Path(folder),
        beside,
        left_out,
        copy=meshes == "copy",
        readable=mujoco_reads if format == "mjcf" else None,
    )
    if format == "mjcf":
        text = write_mjcf(stated, positions, files, left_out, lambda link: moved_mass(safe, link))
    else:
        if stated.loops:
            _tell_zeros(positions, left_out)
        text = (
            write_urdf(stated, files, left_out)
            if format == "urdf"
            else write_sdf(stated, positions, files, left_out)
        )
    return Export(text, tuple(left_out), files.copies)


def save_export(
    model: Model | Description,
    file: Path,
    format: Format,
    *,
    meshes: Meshes = "refer",
    strict: bool = False,
) -> tuple[LeftOut, ...]:
    """Write a model to a file, with copies of meshes beside it; return what it does not say."""
    found = export(model, format, folder=file.parent, beside=f"{file.stem}_meshes", meshes=meshes)
    tell(found.left_out, str(file), strict=strict)
    for name, data in found.copies.items():
        copy = file.parent / name
        copy.parent.mkdir(exist_ok=True)
        with replacing(copy) as part:
            part.write_bytes(data)
    with replacing(file) as part:
        part.write_text(found.text, encoding="utf-8")
    return found.left_out


def tell_poses(model: Model, said: Positions, format: Format, left_out: LeftOuts) -> None:
    """Tell of starts and keyframes that the file does not have."""
    initial = model.joint_positions(model.initial_configuration)
    for joint in model.joints:
        # where free bodies stand is said by all formats that have them
        same = joint.kind == "free" or np.array_equal(
            initial[joint.position_slice], said[joint.name]
        )
        if not same and not joint.dependent:
            left_out.add("initial position of joint", joint.name, f"{format.upper()} has none")
    for name in model.keyframes if format != "mjcf" else ():
        left_out.add("keyframe", name, f"{format.upper()} has none")


def _tell_zeros(positions: Positions, left_out: LeftOuts) -> None:
    for name, at in positions.items():
        if len(at) == 1 and abs(at[0]) > 1e-12:
            reason = f"loops are closed at zero in the file, which is {at[0]:.6g} of the model"
            left_out.add("zero of joint", name, reason)
