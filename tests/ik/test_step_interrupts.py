"""A signal ends one step of a large batch soon, and leaves the solver as it was."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from types import FrameType

import numpy as np
import pytest
from ik_arms import seven_joints

import tarsus as ts

BENT = np.array([0.3, -0.5, 0.4, 0.9, -0.2, 0.6, 0.1])
STATES = 400_000
DT = 2e-3


class SignalError(Exception):
    """Raised by the handler of a signal."""


@pytest.fixture
def alarm() -> Iterator[None]:
    """Let SIGALRM raise `SignalError`, as Ctrl-C raises KeyboardInterrupt."""

    def handler(_signal: int, _frame: FrameType | None) -> None:
        raise SignalError

    before = signal.signal(signal.SIGALRM, handler)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def solver(model: ts.Model) -> ts.ik.Solver:
    pose = model.frame_pose(BENT, "hand")
    tasks = [
        ts.ik.PositionTask("hand", pose[:3, 3], gain=5.0),
        ts.ik.OrientationTask("hand", pose[:3, :3], gain=5.0, level=1),
        ts.ik.PostureTask(BENT, gain=1.0, level=2),
    ]
    return ts.ik.Solver(model, tasks)


def test_signals_end_a_step_of_many_states(alarm: None) -> None:
    """Times are those of the processor, which do not depend on what else the machine does."""
    model = seven_joints()
    q = BENT + 0.1 * np.random.default_rng(0).normal(size=(STATES, model.nq))
    interrupted, whole = solver(model), solver(model)
    first = [each.step(q, DT).q for each in (interrupted, whole)]
    assert np.array_equal(*first)

    begin = time.thread_time()
    expected = whole.step(first[0], DT)
    needed = time.thread_time() - begin

    begin = time.thread_time()
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    with pytest.raises(SignalError):
        interrupted.step(first[0], DT)
    used = time.thread_time() - begin
    print(f"{used:.3f} s of {needed:.3f} s")
    assert used < 0.5 * needed

    again = interrupted.step(first[0], DT)
    assert np.array_equal(again.q, expected.q) and np.array_equal(again.v, expected.v)
