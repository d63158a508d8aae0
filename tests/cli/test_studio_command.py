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
