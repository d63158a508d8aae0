"""Shapes of models in other formats: sizes, colours, and meshes by reference or as copies."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest
import trimesh
from round_trips import saved

import tarsus as ts
from tarsus.formats.export.export import export
from tarsus.formats.mesh_files import read_mesh

SUFFIXES = (".urdf", ".sdf", ".xml")
PLACE = ts.spatial.pose([0.1, 0.2, 0.3], ts.spatial.rotation_from_rpy([0.4, 0.5, 0.6]))


def block(file: Path | str, size: tuple[float, ...] = (1.0, 2.0, 3.0)) -> ts.Model:
    """A body that looks like the mesh of a file and touches as a box."""
    b = ts.Builder("block")
    b.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.joint("hinge", "revolute", "world", "block")
    color = (0.1, 0.2, 0.3, 0.5)
    b.shape("block", "mesh", size, file=file, color=color, placement=PLACE, name="skin")
    b.shape("block", "box", (0.1, 0.2, 0.3), role="collision", placement=PLACE)
    return b.build()


@pytest.fixture
def wedge(tmp_path: Path) -> Path:
    """A mesh that is like none of its images."""
    folder = tmp_path / "from elsewhere"
    folder.mkdir()
    corners = [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]
    mesh = trimesh.Trimesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    mesh.export(folder / "wedge.stl")
    mesh.export(folder / "wedge.dae")
    return folder / "wedge.stl"


def corners(model: ts.Model) -> np.ndarray:
    """The corners of all meshes on their bodies, in an order that does not matter."""
    found = []
    for shape in model.shapes:
        if shape.kind == "mesh":
            points = read_mesh(Path(shape.file))[0] * shape.size
            found.append(points @ shape.placement[:3, :3].T + shape.placement[:3, 3])
    return np.unique(np.round(np.concatenate(found), 6), axis=0)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_shapes_are_the_same_when_read_again(suffix: str, wedge: Path, tmp_path: Path) -> None:
    model, file = block(wedge), tmp_path / f"block{suffix}"
    other, left_out = saved(model, file, shapes=True)
    assert left_out == ()
    assert not (tmp_path / "block_meshes").exists()
    np.testing.assert_allclose(corners(other), corners(model), atol=2e-6)
    mesh, box = other.shapes
    assert Path(mesh.file).resolve() == wedge.resolve()
    np.testing.assert_allclose(mesh.color, (0.1, 0.2, 0.3, 0.5), atol=1e-7)
    assert (mesh.role, mesh.name, box.role, box.kind) == ("visual", "skin", "collision", "box")
    np.testing.assert_allclose(box.size, (0.1, 0.2, 0.3), rtol=1e-15)
    np.testing.assert_allclose(box.placement, PLACE, atol=1e-15)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_meshes_elsewhere_are_named_or_copied(suffix: str, wedge: Path, tmp_path: Path) -> None:
    (there := tmp_path / "there").mkdir()
    model = block(wedge)
    ts.save(model, there / f"named{suffix}")
    with pytest.raises(ts.ModelError, match="package_dirs"):
        ts.load(there / f"named{suffix}")
    ts.load(there / f"named{suffix}", package_dirs=[wedge.parent])
    ts.save(model, there / f"copied{suffix}", meshes="copy")
    assert (there / "copied_meshes" / "wedge.stl").read_bytes() == wedge.read_bytes()
    wedge.unlink()
    other = ts.load(there / f"copied{suffix}")
    assert Path(other.shapes[0].file).parent.name == "copied_meshes"


def test_others_find_the_meshes(wedge: Path, tmp_path: Path) -> None:
    (there := tmp_path / "there").mkdir()
    straight = wedge.rename(tmp_path / "wedge.stl")  # Pinocchio does not know %20
    model = block(straight)
    ts.save(model, there / "block.urdf")
    _, _, visual = pin.buildModelsFromUrdf(str(there / "block.urdf"))
    (geometry,) = visual.geometryObjects
    assert geometry.meshPath == str(straight)
    np.testing.assert_array_equal(geometry.meshScale, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(geometry.meshColor, [0.1, 0.2, 0.3, 0.5])
    ts.save(model, there / "block.xml")
    assert mujoco.MjModel.from_xml_path(str(there / "block.xml")).nmesh == 1


def test_mujoco_gets_what_it_does_not_read_as_obj(wedge: Path, tmp_path: Path) -> None:
    model = block(wedge.with_suffix(".dae"))
    other, left_out = saved(model, tmp_path / "block.xml", shapes=True)
    assert left_out == ()
    assert (tmp_path / "block_meshes" / "wedge.obj").is_file()
    np.testing.assert_allclose(corners(other), corners(model), atol=2e-6)


def test_text_files_of_stl_are_not_for_mujoco(tmp_path: Path) -> None:
    mesh = trimesh.creation.box((1.0, 1.0, 1.0))
    (tmp_path / "plain.stl").write_text(trimesh.exchange.stl.export_stl_ascii(mesh))
    other, _ = saved(block(tmp_path / "plain.stl"), tmp_path / "block.xml", shapes=True)
    assert Path(other.shapes[0].file).name == "plain.obj"


def test_flat_meshes_are_for_mujoco_too(tmp_path: Path) -> None:
    flat = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]])
    flat.export(tmp_path / "flat.stl")
    saved(block(tmp_path / "flat.stl"), tmp_path / "block.xml", shapes=True)


def test_meshes_that_are_missing_are_told(tmp_path: Path) -> None:
    model = block(tmp_path / "gone.stl")
    assert export(model, "urdf", folder=tmp_path).left_out == ()  # another machine may have it
    for found in (export(model, "mjcf"), export(model, "sdf", meshes="copy")):
        (thing,) = found.left_out
        assert (thing.what, thing.name) == ("mesh of body", "block")
        assert "gone.stl' is not there" in thing.reason


def test_no_name_leads_out_of_the_folder(wedge: Path, tmp_path: Path) -> None:
    there = tmp_path / "deep" / "there"
    there.mkdir(parents=True)
    odd = wedge.parent / "..%2f..\\..wedge .stl"
    odd.write_bytes(wedge.read_bytes())
    b = ts.Builder("../../out")
    b.body("../../body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.joint("../joint", "revolute", "world", "../../body")
    for file in (odd, wedge, wedge.with_suffix(".dae")):
        b.shape("../../body", "mesh", file=file, name="../shape")
    before = sorted(path for path in tmp_path.rglob("*"))
    for suffix in SUFFIXES:
        ts.save(b.build(), there / f"model{suffix}", meshes="copy")
        assert len(ts.load(there / f"model{suffix}").shapes) == 3
    new = set(tmp_path.rglob("*")) - set(before)
    assert all(path.is_relative_to(there) for path in new)
    copies = {path.name for path in (there / "model_meshes").iterdir()}
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+\.[a-z]+", name) for name in copies)


def test_round_shapes_are_kept_in_urdf_as_solids(tmp_path: Path) -> None:
    b = ts.Builder("pill")
    b.body("pill", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.joint("hinge", "revolute", "world", "pill")
    b.shape("pill", "capsule", (0.1, 0.4), role="collision", placement=PLACE)
    model = b.build()
    other, left_out = saved(model, tmp_path / "pill.urdf", shapes=True)
    assert left_out == ()
    assert [shape.kind for shape in other.shapes] == ["cylinder", "sphere", "sphere"]
    ends = np.array([shape.placement[:3, 3] for shape in other.shapes[1:]])
    np.testing.assert_allclose(ends.mean(axis=0), PLACE[:3, 3], atol=1e-15)
    np.testing.assert_allclose(ends[0] - ends[1], 0.4 * PLACE[:3, 2], atol=1e-15)
    for suffix in (".sdf", ".xml"):
        (shape,) = saved(model, tmp_path / f"pill{suffix}", shapes=True)[0].shapes
        assert (shape.kind, shape.size) == ("capsule", (0.1, 0.4))


@pytest.mark.parametrize("robot", ["talos_reduced", "solo12", "panda"])
def test_whole_robots_come_with_their_meshes(robot: str, tmp_path: Path) -> None:
    from tarsus.robots.load import example

    model = example(robot)
    other, left_out = saved(model, tmp_path / "robot.xml", shapes=True, meshes="copy")
    assert {thing.what for thing in left_out} <= {"velocity limit of joint"}
    assert len(other.shapes) == len(model.shapes)
