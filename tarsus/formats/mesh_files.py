"""Triangle meshes from files of any origin: which kinds are read, their limits and checks."""

from __future__ import annotations

import importlib
import io
import re
from collections.abc import Callable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.errors import Source
from tarsus._lib.files import Array
from tarsus.formats.gltf import MAX_VERTICES, read_gltf
from tarsus.formats.paths import normalized
from tarsus.formats.xml import XmlElement, parse_xml

# Mesh files before trimesh reads them: what a small file would make large is refused.


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


def _tag(element: XmlElement) -> str:
    return element.tag.rpartition(":")[2]


def _total(text: str) -> float:
    """Return the sum of numbers in a text, not a number if there is something else."""
    try:
        return float(np.abs(np.array(text.split(), np.float64)).sum())
    except ValueError:
        return np.nan


# Mesh files from anywhere: which kinds are read, how large, and what is looked at before.
#
# trimesh reads them, from memory and by the suffix alone: no archive, which may hold far more than
# its size, and no other file that a mesh names. glTF is read by `tarsus.formats.gltf`, with the
# data beside a .gltf file.


GLTF = (".glb", ".gltf")
KINDS = (".stl", ".obj", ".dae", ".ply", ".off", *GLTF)
MAX_BYTES = 128 * 1024 * 1024


def read_mesh(file: Path, *, merge: bool = False) -> tuple[Array, NDArray[np.int64]]:
    """Return vertices (n, 3) and triangles (m, 3) of a file.

    Equal vertices are one with `merge`. What is wrong with a file is a `ValueError`, which leaves
    it to the caller to name the file and what it belongs to.
    """
    kind = file.suffix.lower()
    if kind not in KINDS:
        raise ValueError(f"files of this kind are not read, only {', '.join(KINDS)}")
    data, source = _bytes(file), Source(str(file))
    if kind in GLTF:
        try:
            with np.errstate(all="ignore"):  # what overflows is not finite, which callers refuse
                vertices, triangles = read_gltf(data, source, Beside(file.parent).read)
        except Exception as error:  # numbers where lists should be, and the like
            raise _readable(error) from None
        return _merged(vertices, triangles) if merge else (vertices, triangles)
    if kind in CHECKS:
        data = CHECKS[kind](data, source)
    try:
        trimesh: Any = importlib.import_module("trimesh")
    except ImportError:
        message = "meshes need trimesh: pip install 'tarsus[io]'"
        raise ModuleNotFoundError(message, name="trimesh") from None
    try:
        scene = trimesh.load_scene(io.BytesIO(data), kind[1:], resolver=_NoFiles(), process=merge)
        parts = [scene.geometry[scene.graph[node][1]] for node in scene.graph.nodes_geometry]
        if sum(len(part.vertices) for part in parts) > MAX_VERTICES:
            raise ValueError(f"it has more than {MAX_VERTICES} vertices")
        mesh = scene.to_mesh()
        vertices = np.asarray(mesh.vertices, np.float64).reshape(-1, 3)
        return vertices, np.asarray(mesh.faces, np.int64).reshape(-1, 3)
    except ImportError as error:
        need = f"reading {kind} needs {error.name or error}"
        raise ValueError(f"{need}: pip install 'tarsus[io]'") from None
    except Exception as error:  # readers of meshes fail in all ways
        raise _readable(error) from None


def _readable(error: Exception) -> ValueError:
    return ValueError(str(error) or type(error).__name__)


def _merged(vertices: Array, triangles: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
    unique, numbers = np.unique(vertices, axis=0, return_inverse=True)
    return unique, numbers.reshape(-1)[triangles]


def _bytes(file: Path) -> bytes:
    with file.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES} bytes")
    return data


class Beside:
    """The data files beside a .gltf file: only those in its folder or below are read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def read(self, uri: str) -> bytes:
        """Return the contents of the file that a relative address names."""
        name = normalized(unquote(uri), Source(str(self.folder)))
        file = (self.folder / name).resolve()
        if file.suffix.lower() != ".bin" or not file.is_relative_to(self.folder):
            raise ValueError(f"it names the file {uri!r}, which is not read")
        return _bytes(file)


class _NoFiles:
    """What trimesh asks for the materials and images that a mesh names: none is given."""

    def __getitem__(self, name: str) -> bytes:
        raise ValueError(f"it names the file {name!r}, which is not read")

    get = __getitem__
