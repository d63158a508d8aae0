"""Triangles of glTF and GLB files, in time that grows with what the file places.

Only geometry is read: scenes, nodes, meshes and their data. Names, materials, images and
animations are not looked at. Errors are `ValueError`, as in `tarsus.formats.mesh_files`.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.errors import Source
from tarsus._lib.files import Array
from tarsus.formats.text import parse_json
from tarsus.spatial import rotation_from_quaternion

MAX_VERTICES = 10_000_000
MAX_PRIMITIVES = 20_000
"""Parts of meshes that the nodes of a file may place."""

COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC3": 3}
UNREADABLE = {
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "EXT_mesh_gpu_instancing",
}
"""Extensions without which the geometry is another."""

Mesh = tuple[Array, NDArray[np.int64]]
"""Vertices (n, 3) and triangles (m, 3)."""


def read_gltf(data: bytes, source: Source, beside: Callable[[str], bytes]) -> Mesh:
    """Return the triangles of the scene; `beside` gives the contents of a file that it names."""
    chunk = None
    if data[:4] == b"glTF":
        data, chunk = _chunks(data)
    tree = parse_json(data.decode(errors="replace"), source)
    return _Gltf(tree, chunk, beside).mesh()


def _chunks(data: bytes) -> tuple[bytes, bytes | None]:
    """Return the JSON of a GLB file, and its binary data if there are any."""
    if len(data) < 20:
        raise ValueError("its header is cut off")
    (length,) = struct.unpack_from("<I", data, 12)
    start = 20 + length
    if len(data) < start + 8:
        return data[20:start], None
    (length,) = struct.unpack_from("<I", data, start)
    return data[20:start], data[start + 8 : start + 8 + length]


class _Gltf:
    """The lists of one file, whose entries refer to each other by number."""

    def __init__(self, tree: Any, chunk: bytes | None, beside: Callable[[str], bytes]) -> None:
        self.tree, self.chunk, self.beside = _entry([tree], 0, "file"), chunk, beside
        required = self.tree.get("extensionsRequired", [])
        if unreadable := sorted(UNREADABLE & {str(name) for name in required}):
            raise ValueError(f"it needs {', '.join(unreadable)}, which is not read")
        self.buffers: dict[int, bytes] = {}
        self.accessors: dict[int, Array] = {}

    def mesh(self) -> Mesh:
        """Return all that the scene places, in the frame of the scene."""
        points, triangles = list[Array](), list[NDArray[np.int64]]()
        vertices, faces, count = 0, 0, 0
        for number, transform in self._placed_meshes():
            for primitive in _list(_entry(self._list("meshes"), number, "mesh"), "primitives"):
                count += 1
                if count > MAX_PRIMITIVES:
                    raise ValueError(f"it places more than {MAX_PRIMITIVES} parts of meshes")
                corners, indices = self._primitive(primitive)
                points.append(corners @ transform[:3, :3].T + transform[:3, 3])
                triangles.append(indices + vertices)
                vertices, faces = vertices + len(corners), faces + len(indices)
                if max(vertices, faces) > MAX_VERTICES:
                    raise ValueError(f"it places more than {MAX_VERTICES} vertices or triangles")
        if not points:
            return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
        return np.concatenate(points), np.concatenate(triangles)

    def _placed_meshes(self) -> Iterator[tuple[int, Array]]:
        """Yield the numbers of the meshes of the scene, with their transforms (4, 4)."""
        nodes = self._list("nodes")
        waiting = [(number, np.eye(4)) for number in self._roots()]
        seen: set[int] = set()
        while waiting:
            number, parent = waiting.pop()
            node = _entry(nodes, number, "node")
            if number in seen:
                raise ValueError(f"node {number} is inside itself or in two places")
            seen.add(number)
            transform = parent @ _transform(node)
            if "mesh" in node:
                yield node["mesh"], transform
            waiting += [(child, transform) for child in reversed(_list(node, "children"))]

    def _roots(self) -> list[Any]:
        """The nodes of the scene, without one those that are in no other."""
        if "scenes" in self.tree:
            scene = _entry(self._list("scenes"), self.tree.get("scene", 0), "scene")
            return _list(scene, "nodes")[::-1]
        nodes = self._list("nodes")
        numbers = range(len(nodes))
        children = [c for n in numbers for c in _list(_entry(nodes, n, "node"), "children")]
        inside = {_whole(child) for child in children}
        return [number for number in reversed(numbers) if number not in inside]

    def _primitive(self, primitive: Any) -> Mesh:
        """Return the triangles of a part of a mesh; points and lines have none."""
        primitive = _entry([primitive], 0, "primitive")
        mode = primitive.get("mode", 4)
        if mode not in (4, 5, 6):
            return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
        if unreadable := UNREADABLE & set(primitive.get("extensions", {})):
            raise ValueError(f"it needs {', '.join(sorted(unreadable))}, which is not read")
        attributes = _entry([primitive.get("attributes")], 0, "attributes of a mesh")
        corners = self._accessor(attributes.get("POSITION"), "VEC3")
        if "indices" in primitive:
            indices = self._accessor(primitive["indices"], "SCALAR")[:, 0].astype(np.int64)
        else:
            indices = np.arange(len(corners))
        if len(indices) and (indices.min() < 0 or indices.max() >= len(corners)):
            raise ValueError("its triangles name vertices that are not there")
        return corners, _triangles(indices, mode)

    def _accessor(self, number: Any, kind: str) -> Array:
        """Return the numbers of an accessor, one row for each of its elements."""
        entry = _entry(self._list("accessors"), number, "accessor")
        if number in self.accessors:
            return self.accessors[number]
        if "bufferView" not in entry or "sparse" in entry:
            raise ValueError("it has vertices without data, compressed or sparse")
        if entry.get("type") != kind:
            raise ValueError(f"accessor {number} is {entry.get('type')!r}, must be {kind!r}")
        view = _entry(self._list("bufferViews"), entry["bufferView"], "buffer view")
        dtype = np.dtype(COMPONENTS[entry["componentType"]])
        size = dtype.itemsize * WIDTHS[kind]
        stride, count = view.get("byteStride", size), _whole(entry.get("count"))
        if not size <= _whole(stride) <= 255:
            raise ValueError(f"byteStride is {stride}, must be from {size} to 255")
        first = _whole(entry.get("byteOffset", 0))
        start, length = _whole(view.get("byteOffset", 0)), _whole(view.get("byteLength"))
        data = self._buffer(view.get("buffer"))
        if start + length > len(data):
            raise ValueError(f"buffer view {entry['bufferView']} is longer than its buffer")
        if count and first + (count - 1) * stride + size > length:
            raise ValueError(f"accessor {number} is longer than its buffer view")
        start = min(start + first, len(data))
        rows = np.ndarray((count, WIDTHS[kind]), dtype, data, start, (stride, dtype.itemsize))
        values = rows.astype(np.float64)
        if entry.get("normalized") and dtype.kind != "f":
            values = np.maximum(values / np.iinfo(dtype).max, -1.0)
        self.accessors[number] = values
        return values

    def _buffer(self, number: Any) -> bytes:
        entry = _entry(self._list("buffers"), number, "buffer")
        if number not in self.buffers:
            uri = entry.get("uri")
            if uri is None:
                if number != 0 or self.chunk is None:
                    raise ValueError(f"buffer {number} has no data")
                self.buffers[number] = self.chunk
            elif str(uri).startswith("data:"):
                self.buffers[number] = base64.b64decode(str(uri).partition("base64,")[2])
            else:
                self.buffers[number] = self.beside(str(uri))
        return self.buffers[number]

    def _list(self, key: str) -> list[Any]:
        return _list(self.tree, key)


def _list(holder: dict[str, Any], key: str) -> list[Any]:
    value = holder.get(key, [])
    if not isinstance(value, list):
        raise ValueError(f"{key} must be a list")
    return value


def _entry(entries: list[Any], number: Any, what: str) -> dict[str, Any]:
    """Return an entry of a list of mappings."""
    entry = entries[number] if _whole(number) < len(entries) else None
    if not isinstance(entry, dict):
        raise ValueError(f"{what} {number} is not there")
    return entry


def _whole(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise ValueError(f"a number is {number!r}, must be a whole number and not negative")
    return number


def _transform(node: dict[str, Any]) -> Array:
    """Return the matrix of a node, stated as such or by translation, rotation and scale."""
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    transform = np.eye(4)
    if "rotation" in node:
        quaternion = np.array(node["rotation"], np.float64).reshape(4)
        transform[:3, :3] = rotation_from_quaternion(quaternion)
    transform[:3, :3] *= np.array(node.get("scale", (1.0, 1.0, 1.0)), np.float64).reshape(3)
    transform[:3, 3] = np.array(node.get("translation", (0.0, 0.0, 0.0)), np.float64).reshape(3)
    return transform


def _triangles(indices: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    """Return triangles (m, 3) of a list (mode 4), a strip (5) or a fan (6)."""
    if mode == 4:
        return indices[: len(indices) // 3 * 3].reshape(-1, 3)
    middle, last = indices[1:-1], indices[2:]
    if mode == 6:
        return np.stack([np.full_like(middle, indices[0] if len(indices) else 0), middle, last], 1)
    triangles = np.stack([indices[:-2], middle, last], 1)
    triangles[1::2] = triangles[1::2, [1, 0, 2]]
    keeps = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)  # strips join by flat ones
    return np.asarray(triangles[keeps])
