"""Studies that are killed from outside, and what is left of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from swept_functions import GRID, computed, logging, noted, same, serial

import tarsus as ts

SCRIPT = Path(__file__).with_name("study_script.py")
PATIENCE = 120.0
"""Seconds after which a test gives up: machines that are shared are slow."""


def environment() -> dict[str, str]:
    """Return variables with which other processes find the package and these functions."""
    paths = [str(Path(ts.__file__).parents[1]), str(SCRIPT.parent)]
    before = os.environ.get("PYTHONPATH")
    told = os.pathsep.join([*paths, *([before] if before else [])])
    return {**os.environ, "PYTHONPATH": told, "RAY_worker_niceness": "0"}


def stopped_study(executor: str, folder: Path, log: Path, how: signal.Signals) -> tuple[int, str]:
    """Start a study, end its first process by a signal on the way; return its code and words."""
    command = [sys.executable, str(SCRIPT), executor, str(folder), str(log)]
    study = subprocess.Popen(
        command, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    journal = folder / "journal.jsonl"
    end = time.monotonic() + PATIENCE
    while not journal.exists() or journal.read_bytes().count(b"\n") < 6:
        assert study.poll() is None and time.monotonic() < end
        time.sleep(0.01)
    study.send_signal(how)
    _, words = study.communicate(timeout=PATIENCE)
    return study.returncode, words


def workers(log: Path) -> set[int]:
    """Return processes that have computed cells."""
    return {int(line.rsplit(" ", 1)[1]) for line in log.read_text().splitlines()}


def wait_for_end(processes: set[int]) -> None:
    """Wait until processes have ended."""
    end = time.monotonic() + PATIENCE
    while any(alive(each) for each in processes):
        assert time.monotonic() < end, f"some of {processes} live on"
        time.sleep(0.05)


def alive(process: int) -> bool:
    """Whether a process runs; one that has ended and that nobody asks about does not."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rsplit(")", 1)[1].split()[0] != "Z"


def in_journal(folder: Path) -> int:
    """Return how many cells have whole lines."""
    return (folder / "journal.jsonl").read_bytes().count(b"\n") - 1


def check_resumes(executor: str, folder: Path, log: Path) -> None:
    """Let a stopped study go on here: the journal's cells are not computed again, all are there."""
    wait_for_end(workers(log))
    known, before = in_journal(folder), computed(log)
    assert 5 <= known < 24
    log.unlink()
    function = logging(noted, log, pause=0.05)
    found = ts.sweep(function, GRID, executor=executor, workers=2, checkpoint=folder)
    after = computed(log)
    print(f"{executor}: {known} of 24 cells in the journal, {before.total()} computed before")
    assert same(found.results, serial())
    assert found.resumed == known
    assert after.total() == 24 - known
    assert set(after.values()) == {1}
    # twice at most those that were on their way when it was killed: for each of two workers the
    # one that it computed, and one that it had done and that was not written yet
    assert set(before) | set(after) == {f"{a} {b}" for a in GRID["a"] for b in GRID["b"]}
    assert Counter(before + after).total() <= 24 + 4
