"""Sections of the erector set: what is reproduced, what is corrected, and what is better here."""

from __future__ import annotations

from collections import Counter

import pytest
from tarsus_lab.reproduce import Result, reproduce


def counted(result: Result) -> Counter[str]:
    print(result)
    assert result.ok
    assert all(row.reason for row in result.rows if row.verdict in ("corrected", "unsupported"))
    return Counter(row.verdict for row in result.rows)


def ours(result: Result, label: str) -> float:
    (row,) = [row for row in result.rows if row.label == label]
    return float(row.ours)


def test_sticks_and_rubbers() -> None:
    result = reproduce("erector-7.2")
    counts = counted(result)
    assert counts["corrected"] == 4  # lengths at rest, which are not printed
    assert counts["unsupported"] <= 2
    implicit = [row for row in result.rows if "Radau: steps" in row.label]
    assert len(implicit) == 8
    assert all(float(row.ours) < 0.1 * float(row.thesis) for row in implicit)


def test_three_bars() -> None:
    result = reproduce("erector-7.4")
    # 24 printed velocities and three times at which they were read
    assert counted(result)["corrected"] == 27
    assert ours(result, "accelerations at the start, largest difference") < 1e-14
    assert "surpassed" in {row.verdict for row in result.rows if "apart" in row.label}


def test_the_car() -> None:
    result = reproduce("erector-7.3")
    counts = counted(result)
    assert counts["reproduced"] == 12
    assert counts["corrected"] == 5  # loads, which are not printed
    assert ours(result, "the slide ends at [°]") == pytest.approx(100.0, abs=1.0)


def test_nailed_bars() -> None:
    result = reproduce("erector-7.5")
    counts = counted(result)
    assert counts["surpassed"] == 6  # how far nails give way
    assert counts["corrected"] == 25  # one statement, and 24 angles that are not printed
    assert ours(result, "largest displacement [m]") < 1e-6
