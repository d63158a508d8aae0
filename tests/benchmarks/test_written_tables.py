"""The tables of `docs/benchmarks.md` and `README.md` are those of one file of results."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

import write_tables  # noqa: E402
from significant import significant  # noqa: E402


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    newest = sorted((ROOT / "benchmarks" / "results").glob("*.json"))[-1]
    loaded: dict[str, Any] = json.loads(newest.read_text(encoding="utf-8"))
    return loaded


def test_tables_in_the_documents_are_those_of_the_newest_results(results: dict[str, Any]) -> None:
    for file, text in (
        (write_tables.PAGE, write_tables.page(results)),
        (write_tables.README, write_tables.rows(results)),
    ):
        assert text in file.read_text(encoding="utf-8"), "run python benchmarks/write_tables.py"


def test_readme_has_six_rows_with_date_and_machine(results: dict[str, Any]) -> None:
    text = write_tables.rows(results)
    assert text.count("\n| ") == 6
    assert results["date"] in text
    assert results["machine"]["processor"] in text


def test_separate_runs_are_named(results: dict[str, Any]) -> None:
    one_run = {key: value for key, value in results.items() if key != "separate_runs"}
    assert "separate runs" not in write_tables.page(one_run)
    two_runs = {**one_run, "separate_runs": {"contact": "2026-01-02"}}
    assert "Contact (2026-01-02)" in write_tables.page(two_runs)


def test_a_missing_library_is_a_dash(results: dict[str, Any]) -> None:
    rows = [{**row, "pinocchio": None} for row in results["rows"]]
    assert "| Pinocchio – |" in write_tables.rows({**results, "rows": rows})


def test_blocks_are_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nb\n", encoding="utf-8")
    write_tables._replace(page, "new")
    assert page.read_text(encoding="utf-8") == (
        "a\n<!-- bench:begin -->\nnew\n<!-- bench:end -->\nb\n"
    )
    page.write_text("no block", encoding="utf-8")
    with pytest.raises(SystemExit, match="must have one block"):
        write_tables._replace(page, "new")


def test_numbers_have_no_exponent() -> None:
    assert [significant(x) for x in (1561.8, 0.08941, 12.0)] == ["1560", "0.0894", "12"]
