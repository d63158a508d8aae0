"""Interleaved timing on pinned cores.

Contenders take turns in many short rounds, so that a change of the clock or a neighbour on the
machine meets all of them alike. What counts is the time that the thread has the processor.
"""

from __future__ import annotations

import os
import time
import timeit
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

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
