"""Python that runs in the midst of a batch: handlers of signals call the library, or fork."""

from __future__ import annotations

import sys

import pytest
from processes import numbers_printed_by

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs setitimer and fork")

COMMON = """
import os, signal
import numpy as np
import tarsus as ts

rng = np.random.default_rng(1)
model, large = ts.robots.chain(40), ts.robots.chain(200)
states = rng.normal(size=(3, 500, 40))
many = np.tile(states, (1, 40, 1))  # long enough for several looks at signals
expected = np.tile(model.forward_dynamics(*states, method="dense"), (40, 1)).tobytes()

def batch_is_right(threads):
    found = model.forward_dynamics(*many, method="dense", threads=threads)
    return found.tobytes() == expected
"""

HANDLERS = (
    COMMON
    + """
few = rng.normal(size=(40, 200))
quadruped = ts.robots.quadruped()
sim = ts.Simulation(quadruped, ground=ts.Ground())
start = ts.stand(quadruped, quadruped.neutral())
starts = np.tile(start, (20, 1))

def others():
    sim.reset(start)
    return [
        large.forward_dynamics(few, few, few, method="dense"),  # more memory than the batch has
        large.mass_matrix(few),
        large.coriolis_matrix(few, few, threads=2),
        ts.height_over_ground(quadruped, starts),
        *sim.step(steps=20),
        sim.run(starts, duration=0.005, threads=2).q,
    ]

wanted = [array.tobytes() for array in others()]
calls = wrong = spoilt = 0

def interrupt(*_):
    global calls, wrong
    calls += 1
    wrong += [array.tobytes() for array in others()] != wanted

signal.signal(signal.SIGALRM, interrupt)
for threads in (1, 2):
    before = calls
    while calls < before + 3:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        spoilt += not batch_is_right(threads)
print(wrong, spoilt)
"""
)

FORKS = (
    COMMON
    + """
child = None

def fork(*_):
    global child
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(60)  # a child that hangs is killed

signal.signal(signal.SIGALRM, fork)
while child is None:
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    right = batch_is_right(2)
if child == 0:
    # it can also start threads of its own
    os._exit(0 if right and batch_is_right(2) else 1)
_, status = os.waitpid(child, 0)
print(int(right), os.waitstatus_to_exitcode(status))
"""
)


def test_handlers_call_the_library_in_the_midst_of_a_batch() -> None:
    """Models and simulations of all sizes, beside a batch that is under way: all to the bit."""
    assert numbers_printed_by(HANDLERS) == [0, 0]


def test_a_fork_in_a_handler_leaves_a_child_that_computes() -> None:
    """Helpers are not there in the child, nor what they were computing for the batch."""
    for _ in range(3):
        assert numbers_printed_by(FORKS) == [1, 0]
