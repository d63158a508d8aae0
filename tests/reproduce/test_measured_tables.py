"""Tables of run times: complete and well formed; no test looks at how long anything takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tarsus_lab.reproduce import coriolis_3_2, dill, plot, reproduce, timing
from tarsus_lab.reproduce.result import Curve, Result


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure each contender once, for a moment, and leave out the largest trees."""
    monkeypatch.setattr(timing, "ROUNDS", 1)
    monkeypatch.setattr(timing, "SECONDS", 1e-6)
    monkeypatch.setattr(dill, "LEVELS", range(6))
    monkeypatch.setattr(coriolis_3_2, "LENGTHS", (4, 8, 32))


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


def test_distances() -> None:
    result = reproduce("lola-6.9")
    print(result)
    times = [row.thesis for row in result.rows[:7]]
    assert times == ["0.0886", "0.1256", "0.1555", "0.1392", "0.3614", "0.8887", "50 … 500"]
    assert all(float(row.ours) > 0.0 for row in result.rows[:7])
    assert [row.verdict for row in result.rows[7:]] == ["corrected", "corrected"]
    # a share of random points and triangles, as counted elsewhere: 4.4 % and 28 %
    assert 3.5 < float(result.rows[7].thesis) < 5.0 and 26.0 < float(result.rows[8].ours) < 30.0


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


def test_coriolis_matrix_and_symbols(tmp_path: Path) -> None:
    result = reproduce("coriolis-3.2")
    print(result)
    assert len(result.rows) == 4 * 3 + 4
    printed = [row.thesis for row in result.rows]
    assert printed[:12] == [
        *("18", "122", "122", "10", "33", "33"),
        *("18", "122", "122", "10", "37", "37"),
    ]
    assert printed[12:] == ["2", "3", "1", "1.25"]
    assert all(row.reason for row in result.rows)
    assert len(result.curves) == 4
    plot(result, tmp_path / "coriolis.png")


def test_mechanisms_have_the_degrees_of_freedom_of_the_table() -> None:
    models = coriolis_3_2.mechanisms()
    assert {name: f"{model.nv} DoF" for name, model in models.items()} == {
        name: name.split(", ")[1] for name in models
    }


def test_slopes_are_exponents() -> None:
    n = (16.0, 32.0, 64.0, 128.0)
    assert coriolis_3_2.slope(Curve("", n, tuple(3 * x**2.5 for x in n))) == pytest.approx(2.5)
