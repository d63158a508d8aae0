"""Interleaved timing on pinned cores.

Contenders take turns in many short rounds, so that a change of the clock or a neighbour on the
machine meets all of them alike. What counts is the time that the thread has the processor.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import re
import threading
import time
import timeit
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import tarsus
from tarsus import _core

LONG = 10
"""A call that takes so many samples is measured alone."""


@dataclass
class Contender:
    """A call that is measured; `units` is what one call counts for, such as states of a batch.

    Calls that start threads need another `clock` than that of one thread.
    """

    call: str
    names: dict[str, Any] = field(default_factory=dict)
    units: int = 1
    clock: Callable[[], float] = time.thread_time
    samples: list[float] = field(default_factory=list)
    """Time for one unit [µs], a number for each round."""

    def __post_init__(self) -> None:
        self._timer = timeit.Timer(self.call, timer=self.clock, globals=self.names)
        self._number = 1

    def warm_up(self, seconds: float) -> None:
        """Run once, then choose how many calls make a sample of about `seconds`."""
        if self._timer.timeit(1) > LONG * seconds:
            return  # a sample is one call, and long calls are warm before they end
        once = min(self._timer.repeat(3, 1))
        self._number = max(1, min(100_000, int(seconds / max(once, 1e-9))))
        self._timer.timeit(self._number)

    def sample(self) -> None:
        """Measure once more."""
        duration = self._timer.timeit(self._number)
        self.samples.append(1e6 * duration / self._number / self.units)

    @property
    def median(self) -> float:
        """Median time of one unit [µs]."""
        return float(np.median(self.samples))

    def summary(self) -> dict[str, float]:
        """Return the median and smallest time of one unit [µs]."""
        return {"median": round(self.median, 4), "min": round(min(self.samples), 4)}


def ratio(first: Contender, second: Contender) -> dict[str, float]:
    """Return how the times of two contenders compare: the median over rounds, and of the minima."""
    rounds = np.divide(first.samples, second.samples)
    smallest = min(first.samples) / min(second.samples)
    return {"median": round(float(np.median(rounds)), 4), "min": round(smallest, 4)}


def interleave(
    contenders: Sequence[Contender],
    rounds: int,
    seconds: float,
    progress: Callable[[float], None],
) -> None:
    """Warm all contenders up and measure them in turn, `rounds` times about `seconds` each."""
    for contender in contenders:
        contender.warm_up(seconds)
    for done in range(rounds):
        progress(done / rounds)
        for contender in contenders:
            contender.sample()


@contextmanager
def pinned(cores: int) -> Iterator[bool]:
    """Keep this thread and those that it starts on so many cores; yields whether that worked."""
    if not hasattr(os, "sched_setaffinity"):
        yield False
        return
    available = os.sched_getaffinity(0)
    # the first core often serves interrupts
    chosen = sorted(available)[-cores:]
    os.sched_setaffinity(0, chosen)
    try:
        yield len(chosen) == cores
    finally:
        os.sched_setaffinity(0, available)


# What a measurement was made on.


def describe_machine() -> dict[str, str]:
    """Return the processor, the instruction set and the versions of what was measured."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "processor": _processor(),
        "cores": str(cores),
        "instruction_set": _core.instruction_set(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "tarsus": tarsus.__version__,
        "pinocchio": _version("pin"),
        "mujoco": _version("mujoco"),
    }


def today() -> str:
    """Return the date and time in UTC."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    fields = dict(re.findall(r"^([^\n:\t]+)\t*: (.+)$", text, re.MULTILINE))
    if "model name" not in fields:
        return platform.processor() or platform.machine()
    family, model = fields.get("cpu family", "?"), fields.get("model", "?")
    return f"{fields['model name']} (family {family}, model {model})"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


# How much memory a call needs beyond its inputs and output.


STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
RESET_PEAK = "5"


def beyond_inputs_and_output(call: Callable[[], object]) -> int | None:
    """Return by how many bytes the resident memory grows at most during a call (Linux only).

    Inputs and output must be there before. The call runs on a new thread, because work memory
    is kept by the thread that used it.
    """
    grown: list[int] = []

    def run() -> None:
        CLEAR.write_text(RESET_PEAK)
        before = _kilobytes("VmRSS")
        call()
        grown.append(1024 * max(0, _kilobytes("VmHWM") - before))

    try:
        _kilobytes("VmHWM")
        CLEAR.write_text(RESET_PEAK)
    except (OSError, LookupError):
        return None
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return grown[0] if grown else None


def _kilobytes(key: str) -> int:
    match = re.search(rf"{key}:\s+(\d+) kB", STATUS.read_text())
    if match is None:
        raise LookupError(f"{STATUS} has no {key}")
    return int(match[1])
