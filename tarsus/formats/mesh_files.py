"""Mesh files from anywhere: which kinds are read, how large, and what is looked at before.

trimesh reads them, from memory and by the suffix alone: no archive, which may hold far more than
its size, and no other file that a mesh names. glTF is read by `tarsus.formats.gltf`, with the data
beside a .gltf file.
"""

from __future__ import annotations

import importlib
import io
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.formats.gltf import read_gltf
from tarsus.formats.mesh_checks import CHECKS, MAX_VERTICES
from tarsus.formats.paths import normalized
from tarsus.model.description import Source

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
