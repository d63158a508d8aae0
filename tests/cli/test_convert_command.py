"""`tarsus convert`: what it writes, prints and returns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_commands import QUADRUPED, output

import tarsus as ts
from tarsus.cli.app import run


def test_models_are_written_in_other_formats(tmp_path: Path) -> None:
    for suffix in (".urdf", ".sdf", ".xml", ".json"):
        out = tmp_path / f"robot{suffix}"
        text = " ".join(output("convert", QUADRUPED, str(out), "--base", "free").split())
        assert ("velocity limit of joint" in text) == (suffix == ".xml")
        assert ("all of it is said" in text) == (suffix != ".xml")
        assert ts.load(out).nv == ts.load(QUADRUPED, "free").nv


def test_what_is_not_said_is_a_table(tmp_path: Path) -> None:
    out = tmp_path / "bars.urdf"
    text = output("convert", "four_bar()", str(out))
    for word in ("what", "why", "loop", "zero of joint", "coupler", "few readers"):
        assert word in " ".join(text.split())
    data = json.loads(output("convert", "four_bar()", str(out), "--json"))
    assert data["file"] == str(out)
    assert {"what": "loop", "name": "pin"}.items() <= data["left_out"][2].items()


def test_copies_of_meshes(tmp_path: Path) -> None:
    output("convert", "panda", str(tmp_path / "panda.urdf"), "--copy-meshes")
    assert any((tmp_path / "panda_meshes").iterdir())
    assert ts.load(tmp_path / "panda.urdf").warnings == ()


def test_mistakes_in_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wrong = {
        "the suffix must be one of": (str(tmp_path / "bars.stl"),),
        "there is no folder": (str(tmp_path / "none" / "bars.urdf"),),
        "does not say all of the model": (str(tmp_path / "bars.urdf"), "--strict"),
    }
    for message, arguments in wrong.items():
        assert run(["convert", "four_bar()", *arguments]) == 2
        assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
