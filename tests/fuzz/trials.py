"""How many trials a fuzzer makes, and the count of how they ended."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import numpy as np

LONGEST = 600
"""Seconds that a trial may take, where others leave it a tenth of a core."""


def seeds(few: int) -> range:
    """Return the seeds of the trials: `few` in the suite, TARSUS_FUZZ_FACTOR times as many in
    long runs, which start at another seed each time, or at TARSUS_FUZZ_SEED.
    """
    factor = os.environ.get("TARSUS_FUZZ_FACTOR")
    if factor is None:
        return range(few)
    first = int(os.environ.get("TARSUS_FUZZ_SEED", np.random.default_rng().integers(2**40)))
    return range(first, first + max(1, int(few * float(factor))))


@contextmanager
def in_time() -> Iterator[None]:
    """Raise if a trial hangs."""

    def hangs(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"a trial takes more than {LONGEST} s")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcomes(
    trial: Callable[[np.random.Generator], object],
    seeds: range,
    refused: tuple[type[BaseException], ...],
) -> Counter[str]:
    """Return how often trials ended well, and how often with each of the errors that are meant.

    Whatever else is raised ends the test, with the seed that leads there again.
    """
    found: Counter[str] = Counter()
    for seed in seeds:
        try:
            with in_time():
                trial(np.random.default_rng(seed))
            found["fine"] += 1
        except refused as error:
            found[type(error).__name__] += 1
        except BaseException as error:
            error.add_note(f"seed {seed}; before it: {dict(found)}")
            raise
    print(f"{len(seeds)} trials from seed {seeds.start}: {dict(found)}")
    return found
