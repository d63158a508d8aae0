"""How a step or a solution ended, in words; results of batches have one for each state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SOLVED, SINGULAR, CONTRADICTORY, LIMITED, STALLED, ITERATIONS, OPEN_LOOP, NOT_FINITE = range(8)

WORDS = (
    "solved",
    "singular",
    "contradictory",
    "limited",
    "stalled",
    "iterations",
    "open loop",
    "not finite",
)
"""The words for the codes above, in their order."""

MEANINGS = {
    "solved": "the tasks are done as far as their levels and weights ask",
    "singular": "the machine cannot move as level 0 asks: it is stretched, or its axes meet",
    "contradictory": "limits, or what must be kept apart, leave no motion; they are missed least",
    "limited": "what level 0 asks for is not reached within the limits of joints and distances",
    "stalled": "the pose is not reached: no step leads closer, it is out of reach or a dead end",
    "iterations": "the pose is not reached in the iterations that were allowed",
    "open loop": "a loop of the machine cannot follow; the state stays where it is",
    "not finite": "the configuration or a target is not a number; the state stays where it is",
}


def words(codes: NDArray[np.int64] | int) -> str | NDArray[np.str_]:
    """Return the word of one code, or the words of many."""
    found = np.array(WORDS)[codes]
    return str(found) if np.ndim(codes) == 0 else found
