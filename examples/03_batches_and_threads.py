"""Compute many states at once.

Every function takes leading dimensions, as NumPy's do. The states of a batch go through the
processor side by side, one in each lane of a vector register, and on several threads if asked.
A state's result is the same bits in every lane, on every thread, alone or in company.
"""

import os
import time

import numpy as np

import tarsus as ts

arm = ts.robots.chain(12)
rng = np.random.default_rng(0)
q = arm.random_configuration(rng, 4096)  # (4096, 12)
v = rng.normal(size=(4096, arm.nv))
tau = np.zeros(arm.nv)  # one vector for all states: it broadcasts

a = arm.forward_dynamics(q, v, tau)
print("accelerations:", a.shape)
print("mass matrices:", arm.mass_matrix(q[:8].reshape(2, 4, -1)).shape)


def microseconds(function, states):
    """Return the shortest of twenty runs, divided by the number of states."""
    times = []
    for _ in range(20):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e6 * min(times) / states


def loop():
    return [arm.forward_dynamics(q[i], v[i], tau) for i in range(256)]


alone = microseconds(loop, 256)
batch = microseconds(lambda: arm.forward_dynamics(q, v, tau), 4096)
print(f"one by one {alone:.2f} µs, in a batch {batch:.2f} µs a state")

threads = min(os.cpu_count() or 1, 4)
shared = microseconds(lambda: arm.forward_dynamics(q, v, tau, threads=threads), 4096)
print(f"on {threads} threads {shared:.2f} µs a state")

# into memory that is already there
out = np.empty_like(a)
arm.forward_dynamics(q, v, tau, out=out, threads=threads)
print("the same bits:", np.array_equal(out, a) and np.array_equal(a[:256], loop()))
