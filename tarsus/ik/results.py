"""What solvers return: a step, a pose, a motion; each says how it ended and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.ik.status import MEANINGS, NOT_FINITE, OPEN_LOOP, SOLVED, WORDS, words


class Ended:
    """A result with a code for each state."""

    code: NDArray[np.int64]

    @property
    def status(self) -> str | NDArray[np.str_]:
        """How it ended: a word, or one a state; `tarsus.ik.MEANINGS` explains them."""
        return words(self.code)

    @property
    def success(self) -> bool | NDArray[np.bool_]:
        """Whether it is solved: one answer, or one a state."""
        found = self.code == SOLVED
        return bool(found) if np.ndim(found) == 0 else np.asarray(found)

    @property
    def reason(self) -> str:
        """What the status means; of many states that of the worst."""
        return MEANINGS[WORDS[int(np.max(self.code, initial=SOLVED))]]


@dataclass(frozen=True, eq=False)
class Step(Ended):
    """One step of a control loop: where it leads, and with which velocity.

    `v` is always finite. `missing` tells by task how far J v is from what it asked for
    (…, size) [1/s].
    """

    q: Array
    """The configurations (…, nq) after the step."""
    v: Array
    """The velocities (…, nv)."""
    code: NDArray[np.int64]
    """How it ended (…), a number for each word of `status`."""
    missing: Mapping[str, Array] = field(repr=False)

    @property
    def moved(self) -> bool | NDArray[np.bool_]:
        """Whether the step could be made: one answer, or one a state."""
        found = (self.code != NOT_FINITE) & (self.code != OPEN_LOOP)
        return bool(found) if np.ndim(found) == 0 else np.asarray(found)


@dataclass(frozen=True, eq=False)
class Solution(Ended):
    """A pose: the configuration in which the tasks of level 0 have no error, or the least found.

    `errors` tells by task how far it is from its target (…, size).
    """

    q: Array
    """The configurations (…, nq)."""
    code: NDArray[np.int64]
    """How it ended (…), a number for each word of `status`."""
    error: Array
    """The largest error (…) of the tasks of level 0 [m, rad]."""
    iterations: NDArray[np.int64]
    """How many steps were made (…), restarts included."""
    starts: NDArray[np.int64]
    """From how many starts it was tried (…)."""
    errors: Mapping[str, Array] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Track(Ended):
    """A motion along targets: states at `times` (N,), and how they were reached."""

    times: Array
    """(N,) [s]."""
    q: Array
    """The configurations (…, N, nq)."""
    v: Array
    """The velocities (…, N, nv) that lead from each to the next; the last is zero."""
    code: NDArray[np.int64]
    """How each step ended (…, N)."""
    errors: Mapping[str, Array] = field(repr=False)
    """By task how far it is from its target (…, N, size)."""
