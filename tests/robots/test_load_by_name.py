"""`ts.load` by the name of a robot: our own, of example-robot-data, of robot_descriptions."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import tarsus as ts
from tarsus.robots import load as examples

ROOT = Path(__file__).parents[2]


def test_our_own() -> None:
    assert ts.load("lola") == ts.robots.lola()
    assert ts.load("tree(7, 2)") == ts.robots.tree(7, 2)
    with pytest.raises(ValueError, match="states how its root moves: leave out base='free'"):
        ts.load("chain(3)", base="free")
    with pytest.raises(ValueError, match=r"complete=x\.yaml is for files, not for 'lola'"):
        ts.load("lola", complete="x.yaml")


def test_example_robot_data() -> None:
    if examples.example_folder() is None:
        pytest.skip("example-robot-data is not installed")
    assert ts.load("solo12").nv == 18
    assert ts.load("solo12", base="fixed").nv == 12


@pytest.mark.parametrize("name", sorted(examples.EXAMPLES))
def test_every_name_of_example_robot_data_is_a_robot(name: str) -> None:
    if examples.example_folder() is None:
        pytest.skip("example-robot-data is not installed")
    model, base = ts.load(name), examples.EXAMPLES[name][1]
    assert model.nv > 0 and model.total_mass > 0.05
    assert (model.base is not None and model.base.kind == "free") == (base == "free")


def test_joints_of_named_robots_that_mimic_are_coupled_if_asked_for() -> None:
    if examples.example_folder() is None:
        pytest.skip("example-robot-data is not installed")
    assert (ts.load("panda").nv, ts.load("panda", mimic="coupled").nv) == (9, 8)


def test_what_is_neither_a_file_nor_a_text() -> None:
    for wrong in (None, 3, b"<robot/>", ts.robots.lola()):
        with pytest.raises(TypeError, match=f"path is of type {type(wrong).__name__}, must be a"):
            ts.load(wrong)  # type: ignore[arg-type]


def test_a_folder_alone_is_no_list_of_folders() -> None:
    file = ROOT / "examples/quadruped.urdf"
    for folder in (file.parent, str(file.parent)):
        with pytest.raises(TypeError, match="examples' alone, must be a list of folders"):
            ts.load(file, package_dirs=folder)  # type: ignore[arg-type]


def test_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "FOLDER", "nowhere")
    monkeypatch.setattr("tarsus.robots.load.example_folder", lambda: None)
    monkeypatch.setattr("tarsus.robots.load.described", lambda *given: None)
    with pytest.raises(ValueError, match=r"'talos' is in a package .* pip install example-robot-d"):
        ts.load("talos")


def test_files_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lola").mkdir()
    with pytest.raises(IsADirectoryError):
        ts.load("lola")


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match=r"there is no model 'lolla'.*did you mean 'lola'"):
        ts.load("lolla")
    with pytest.raises(FileNotFoundError, match=r"there is no file lola\.urdf"):
        ts.load("lola.urdf")


@pytest.fixture
def descriptions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with the layout of robot_descriptions, which would fetch from the network."""
    for name in [name for name in sys.modules if name.startswith("robot_descriptions")]:
        monkeypatch.delitem(sys.modules, name)
    package = tmp_path / "robot_descriptions"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "_descriptions.py").write_text(
        "class D:\n    def __init__(self, *tags): self.tags = frozenset(tags)\n"
        "DESCRIPTIONS = {'hund_description': D('quadruped'), 'arm_description': D('arm')}\n"
    )
    places = f"REPOSITORY_PATH = PACKAGE_PATH = {str(ROOT)!r}\n"
    file = f"URDF_PATH = {str(ROOT / 'examples/quadruped.urdf')!r}\n"
    for name in ("hund", "arm"):
        (package / f"{name}_description.py").write_text(places + file)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("descriptions")
def test_robot_descriptions() -> None:
    free = ts.load(ROOT / "examples/quadruped.urdf", base="free")
    assert ts.load("hund") == ts.load("hund_description") == free
    assert ts.load("arm").nv == free.nv - 6
    assert ts.load("hund", base="fixed").nv == free.nv - 6
    with pytest.raises(ValueError, match="did you mean 'hund_description'"):
        ts.load("hund_descripton")
