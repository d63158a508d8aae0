"""Functions that are swept: they log what they compute, and some kill whoever computes them."""

from __future__ import annotations

import functools
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.sweep_grid import key_of, seed_of

GRID = {"a": list(range(6)), "b": [0.1, 0.2, 0.3, 0.4]}


def noted(a: int, b: float, seed: int, log: str, pause: float = 0.0) -> dict[str, Any]:
    """Return numbers that use all digits, and note that they were computed."""
    time.sleep(pause)
    noise = np.random.default_rng(seed).normal(size=3)
    found = {"sum": float(np.sin(a) + b / 3.0), "noise": noise * b, "word": f"{a}-{b}"}
    _note(log, f"{a} {b} {os.getpid()}\n")
    return found


def deadly(
    a: int, b: float, seed: int, log: str, pause: float = 0.0, times: int = 1
) -> dict[str, Any]:
    """Kill the process in one cell, the first times; otherwise as `noted`."""
    if (a, b) == (2, 0.3):
        deaths = Path(log + ".deaths")
        _note(str(deaths), "x")
        if len(deaths.read_text()) <= times:
            time.sleep(0.05)  # what was done before is handed out by now
            os.kill(os.getpid(), signal.SIGKILL)
    return noted(a, b, seed, log, pause)


def serial(seed: int = 0) -> list[dict[str, Any]]:
    """Return what `noted` gives at all cells, from two loops and nothing else."""
    cells = [{"a": a, "b": b} for a in GRID["a"] for b in GRID["b"]]
    return [noted(**cell, seed=seed_of(seed, key_of(cell)), log=os.devnull) for cell in cells]


def logging(function: Callable[..., Any], log: Path, **bound: Any) -> Callable[..., Any]:
    """Return a function with its log."""
    return functools.partial(function, log=str(log), **bound)


def computed(log: Path) -> Counter[str]:
    """Return how often each cell was computed, by its words."""
    lines = log.read_text().splitlines() if log.exists() else []
    return Counter(line.rsplit(" ", 1)[0] for line in lines)


def same(ours: list[Any], theirs: list[Any]) -> bool:
    """Whether results have the same bits."""
    return len(ours) == len(theirs) and all(
        x.keys() == y.keys()
        and all(np.asarray(x[n]).tobytes() == np.asarray(y[n]).tobytes() for n in x)
        for x, y in zip(ours, theirs, strict=True)
    )


def _note(log: str, line: str) -> None:
    with Path(log).open("a", buffering=1) as file:  # one write, at the end
        file.write(line)
