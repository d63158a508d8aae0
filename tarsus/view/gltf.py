"""A run as glTF 2.0: one binary file (.glb) with meshes, and an animation of where they are.

Bodies are nodes below one that turns z up into y up, as glTF has it. The file is a header, a chunk
of JSON, and a chunk of numbers, little-endian (Khronos, "glTF 2.0 specification", 2021).
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.files import replacing
from tarsus.spatial import quaternion_from_rotation
from tarsus.view.stage import Stage
from tarsus.view.surfaces import Surface

FLOAT, UNSIGNED = 5126, 5125
"""Types of components of glTF."""
Y_UP = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]
"""The turn about x that takes z up to y up, as a quaternion x y z w."""


class _Numbers:
    """The numbers of a file, and how its JSON refers to them."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, int]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, array: NDArray[Any], kind: str, *, bounds: bool = False) -> int:
        """Add an array (n, …), float32 or, of whole numbers, uint32; return its number."""
        whole = array.dtype.kind in "iu"
        flat = np.ascontiguousarray(array, "<u4" if whole else "<f4")
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": flat.nbytes})
        self.data += flat.tobytes()
        accessor: dict[str, Any] = {
            "bufferView": len(self.views) - 1,
            "componentType": UNSIGNED if whole else FLOAT,
            "count": len(flat),
            "type": kind,
        }
        if bounds:
            rows = flat.reshape(len(flat), -1)
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def write_gltf(stage: Stage, file: str | Path) -> None:
    """Write the pictures of a stage as a .glb file: what moves, and the ground."""
    numbers = _Numbers()
    tree = _tree(stage, numbers)
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    data = bytes(numbers.data)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    with replacing(file) as part:
        part.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


def _tree(stage: Stage, numbers: _Numbers) -> dict[str, Any]:
    """Return the JSON of a file, and add its numbers."""
    surfaces = [*stage.surfaces, *([stage.ground] if stage.ground is not None else [])]
    names = stage.model.body_names
    meshes: list[dict[str, Any]] = []
    materials: list[dict[str, Any]] = []
    own: dict[int, list[int]] = {}
    for surface in surfaces:
        if not len(surface.triangles):
            continue
        own.setdefault(surface.body, []).append(len(meshes))
        meshes.append(_mesh(surface, len(materials), numbers))
        materials.append(_material(surface))
    nodes: list[dict[str, Any]] = [{"name": stage.model.name, "rotation": Y_UP, "children": []}]
    bodies = {}
    for body in range(-1, len(names)):
        bodies[body] = len(nodes)
        nodes[0]["children"].append(len(nodes))
        nodes.append({"name": names[body] if body >= 0 else "world"})
    for body, node in list(bodies.items()):
        for mesh in own.get(body, []):
            nodes[node].setdefault("children", []).append(len(nodes))
            nodes.append({"mesh": mesh})
    for body in range(len(names)):
        at, turn = _places(stage.poses[:, body])
        nodes[bodies[body]] |= {"translation": at[0].tolist(), "rotation": turn[0].tolist()}
    tree: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "tarsus"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
    }
    if meshes:
        tree |= {"meshes": meshes, "materials": materials}
    if len(stage.times) > 1 and len(names):
        tree["animations"] = [_animation(stage, bodies, numbers)]
    if numbers.data:
        tree["buffers"] = [{"byteLength": len(numbers.data)}]
        tree |= {"bufferViews": numbers.views, "accessors": numbers.accessors}
    return tree


def _mesh(surface: Surface, material: int, numbers: _Numbers) -> dict[str, Any]:
    corners = surface.triangles.astype(np.uint32).ravel()
    primitive = {
        "attributes": {"POSITION": numbers.add(surface.vertices, "VEC3", bounds=True)},
        "indices": numbers.add(corners, "SCALAR"),
        "material": material,
    }
    return {"primitives": [primitive]}


def _material(surface: Surface) -> dict[str, Any]:
    color = [float(x) ** 2.2 for x in surface.color[:3]]  # glTF counts light, not sRGB
    look = {"baseColorFactor": [*color, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8}
    return {"pbrMetallicRoughness": look, "doubleSided": True}


def _animation(stage: Stage, bodies: dict[int, int], numbers: _Numbers) -> dict[str, Any]:
    times = numbers.add(stage.times - stage.times[0], "SCALAR", bounds=True)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for body in range(stage.poses.shape[1]):
        at, turn = _places(stage.poses[:, body])
        for path, values, kind in (("translation", at, "VEC3"), ("rotation", turn, "VEC4")):
            target = {"node": bodies[body], "path": path}
            channels.append({"sampler": len(samplers), "target": target})
            samplers.append({"input": times, "output": numbers.add(values, kind)})
    return {"name": "motion", "samplers": samplers, "channels": channels}


def _places(poses: Array) -> tuple[Array, Array]:
    """Return positions (T, 3) and quaternions (T, 4) that never take the long way round."""
    turns = np.array(quaternion_from_rotation(poses[:, :3, :3]))
    flips = np.cumprod(np.where((turns[1:] * turns[:-1]).sum(axis=1) < 0.0, -1.0, 1.0))
    turns[1:] *= flips[:, None]
    return poses[:, :3, 3], turns
