"""Threads share the states of a batch of whole bodies, and change no bit of what is found."""

from __future__ import annotations

import numpy as np
import pytest
from whole_bodies import controller, states, talos

pytest.importorskip("pinocchio")  # whose package of robots these are

COUNT = 150
"""More than two threads take at once, and no multiple of it."""


def test_threads_change_nothing() -> None:
    body = talos()
    q, v = states(body, COUNT)
    found = []
    for threads in (1, 2, 5):
        control = controller(body)
        control.threads = threads
        # some contacts open: their rows are there for all states, whoever solves them
        loads = np.ones((COUNT, len(control.contacts)))
        loads[70:80, 0], loads[140, 1] = 0.5, 0.0
        control.targets.loads = loads
        first = control.solve(q, v)
        again = control.solve(q, v)  # from where the first one ended
        found.append([x.tobytes() for s in (first, again) for x in (s.tau, s.found.v, s.slip)])
    assert found[0] == found[1] == found[2]


def test_wrong_threads_are_named() -> None:
    body = talos()
    with pytest.raises(ValueError, match="threads is 0"):
        type(controller(body))(body.model, [], threads=0)
