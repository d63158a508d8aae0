"""Convex hulls of meshes, against coal's reading of the same files, and files that are wrong."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import coal
import numpy as np
import pytest
import trimesh
from touching import robot

import tarsus as ts
from tarsus.geometry import Collision
from tarsus.geometry.directions import DIRECTIONS
from tarsus.geometry.meshes import hull_corners, mesh_corners
from tarsus.model.description import ModelError, Shape


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
