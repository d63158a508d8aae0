"""Functions over grids: order, seeds, batches, failures, arrays, tables and pictures."""

from __future__ import annotations

import functools
import hashlib
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from swept_functions import GRID, logging, noted, same, serial

import tarsus as ts


def product(a: float, b: float) -> float:
    return a * 10 + b


def picky(a: int, b: float = 0.0) -> dict[str, Any]:
    if a == 2:
        raise ValueError(f"a is {a}")
    return {"square": a * a, "line": np.arange(3) * a}


def test_products_are_on_the_axes_of_the_grid() -> None:
    a, b = np.array([1.0, 2.0, 4.0]), np.linspace(0.0, 1.0, 5)
    found = ts.sweep(product, {"a": a, "b": b})
    assert found.shape == (3, 5)
    np.testing.assert_array_equal(found.array(), a[:, None] * 10 + b)
    assert found.cells[5] == {"a": 2.0, "b": 0.0}


def test_lists_and_arrays_of_cells() -> None:
    listed = ts.sweep(product, [{"a": 1, "b": 2}, {"b": 3, "a": 4}])
    assert listed.results == [12, 43]
    states = np.random.default_rng(0).normal(size=(4, 5, 3))
    found = ts.sweep(lambda state: state @ state, states)
    np.testing.assert_allclose(found.array(), (states**2).sum(-1), rtol=1e-15)
    many = ts.sweep(lambda state: (state**2).sum(-1), states, batch=7)
    np.testing.assert_allclose(many.array(), (states**2).sum(-1), rtol=1e-15)


def test_results_are_those_of_loops_on_any_number_of_threads(tmp_path: Path) -> None:
    function = logging(noted, tmp_path / "log")
    for workers in (1, 3):
        assert same(ts.sweep(function, GRID, workers=workers).results, serial())
    other = ts.sweep(function, GRID, seed=1)
    assert same(other.results, serial(seed=1))
    assert not np.isclose(other.array("noise"), ts.sweep(function, GRID).array("noise")).any()


def test_seeds_depend_on_the_content_of_cells_alone() -> None:
    whole = ts.sweep(lambda a, b, seed: seed, GRID)
    turned = ts.sweep(lambda a, b, seed: seed, {"b": GRID["b"][::-1], "a": GRID["a"]})
    assert turned.array().T[:, ::-1].tolist() == whole.array().tolist()
    assert len(set(whole.results)) == 24
    assert ts.sweep(lambda seed: seed, {"seed": [7, 8]}).results == [7, 8]  # it is the user's


def test_seeds_of_other_versions_and_machines_are_the_same() -> None:
    """By the rule itself: journals outlive versions, so it may not change."""
    (found,) = ts.sweep(lambda b, a, seed: seed, {"b": [0.5], "a": [3]}, seed=7).results
    words = np.frombuffer(hashlib.sha256(b'"a":3,"b":0.5').digest(), "<u4")
    state = np.random.SeedSequence([7, *map(int, words)]).generate_state(2, np.uint32)
    assert found == (int(state[0]) + 2**32 * int(state[1])) // 2


def test_batches_give_what_single_cells_give() -> None:
    def one(a: int, b: float, seed: int) -> dict[str, Any]:
        return {"x": np.sin(a) * b, "y": np.array([a, b]), "low": seed % 97}

    def many(a: Any, b: Any, seed: Any) -> dict[str, Any]:
        sizes.append(len(a))
        return {"x": np.sin(a) * b, "y": np.stack([a, b], -1), "low": seed % 97}

    sizes: list[int] = []
    expected = ts.sweep(one, GRID)
    assert same(ts.sweep(many, GRID, batch=7, workers=1).results, expected.results)
    assert sizes == [7, 7, 7, 3]


def test_one_cell_that_fails_does_not_spoil_its_batch() -> None:
    def roots(a: Any) -> Any:
        if (a < 0).any():
            raise ValueError("negative")
        return np.sqrt(a)

    found = ts.sweep(roots, {"a": [4.0, 9.0, -1.0, 16.0]}, batch=4, errors="keep")
    np.testing.assert_array_equal(found.array(), [2.0, 3.0, np.nan, 4.0])
    assert [failure.cell for failure in found.failures] == [{"a": -1.0}]
    with pytest.raises(ts.SweepError, match=r"must be an array \(1, …\)"):
        ts.sweep(lambda a: 3.0, {"a": [1.0, 2.0]}, batch=2)


def test_failures_are_kept_with_their_cells() -> None:
    found = ts.sweep(picky, {"a": [1, 2, 3]}, errors="keep")
    (failure,) = found.failures
    assert (failure.index, failure.kind, failure.message) == (1, "ValueError", "a is 2")
    assert "in picky" in failure.trace
    np.testing.assert_array_equal(found.array("square"), [1.0, np.nan, 9.0])
    assert found.array("line").shape == (3, 3)
    assert found.results[1] is None
    assert "a = 2 (ValueError: a is 2)" in str(found)
    lines = found.table().splitlines()
    assert lines[0].split() == ["a", "square", "line"]
    assert lines[2].split() == ["2", "ValueError"]


def test_a_failure_ends_the_study_and_names_its_cell() -> None:
    with pytest.raises(ts.SweepError, match="the cell a = 2 failed: ValueError: a is 2") as caught:
        ts.sweep(picky, {"a": [1, 2, 3]})
    assert caught.value.failure.cell == {"a": 2}
    assert any("in picky" in note for note in caught.value.__notes__)


def test_what_cannot_be_kept_is_refused_by_name() -> None:
    with pytest.raises(ts.SweepError, match=r"the result\['lock'\] is lock, must be a number"):
        ts.sweep(lambda a: {"lock": threading.Lock()}, {"a": [1]})
    with pytest.raises(ts.SweepError, match="array of object"):
        ts.sweep(lambda a: np.array([None]), {"a": [1]})
    assert ts.sweep(lambda a: (np.float64(a), [True, None], 1j), {"a": [0.5]}).results == [
        (0.5, [True, None], 1j)
    ]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (({"a": [1]},), TypeError, r"function takes \(a, b\), grid has a"),
        (({"a": [1], "c": [2]},), TypeError, "grid has a, c"),
        (({"a": 1.0, "b": [2]},), TypeError, r"grid\['a'\] is 1.0, must be a list"),
        (({"a": "one", "b": [2]},), TypeError, r"grid\['a'\] is 'one'"),
        (({"a": [], "b": [2]},), ValueError, r"grid\['a'\] has no values"),
        (({"a": [1, 1], "b": [2]},), ValueError, "the cell a = 1, b = 2 twice, at 0 and 1"),
        (({"a": [object()], "b": [2]},), TypeError, r"grid\['a'\]\[0\] is object"),
        (([{"a": 1, "b": 2}, {"a": 1}],), ValueError, r"grid\[1\] has the names \['a'\]"),
        (([],), ValueError, "grid has no cells"),
        ((7,), TypeError, "grid is of type int"),
        ((np.zeros(3),), ValueError, r"shape \(3,\)"),
    ],
)
def test_grids_that_are_wrong(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ts.sweep(product, *arguments)


def test_settings_that_are_wrong() -> None:
    grid = {"a": [1], "b": [2]}
    with pytest.raises(ValueError, match="did you mean 'threads'"):
        ts.sweep(product, grid, executor="thread")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="errors is 'ignore'"):
        ts.sweep(product, grid, errors="ignore")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="workers is 0"):
        ts.sweep(product, grid, workers=0)
    with pytest.raises(TypeError, match=r"batch is 2\.5"):
        ts.sweep(product, grid, batch=2.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="function is of type int"):
        ts.sweep(3, grid)  # type: ignore[arg-type]


def test_arrays_that_are_not_there_say_so() -> None:
    named = ts.sweep(lambda a: {"speed": a}, {"a": [1, 2]})
    with pytest.raises(ts.UnknownNameError, match="did you mean 'speed'"):
        named.array("sped")
    with pytest.raises(ValueError, match="name one of speed"):
        named.array()
    ragged = ts.sweep(lambda a: np.zeros(a), {"a": [1, 2]})
    with pytest.raises(ValueError, match=r"\(1,\) \(at a = 1\) and \(2,\) \(at a = 2\)"):
        ragged.array()


def test_pictures_of_one_and_two_axes(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    line = ts.sweep(product, {"a": [1, 2, 3], "b": [0.5]}).plot()
    np.testing.assert_array_equal(line.axes[0].lines[0].get_ydata(), [10.5, 20.5, 30.5])
    plane = ts.sweep(product, {"a": [1, 2, 3], "b": [0.5, 0.7]})
    mesh = plane.plot(path=tmp_path / "map.png").axes[0].collections[0]
    np.testing.assert_array_equal(mesh.get_array().ravel(), plane.array().ravel())
    assert (tmp_path / "map.png").stat().st_size > 1000
    with pytest.raises(ValueError, match="one or two axes"):
        ts.sweep(product, {"a": [1], "b": [0.5]}).plot()
    words = ts.sweep(lambda kind: len(kind), {"kind": ["one", "three"]}).plot()
    assert [label.get_text() for label in words.axes[0].get_xticklabels()] == ["one", "three"]


def test_progress_tells_cells_rate_and_time_left() -> None:
    told: list[tuple[str, float]] = []
    ts.sweep(product, GRID, progress=lambda text, share: told.append((text, share)), workers=1)
    assert told[-1][1] == 1.0
    assert told[-1][0].startswith("24 of 24 cells, ")
    assert told[-1][0].endswith("/s, 0 s left")
    shares = [share for _, share in told]
    assert shares == sorted(shares)


def test_partial_functions_are_known_by_what_is_bound(tmp_path: Path) -> None:
    ts.sweep(functools.partial(product, b=2.0), {"a": [1]}, checkpoint=tmp_path)
    with pytest.raises(ts.JournalError, match="its function is"):
        ts.sweep(functools.partial(product, b=3.0), {"a": [1]}, checkpoint=tmp_path)
