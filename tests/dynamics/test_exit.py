"""Interpreter exit while daemon threads compute in the core: exit code and stderr stay clean.

Before CPython 3.14 a daemon thread that asks for the GIL during finalization is unwound by
`pthread_exit`, which aborts the process in a C++ destructor.
"""

from __future__ import annotations

import pytest
from processes import ran

SCRIPT = """
import sys, threading, time
import numpy as np
import tarsus as ts

def simulation_steps():
    simulation = ts.Simulation(ts.robots.mini_cheetah(), ground=ts.Ground())
    simulation.reset(np.tile(simulation.model.neutral(), (8, 1)))
    while True:
        simulation.step(steps=20)

def batches():
    model = ts.robots.mini_cheetah()
    q = np.tile(model.neutral(), (2000, 1))
    v = np.zeros((2000, model.nv))
    while True:
        model.forward_dynamics(q, v, v, threads=2)

def runs():
    simulation = ts.Simulation(ts.robots.chain(4), ground=ts.Ground())
    while True:
        simulation.run([0.1] * 4, duration=5.0)

def flows():
    while True:
        ts.flow(ts.robots.chain(4), [0.1] * 4, duration=5.0)

def callbacks():
    chain = ts.robots.chain(2)
    phase = ts.Phase(chain, controller=lambda t, q, v: np.array([-v[0], 0.0]))
    while True:
        ts.flow(phase, [0.1] * 2, duration=5.0)

def smooth_callbacks():
    simulation = ts.Simulation(ts.robots.chain(2), integrator="radau")
    while True:
        simulation.run([0.1] * 2, duration=5.0, controller=lambda t, q, v: -np.asarray(v))

for _ in range(2):
    threading.Thread(target=globals()[sys.argv[1]], daemon=True).start()
time.sleep(float(sys.argv[2]))
sys.exit(3)
"""
KINDS = ("simulation_steps", "batches", "runs", "flows", "callbacks", "smooth_callbacks")


@pytest.mark.parametrize("delay", [0.05, 0.3])
@pytest.mark.parametrize("kind", KINDS)
def test_exit_while_daemon_threads_compute(kind: str, delay: float) -> None:
    done = ran(f"import sys; sys.argv = ['', {kind!r}, '{delay}']\n{SCRIPT}")
    assert (done.returncode, done.stderr) == (3, "")
