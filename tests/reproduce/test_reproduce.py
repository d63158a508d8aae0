"""Tables of theses: what is reproduced, what is corrected, and the records that say so."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tarsus_lab.reproduce import TABLES, Result, Row, plot, reproduce
from tarsus_lab.reproduce.result import compared, ranged, same_digits
from tarsus_lab.reproduce.sparsity import n_non_zeros, pattern

import tarsus as ts

NON_ZEROS = {1: 3, 2: 8, 3: 20, 4: 48, 5: 112, 6: 256, 7: 576, 8: 1280, 9: 2816, 10: 6144}


def verdicts(result: Result) -> dict[str, str]:
    return {row.label: row.verdict for row in result.rows}


@pytest.mark.parametrize(
    ("printed", "ours", "same"),
    [
        ("23.15", 23.1466, True),
        ("23.15", 23.156, False),
        ("267", 267, True),
        ("267", 268, False),
        ("8.02", 8.0278, False),
        ("8.916e-05", 8.9164e-05, True),
        ("8.916e-05", 8.918e-05, False),
    ],
)
def test_same_digits(printed: str, ours: float, same: bool) -> None:
    assert same_digits(printed, ours) is same


def test_verdicts() -> None:
    assert compared("x", "1.5", 1.52).verdict == "reproduced"
    assert compared("x", "1.5", 1.7).verdict == "missed"
    assert [ranged("x", ("1.0", "0.9"), y).verdict for y in (0.8, 0.95, 1.2)] == [
        "missed",
        "reproduced",
        "surpassed",
    ]


@pytest.mark.parametrize(
    ("printed", "ours", "verdict"),
    [("1.5", 1.7, "corrected"), ("1.5", 1.6, "missed"), ("1.5", 1.5, "missed")]
    + [("", 1.7, "corrected"), ("", 1.5, "missed"), ("1.7", 1.7, "reproduced")],
)
def test_corrections_have_the_digits_that_are_right(
    printed: str, ours: float, verdict: str
) -> None:
    row = compared("x", printed, ours, right="1.70", reason="the thesis has a sign wrong")
    assert row.verdict == verdict
    assert bool(row.reason) == (verdict != "reproduced")


def test_missed_rows_are_not_ok() -> None:
    good, bad = Row("a", "1", 1.0, "reproduced"), Row("b", "1", 2.0, "missed")
    assert Result("n", "t", "s", (good,)).ok
    assert not Result("n", "t", "s", (good, bad)).ok


@pytest.mark.parametrize("n", NON_ZEROS)
def test_non_zeros_of_dill(n: int) -> None:
    assert n_non_zeros(ts.robots.dill(n)) == NON_ZEROS[n] == 2 ** (n - 1) * (n + 2)


def test_the_pattern_is_that_of_the_matrix() -> None:
    for m in (ts.robots.dill(5), ts.robots.random_mechanism(0, 20)):
        found = m.mass_matrix(m.random_configuration(0)) != 0.0
        assert not found[~pattern(m)].any()
    m = ts.robots.dill(5)
    assert np.array_equal(m.mass_matrix(m.random_configuration(0)) != 0.0, pattern(m))


def test_ltl_factors_of_dill_stay_sparse() -> None:
    """M = LᵀL from the last row on has 576 non-zeros for Dill(7); LLᵀ fills the triangle."""
    m = ts.robots.dill(7)
    H = m.mass_matrix(np.full(128, np.pi / 6))
    reversed_factor = np.linalg.cholesky(H[::-1, ::-1])[::-1, ::-1].T
    filled = np.abs(reversed_factor) > 1e-12 * np.abs(H).max()
    assert np.array_equal(filled | filled.T, pattern(m))
    usual = np.linalg.cholesky(H + 0.0)
    assert np.count_nonzero(np.tril(np.abs(usual) > 0.0)) > 8000


def test_sparsity_of_dill_is_reproduced() -> None:
    result = reproduce("lola-2.1")
    corrected = [row for row in result.rows if row.verdict == "corrected"]
    assert result.ok
    assert [row.thesis for row in corrected] == ["8.02", "66.01"]
    assert [row.verdict for row in result.rows].count("reproduced") == 48


def test_sparsity_of_lola_is_reproduced() -> None:
    assert set(verdicts(reproduce("lola-2.4")).values()) == {"reproduced"}


@pytest.mark.parametrize("name", ["rotors-4.1", "rotors-4.2"])
def test_rounding_of_rotors(name: str) -> None:
    result = reproduce(name)
    print(result)
    assert set(verdicts(result).values()) == {"reproduced"}


@pytest.mark.parametrize("name", ["rotors-4.3", "rotors-4.4", "rotors-4.5"])
def test_approximations_of_rotors(name: str) -> None:
    result = reproduce(name)
    print(result)
    assert result.ok
    for row in result.rows:
        exact = "MABA" in row.label or "printed" in row.label
        coriolis = name == "rotors-4.5" and "without" not in row.label
        assert row.verdict == ("corrected" if exact or coriolis else "reproduced"), row.label
        assert bool(row.reason) == (row.verdict == "corrected")


def test_errors_of_coriolis_matrices_are_rounding() -> None:
    result = reproduce("coriolis-3.1")
    print(result)
    assert [row.verdict for row in result.rows] == 3 * (3 * ["reproduced"] + 2 * ["corrected"])
    assert all(float(row.ours) < 1e-7 for row in result.rows)


def test_results_as_text_and_json() -> None:
    result = reproduce("lola-2.1")
    text = str(result)
    assert "Dill(4) possible speed-up" in text
    assert "[1] cut off" in text
    data = json.loads(json.dumps(result.to_dict()))
    assert data["ok"] is True
    assert data["rows"][1] == {
        "label": "Dill(1) non-zeros",
        "thesis": "3",
        "ours": 3,
        "verdict": "reproduced",
        "reason": "",
    }


def test_pictures(tmp_path: Path) -> None:
    for name in ("lola-2.1", "rotors-4.3"):
        plot(reproduce(name), tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000


def test_names() -> None:
    assert set(TABLES) == {
        *("dill", "lola-2.1", "lola-2.4", "lola-2.6", "lola-6.9"),
        *("lola-5.4", "lola-7.1", "lola-7.4"),
        *(f"rotors-4.{i}" for i in range(1, 7)),
        *(f"coriolis-3.{i}" for i in range(1, 4)),
        *(f"contact-5.{i}" for i in range(1, 4)),
        *(f"contact-{name}" for name in ("trot", "drops", "jump")),
        *(f"contact-{name}" for name in ("score", "solvers", "integrators")),
        *(f"erector-7.{i}" for i in range(2, 6)),
        *(f"port-{name}" for name in ("1.3", "2.12", "2.18", "2.21")),
        *(f"port-{name}" for name in ("3.9", "3.10", "3.11", "4.2")),
        *(f"port-{name}" for name in ("4.5", "4.7", "4.8", "4.14", "4.17", "5.1", "5.2")),
        *(f"port-5.{i}" for i in (8, 9, 10, 11, 12, 20, 21, 22)),
    }
    with pytest.raises(ValueError, match=r"there is no table 'lola-2\.5'; did you mean"):
        reproduce("lola-2.5")
    with pytest.raises(ValueError, match="robot is 'g1', but 'dill' has its own machine"):
        reproduce("dill", "g1")
    with pytest.raises(ValueError, match="there is no humanoid 'g2'"):
        reproduce("lola-7.1", "g2")
