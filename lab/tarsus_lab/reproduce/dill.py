"""Figure 2.19 of M. Schwienbacher: run times of forward dynamics on Dill(n)."""

from __future__ import annotations

import numpy as np

from tarsus import robots
from tarsus_lab.reproduce.result import Curve, Result, Row, Verdict
from tarsus_lab.reproduce.timing import METHODS, method_times

LEVELS = range(11)
LARGE = 8
"""Levels from this on are measured in fewer rounds: a dense solution takes long."""
NOISE = 1.1
"""Methods whose times differ by less than this ratio count as equally fast."""
AGREEMENT = 1e-8
"""Largest relative difference of accelerations between methods; Dill(10) is ill-conditioned."""


def run() -> Result:
    """Measure the three methods on Dill(0) to Dill(10), and compare their accelerations."""
    models = {f"{n}": robots.dill(n) for n in LEVELS}
    small = {name: model for name, model in models.items() if int(name) < LARGE}
    large = {name: model for name, model in models.items() if int(name) >= LARGE}
    times = method_times(small) | method_times(large, rounds=5)
    rows = [_order(n, [times[f"{n}", method] for method in METHODS]) for n in LEVELS]
    difference = max(_difference(n) for n in LEVELS)
    verdict: Verdict = "reproduced" if difference < AGREEMENT else "missed"
    rows.append(Row("relative difference", "", difference, verdict))
    curves = tuple(
        Curve(method, tuple(2.0**n for n in LEVELS), tuple(times[f"{n}", method] for n in LEVELS))
        for method in METHODS
    )
    return Result(
        "dill",
        "Run times of forward dynamics on Dill(n): articulated, sparse, dense [µs]",
        "M. Schwienbacher, TU München 2013, Figure 2.19 (a plot, without numbers)",
        tuple(rows),
        curves,
        ("degrees of freedom", "time of a call [µs]"),
    )


def _order(n: int, times: list[float]) -> Row:
    """Return a row for the claim that O(n) is the fastest at each level."""
    verdict: Verdict = "reproduced" if times[0] < NOISE * min(times) else "missed"
    ours = ", ".join(f"{time:.3g}" for time in times)
    return Row(f"Dill({n}), {2**n} joints", "O(n) is fastest", ours, verdict)


def _difference(n: int) -> float:
    """Return how far the methods are apart in the thesis' state: q = π/6, q̇ = 1, τ = 0."""
    model = robots.dill(n)
    q, v, tau = np.full(model.nq, np.pi / 6), np.ones(model.nv), np.zeros(model.nv)
    first, *others = (model.forward_dynamics(q, v, tau, method=method) for method in METHODS)
    scale = max(1.0, np.abs(first).max())  # Dill(0) stays at rest
    return max(float(np.abs(other - first).max() / scale) for other in others)
