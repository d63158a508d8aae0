"""Collada and glTF before trimesh reads them: what a small file would make large is refused."""

from __future__ import annotations

import struct
from collections.abc import Callable
from graphlib import CycleError, TopologicalSorter

import numpy as np

from tarsus.formats.text import parse_json
from tarsus.formats.xml import Element, parse_xml
from tarsus.model.description import Source

MAX_VERTICES = 10_000_000
MAX_INSTANCES = 10_000
"""How often the scene of a Collada file may place geometry."""


def check_collada(data: bytes, source: Source) -> None:
    """Raise if the file has entities, counts that cannot be, or a scene that multiplies itself."""
    elements = list(parse_xml(data, source.file).walk())
    for element in elements:
        if _tag(element) == "vcount" and not _total(element.text) <= MAX_VERTICES:
            raise element.error(f"counts more than {MAX_VERTICES} vertices")
    nodes = [element for element in elements if _tag(element) == "node"]
    named = {element.attributes.get("id", ""): id(element) for element in nodes}
    own, inside = {}, {}
    for node in nodes:
        own[id(node)] = sum(_tag(child) == "instance_geometry" for child in node.children)
        inside[id(node)] = [id(child) for child in node.children if _tag(child) == "node"]
        urls = [c.attributes.get("url", "") for c in node.children if _tag(c) == "instance_node"]
        inside[id(node)] += [named[url[1:]] for url in urls if url[1:] in named]
    placed: dict[int, int] = {}
    try:
        for key in TopologicalSorter(inside).static_order():
            placed[key] = own[key] + sum(placed[part] for part in inside[key])
    except CycleError:
        raise ValueError("its nodes contain themselves") from None
    if max(placed.values(), default=0) > MAX_INSTANCES:
        raise ValueError(f"it places geometry more than {MAX_INSTANCES} times")


def check_gltf(data: bytes, source: Source) -> None:
    """Raise if the file has vertices without data, which would be made of nothing."""
    if data[:4] == b"glTF":  # binary: after the header a first chunk with JSON
        (length,) = struct.unpack_from("<I", data.ljust(20, b"\0"), 12)
        data = data[20 : 20 + length]
    tree = parse_json(data.decode(errors="replace"), source)
    accessors = tree.get("accessors", []) if isinstance(tree, dict) else []
    for accessor in accessors if isinstance(accessors, list) else []:
        if not isinstance(accessor, dict) or "bufferView" not in accessor:
            raise ValueError("it has vertices without data, compressed or sparse")


CHECKS: dict[str, Callable[[bytes, Source], None]] = {
    ".dae": check_collada,
    ".glb": check_gltf,
    ".gltf": check_gltf,
}
"""What is looked at, by the suffix of the file."""


def _tag(element: Element) -> str:
    return element.tag.rpartition(":")[2]


def _total(text: str) -> float:
    """Return the sum of numbers in a text, not a number if there is something else."""
    try:
        return float(np.abs(np.array(text.split(), np.float64)).sum())
    except ValueError:
        return np.nan
