"""`tarsus walk`: what it prints and returns."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from test_commands import output

import tarsus as ts
from tarsus.cli import walk as walk_map
from tarsus.cli.app import run
from tarsus.robots.load import example


def test_a_walk_is_told(tmp_path: Path) -> None:
    picture = tmp_path / "walk.png"
    data = json.loads(
        output(
            "walk", "lola(2)", "--steps", "1", "--speed", "0.1", "--json", "--plot", str(picture)
        )
    )
    assert data["fell"] is False
    assert data["steps"] == 1
    assert picture.exists()


def test_a_walk_by_sensors_and_preview_is_told() -> None:
    arguments = ("--steps", "1", "--speed", "0.1", "--noise", "2", "--plan", "preview", "--json")
    data = json.loads(output("walk", "lola(2)", *arguments))
    assert data["fell"] is False
    assert 0.0 < data["estimate"]["tilt"]["mean"] < data["estimate"]["tilt"]["largest"] < 0.05
    assert data["pushes"] == []


def test_maps_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One row for each friction, one column for each mass; here few of them."""
    monkeypatch.setattr(walk_map, "PUSHES", np.array([0.0, 1.5]))
    monkeypatch.setattr(walk_map, "FRICTIONS", (0.6, 0.7))
    monkeypatch.setattr(walk_map, "MASSES", (1.0,))
    picture = tmp_path / "map.png"
    options = ("walk", "lola(2)", "--robustness", "--steps", "3")
    text = output(*options, "--plot", str(picture))
    assert "masses × 1" in text
    assert [line.split() for line in text.splitlines()[-2:]] == [["0.6", "0"], ["0.7", "0"]]
    assert picture.exists()
    data = json.loads(output(*options, "--json"))
    assert data["survived"] == [[[True], [True]], [[False], [False]]]


def test_a_fall_ends_with_one() -> None:
    text = output("walk", "lola(2)", "--steps", "2", "--push", "torso:900,0,0@0.5+0.2", code=1)
    assert "fell after" in text
    assert "gave way" in text
    assert "left_leg to 'left_foot'" in text


@pytest.mark.parametrize("name", ["talos", "icub", "romeo", "bolt", "cassie"])
def test_machines_on_two_legs_have_names(name: str) -> None:
    body = ts.gait.Anatomy.from_model(example(name))
    assert len(body.legs) == 2


def test_mistakes_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = {
        "has no free base": ("chain(3)",),
        "4 legs, walks take two; by name these walk: lola": ("quadruped",),
        "choose one of them": ("lola(2)", "--slope", "0.1", "--stairs", "0.1"),
        "must be such as trunk": ("lola(2)", "--push", "torso"),
        "ground rises or sinks by 0.50 m": ("lola(2)", "--stairs", "0.5"),
        "factor is -1.0": ("lola(2)", "--noise", "-1"),
        "no frame 'toe'": ("lola(2)", "--foot", "toe", "--foot", "left_foot"),
    }
    for message, arguments in wrong.items():
        assert run(["walk", *arguments]) == 2
        assert message in capsys.readouterr().err
