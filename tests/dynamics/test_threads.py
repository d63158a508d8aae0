"""Threads of the core: shared batches, several callers at once, and children of a fork."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
from processes import numbers_printed_by

import tarsus as ts


def _states(model: ts.Model, count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return model.random_configuration(rng, count), rng.standard_normal((count, model.nv))


def test_callers_share_the_waiting_threads() -> None:
    model = ts.robots.tree(20, 2)
    q, v = _states(model, 3000)
    expected = model.bias_forces(q, v).tobytes()
    wrong: list[int] = []

    def call(index: int) -> None:
        results = [model.bias_forces(q, v, threads=threads) for threads in (2, 3, 5)]
        wrong.extend(index for result in results if result.tobytes() != expected)

    callers = [threading.Thread(target=call, args=(index,)) for index in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_a_fault_is_found_whichever_thread_meets_it() -> None:
    model = ts.robots.chain(3)
    q, v = _states(model, 2000)
    q[1777, 2] = np.nan
    for threads in (1, 2, 4):
        try:
            model.bias_forces(q, v, threads=threads)
        except ValueError as error:
            assert "q must be finite: element 2 of state 1777 is nan" in str(error)
        else:
            raise AssertionError("nan was accepted")


def test_forked_children_start_threads_of_their_own() -> None:
    model = ts.robots.chain(6)
    q, v = _states(model, 600)
    expected = model.bias_forces(q, v, threads=2).tobytes()  # the parent's threads exist now
    stop = threading.Event()

    def keep_busy() -> None:
        while not stop.is_set():
            model.bias_forces(q, v, threads=2)

    busy = [threading.Thread(target=keep_busy) for _ in range(2)]
    for thread in busy:
        thread.start()
    try:
        for _ in range(40):
            child = os.fork()
            if child == 0:
                signal.alarm(20)  # a child that waits for a lock or thread of the parent is killed
                same = model.bias_forces(q, v, threads=2).tobytes() == expected
                os._exit(0 if same else 1)
            _, status = os.waitpid(child, 0)
            assert os.waitstatus_to_exitcode(status) == 0
    finally:
        stop.set()
        for thread in busy:
            thread.join()


def test_what_is_thrown_in_a_thread_reaches_the_caller() -> None:
    """Three hundred contacts want more memory than there is; threads and process live on."""
    script = """
import os, resource, numpy as np, tarsus as ts
b = ts.Builder("slab").body("slab", 1.0, inertia=(1.0, 1.0, 1.0))
b.joint("base", "free", "world", "slab")
places = {f"p{k}": (0.1 * (k % 20), 0.1 * (k // 20), 0.0) for k in range(300)}
for name, place in places.items():
    b.frame(name, "slab", position=place)
slab, chain, q = b.build(), ts.robots.chain(5), np.ones((4000, 5))
collision = ts.Collision.from_model(slab, contact_points={name: (0, 0, 0) for name in places})
sim = ts.Simulation(slab, ground=ts.Ground(), collision=collision)
falling = np.tile([0.0, 0.0, -0.1, 0.0, 0.0, 0.0], (32, 1))
expected = chain.mass_matrix(q, threads=2)
used = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
resource.setrlimit(resource.RLIMIT_AS, (used + (30 << 20), resource.RLIM_INFINITY))
told = 0
for _ in range(5):
    try:
        sim.run(None, falling, duration=0.001, threads=2, record=False)
    except MemoryError:
        told += 1
    told += (chain.mass_matrix(q, threads=2) == expected).all()
print(told)
"""
    assert numbers_printed_by(script) == [10]
