"""Processes that are killed: workers, the first one, by a cell, from outside, by Ctrl-C."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from killing import check_resumes, in_journal, stopped_study
from swept_functions import GRID, computed, deadly, logging, noted, same, serial

import tarsus as ts


def test_processes_give_what_loops_give(tmp_path: Path) -> None:
    found = ts.sweep(logging(noted, tmp_path / "log"), GRID, executor="processes", workers=2)
    assert same(found.results, serial())
    assert set(computed(tmp_path / "log").values()) == {1}


def test_a_killed_worker_costs_the_cell_at_which_it_was(tmp_path: Path) -> None:
    log = tmp_path / "log"
    function = logging(deadly, log, pause=0.02)
    settings = {"executor": "processes", "workers": 2}
    found = ts.sweep(function, GRID, checkpoint=tmp_path, **settings)
    assert same(found.results, serial())
    assert set(computed(log).values()) == {1}
    assert len(computed(log)) == 24
    assert len(Path(f"{log}.deaths").read_text()) == 2


def test_a_cell_that_kills_each_worker_has_failed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    function = logging(deadly, log, times=100)
    grid = {"a": [1, 2, 3], "b": [0.3]}
    found = ts.sweep(function, grid, executor="processes", workers=1, retries=1, errors="keep")
    (failure,) = found.failures
    assert failure.kind == "WorkerDied"
    assert failure.cell == {"a": 2, "b": 0.3}
    expected = serial()
    assert same([found.results[0], found.results[2]], [expected[6], expected[14]])


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_a_killed_study_goes_on(executor: str, tmp_path: Path) -> None:
    code, _ = stopped_study(executor, tmp_path, tmp_path / "log", signal.SIGKILL)
    assert code == -signal.SIGKILL
    check_resumes("threads", tmp_path, tmp_path / "log")


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_ctrl_c_keeps_what_is_done(executor: str, tmp_path: Path) -> None:
    code, words = stopped_study(executor, tmp_path, tmp_path / "log", signal.SIGINT)
    assert code == -signal.SIGINT
    told = re.search(r"KeyboardInterrupt: (\d+) of 24 cells are done", words)
    assert told is not None
    # those that came in while workers were sent home are kept, too
    assert 0 < int(told[1]) <= in_journal(tmp_path) < 24
    check_resumes("threads", tmp_path, tmp_path / "log")


def test_functions_that_processes_cannot_find_are_refused() -> None:
    with pytest.raises(TypeError, match="function cannot be sent to processes"):
        ts.sweep(lambda a: a, {"a": [1]}, executor="processes")
