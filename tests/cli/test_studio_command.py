"""`tarsus studio` without a page: scripts, answers, files, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tarsus.cli.app import run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_script_is_done_and_answered(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.ves").write_text("; a body\nib a\nsb a -vl 1 0 0\nsstepsize .1\nstep 2\nrtime\n")
    assert run(["studio", "--script", "a.ves", "--draw", "csv", "--save", "a.json"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "0.2"
    rows = (folder / "a.csv").read_text().splitlines()
    assert len(rows) == 3  # nothing was there to draw at first
    assert json.loads((folder / "a.json").read_text())["state"]["t"] == pytest.approx(0.2)
    assert run(["studio", "a.json", "--script", "a.ves", "--draw", "null"]) == 1
    assert "line 2, 'ib a': there is a body 'a' already" in capsys.readouterr().err


def test_scenes_and_mistakes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "b.ves").write_text("step 1\n")
    assert run(["studio", "tensegrity", "--script", "b.ves", "--draw", "null"]) == 0
    assert run(["studio", "no_such_thing", "--draw", "null"]) == 2
    assert run(["studio", "--script", "missing.ves", "--draw", "null"]) == 2
    assert run(["studio", "--draw", "null", "--save", "x.txt"]) == 2
    err = capsys.readouterr().err
    assert "no_such_thing" in err
    assert "missing.ves" in err
    assert ".json" in err


def test_scripts_do_not_replace_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {name: folder / name for name in ("requirements.txt", "compose.yaml", "a.png", "b.csv")}
    for file in files.values():
        file.write_text("mine")
    (folder / "scene.json").write_text('{"mine": 1}')
    (folder / "o.ves").write_text("add box b -t 0 0 1\ndraw corpus requirements.txt 1\n")
    (folder / "p.ves").write_text("add box b -t 0 0 1\nexport compose.yaml\n")
    (folder / "a.ves").write_text("no_such_command\n")
    (folder / "b.ves").write_text("add box b\n")
    for arguments, name in (
        (["--script", "o.ves", "--draw", "null"], "requirements.txt"),
        (["--script", "p.ves", "--draw", "null"], "compose.yaml"),
        (["--script", "a.ves", "--draw", "png"], "a.png"),
        (["--script", "b.ves", "--draw", "csv"], "b.csv"),
        (["--script", "b.ves", "--draw", "null", "--save", "scene.json"], "scene.json"),
    ):
        before = (folder / name).read_text()
        assert run(["studio", *arguments]) == 1
        assert str(folder / name) in capsys.readouterr().err
        assert (folder / name).read_text() == before
        if name != "a.png":
            assert run(["studio", *arguments, "--overwrite"]) == 0
            assert (folder / name).read_text() != before
    # files of poses and scenes are replaced by those of the next run
    (folder / "c d.ves").write_text("ib a\nstep 1\n")
    for _ in range(2):
        arguments = ["--script", "c d.ves", "--draw", "csv", "--save", "c.json"]
        assert run(["studio", *arguments]) == 0
