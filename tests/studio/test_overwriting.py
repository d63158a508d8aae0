"""Lines create files, and replace only those that this stage wrote or the user allows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tarsus.studio import LineError, Stage
from tarsus.studio.commands import copy as filing
from tarsus.studio.document_files import write_scene

MINE = b"a file of the user\n"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A stage with something to save and a short recording."""
    made = Stage(root=tmp_path)
    made.run("add box plank -t 0 0 1\nadvance 100")
    return made


def contents(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder, hidden files included."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("save package.json", "package.json"),
        ("export package.json", "package.json"),
        ("export docker-compose.yaml", "docker-compose.yaml"),
        ("export robot.urdf", "robot.urdf"),
        ("export data.csv", "data.csv"),
        ("export index.html", "index.html"),
        ("export scene.glb", "scene.glb"),
        ("export film.gif", "film.gif"),
        ("export logo.png", "logo.png"),
        ("export logo.png -fps 30 -size 64 48", "logo-0003.png"),
        ("draw corpus requirements.txt 1", "requirements.txt"),
    ],
)
def test_files_of_the_user_are_not_replaced(line: str, name: str, stage: Stage) -> None:
    (stage.root / name).write_bytes(MINE)
    answer = stage.do(line)
    assert not answer.ok and answer.confirm == (str(stage.root / name),)
    assert str(stage.root / name) in answer.text and "--overwrite" in answer.text
    assert contents(stage.root) == {name: MINE}


@pytest.mark.parametrize("allowed", ["stage", "line"])
@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("save package.json", "package.json"),
        ("export data.csv", "data.csv"),
        ("export logo.png -fps 30 -size 64 48", "logo-0003.png"),
        ("draw corpus requirements.txt 1", "requirements.txt"),
    ],
)
def test_files_are_replaced_if_the_user_allows_it(
    line: str, name: str, allowed: str, tmp_path: Path
) -> None:
    stage = Stage(root=tmp_path, overwrite=allowed == "stage")
    stage.run("add box plank -t 0 0 1\nadvance 100")
    (tmp_path / name).write_bytes(MINE)
    overwrite = [str(tmp_path / name)] if allowed == "line" else []
    assert stage.do(line, overwrite=overwrite).ok
    assert (tmp_path / name).read_bytes() != MINE


def test_a_confirmation_is_for_its_files_and_its_line(stage: Stage) -> None:
    (stage.root / "a.json").write_bytes(MINE)
    (stage.root / "b.json").write_bytes(MINE)
    (stage.root / "both.ves").write_text("save a.json\nsave b.json\n")
    answer = stage.do("run both.ves")
    assert answer.confirm == (str(stage.root / "a.json"),)
    answer = stage.do("run both.ves", overwrite=["a.json"])
    assert answer.confirm == (str(stage.root / "b.json"),)
    assert (stage.root / "b.json").read_bytes() == MINE
    assert stage.do("run both.ves", overwrite=["a.json", "b.json"]).ok
    (stage.root / "a.json").write_bytes(MINE)
    assert not stage.do("save a.json").ok


def test_a_stage_replaces_what_it_wrote_unless_it_was_changed(stage: Stage) -> None:
    for _ in range(2):
        assert stage.do("export model.yaml").ok
        assert stage.do("export data.csv").ok
        assert stage.do("export logo.png -fps 30 -size 64 48").ok
        assert stage.do("draw corpus poses.csv").ok and stage.do("step 2").ok
    (stage.root / "data.csv").write_bytes(MINE)
    assert not stage.do("export data.csv").ok
    assert not Stage(root=stage.root).do("export model.yaml").ok
    (stage.root / "model.yaml").unlink()
    assert stage.do("export model.yaml").ok


def test_scenes_replace_scenes_by_their_header(stage: Stage) -> None:
    stage.run("save scene.json")
    other = Stage(root=stage.root)
    assert other.do("save scene.json").ok
    assert not Stage(root=stage.root).do("export scene.json").ok  # a model keeps less
    for text in (
        '{"name": "mine", "format": "tarsus studio", "version": 1, "x": 2}',
        '{"format": "tarsus", "version": 1, "name": "a model"}',
        '["format", "tarsus studio"]',
        '{"format": "tarsus studio"}',
        "tarsus studio",
        "",
    ):
        (stage.root / "mine.json").write_text(text)
        assert not other.do("save mine.json").ok, text
        assert (stage.root / "mine.json").read_text() == text


def test_files_of_poses_replace_files_of_poses(stage: Stage) -> None:
    stage.run("draw corpus poses.txt\nstep 1")
    assert Stage(root=stage.root).do("draw corpus poses.txt").ok
    (stage.root / "mine.txt").write_text("t,body,x,y,z,qw,qx,qy,qz and more\n")
    assert not stage.do("draw corpus mine.txt").ok


def test_frames_are_not_appended_to_another_file(stage: Stage) -> None:
    stage.run("draw corpus poses.csv\nstep 1")
    (stage.root / "poses.csv").write_bytes(MINE)
    before = stage.t
    answer = stage.do("step 1")
    assert not answer.ok and "poses.csv" in answer.text
    assert (stage.root / "poses.csv").read_bytes() == MINE and stage.t == before
    assert stage.do("draw null").ok and stage.do("step 1").ok


def test_links_are_followed_before_it_is_decided(stage: Stage, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.png"
    outside.write_bytes(MINE)
    (stage.root / "package.json").write_bytes(MINE)
    (stage.root / "link.json").symlink_to("package.json")
    (stage.root / "new.json").symlink_to("created.json")
    (stage.root / "logo-0002.png").symlink_to(outside)
    assert stage.do("save link.json").confirm == (str(stage.root / "package.json"),)
    assert stage.do("save new.json").ok and (stage.root / "created.json").is_file()
    answer = stage.do("export logo.png -fps 30 -size 64 48")
    assert not answer.ok and "not below" in answer.text
    assert outside.read_bytes() == (stage.root / "package.json").read_bytes() == MINE


def test_one_file_of_two_names_is_one_file(stage: Stage) -> None:
    """As on file systems for which a.yaml and A.yaml are the same."""
    stage.run("export a.yaml")
    os.link(stage.root / "a.yaml", stage.root / "A.yaml")
    assert stage.do("export A.yaml").ok


@pytest.mark.parametrize("existed", [False, True])
def test_files_that_appear_meanwhile_are_kept(
    existed: bool, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writing may take minutes, in which another program may write the same file."""
    if existed:
        stage.run("save slow.json")

    def slow(*arguments: Any) -> list[str]:
        (stage.root / "slow.json").unlink(missing_ok=True)
        (stage.root / "slow.json").write_bytes(MINE)
        return write_scene(*arguments)

    monkeypatch.setattr(filing, "write_scene", slow)
    answer = stage.do("save slow.json")
    assert not answer.ok and answer.confirm == (str(stage.root / "slow.json"),)
    assert contents(stage.root) == {"slow.json": MINE}


def test_python_gets_an_error_with_the_path(stage: Stage) -> None:
    (stage.root / "package.json").write_bytes(MINE)
    with pytest.raises(LineError, match=r"package\.json") as raised:
        stage.save("package.json")
    assert raised.value.confirm == (str(stage.root / "package.json"),)
    with pytest.raises(LineError, match=r"line 2.*package.json") as raised:
        stage.run("advance 1\nsave package.json")
    assert raised.value.confirm
