"""Tables of run times: complete and well formed; no test looks at how long anything takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tarsus.reproduce import dill, plot, reproduce, timing
from tarsus.reproduce.result import Result


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure each contender once, for a moment, and leave out the largest trees."""
    monkeypatch.setattr(timing, "ROUNDS", 1)
    monkeypatch.setattr(timing, "SECONDS", 1e-6)
    monkeypatch.setattr(dill, "LEVELS", range(6))


def labels(result: Result) -> list[str]:
    return [row.label for row in result.rows]


def test_lola(tmp_path: Path) -> None:
    result = reproduce("lola-2.6")
    assert len(result.rows) == 6
    assert [row.thesis for row in result.rows[:3]] == [
        "53.7 … 189.3",
        "0.941 … 1.162",
        "0.904 … 1.125",
    ]
    assert all(float(row.ours) > 0.0 for row in result.rows)
    plot(result, tmp_path / "lola.svg")


def test_dill(tmp_path: Path) -> None:
    result = reproduce("dill")
    assert len(result.rows) == 7
    assert result.rows[-1].verdict == "reproduced", "the methods agree"
    assert [curve.label for curve in result.curves] == ["articulated", "sparse", "dense"]
    plot(result, tmp_path / "dill.pdf")


def test_rotors() -> None:
    result = reproduce("rotors-4.6")
    assert [row.thesis for row in result.rows] == ["1400", "600", "2.33", "1500", "600", "2.50"]
    assert "serial chain, with rotors [µs]" in labels(result)
