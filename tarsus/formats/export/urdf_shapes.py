"""Shapes of a URDF: boxes, spheres, cylinders, meshes, and capsules made of these."""

from __future__ import annotations

import dataclasses
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from tarsus.formats.export.left_out import LeftOuts
from tarsus.formats.export.mesh_references import MeshReferences
from tarsus.formats.export.xml_text import add, is_identity, six
from tarsus.model.description import SURFACE_NUMBERS, Shape
from tarsus.spatial import pose


def add_shape(link: Element, shape: Shape, meshes: MeshReferences, left_out: LeftOuts) -> None:
    """Append a shape to its link, or tell why not."""
    if shape.kind == "capsule":
        for part in _solids(shape):
            add_shape(link, part, meshes, left_out)
        return
    size = np.array(shape.size)
    file = meshes.of(shape) if shape.kind == "mesh" else None
    forms: dict[str, dict[str, Any]] = {
        "box": {"size": size},
        "sphere": {"radius": size[:1]},
        "cylinder": {"radius": size[:1], "length": size[1:]},
        "mesh": {"filename": file, "scale": None if (size == 1.0).all() else size},
    }
    if shape.kind not in forms:
        left_out.add(f"{shape.role} shape of body", shape.body, f"URDF has no {shape.kind}")
        return
    if shape.kind == "mesh" and file is None:
        return
    element = add(link, shape.role, name=shape.name or None)
    if not is_identity(shape.placement):
        xyz, rpy = six(shape.placement)
        add(element, "origin", xyz=xyz, rpy=rpy)
    add(add(element, "geometry"), shape.kind, **forms[shape.kind])
    for name in SURFACE_NUMBERS:
        if getattr(shape, name) is not None:
            reason = "URDF states it only by elements of simulators"
            left_out.add(f"{name} of shape of body", shape.body, reason)
    if shape.color is not None:
        add(add(element, "material", name=_material(shape)), "color", rgba=shape.color)


def _solids(capsule: Shape) -> list[Shape]:
    """Return a cylinder with a ball at each end, which together are the capsule."""
    radius, length = capsule.size
    names = [f"{capsule.name}_{end}" if capsule.name else "" for end in ("top", "bottom")]
    balls = [
        dataclasses.replace(
            capsule,
            kind="sphere",
            size=(radius,),
            placement=capsule.placement @ pose([0.0, 0.0, height]),
            name=name,
        )
        for name, height in zip(names, (length / 2, -length / 2), strict=True)
    ]
    return [dataclasses.replace(capsule, kind="cylinder"), *balls]


def _material(shape: Shape) -> str:
    """Return the name of a colour: the same for the same, as materials of a name are one."""
    assert shape.color is not None
    return "color_" + "_".join(f"{round(255 * part):d}" for part in shape.color)
