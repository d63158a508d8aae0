"""The table of symbolic run times: complete and well formed, whatever the times are."""

from __future__ import annotations

import pytest
from tarsus_lab.reproduce import coriolis_3_3, reproduce, timing


def test_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coriolis_3_3, "PRINTED", {2: ("0.06", "0.25"), 3: ("0.18", "1.11")})
    monkeypatch.setattr(coriolis_3_3, "REPEATS", 1)
    monkeypatch.setattr(timing, "ROUNDS", 1)
    monkeypatch.setattr(timing, "SECONDS", 1e-6)
    result = reproduce("coriolis-3.3")
    print(result)
    assert [row.thesis for row in result.rows] == [
        *("0.06", "0.25", "> 3000"),
        *("0.18", "1.11", "> 3000"),
    ]
    assert result.rows[4].label == "N = 3: symbolic Γ [s]"
    assert all(float(row.ours) > 0.0 and row.reason for row in result.rows)
