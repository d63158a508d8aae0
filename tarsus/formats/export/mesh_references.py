"""Meshes of a file that is written: by their paths, or as copies in a folder beside it.

Names of copies have letters, digits, dots, hyphens and underscores only, so that none leaves its
folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.formats.export.left_out import LeftOuts
from tarsus.formats.mesh_files import MAX_BYTES, read_mesh
from tarsus.model.checks import unused
from tarsus.model.description import Shape

ALONE = (".stl", ".obj", ".dae", ".ply", ".off", ".glb")
"""Files of meshes that stand alone; a .gltf has its numbers elsewhere."""


class MeshReferences:
    """What stands in a file for each mesh, and the copies that belong beside it.

    `folder` is that of the file, `beside` the name of the one for copies. `copy` makes copies of
    all; `readable` tells which files the format's readers read: others become copies as .obj.
    """

    def __init__(
        self,
        folder: Path,
        beside: str,
        left_out: LeftOuts,
        *,
        copy: bool = False,
        readable: Callable[[Path], bool] | None = None,
    ) -> None:
        self.folder, self.beside, self.left_out = folder.resolve(), beside, left_out
        self.copy, self.readable = copy, readable
        self.copies: dict[str, bytes] = {}
        self._found: dict[str, str | None] = {}
        self._names: set[str] = set()

    def of(self, shape: Shape) -> str | None:
        """Return the path or address of a mesh, None if it cannot be written."""
        file = shape.file or ""
        if file not in self._found:
            self._found[file] = self._reference(file)
        found = self._found[file]
        if found is None:
            self.left_out.add("mesh of body", shape.body, self._reason(file))
        return found

    def _reference(self, file: str) -> str | None:
        path = Path(file)
        if "://" in file or not path.is_file():
            # as it was stated: readers elsewhere may have it
            return None if self.copy or self.readable else file or None
        if self.readable is not None and not self.readable(path):
            return self._converted(path)
        if not self.copy:
            resolved = path.resolve()
            if resolved.is_relative_to(self.folder):
                return str(resolved.relative_to(self.folder))
            # ROS and Gazebo want addresses, MuJoCo paths
            return resolved.as_uri() if self.readable is None else str(resolved)
        if path.suffix.lower() not in ALONE:
            return self._converted(path)
        if path.stat().st_size > MAX_BYTES:
            return None
        return self._keep(path.stem, path.suffix.lower(), path.read_bytes())

    def _converted(self, path: Path) -> str | None:
        try:
            vertices, triangles = read_mesh(path, merge=True)
        except (OSError, ValueError, ImportError):
            return None
        return self._keep(path.stem, ".obj", obj(vertices, triangles)) if len(triangles) else None

    def _keep(self, stem: str, suffix: str, data: bytes) -> str:
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", stem)
        name = f"{self.beside}/{unused(plain or 'mesh', self._names)}{suffix}"
        self.copies[name] = data
        return name

    def _reason(self, file: str) -> str:
        path = Path(file)
        there = "://" not in file and path.is_file()
        return f"{file!r} {'cannot be read, or is empty' if there else 'is not there'}"


def obj(vertices: Array, triangles: NDArray[np.int64]) -> bytes:
    """Return a mesh as the bytes of an .obj file, with all bits of its numbers."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (triangles + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()
