"""Mesh files from anywhere: which kinds are read, how large, and what is looked at before.

trimesh reads them, from memory and by the suffix alone: no archive, which may hold far more than
its size, and no other file that a mesh names, but for the data beside a .gltf.
"""

from __future__ import annotations

import importlib
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.formats.mesh_checks import CHECKS, MAX_VERTICES
from tarsus.model.description import Source

KINDS = (".stl", ".obj", ".dae", ".ply", ".off", ".glb", ".gltf")
MAX_BYTES = 128 * 1024 * 1024


def read_mesh(file: Path, *, merge: bool = False) -> tuple[Array, NDArray[np.int64]]:
    """Return vertices (n, 3) and triangles (m, 3) of a file.

    Equal vertices are one with `merge`. What is wrong with a file is a `ValueError`, which leaves
    it to the caller to name the file and what it belongs to.
    """
    kind = file.suffix.lower()
    if kind not in KINDS:
        raise ValueError(f"files of this kind are not read, only {', '.join(KINDS)}")
    data = _bytes(file)
    if kind in CHECKS:
        CHECKS[kind](data, Source(str(file)))
    try:
        trimesh: Any = importlib.import_module("trimesh")
    except ImportError:
        message = "meshes need trimesh: pip install 'tarsus[io]'"
        raise ModuleNotFoundError(message, name="trimesh") from None
    try:
        scene = trimesh.load_scene(
            io.BytesIO(data), kind[1:], resolver=_Beside(file.parent), process=merge
        )
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
        raise ValueError(str(error) or type(error).__name__) from None


def _bytes(file: Path) -> bytes:
    with file.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES} bytes")
    return data


class _Beside:
    """What trimesh asks for files that a mesh names: only data in the same folder are given."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def __getitem__(self, name: str) -> bytes:
        file = (self.folder / name).resolve()
        if file.suffix.lower() != ".bin" or not file.is_relative_to(self.folder):
            raise ValueError(f"it names the file {name!r}, which is not read")
        return _bytes(file)

    get = __getitem__
