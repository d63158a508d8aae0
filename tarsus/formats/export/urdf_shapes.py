"""Shapes of a URDF: boxes, spheres, cylinders, meshes, and capsules made of these.

How they rub and give way is said for all shapes of a link at once, by Gazebo's elements.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from tarsus.formats.export.left_out import LeftOuts
from tarsus.formats.export.mesh_references import MeshReferences
from tarsus.formats.export.xml_text import add, is_identity, numbers, six
from tarsus.model.description import SURFACE_NUMBERS, Shape
from tarsus.spatial import pose

GAZEBO = {"friction": ("mu1", "mu2"), "stiffness": ("kp",), "damping": ("kd",)}
"""What Gazebo calls the numbers of surfaces."""


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
    if shape.color is not None:
        add(add(element, "material", name=_material(shape)), "color", rgba=shape.color)


def add_surfaces(robot: Element, body: str, shapes: Sequence[Shape], left_out: LeftOuts) -> None:
    """Append what all shapes that touch with a body state of their surfaces, or tell why not."""
    touching = [shape for shape in shapes if shape.body == body and shape.role == "collision"]
    written: dict[str, float] = {}
    for name in SURFACE_NUMBERS:
        stated = {getattr(shape, name) for shape in touching}
        if stated <= {None}:
            continue
        if name in GAZEBO and len(stated) == 1:
            written |= dict.fromkeys(GAZEBO[name], stated.pop())
            continue
        one = "Gazebo's elements have one number for all shapes of a link"
        reason = one if name in GAZEBO else "Gazebo's elements in URDF have none"
        left_out.add(f"{name} of shape of body", body, reason)
    if written:
        element = add(robot, "gazebo", reference=body)
        for tag, value in written.items():
            add(element, tag, numbers(np.array([value])))


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
