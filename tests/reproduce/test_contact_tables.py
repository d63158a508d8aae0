"""Tables and scenarios of Ayit (2015): what is reproduced, and what its numbers do not support."""

from __future__ import annotations

from pathlib import Path

import pytest
from tarsus_lab.reproduce import plot, reproduce, timing
from tarsus_lab.reproduce.result import Result

from tarsus.scenes import robots as ayit


def verdicts(result: Result) -> list[str]:
    return [row.verdict for row in result.rows]


@pytest.mark.parametrize("name", ["contact-5.1", "contact-5.2", "contact-5.3"])
def test_tables(name: str) -> None:
    result = reproduce(name)
    print(result)
    assert result.ok
    assert all(
        (row.verdict == "corrected") == (row.thesis in ("", "0.5", "1e-20", "≤ 100"))
        for row in result.rows
    )


def test_drops(tmp_path: Path) -> None:
    result = reproduce("contact-drops")
    print(result)
    assert result.ok
    rows = {row.label: row for row in result.rows}
    assert rows["0.1 m, exact: at rest"].verdict == "reproduced"
    assert rows["0.5 m, exact: at rest"].verdict == "unsupported"
    many = {height: rows[f"{height} m, exact: many postures at rest"] for height in (0.5, 1.5)}
    assert many[0.5].verdict == "unsupported"
    assert many[0.5].ours == "0 of 36 upside down"
    assert many[1.5].verdict == "reproduced"
    assert rows["1.5 m, firm springs"].verdict == "unsupported"
    assert rows["1.5 m, overdamped springs"].verdict == "reproduced"
    plot(result, tmp_path / "drops.png")


def test_trot() -> None:
    result = reproduce("contact-trot")
    print(result)
    assert result.ok
    assert verdicts(result)[:6] == 6 * ["reproduced"]


def test_jump(tmp_path: Path) -> None:
    result = reproduce("contact-jump")
    print(result)
    assert result.ok
    assert verdicts(result)[:3] == 3 * ["reproduced"]
    assert verdicts(result)[3:5] == 2 * ["unsupported"]
    plot(result, tmp_path / "jump.png")


# the sweeps of the thesis say where they did not converge
@pytest.mark.filterwarnings("ignore::tarsus.ConvergenceWarning")
def test_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ayit, "DURATION", 3.0)
    result = reproduce("contact-score")
    print(result)
    assert result.ok
    scores = {row.label: row for row in result.rows if row.label.endswith("score")}
    assert scores["exact: score"].ours == "5 of 5"
    assert scores["soft: score"].ours == scores["firm: score"].ours == "5 of 5"
    assert scores["firm: score"].verdict == "unsupported"


def test_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "ROUNDS", 1)
    monkeypatch.setattr(timing, "SECONDS", 1e-6)
    result = reproduce("contact-solvers")
    print(result)
    assert verdicts(result)[:2] == ["reproduced", "corrected"]
    assert [curve.label for curve in result.curves] == ["lemke", "pgs", "newton"]


# the sweeps of the thesis say where they did not converge
@pytest.mark.filterwarnings("ignore::tarsus.ConvergenceWarning")
def test_integrators() -> None:
    result = reproduce("contact-integrators")
    print(result)
    assert result.ok
    texts = {row.label: str(row.ours) for row in result.rows}
    for height in ("0.1", "0.5", "1.5"):
        assert texts[f"semi_implicit, kd = 1, drop {height} m"] == "finite"
        assert texts[f"explicit, kd = 1, drop {height} m"].startswith("diverges")
        assert texts[f"explicit, kd = 40, drop {height} m"] == "finite"
