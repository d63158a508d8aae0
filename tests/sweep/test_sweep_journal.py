"""Journals: cut at any byte, damaged, made up, in use, of other studies."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tarsus as ts

GRID = {"a": [0, 1, 2], "b": [0.5, float("inf")]}
calls: list[tuple[int, float]] = []
strong: list[int] = []


def recorded(a: int, b: float, seed: int) -> dict[str, Any]:
    calls.append((a, b))
    noise = np.random.default_rng(seed).normal(size=(2, 2)).astype(np.float32)
    return {"x": a / 3.0, "nan": float("nan"), "pair": (a, b), "noise": noise, "word": "é"}


def other(a: int, b: float) -> float:
    return a * b


def line(data: Any) -> bytes:
    text = json.dumps(data).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def swept(folder: Path, **settings: Any) -> ts.Swept:
    calls.clear()
    return ts.sweep(recorded, GRID, checkpoint=folder, workers=1, **settings)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A finished study's file."""
    swept(tmp_path)
    assert len(calls) == 6
    return tmp_path / "journal.jsonl"


def bits(found: ts.Swept) -> list[str]:
    return [repr({**x, "noise": x["noise"].tobytes()}) for x in found.results]


def test_what_is_in_the_journal_is_not_computed_again(journal: Path) -> None:
    fresh = ts.sweep(recorded, GRID)
    again = swept(journal.parent)
    assert calls == []
    assert again.resumed == 6
    assert bits(again) == bits(fresh)
    assert again.results[0]["noise"].dtype == np.float32
    assert again.results[5]["pair"] == (2, float("inf"))


def test_a_journal_may_end_at_any_byte(journal: Path) -> None:
    whole = journal.read_bytes()
    expected = bits(ts.sweep(recorded, GRID))
    head, first = (len(x) + 1 for x in whole.split(b"\n")[:2])
    last = whole.rstrip(b"\n").rindex(b"\n")
    for size in (*range(head + first + 3), *range(last - 3, len(whole) + 1, 2), len(whole)):
        journal.write_bytes(whole[:size])
        found = swept(journal.parent)
        there = max(0, whole[:size].count(b"\n") - 1)
        assert (found.resumed, len(calls)) == (there, 6 - there), size
        assert bits(found) == expected
        if size % 50 == 0:  # what was mended is whole
            swept(journal.parent)
            assert calls == []


def test_damage_is_found(journal: Path) -> None:
    whole = journal.read_bytes()
    expected = bits(ts.sweep(recorded, GRID))
    refused = 0
    places = range(0, len(whole), 3)
    for place in (*places, len(whole) - 1):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << (place % 8)
        journal.write_bytes(damaged)
        try:
            found = swept(journal.parent)
        except ts.JournalError as error:
            assert str(journal) in str(error)
            refused += 1
        else:  # the last line has lost its end
            assert bits(found) == expected
    assert refused >= len(places) - 1


@pytest.mark.parametrize(
    "record",
    [
        7,
        {"cell": {"a": 0, "b": 0.5}},
        {"cell": [1], "seconds": 0.0, "value": 1},
        {"cell": {"a": 0, "b": 0.5}, "seconds": "x", "value": 1},
        {"cell": {"a": 0, "b": 0.5}, "seconds": 10**400, "value": 1},
        {"cell": {"a": 0, "b": 0.5}, "seconds": 0, "value": {"$array": ["|O", [1], "AAAA"]}},
        {"cell": {"a": 0, "b": 0.5}, "seconds": 0, "value": {"$array": ["<f8", [2**60], ""]}},
        {"cell": {"a": 0, "b": 0.5}, "seconds": 0, "value": {"$array": ["<f8", [-1], ""]}},
        {"cell": {"a": 0, "b": 0.5}, "seconds": 0, "value": {"$array": ["f8,f8", [0], ""]}},
        {"cell": {"a": 0, "b": 0.5}, "seconds": 0, "value": {"$array": 3}},
        {"cell": {"a": 0, "b": 0.5}, "seconds": 0, "value": {"$complex": ["1", "2"]}},
        {"cell": {"a": 0, "b": 0.5}, "seconds": 0, "problem": ["a"]},
        {"cell": {"a": 0, "b": 0.5}, "seconds": 0, "problem": 3},
    ],
)
def test_records_that_are_made_up_are_refused(journal: Path, record: Any) -> None:
    head = journal.read_bytes().split(b"\n")[0] + b"\n"
    journal.write_bytes(head + line(record))
    with pytest.raises(ts.JournalError, match="line 2"):
        swept(journal.parent)


def test_nesting_without_end_is_refused(journal: Path) -> None:
    text = b"[" * 100_000 + b"]" * 100_000
    head = journal.read_bytes().split(b"\n")[0] + b"\n"
    journal.write_bytes(head + b"%08x %s\n" % (zlib.crc32(text), text))
    with pytest.raises(ts.JournalError, match="line 2"):
        swept(journal.parent)


def test_other_studies_are_refused_and_the_journal_stays(journal: Path) -> None:
    before = journal.read_bytes()
    folder = journal.parent
    with pytest.raises(ts.JournalError, match=r"its function is '.*recorded', not '.*other'"):
        ts.sweep(other, GRID, checkpoint=folder)
    with pytest.raises(ts.JournalError, match="its seed is 0, not 3"):
        ts.sweep(recorded, GRID, checkpoint=folder, seed=3)
    with pytest.raises(ts.JournalError, match=r"2 cells that this one has not, such as a = 2, b ="):
        ts.sweep(recorded, {**GRID, "a": [0, 1]}, checkpoint=folder)
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "journal.jsonl").write_text("something\nelse\n")
    with pytest.raises(ts.JournalError, match="no journal of a sweep"):
        ts.sweep(recorded, GRID, checkpoint=folder / "elsewhere")
    assert journal.read_bytes() == before


def test_grids_may_grow(journal: Path) -> None:
    larger = {"b": [0.0, *GRID["b"]], "a": [3, *GRID["a"]]}
    calls.clear()
    found = ts.sweep(recorded, larger, checkpoint=journal.parent)
    assert found.resumed == 6
    assert sorted(calls) == [(0, 0.0), (1, 0.0), (2, 0.0), (3, 0.0), (3, 0.5), (3, float("inf"))]
    assert bits(found) == bits(ts.sweep(recorded, larger))


def test_one_study_writes_at_a_time(tmp_path: Path) -> None:
    def nested(a: int) -> int:
        return len(ts.sweep(other, {"a": [1], "b": [a]}, checkpoint=tmp_path).results)

    with pytest.raises(ts.SweepError, match=r"JournalError.*is in use"):
        ts.sweep(nested, {"a": [1]}, checkpoint=tmp_path)


def test_failures_are_results_only_where_they_are_kept(tmp_path: Path) -> None:
    def weak(a: int) -> int:
        calls.append((a, 0.0))
        if a == 1 and not strong:
            raise RuntimeError("weak")
        return a

    calls.clear()
    strong.clear()
    grid = {"a": [0, 1, 2]}
    assert len(ts.sweep(weak, grid, checkpoint=tmp_path, errors="keep").failures) == 1
    kept = ts.sweep(weak, grid, checkpoint=tmp_path, errors="keep")
    assert (kept.resumed, len(calls), kept.failures[0].message) == (3, 3, "weak")
    with pytest.raises(ts.SweepError, match="weak"):
        ts.sweep(weak, grid, checkpoint=tmp_path)
    strong.append(1)
    assert ts.sweep(weak, grid, checkpoint=tmp_path).results == [0, 1, 2]
    assert len(calls) == 5
    assert ts.sweep(weak, grid, checkpoint=tmp_path, errors="keep").failures == ()
