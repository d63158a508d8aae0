"""`tarsus gait`: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tarsus.cli.app import run


def test_gaits_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gait", "compass"]) == 0
    out = capsys.readouterr().out
    assert "stable, 0.78280 s" in out
    assert "4.4606" in out
    assert "scuffs" in out


def test_gaits_as_json_and_a_branch(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "branch.png"
    arguments = [
        "gait",
        "simplest_walker",
        "--follow",
        "slope=0.016",
        "--plot",
        str(picture),
        "--json",
    ]
    assert run(arguments) == 0
    told = json.loads(capsys.readouterr().out)
    slow, fast = told["gaits"]
    (flip,) = told["branches"][0]["bifurcations"]
    assert flip["kind"] == "flip"
    assert slow["stable"] and not fast["stable"]
    assert slow["numbers"]["slope"] == 0.009
    assert picture.stat().st_size > 1000


def test_a_model_is_a_walker_and_a_basin_is_mapped(capsys: pytest.CaptureFixture[str]) -> None:
    of_model = ["gait", "compass(gravity=9.8)", "--foot", "left_foot", "--foot", "right_foot"]
    state = ["--stance", "line", "--start=0.3,-0.6:-1.07,0.7", "--number", "slope=0.0523598776"]
    assert run([*of_model, *state]) == 0
    assert "0.78280 s" in capsys.readouterr().out
    assert run(["gait", "compass", "--basin", "lean=0.25:0.35:5"]) == 0
    assert "Basin of compass over lean: 5" in capsys.readouterr().out


def test_gaits_of_least_efforts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gait", "compass", "--speed", "0.8", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "converged"
    assert found["speed"] == pytest.approx(0.8, abs=1e-8)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["compass", "--number", "slope=0"], 1, "no gait"),
        (["compass", "--number", "slop=1"], 2, "did you mean 'slope'"),
        (["compass", "--number", "slope"], 2, "a name and a number"),
        (["compass", "--basin", "lean=1"], 2, "two ends and how many"),
        (["compass", "--plot", "/nowhere/at.png"], 2, "no folder"),
        (["compass()"], 2, "needs a --start"),
        (["compass", "--start", "1:2,x"], 2, "must be as in"),
        (["compass", "--foot", "left"], 2, "leave out --foot"),
        (["compass", "--doubled", "2"], 2, "needs --follow"),
        (["bicycle"], 2, "bicycle"),
    ],
)
def test_what_is_wrong_is_said(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gait", *arguments]) == code
    told = capsys.readouterr()
    assert words in told.out + told.err
