"""glTF files: the triangles that trimesh reads, and small files that would take long."""

from __future__ import annotations

import base64
import json
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from tarsus.formats import gltf
from tarsus.formats.mesh_files import read_mesh

Write = Callable[..., Path]
POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
DATA = POINTS.tobytes() + struct.pack("<6H", 0, 1, 2, 1, 3, 2)


def tree(**changes: Any) -> dict[str, Any]:
    """A file with one node that places two triangles; `changes` replaces whole lists."""
    uri = "data:application/octet-stream;base64," + base64.b64encode(DATA).decode()
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 12},
        ],
        "buffers": [{"uri": uri, "byteLength": 60}],
    } | changes


def write_gltf(write: Write, **changes: Any) -> Path:
    return write(json.dumps(tree(**changes)), "mesh.gltf")


def corners(file: Path) -> np.ndarray:
    """The corners of all triangles (m, 3, 3), in any order of the triangles."""
    vertices, triangles = read_mesh(file)
    found = vertices[triangles]
    return found[np.lexsort(np.round(found, 6).reshape(-1, 9).T)]


def transformed_scene() -> trimesh.Scene:
    """Bodies with translations, rotations and scales, inside each other."""
    scene = trimesh.Scene()
    turn = trimesh.transformations.rotation_matrix
    scene.add_geometry(trimesh.creation.icosphere(1), node_name="a", transform=turn(0.5, [1, 2, 3]))
    box = trimesh.creation.box((1, 2, 3))
    far = turn(1.0, [0, 1, 0], [1, 2, 3]) @ np.diag([2.0, 1.0, 0.5, 1.0])
    scene.add_geometry(box, geom_name="box", node_name="b", parent_node_name="a", transform=far)
    scene.graph.update("c", "b", geometry="box", matrix=turn(2.0, [1, 0, 0]))
    return scene


def test_a_scene_is_that_of_trimesh(tmp_path: Path) -> None:
    scene = transformed_scene()
    file = tmp_path / "mesh.glb"
    scene.export(file)
    peer = scene.to_mesh()
    found = np.asarray(peer.vertices)[np.asarray(peer.faces)]
    expected = found[np.lexsort(np.round(found, 6).reshape(-1, 9).T)]
    assert len(corners(file)) == len(expected) == 80 + 2 * 12
    np.testing.assert_allclose(corners(file).sum(axis=(0, 1)), expected.sum(axis=(0, 1)), atol=1e-4)
    np.testing.assert_allclose(read_mesh(file)[0].max(0), peer.vertices.max(0), atol=1e-6)
    np.testing.assert_allclose(read_mesh(file)[0].min(0), peer.vertices.min(0), atol=1e-6)


def test_transforms_of_nodes(write: Write) -> None:
    turn = {"translation": [1, 2, 3], "rotation": [0, 0, 0.5**0.5, 0.5**0.5], "scale": [2, 1, 1]}
    outer = {"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10, 0, 0, 1], "children": [1]}
    vertices, _ = read_mesh(write_gltf(write, nodes=[outer, {"mesh": 0} | turn]))
    expected = [[11, 2, 3], [11, 4, 3], [10, 2, 3], [11, 2, 4]]
    np.testing.assert_allclose(vertices, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("mode", "triangles"),
    [
        (4, [[0, 1, 2], [1, 3, 2]]),
        (5, [[0, 1, 2], [2, 1, 3]]),
        (6, [[0, 1, 2], [0, 2, 3]]),
        (0, []),
        (1, []),
    ],
)
def test_modes(write: Write, mode: int, triangles: list[list[int]]) -> None:
    primitive = {"attributes": {"POSITION": 0}, "mode": mode}
    if mode == 4:
        primitive["indices"] = 1
    _, found = read_mesh(write_gltf(write, meshes=[{"primitives": [primitive]}]))
    assert found.tolist() == triangles


def test_strides_offsets_and_normalized_integers(write: Write) -> None:
    rows = np.zeros(4, [("gap", "<i4"), ("p", "<i2", 3), ("more", "<i2")])
    rows["p"] = np.round(POINTS * 32767)
    uri = "data:;base64," + base64.b64encode(b"12" + rows.tobytes()).decode()
    position = {"bufferView": 0, "byteOffset": 4, "componentType": 5122, "count": 4}
    file = write_gltf(
        write,
        buffers=[{"uri": uri, "byteLength": 50}],
        bufferViews=[{"buffer": 0, "byteOffset": 2, "byteLength": 48, "byteStride": 12}],
        accessors=[position | {"type": "VEC3", "normalized": True}],
        meshes=[{"primitives": [{"attributes": {"POSITION": 0}, "mode": 5}]}],
    )
    np.testing.assert_array_equal(read_mesh(file)[0], POINTS)


def test_equal_vertices_are_one_with_merge(write: Write) -> None:
    file = write_gltf(write, nodes=[{"mesh": 0, "children": [1]}, {"mesh": 0}])
    assert [len(part) for part in read_mesh(file)] == [8, 4]
    vertices, triangles = read_mesh(file, merge=True)
    assert len(vertices) == 4 and triangles.max() == 3


def chain(count: int) -> list[dict[str, Any]]:
    return [{"mesh": 0, "children": [k + 1]} for k in range(count)] + [{"mesh": 0}]


LARGE = {
    "chain": {"nodes": chain(3000)},
    "instances": {"nodes": [{"mesh": 0}] * 9000, "scenes": [{"nodes": list(range(9000))}]},
    "primitives": {"meshes": [{"primitives": tree()["meshes"][0]["primitives"] * 5000}]},
    "names": {"nodes": [node | {"name": "a"} for node in chain(3000)]},
    "images": {"images": [{"uri": "absent.png"}] * 5000},
}


@pytest.mark.parametrize("changes", LARGE.values(), ids=LARGE)
def test_files_of_many_parts_are_read_at_once(write: Write, changes: dict[str, Any]) -> None:
    file = write_gltf(write, **changes)
    start = time.process_time()
    vertices, _ = read_mesh(file)
    spent, size = time.process_time() - start, file.stat().st_size
    print(f"{len(vertices)} vertices, {size} bytes, {spent:.2f} s")
    assert len(vertices) and spent < 1.0


def accessor(**changes: Any) -> dict[str, Any]:
    position, index = tree()["accessors"]
    return {"accessors": [position | changes, index]}


REFUSED = {
    "shared": ({"nodes": [{"children": [1, 1]}, {"mesh": 0}]}, "node 1 is inside itself or in two"),
    "cycle": ({"nodes": [{"mesh": 0, "children": [0]}]}, "node 0 is inside itself"),
    "parts": (
        {
            "nodes": [{"mesh": 0}] * 200,
            "scenes": [{"nodes": list(range(200))}],
            "meshes": [{"primitives": tree()["meshes"][0]["primitives"] * 200}],
        },
        "more than 20000 parts",
    ),
    "count": (accessor(count=10**9), "accessor 0 is longer than its buffer view"),
    "sparse": (accessor(sparse={"count": 10**9}), "compressed or sparse"),
    "negative": (accessor(count=-1), "must be a whole number"),
    "offset": (accessor(byteOffset=-4), "must be a whole number"),
    "text": (accessor(count="4"), "must be a whole number"),
    "kind": (accessor(type="MAT4"), "'MAT4', must be 'VEC3'"),
    "view": (
        {"bufferViews": [{"buffer": 0, "byteLength": 10**12}] * 2},
        "buffer view 0 is longer than its buffer",
    ),
    "buffer": ({"buffers": [{"byteLength": 10**12}]}, "buffer 0 has no data"),
    "stride": (
        {"bufferViews": [{"buffer": 0, "byteLength": 60, "byteStride": 1}] * 2},
        "byteStride is 1",
    ),
    "draco": ({"extensionsRequired": ["KHR_draco_mesh_compression"]}, "needs KHR_draco"),
    "lists": ({"nodes": {"0": {"mesh": 0}}}, "nodes must be a list"),
    "absent": ({"nodes": [{"mesh": 7}]}, "mesh 7 is not there"),
}


@pytest.mark.parametrize(("changes", "message"), REFUSED.values(), ids=REFUSED)
def test_what_a_file_cannot_mean_is_refused(
    write: Write, changes: dict[str, Any], message: str
) -> None:
    file = write_gltf(write, **changes)
    start = time.process_time()
    with pytest.raises(ValueError, match=message):
        read_mesh(file)
    assert time.process_time() - start < 1.0


def test_placed_vertices_have_a_largest_number(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gltf, "MAX_VERTICES", 10)
    with pytest.raises(ValueError, match="more than 10 vertices or triangles"):
        read_mesh(write_gltf(write, nodes=chain(3)))


@pytest.mark.parametrize(
    "uri",
    [
        *("../secret.bin", "..\\secret.bin", "%2e%2e%2fsecret.bin", "..%5csecret.bin", "link.bin"),
        *("{parent}/secret.bin", "file://{parent}/secret.bin", "//host/a.bin", "\\\\host\\a.bin"),
        *("http://host/a.bin", "a.txt", "a\0.bin", "%00.bin"),
    ],
)
def test_data_are_read_from_the_folder_only(write: Write, uri: str) -> None:
    secret = write(DATA, "secret.bin")
    address = uri.format(parent=secret.parent)
    buffers = [{"uri": address, "byteLength": 60}]
    file = write(json.dumps(tree(buffers=buffers)), "inner/mesh.gltf")
    (file.parent / "link.bin").symlink_to(secret)
    (file.parent / "a.txt").write_bytes(DATA)
    with pytest.raises((ValueError, OSError)):
        read_mesh(file)


def test_encoded_names_and_folders_below_are_read(write: Write) -> None:
    write(DATA, "data/my mesh.bin")
    for uri in ("data/my%20mesh.bin", "data/my mesh.bin", "data\\my mesh.bin"):
        file = write_gltf(write, buffers=[{"uri": uri, "byteLength": 60}])
        assert len(read_mesh(file)[0]) == 4
