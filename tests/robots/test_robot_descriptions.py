"""The package robot_descriptions as it is, with a repository on this machine for its network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

import tarsus as ts
from tarsus.robots.load import example_folder

pytest.importorskip("robot_descriptions")
VERSION = "here"
"""The tag that the package is told to take."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package's cache: a repository is there once it is made below it."""
    if example_folder() is None:
        pytest.skip("example-robot-data is not installed")
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path))
    monkeypatch.setenv("ROBOT_DESCRIPTION_COMMIT", VERSION)
    for name in [name for name in sys.modules if name.startswith("robot_descriptions")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


def repository(cache: Path, name: str, robot: str) -> Path:
    """Make a repository with one robot of example-robot-data, where the package looks for it."""
    folder, source = cache / f"{name}-{VERSION}" / name, example_folder()
    assert source is not None
    copytree(source / robot, folder / "robots" / robot)
    return folder


def commit(folder: Path) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@t"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "robot"], ["tag", VERSION]):
        subprocess.run(["git", *who, *command], cwd=folder, check=True)


def test_a_robot_of_a_repository_is_the_same(cache: Path) -> None:
    commit(repository(cache, "example-robot-data", "solo_description"))
    model, same = ts.load("solo_description"), ts.load("solo12")
    assert model.nv == same.nv == 18  # its tags say that it stands on legs
    q = same.random_configuration(0)
    np.testing.assert_array_equal(model.mass_matrix(q), same.mass_matrix(q))
    assert ts.load("solo", base="fixed").nv == 12
    # meshes lie in the repository
    meshes = [shape.file for shape in model.shapes if shape.kind == "mesh"]
    assert meshes and all(Path(file).is_relative_to(cache) for file in meshes)


def test_packages_of_other_names_find_their_meshes(cache: Path) -> None:
    folder = repository(cache, "unitree_ros", "go2_description") / "robots" / "go2_description"
    text = (folder / "urdf" / "go2.urdf").read_text("utf-8")
    text = text.replace("package://example-robot-data/robots/", "package://")
    (folder / "urdf" / "go2_description.urdf").write_text(text, "utf-8")
    commit(folder.parents[1])
    model = ts.load("go2_description")
    assert model.nv == 18
    assert not [each for each in model.warnings if "not found" in each]
    assert model.total_mass == pytest.approx(ts.load("go2").total_mass)


def test_without_network_what_is_not_there_is_said(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "none")
    with pytest.raises(ModuleNotFoundError, match=r"'upkie_description' .* could not be fetched"):
        ts.load("upkie_description")
