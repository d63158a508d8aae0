"""Convex hulls of meshes, against coal's reading of the same files, and files that are wrong."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from pathlib import Path

import coal
import numpy as np
import pytest
import trimesh
from touching import robot

import tarsus as ts
from tarsus._lib.errors import ModelError
from tarsus.formats import mesh_files
from tarsus.formats.mesh_files import read_mesh
from tarsus.geometry import Collision
from tarsus.geometry.meshes import hull_corners, mesh_corners
from tarsus.geometry.outlines import DIRECTIONS
from tarsus.model.description import Shape


@pytest.mark.parametrize(
    "name", ["solo12.urdf", "romeo_small.urdf", "talos_reduced.urdf", "solo.urdf", "go2.urdf"]
)
def test_hulls_are_those_of_coal(name: str) -> None:
    worst, count = 0.0, 0
    files = {
        (shape.file, shape.size): shape for shape in robot(name).shapes if shape.kind == "mesh"
    }
    for (file, size), shape in files.items():
        if shape.role == "collision":
            peer = coal.MeshLoader().load(file, np.array(size)).vertices()
            far, expected = (
                (mesh_corners(shape) @ DIRECTIONS.T).max(0),
                (peer @ DIRECTIONS.T).max(0),
            )
            worst, count = max(worst, np.abs(far - expected).max()), count + 1
    print(f"{name}: {count} meshes, hulls differ by {worst:.1e} m")
    assert count and worst < 1e-6  # coal rounds Collada files to single precision


def test_corners_are_those_of_the_hull() -> None:
    points = np.random.default_rng(0).normal(size=(500, 3))
    corners = hull_corners(points)
    mesh = trimesh.convex.convex_hull(points)
    assert sorted(map(tuple, corners)) == sorted(map(tuple, mesh.vertices))


@pytest.mark.parametrize("scale", [(1, 1, 0), (1, 0, 0), (0, 0, 0)])
def test_flat_points_have_corners(scale: tuple[float, ...]) -> None:
    points = np.random.default_rng(0).uniform(-1, 1, (300, 3)) * scale
    corners = hull_corners(points)
    lost = (points @ DIRECTIONS.T).max(0) - (corners @ DIRECTIONS.T).max(0)
    print(f"{len(corners)} corners, {lost.max():.1e} m lost")
    assert lost.max() < 1e-9


def shape(file: Path | str) -> Shape:
    return Shape("shank", "collision", "mesh", (1.0, 1.0, 1.0), file=str(file))


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "mesh.stl"
    trimesh.creation.box((1, 1, 1)).export(file)
    assert np.abs(mesh_corners(shape(file))).max() == pytest.approx(0.5)
    trimesh.creation.box((4, 4, 4)).export(file)
    os.utime(file, (1, 1))
    assert np.abs(mesh_corners(shape(file))).max() == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("mesh.stl", b"solid nothing", "cannot be read"),
        ("mesh.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "cannot be read"),
        ("mesh.xyz_unknown", b"?", "cannot be read"),
        ("mesh.dae", b"<COLLADA", "cannot be read"),
        (None, b"", "is not there"),
    ],
)
def test_bad_files_name_file_body_and_a_way_out(
    tmp_path: Path, name: str | None, content: bytes, message: str
) -> None:
    file = tmp_path / (name or "missing.stl")
    if name:
        file.write_bytes(content)
    with pytest.raises(ModelError, match=rf"{file.name}.*'shank'.* {message}.*shapes='primitives'"):
        mesh_corners(shape(file))


def test_without_trimesh_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mesh.stl"
    trimesh.creation.box((1, 1, 1)).export(file)
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ImportError, match=r"pip install 'tarsus\[io\]'.*contact_points"):
        mesh_corners(shape(file))


def test_meshes_can_be_left_out() -> None:
    b = ts.Builder("leg").body("shank", 1.0, inertia=(0.1, 0.1, 0.1))
    b.joint("root", "free", "world", "shank")
    b.shape("shank", "mesh", role="collision", file="/nowhere/shank.stl")
    b.shape("shank", "sphere", (0.1,), role="collision")
    m = b.build()
    with pytest.raises(ModelError, match=r"'/nowhere/shank\.stl' of body 'shank' is not there"):
        Collision.from_model(m)
    assert len(Collision.from_model(m, shapes="primitives").candidates) == 1
    assert len(Collision.from_model(m, contact_points=["shank"]).candidates) == 1


COLLADA = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
<accessor source="#a" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/>
<vcount>{count}</vcount><p>0 1 2</p></polylist></mesh></geometry></library_geometries>
<library_nodes>{nodes}</library_nodes><library_visual_scenes><visual_scene id="s"><node>
<instance_{top}/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def collada(count: int = 3, nodes: str = "", top: str = 'geometry url="#g"') -> bytes:
    return COLLADA.format(count=count, nodes=nodes, top=top).encode()


def doubled(times: int) -> str:
    """Nodes that each hold the one before twice."""
    first = '<node id="n0"><instance_geometry url="#g"/></node>'
    return first + "".join(
        f'<node id="n{k + 1}">' + f'<instance_node url="#n{k}"/>' * 2 + "</node>"
        for k in range(times)
    )


def gltf(**accessor: object) -> bytes:
    tree = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": "mesh.bin", "byteLength": 36}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"count": 3, "type": "VEC3", "componentType": 5126, **accessor}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
        "scene": 0,
    }
    return json.dumps(tree).encode()


@pytest.mark.parametrize("nodes", [0, 3])
def test_scenes_of_collada_are_read(tmp_path: Path, nodes: int) -> None:
    file = tmp_path / "mesh.dae"
    file.write_bytes(collada(3, doubled(nodes), f'node url="#n{nodes}"'))
    assert len(read_mesh(file)[0]) == 3 * 2**nodes


def test_data_beside_a_gltf_file_are_read(tmp_path: Path) -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    (tmp_path / "mesh.bin").write_bytes(points.tobytes())
    (tmp_path / "mesh.gltf").write_bytes(gltf(bufferView=0))
    np.testing.assert_array_equal(read_mesh(tmp_path / "mesh.gltf")[0], points)
    (tmp_path / "inner").mkdir()
    outside = gltf(bufferView=0).replace(b"mesh.bin", b"../mesh.bin")
    (tmp_path / "inner" / "mesh.gltf").write_bytes(outside)
    with pytest.raises(ValueError, match=r"names the file '\.\./mesh\.bin', which is not read"):
        read_mesh(tmp_path / "inner" / "mesh.gltf")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("mesh.3mf", b"?", r"of this kind are not read, only \.stl, \.obj, \.dae"),
        ("mesh.zip", b"?", r"of this kind are not read"),
        ("mesh.dae", collada(2_000_000_000), "counts more than 10000000 vertices"),
        ("mesh.dae", collada(3, doubled(40), 'node url="#n40"'), "more than 4000 parts"),
        (
            "mesh.dae",
            collada(3, '<node id="a"><instance_node url="#a"/></node>', 'node url="#a"'),
            "nodes contain themselves",
        ),
        ("mesh.dae", b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "entities are not read"),
        ("mesh.gltf", gltf(count=10**10), "vertices without data"),
        ("mesh.gltf", b"[" * 10000, "nested too deeply"),
    ],
)
def test_meshes_that_grow_are_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=rf"{name}' of body 'shank' cannot be read: .*{message}"):
        mesh_corners(shape(tmp_path / name))


def test_meshes_have_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mesh.stl"
    trimesh.creation.box((1, 1, 1)).export(file)
    monkeypatch.setattr(mesh_files, "MAX_VERTICES", 10)
    with pytest.raises(ModelError, match=r"mesh\.stl.*more than 10 vertices"):
        mesh_corners(shape(file))
    monkeypatch.setattr(mesh_files, "MAX_BYTES", 100)
    with pytest.raises(ModelError, match=r"mesh\.stl.*larger than 100 bytes"):
        mesh_corners(shape(file))


SOLID = """solid a
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid a
"""
NODES = '<node id="m"><instance_geometry url="#g"/></node>'
PARTS = {
    "obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "".join(f"usemtl {k}\nf 1 2 3\n" for k in range(50_000)),
    "ply": "ply\nformat ascii 1.0\nelement vertex 2000000000\nproperty float x\nproperty float y\n"
    "property float z\nend_header\n0 0 0\n",
    "off": "OFF\n2000000000 2000000000 0\n0 0 0\n",
    "stl": SOLID * 50_000,
    "dae": collada(nodes=NODES * 50_000).decode(),
}


@pytest.mark.parametrize("kind", PARTS)
def test_files_of_many_parts_take_no_longer_than_large_ones(tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"mesh.{kind}"
    file.write_text(PARTS[kind])
    start = time.process_time()
    with contextlib.suppress(ValueError):
        read_mesh(file)
    spent, megabytes = time.process_time() - start, file.stat().st_size / 1e6
    print(f"{kind}: {spent:.2f} s for {megabytes:.2f} MB")
    assert spent < 2.0 + 1.0 * megabytes


def test_materials_of_obj_files_are_not_looked_for(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(
        "mtllib a.mtl\n  usemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nusemtl blue\nf 3 2 1\n"
    )
    (tmp_path / "a.mtl").write_text("newmtl red\nmap_Kd absent.png\n")
    vertices, triangles = read_mesh(tmp_path / "a.obj")
    assert len(vertices) == 3 and triangles.tolist() == [[0, 1, 2], [2, 1, 0]]
