"""The speed of Coriolis matrices and Christoffel symbols on chains and trees, and how it grows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from tarsus_lab.bench import Plan
from tarsus_lab.bench.measure import Algorithm, Subject
from tarsus_lab.bench.timing import Contender, interleave, pinned

import tarsus as ts

ALGORITHMS = (
    Algorithm("Coriolis", "coriolis_matrix", ("q", "v")),
    Algorithm("Christoffel", "christoffel_symbols", ("q",)),
    Algorithm("Christoffel, packed", "christoffel_symbols_packed", ("q",)),
)
BRANCHING = {"chain": 1, "tree": 2}
LINKS = 20
"""Of the mechanisms of Echeandia (2020), table 3.2."""
SIZES = (16, 32, 64, 128)
"""Over which the growth is measured."""


def measure_symbols(
    plan: Plan,
    sizes: tuple[int, ...] = SIZES,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, Any]:
    """Measure one state of each algorithm; returns plain data for JSON, times in µs."""
    tell = progress or (lambda section, share: None)
    times = {
        (shape, n, algorithm.title): _contender(branching, n, algorithm)
        for shape, branching in BRANCHING.items()
        for n in sorted({LINKS, *sizes})
        for algorithm in ALGORITHMS
        # a dense array of n³ numbers is filled with zeros, which hides what branches save
        if n == LINKS or algorithm.title != "Christoffel"
    }
    with pinned(1):
        interleave(list(times.values()), *plan.rhythm, lambda share: tell("symbols", share))
    return {
        "times": [
            {"model": f"{shape}({n})", "algorithm": title, "one": contender.summary()}
            for (shape, n, title), contender in times.items()
        ],
        "slopes": [
            {"model": shape, "algorithm": title}
            | {"slope": _slope([(n, times[shape, n, title]) for n in sizes])}
            for shape in BRANCHING
            for title in ("Coriolis", "Christoffel, packed")
        ],
    }


def _contender(branching: int, n: int, algorithm: Algorithm) -> Contender:
    model = ts.robots.tree(n, branching, skew=math.pi / 3)
    return Subject.make(f"{n}", model, 1, alone=True).one(algorithm)


def _slope(times: list[tuple[int, Contender]]) -> dict[str, float]:
    """Return the growth, log time over log number of links, of medians and of smallest times."""
    links = np.log([n for n, _ in times])
    summaries = [contender.summary() for _, contender in times]
    return {
        key: round(float(np.polyfit(links, np.log([s[key] for s in summaries]), 1)[0]), 3)
        for key in ("median", "min")
    }
