"""A run as a binary glTF file (.glb): one scene with all meshes, and an animation of the bodies.

Each body is a node with its pose in the world; they hang on one node that turns z, which is up
here, into y, which is up there. Blender, three.js and game engines read and play it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array, replacing
from tarsus.spatial import quaternion_from_rotation
from tarsus.view.frame_sequence import Stage
from tarsus.view.triangle_meshes import Color, ShownShapes, Surface, surfaces

Y_UP = [-float(np.sqrt(0.5)), 0.0, 0.0, float(np.sqrt(0.5))]
"""The turn about x by −90° that brings z to y, as a quaternion [x y z w]."""
FLOAT, UNSIGNED = 5126, 5125
VERTICES, INDICES = 34962, 34963
"""Numbers of the format: types of components, and what a part of the data is for."""


def write_glb(
    stage: Stage, file: str | Path, *, shapes: ShownShapes | None = None, speed: float = 1.0
) -> None:
    """Write the pictures of a stage as an animation, with meshes in full detail."""
    scene = _Scene(stage.model.name)
    shown = surfaces(stage.model, shapes)
    # pictures may be closer than samples, times of keys must grow
    keys = np.unique(stage.samples, return_index=True)[1]
    times = (stage.times[keys] - stage.times[0]) / speed
    clock = scene.numbers(times, "SCALAR", bounds=True) if len(keys) > 1 else None
    for body in stage.model.bodies:
        poses = stage.poses[keys, body.index]
        node = scene.node(body.name, [each for each in shown if each.body == body.index], poses[0])
        if clock is not None:
            scene.animate(node, clock, poses)
    fixed = [each for each in shown if each.body < 0]
    for name, still in (("world", fixed), ("ground", [stage.ground] if stage.ground else [])):
        if still:
            scene.node(name, still, np.eye(4))
    with replacing(file) as part:
        part.write_bytes(scene.data())


def continuous(quaternions: Array) -> Array:
    """Return quaternions (T, 4) that turn the same and never jump to their negatives."""
    turns = np.sign(np.einsum("ti,ti->t", quaternions[1:], quaternions[:-1]))
    signs = np.cumprod(np.concatenate([[1.0], np.where(turns == 0.0, 1.0, turns)]))
    return np.asarray(quaternions * signs[:, None])


class _Scene:
    """The parts of a file as they are put together."""

    def __init__(self, name: str) -> None:
        self.binary = bytearray()
        self.root: dict[str, Any] = {"name": name, "rotation": Y_UP, "children": []}
        self.document: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "Tarsus"},
            "scene": 0,
            "scenes": [{"name": name, "nodes": [0]}],
            "nodes": [self.root],
            "meshes": [],
            "materials": [],
            "accessors": [],
            "bufferViews": [],
        }
        self.channels: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.materials: dict[Color, int] = {}

    def node(self, name: str, shown: Sequence[Surface], pose: Array) -> int:
        """Append a body with what there is to see of it; return its number."""
        node: dict[str, Any] = {
            "name": name,
            "translation": pose[:3, 3].tolist(),
            "rotation": quaternion_from_rotation(pose[:3, :3]).tolist(),
        }
        if shown:
            parts = [self._primitive(surface) for surface in shown]
            node["mesh"] = self._append("meshes", {"name": name, "primitives": parts})
        number = self._append("nodes", node)
        self.root["children"].append(number)
        return number

    def animate(self, node: int, clock: int, poses: Array) -> None:
        """Append the motion of a node through poses (T, 4, 4) at the times of an accessor."""
        turns = continuous(quaternion_from_rotation(poses[:, :3, :3]))
        for path, values, kind in (
            ("translation", poses[:, :3, 3], "VEC3"),
            ("rotation", turns, "VEC4"),
        ):
            sampler = {"input": clock, "output": self.numbers(values, kind)}
            self.samplers.append(sampler | {"interpolation": "LINEAR"})
            target = {"node": node, "path": path}
            self.channels.append({"sampler": len(self.samplers) - 1, "target": target})

    def numbers(
        self, values: Array, kind: str, *, bounds: bool = False, target: int | None = None
    ) -> int:
        """Append numbers (n,) or (n, k) as an accessor, with their bounds where they must be."""
        data = np.ascontiguousarray(values, "<f4")
        accessor: dict[str, Any] = {"componentType": FLOAT, "count": len(data), "type": kind}
        if bounds:
            rows = data.reshape(len(data), -1)
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        return self._accessor(accessor, data.tobytes(), target)

    def data(self) -> bytes:
        """Return the file: a header, the document as JSON, and the numbers."""
        if self.channels:
            motion = {"name": "motion", "channels": self.channels, "samplers": self.samplers}
            self.document["animations"] = [motion]
        if self.binary:
            self.document["buffers"] = [{"byteLength": len(self.binary)}]
        # empty lists are not allowed
        stated = {key: value for key, value in self.document.items() if value != []}
        text = json.dumps(stated, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        if self.binary:
            chunks += struct.pack("<I4s", len(self.binary), b"BIN\0") + bytes(self.binary)
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks

    def _primitive(self, surface: Surface) -> dict[str, Any]:
        """Return triangles without normals: readers shade them flat."""
        points = self.numbers(surface.vertices, "VEC3", bounds=True, target=VERTICES)
        corners: NDArray[np.uint32] = np.ascontiguousarray(surface.triangles, "<u4")
        accessor = {"componentType": UNSIGNED, "count": corners.size, "type": "SCALAR"}
        return {
            "attributes": {"POSITION": points},
            "indices": self._accessor(accessor, corners.tobytes(), INDICES),
            "material": self._material(surface.color),
        }

    def _material(self, color: Color) -> int:
        if color not in self.materials:
            look = {"baseColorFactor": [*_linear(color), 1.0], "metallicFactor": 0.0}
            material = {"pbrMetallicRoughness": look | {"roughnessFactor": 0.7}}
            self.materials[color] = self._append("materials", material | {"doubleSided": True})
        return self.materials[color]

    def _accessor(self, accessor: dict[str, Any], data: bytes, target: int | None) -> int:
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.binary)}
        view |= {"byteLength": len(data)} | ({} if target is None else {"target": target})
        self.binary += data  # components have four bytes, so all parts begin where they may
        return self._append(
            "accessors", accessor | {"bufferView": self._append("bufferViews", view)}
        )

    def _append(self, key: str, element: dict[str, Any]) -> int:
        self.document[key].append(element)
        return len(self.document[key]) - 1


def _linear(color: Color) -> list[float]:
    """Return a colour of the screen (sRGB) as amounts of light, which glTF states."""
    shades = np.clip(np.array(color), 0.0, 1.0)
    light = np.where(shades <= 0.04045, shades / 12.92, ((shades + 0.055) / 1.055) ** 2.4)
    return [float(part) for part in light]
