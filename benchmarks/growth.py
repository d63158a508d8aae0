"""How forward and hybrid dynamics grow with the number of bodies, on chains and on stars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tarsus_lab.bench import Plan
from tarsus_lab.bench.measure import ALGORITHMS, Subject
from tarsus_lab.bench.timing import Contender, interleave, pinned

import tarsus as ts

SIZES = (10, 30, 100, 300, 1000, 3000, 10000)
MEASURED = [each for each in ALGORITHMS if each.title in ("ABA", "hybrid")]
SHAPES: dict[str, Callable[[int], ts.Model]] = {
    "chain": ts.robots.chain,
    "star": lambda n: ts.robots.tree(n, float(n)),
}


def measure_growth(
    plan: Plan,
    sizes: tuple[int, ...] = SIZES,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, Any]:
    """Measure one state of each; returns plain data for JSON, times in µs, slopes log over log."""
    tell = progress or (lambda section, share: None)
    times: dict[tuple[str, int, str], Contender] = {}
    for shape, make in SHAPES.items():
        for n in sizes:
            tell(f"a {shape} of {n}", 0.0)
            subject = Subject.make(shape, make(n), 1, alone=True)
            times |= {(shape, n, each.title): subject.one(each) for each in MEASURED}
    with pinned(1):
        interleave(list(times.values()), *plan.rhythm, lambda share: tell("growth", share))
    return {
        "slopes": [
            {"model": shape, "algorithm": each.title, "sizes": list(sizes)}
            | {"one": [times[shape, n, each.title].summary() for n in sizes]}
            | {"slope": _slope(sizes, [times[shape, n, each.title].median for n in sizes])}
            for shape in SHAPES
            for each in MEASURED
        ]
    }


def _slope(sizes: tuple[int, ...], times: list[float]) -> float:
    return round(float(np.polyfit(np.log(sizes), np.log(times), 1)[0]), 3)
