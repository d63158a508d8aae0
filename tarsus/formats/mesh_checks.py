"""Mesh files before trimesh reads them: what a small file would make large is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from graphlib import CycleError, TopologicalSorter

import numpy as np

from tarsus.formats.xml import Element, parse_xml
from tarsus.model.description import Source

MAX_VERTICES = 10_000_000
MAX_PARTS = 4000
"""Parts of meshes that a file may place: trimesh takes about 0.3 ms for each."""

PRIMITIVES = ("triangles", "polylist", "polygons", "tristrips", "trifans", "lines", "linestrips")
SOLIDS = re.compile(rb"^\s*endsolid", re.MULTILINE)
MATERIALS = re.compile(rb"^[ \t]*(usemtl|mtllib)\b.*", re.MULTILINE)


def check_collada(data: bytes, source: Source) -> bytes:
    """Raise if the file has entities, counts that cannot be, or a scene that multiplies itself."""
    elements = list(parse_xml(data, source.file).walk())
    for element in elements:
        if _tag(element) == "vcount" and not _total(element.text) <= MAX_VERTICES:
            raise element.error(f"counts more than {MAX_VERTICES} vertices")
    nodes = [element for element in elements if _tag(element) == "node"]
    named = {element.attributes.get("id", ""): id(element) for element in nodes}
    sizes = {
        f"#{element.attributes.get('id')}": sum(_tag(e) in PRIMITIVES for e in element.walk())
        for element in elements
        if _tag(element) == "geometry"
    }
    own, inside = {}, {}
    for node in nodes:
        geometries = [c for c in node.children if _tag(c) == "instance_geometry"]
        urls = [geometry.attributes.get("url", "") for geometry in geometries]
        own[id(node)] = sum(max(1, sizes.get(url, 0)) for url in urls)
        inside[id(node)] = [id(child) for child in node.children if _tag(child) == "node"]
        urls = [c.attributes.get("url", "") for c in node.children if _tag(c) == "instance_node"]
        inside[id(node)] += [named[url[1:]] for url in urls if url[1:] in named]
    placed: dict[int, int] = {}
    try:
        for key in TopologicalSorter(inside).static_order():
            placed[key] = own[key] + sum(placed[part] for part in inside[key])
    except CycleError:
        raise ValueError("its nodes contain themselves") from None
    roots = set(placed).difference(*inside.values())
    if sum(placed[root] for root in roots) > MAX_PARTS:
        raise ValueError(f"it places more than {MAX_PARTS} parts of meshes")
    return data


def check_stl(data: bytes, source: Source) -> bytes:
    """Raise if a text file has very many solids, each of which is a mesh of its own."""
    if sum(1 for _ in SOLIDS.finditer(data)) > MAX_PARTS:
        raise ValueError(f"it has more than {MAX_PARTS} solids")
    return data


def without_materials(data: bytes, source: Source) -> bytes:
    """Return an .obj file without its materials, each of which would be a mesh of its own."""
    return MATERIALS.sub(b"", data)


CHECKS: dict[str, Callable[[bytes, Source], bytes]] = {
    ".dae": check_collada,
    ".stl": check_stl,
    ".obj": without_materials,
}
"""What is done before trimesh gets the contents, by the suffix of the file."""


def _tag(element: Element) -> str:
    return element.tag.rpartition(":")[2]


def _total(text: str) -> float:
    """Return the sum of numbers in a text, not a number if there is something else."""
    try:
        return float(np.abs(np.array(text.split(), np.float64)).sum())
    except ValueError:
        return np.nan
