"""Shapes of an SDF file that is written."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element

import numpy as np

from tarsus.formats.export.left_out import LeftOuts
from tarsus.formats.export.mesh_references import MeshReferences
from tarsus.formats.export.xml_text import add, is_identity, numbers, six
from tarsus.model.checks import unused
from tarsus.model.description import Shape


def add_shapes(
    link: Element,
    body: str,
    shapes: Iterable[Shape],
    meshes: MeshReferences,
    left_out: LeftOuts,
) -> None:
    """Append the shapes of a body to its link; each has a name, which it must have."""
    taken: set[str] = set()
    for shape in shapes:
        if shape.body == body:
            _add_shape(link, shape, meshes, left_out, taken)


def _add_shape(
    link: Element, shape: Shape, meshes: MeshReferences, left_out: LeftOuts, taken: set[str]
) -> None:
    size = np.array(shape.size)
    file = meshes.of(shape) if shape.kind == "mesh" else None
    forms = {
        "box": {"size": size},
        "sphere": {"radius": size[:1]},
        "cylinder": {"radius": size[:1], "length": size[1:]},
        "capsule": {"radius": size[:1], "length": size[1:]},
        "ellipsoid": {"radii": size},
        "mesh": {"scale": size},
    }
    if shape.kind not in forms:
        left_out.add(f"{shape.role} shape of body", shape.body, f"SDF has no {shape.kind}")
        return
    if shape.kind == "mesh" and file is None:
        return
    element = add(link, shape.role, name=unused(shape.name or shape.role, taken))
    if not is_identity(shape.placement):
        add(element, "pose", numbers(np.concatenate(six(shape.placement))))
    form = add(add(element, "geometry"), shape.kind)
    if file is not None:
        add(form, "uri", file)
    for tag, value in forms[shape.kind].items():
        add(form, tag, numbers(value))
    _add_surface(element, shape, left_out)
    if shape.color is not None:
        material = add(element, "material")
        for tag in ("ambient", "diffuse"):
            add(material, tag, numbers(shape.color))


def _add_surface(element: Element, shape: Shape, left_out: LeftOuts) -> None:
    for name in ("torsion", "rolling"):
        if getattr(shape, name) is not None:
            left_out.add(f"{name} of shape of body", shape.body, "SDF has none as a length")
    springs = {"kp": shape.stiffness, "kd": shape.damping}
    stated = (shape.friction, shape.restitution, *springs.values())
    if all(value is None for value in stated):
        return
    surface = add(element, "surface")
    if shape.friction is not None:
        ode = add(add(surface, "friction"), "ode")
        for tag in ("mu", "mu2"):
            add(ode, tag, numbers(np.array([shape.friction])))
    if shape.restitution is not None:
        coefficient = numbers(np.array([shape.restitution]))
        add(add(surface, "bounce"), "restitution_coefficient", coefficient)
    if any(value is not None for value in springs.values()):
        ode = add(add(surface, "contact"), "ode")
        for tag, value in springs.items():
            if value is not None:
                add(ode, tag, numbers(np.array([value])))
