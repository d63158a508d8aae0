"""Seeds of cells: from their content, so that each has its own wherever it is computed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np


def wants_seed(function: Callable[..., Any], names: tuple[str, ...]) -> bool:
    """Whether a function has an argument `seed` that cells do not give."""
    try:
        return "seed" in inspect.signature(function).parameters and "seed" not in names
    except (TypeError, ValueError):  # some that are written in C do not tell theirs
        return False


def seed_of(root: int, key: bytes) -> int:
    """Return the seed of a cell, 0 … 2⁶³ − 1, from that of the study and the cell's key.

    `numpy.random.SeedSequence` mixes them: neighbours on the grid share nothing.
    """
    words = [root, *np.frombuffer(key, "<u4").tolist()]
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0] >> np.uint64(1))
