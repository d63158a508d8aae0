"""Flows with many samples: Ctrl-C ends them soon, and sizes beyond the memory are errors."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import tarsus as ts

SLOW = 2.0
"""Seconds from Ctrl-C to the end on a machine with other work; it is 0.1 s without."""


class Pressed(BaseException):
    """What the handler of the signal raises."""


@contextmanager
def pressed(delay: float) -> Iterator[None]:
    """Raise `Pressed` from a signal handler after a delay [s]."""

    def handler(*_: object) -> None:
        raise Pressed

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, delay)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("states", "options"),
    [
        (None, {"sample": 1e-7}),
        (None, {"sample": 1e-7, "derivatives": True}),
        (2, {"sample": 2e-7}),
        (128, {"sample": 1e-5, "threads": 2}),
    ],
    ids=["one", "derivatives", "lanes", "threads"],
)
def test_dense_samples_are_interrupted_soon(states: int | None, options: dict[str, Any]) -> None:
    q0 = [0.1] if states is None else np.linspace(0.1, 1.0, states)[:, None]
    start = time.perf_counter()
    with pytest.raises(Pressed), pressed(0.2):
        ts.flow(ts.robots.chain(1), q0, duration=1.0, **options)
    assert time.perf_counter() - start < 0.2 + SLOW


def test_samples_are_the_same_alone_and_among_others() -> None:
    model, q0 = ts.robots.chain(2), np.linspace(0.1, 1.0, 70)[:, None] * [1.0, -1.0]
    found = ts.flow(model, q0, duration=0.5, sample=1e-3, threads=2)
    for k in (0, 33, 69):
        alone = ts.flow(model, q0[k], duration=0.5, sample=1e-3)
        for mine, other in zip(found.samples_of(k), alone.samples, strict=True):
            assert mine.tobytes() == other.tobytes()


def test_samples_that_do_not_fit_into_memory_are_refused() -> None:
    message = r"10000000\d samples \(1 motion of 1 s, one each 1e-08 s\) would take .* GiB"
    with pytest.raises(ValueError, match=message + ".*use a longer sample"):
        ts.flow(ts.robots.chain(1), [0.1], duration=1.0, sample=1e-8)
