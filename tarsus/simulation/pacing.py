"""How a run is cut into calls of the core: samples, checkpoints, looks at Ctrl-C; and when."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np

from tarsus._lib.checks import COUNTED, number, positive, read_only
from tarsus._lib.files import Array

BRIEF = 1_000
"""Steps whose times are kept for the next run."""
STEPS, SECONDS = 64, 0.1
"""At most so many steps, or so long, between looks at Ctrl-C and the progress bar."""
FEW, QUICK = 8, 1e-3
"""Where so few places may touch, steps never become much slower than they are: then there are more,
for so long [s], since each look costs microseconds."""


def cadence_of(path: str | Path | None, every: float | None, duration: float, dt: float) -> int:
    """Return the number of steps from checkpoint to checkpoint, zero if there are none.

    A tenth of the run, unless told. That there is a folder for them is known before it starts.
    """
    if path is None:
        if every is not None:
            raise ValueError(f"checkpoint_every is {every}, but there is no checkpoint to write")
        return 0
    if not isinstance(path, (str, Path)):
        raise TypeError(f"checkpoint is {path!r}, must be the path of a file")
    if Path(path).is_dir() or not Path(path).parent.is_dir():
        raise FileNotFoundError(f"checkpoint {str(path)!r} is not a file in a folder that is there")
    seconds = duration / 10 if every is None else number(every, "checkpoint_every")
    positive(seconds, "checkpoint_every", zero=every is None)
    return max(1, round(min(seconds / dt, COUNTED)))


def chunk_of(pace: float, *, few: bool) -> int:
    """Return after how many steps of `pace` [s] to look up."""
    pace = max(pace, 1e-9)
    steps = min(STEPS, int(SECONDS / pace))
    if few:
        steps = max(steps, int(QUICK / pace))
    return max(steps, 1)


def moments(start: int, end: int, step: int, dt: float) -> Array:
    """Return the times of steps from start to end; the first of them are only copied."""
    if end <= BRIEF:
        return first_moments(dt)[start:end:step].copy()
    return np.arange(start, end, step, dtype=np.float64) * dt


@lru_cache(16)
def first_moments(dt: float) -> Array:
    """Return the times of the steps of brief runs."""
    return read_only(np.arange(BRIEF, dtype=np.float64) * dt)


def pieces(step: int, end: int, every: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield (steps, samples) of calls of the core, such that samples fall on multiples of `every`.

    Each call has samples at equal distances, the last at its end, or none.
    """
    while step < end:
        to_next = every - step % every
        if to_next < every or end - step < every:
            steps = min(to_next, end - step)
            yield steps, int(steps == to_next)
        else:
            samples = min((end - step) // every, most)
            steps = samples * every
            yield steps, samples
        step += steps
