"""Examples of rigid contact and the compass walker: what is reproduced, and what is corrected."""

from __future__ import annotations

from collections import Counter

import pytest
from tarsus_lab.reproduce import Result, reproduce

VERDICTS = {
    "port-3.9": {"reproduced": 7, "corrected": 2},
    "port-3.10": {"reproduced": 4},
    "port-3.11": {"reproduced": 4},
    "port-4.2": {"reproduced": 11, "corrected": 3},
    "port-5.8": {"reproduced": 4},
    "port-5.9": {"reproduced": 3},
    "port-5.10": {"reproduced": 5, "unsupported": 1},
    "port-5.11": {"reproduced": 4, "surpassed": 1},
    "port-5.12": {"reproduced": 10, "unsupported": 1},
    "port-5.20": {"reproduced": 8},
    "port-5.21": {"reproduced": 3},
    "port-5.22": {"reproduced": 2, "surpassed": 1},
}


def ours(result: Result, label: str) -> float:
    (row,) = [row for row in result.rows if row.label == label]
    return float(row.ours)


@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts(name: str) -> None:
    result = reproduce(name)
    print(result)
    assert result.ok and Counter(row.verdict for row in result.rows) == VERDICTS[name]
    assert all(row.reason for row in result.rows if row.verdict == "corrected")
    assert all(len(curve.x) == len(curve.y) > 1 for curve in result.curves)


def test_numbers_of_the_compass_walker() -> None:
    """Beside numbers of an independent computation, in more digits than are printed."""
    result = reproduce("port-4.2")
    assert ours(result, "smallest share") == pytest.approx(0.270431, abs=1e-6)
    assert ours(result, "first gait: an offset grows each step by") == pytest.approx(
        4.4606, abs=2e-4
    )
    assert ours(result, "second gait: an offset grows each step by") == pytest.approx(
        0.49007, abs=2e-5
    )
