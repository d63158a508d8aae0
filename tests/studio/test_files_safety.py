"""Lines touch files below the stage's folder only, and what is too large is refused at once."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tarsus.studio import Stage
from tarsus.studio import language as files
from tarsus.studio import sizing as limits
from tarsus.studio import wires as meshes

trimesh = pytest.importorskip("trimesh")


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A stage with a folder that lies beside another one, which it must not touch."""
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    Stage(root=outside).run("add box secret\nsave secret.json")
    (root / "link").symlink_to(outside)
    (root / "linked.json").symlink_to(outside / "secret.json")
    (root / "dangling.json").symlink_to(outside / "new.json")
    (root / ".hidden.json").write_text((outside / "secret.json").read_text())
    os.mkfifo(root / "pipe.json")
    stage = Stage(root=root)
    stage.run("add box mine")
    return stage


NAMES = (
    "../outside/secret.json",
    "sub/../../outside/secret.json",
    "link/secret.json",
    "linked.json",
    "dangling.json",
    ".hidden.json",
    "pipe.json",
    "/etc/hosts.json",
    "//host/share/x.json",
    "\\\\host\\share\\x.json",
    "sub",
    "~/x.json",
    "x" * 300 + ".json",
    "a\0b.json",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("verb", ["load", "save", "export"])
def test_nothing_outside_is_touched(verb: str, name: str, stage: Stage, tmp_path: Path) -> None:
    def all_files() -> dict[str, bytes]:
        plain = (path for path in tmp_path.rglob("*") if path.is_file() and not path.is_symlink())
        return {str(path): path.read_bytes() for path in plain}

    before = all_files()
    answer = stage.do(f'{verb} "{name}"')
    assert not answer.ok and "\n" not in answer.text
    assert all_files() == before
    assert [body.name for body in stage.document.description.bodies] == ["mine"]


def test_absolute_paths_below_the_folder_are_fine(stage: Stage) -> None:
    inside = stage.root / "sub" / "mine.json"
    assert stage.do(f'save "{inside}"').ok and stage.do("load sub/mine.json").ok


def test_large_files_are_refused(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    big = stage.root / "big.json"
    with big.open("wb") as file:
        file.truncate(files.MOST_BYTES + 1)
    answer = stage.do("load big.json")
    assert not answer.ok and str(files.MOST_BYTES) in answer.text
    big.rename(stage.root / "big.stl")
    answer = stage.do("add mesh big -file big.stl")
    assert not answer.ok and str(meshes.MOST_BYTES) in answer.text
    monkeypatch.setattr(meshes, "MOST_TRIANGLES", 10)
    trimesh.creation.box().export(stage.root / "box.stl")
    answer = stage.do("add mesh box -file box.stl")
    assert not answer.ok and "12 triangles" in answer.text and answer.field == "-file"


def test_worlds_are_bounded(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not stage.do("load chain(2001)").ok
    assert not stage.do("load chain(1e12)").ok
    answer = stage.do(f"add box {'n' * 300}")
    assert not answer.ok
    monkeypatch.setitem(limits.MOST, "bodies", 3)
    stage.run("add box b\nadd box c")
    answer = stage.do("add box d")
    assert not answer.ok and "4 bodies, at most 3" in answer.text
    monkeypatch.setitem(limits.MOST, "bodies", 2000)
    monkeypatch.setattr(limits, "MOST_PAIRS", 5)
    answer = stage.do("add box d")
    assert not answer.ok and "6 pairs" in answer.text and "-touches off" in answer.text
    assert stage.do("add box d -touches off").ok
    monkeypatch.setattr(limits, "MOST_NAMES", 1)
    assert stage.do("chart energy:kinetic").ok and not stage.do("chart energy:gravity").ok


def box(extents: tuple[float, float, float], center: np.ndarray) -> tuple[float, np.ndarray]:
    a, b, c = extents
    return a * b * c, np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 12.0


@pytest.mark.parametrize("ending", ["stl", "obj", "ply"])
def test_mass_of_boxes_is_exact(ending: str, stage: Stage) -> None:
    extents, center = (0.3, 0.5, 0.7), np.array([0.1, -0.2, 0.4])
    turn = trimesh.transformations.euler_matrix(0.3, 0.5, -0.7)
    mesh = trimesh.creation.box(extents)
    mesh.apply_transform(turn)
    mesh.apply_translation(center)
    mesh.apply_scale(1000.0)
    mesh.export(stage.root / f"box.{ending}")
    assert stage.do(f"add mesh part -file box.{ending} -scale .001 -density 500").ok
    body = next(x for x in stage.document.description.bodies if x.name == "part")
    volume, inertia = box(extents, center)
    mass = 500.0 * volume
    assert body.mass == pytest.approx(mass, rel=1e-6)
    np.testing.assert_allclose(body.com, center, atol=1e-6)
    expected = mass * turn[:3, :3] @ inertia @ turn[:3, :3].T
    np.testing.assert_allclose(body.inertia, expected, atol=1e-5 * mass)


def test_mass_of_balls_comes_near(stage: Stage) -> None:
    """An icosphere lies within its ball: mass and inertia come from below, by its fineness."""
    radius, shares = 0.4, []
    for level in (2, 3, 4):
        trimesh.creation.icosphere(level, radius).export(stage.root / "ball.stl")
        stage.run(f"add mesh ball{level} -file ball.stl -density 1000")
        body = stage.document.description.bodies[-1]
        mass = 1000.0 * 4 / 3 * np.pi * radius**3
        moments = np.linalg.eigvalsh(body.inertia) / (0.4 * mass * radius**2)
        shares.append(1.0 - np.array([body.mass / mass, *moments]))
    assert (np.array(shares) > 0.0).all() and (np.array(shares[-1]) < 5e-3).all()
    np.testing.assert_allclose(np.array(shares[1]) / shares[2], 4.0, rtol=0.05)


def test_stated_mass_wins_and_insides_out_are_the_same(stage: Stage) -> None:
    mesh = trimesh.creation.cylinder(0.2, 0.6, sections=64)
    mesh.export(stage.root / "a.stl")
    mesh.invert()
    mesh.export(stage.root / "b.stl")
    stage.run("add mesh a -file a.stl -m 3\nadd mesh b -file b.stl -m 3 -t 2 0 1")
    a, b = stage.document.description.bodies[-2:]
    assert a.mass == b.mass == 3.0
    np.testing.assert_allclose(a.inertia, b.inertia, atol=1e-12)
    assert stage.do("advance 20").ok


def test_meshes_with_no_inside_are_told(stage: Stage) -> None:
    mesh = trimesh.creation.box()
    mesh.update_faces(np.arange(len(mesh.faces)) > 0)
    mesh.export(stage.root / "open.stl")
    (stage.root / "text.stl").write_text("no mesh")
    (stage.root / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n")
    for line, told in {
        "add mesh m -file open.stl": "not closed: 6 edges",
        "add mesh m -file flat.obj": "no volume",
        "add mesh m -file text.stl": "text.stl",
        "add mesh m": "-file",
        "add mesh m -file gone.stl": "there is no file",
        "add mesh m -file open.stl -scale 0": "-scale",
        "add mesh m -file open.exe": ".exe",
        "add mesh m -file ../x.stl": "not below",
    }.items():
        answer = stage.do(line)
        assert not answer.ok and told in answer.text, (line, answer)


def test_scenes_with_meshes_may_be_moved(stage: Stage, tmp_path: Path) -> None:
    trimesh.creation.box().export(stage.root / "box.stl")
    stage.run("add mesh part -file box.stl -t 3 0 2\nsave scene.json")
    moved = tmp_path / "moved"
    stage.root.rename(moved)
    other = Stage(root=moved)
    assert other.do("load scene.json").ok and other.do("advance 10").ok
    files_now = {shape.file for shape in other.document.description.shapes} - {None}
    assert files_now == {str(moved / "box.stl")}
