"""`tarsus reproduce`: its list, its table, its JSON and its picture."""

from __future__ import annotations

import json
from pathlib import Path

from tarsus_lab.reproduce import TABLES
from typer.testing import CliRunner

from tarsus.cli.app import app, run


def output(*arguments: str, code: int = 0) -> str:
    result = CliRunner(env={"COLUMNS": "120"}).invoke(app, ["reproduce", *arguments])
    assert result.exit_code == code, result.output
    return result.stdout


def test_list() -> None:
    text = output("--list")
    assert all(name in text for name in TABLES)
    assert set(json.loads(output("--list", "--json"))) == set(TABLES)


def test_table() -> None:
    text = output("lola-2.1")
    assert "Dill(10) non-zeros" in text
    assert "corrected [1]" in text
    assert "[1] cut off after two decimals" in text


def test_json_and_picture(tmp_path: Path) -> None:
    picture = tmp_path / "table.png"
    data = json.loads(output("lola-2.1", "--json", "--plot", str(picture)))
    assert data["ok"]
    assert len(data["rows"]) == 50
    assert picture.stat().st_size > 10_000


def test_wrong_input(capsys: object) -> None:
    assert run(["reproduce", "lola-9"]) == 2
    assert run(["reproduce"]) == 2
    assert run(["reproduce", "lola-2.1", "--plot", "/no/such/folder/x.png"]) == 2
