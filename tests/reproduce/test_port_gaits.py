"""Optimal gaits of the port thesis: all verdicts, and what is better than there."""

from __future__ import annotations

import pytest
from tarsus_lab.reproduce import reproduce

BETTER = {"port-4.5": 0, "port-4.7": 1, "port-4.8": 1, "port-4.14": 3, "port-4.17": 0}


@pytest.mark.parametrize("name", BETTER)
def test_gaits(name: str) -> None:
    result = reproduce(name)
    print(result)
    assert result.ok
    assert sum(row.verdict == "surpassed" for row in result.rows) == BETTER[name]


@pytest.mark.slow
def test_structures() -> None:
    costs, numbers = reproduce("port-5.1"), reproduce("port-5.2")
    print(costs, numbers)
    assert costs.ok
    assert numbers.ok
