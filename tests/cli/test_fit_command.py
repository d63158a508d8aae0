"""`tarsus fit`: its table, files and JSON, and errors in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tarsus.cli.app import app, run
from tarsus.geometry import Volumes

QUADRUPED = str(Path(__file__).parents[2] / "examples" / "quadruped.urdf")
LINKS = ("--links", "front_left_shank", "--links", "front_left_foot")


def output(*arguments: str) -> str:
    result = CliRunner(env={"COLUMNS": "120"}).invoke(app, ["fit", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_table_and_a_file(tmp_path: Path) -> None:
    file = tmp_path / "volumes.yaml"
    text = output(QUADRUPED, *LINKS, "--parts", "2", "-o", str(file))
    print(text)
    assert "largest gap" in text and "front_left_foot" in text and str(file) in text
    found = Volumes.load(file)
    assert set(found) == {"front_left_shank", "front_left_foot"}
    assert found["front_left_foot"][0].kind == "ball"


def test_json_has_numbers() -> None:
    data = json.loads(output(QUADRUPED, *LINKS, "--parts", "1", "--json"))
    assert [row["link"] for row in data["links"]] == ["front_left_shank", "front_left_foot"]
    assert 0.98 < data["links"][1]["of_solid"] < 1.02 and data["links"][1]["gap"] < 1e-3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--links", "front_left_shunk"), "did you mean 'front_left_shank'"),
        (("-o", "/nowhere/volumes.yaml"), "there is no folder"),
    ],
)
def test_errors_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    assert run(["fit", QUADRUPED, *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
