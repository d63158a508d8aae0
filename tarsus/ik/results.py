"""Results of inverse kinematics: velocities, configurations, status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.ik.tasks.task import Task

# What solvers return: a step, a pose, a motion; each says how it ended and what is missing.


class Ended:
    """A result with a code for each state."""

    __slots__ = ()
    code: NDArray[np.int64] | int

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


@dataclass(frozen=True)
class Rows:
    """Which rows of a result belong to which task: name, number of rows, and those that count."""

    tasks: tuple[tuple[str, int, NDArray[np.intp]], ...]

    @staticmethod
    def of(tasks: Sequence[Task]) -> Rows:
        """Return the rows of tasks, all of them, one task after the other."""
        return Rows(tuple((task.name, task.size, np.arange(task.size)) for task in tasks))

    def by_task(self, values: Array) -> dict[str, Array]:
        """Return values (…, rows) by name of task, (…, size) each."""
        found, first = {}, 0
        for name, size, own in self.tasks:
            whole = np.zeros((*values.shape[:-1], size))
            whole[..., own] = values[..., first : first + len(own)]
            found[name] = whole
            first += len(own)
        return found


class Step(Ended):
    """One step of a control loop: where it leads, and with which velocity.

    `q` are the configurations (…, nq) after the step, `v` the velocities (…, nv), always finite,
    and `code` (…) has a number for each word of `status`.
    """

    __slots__ = ("_missing", "_rows", "code", "q", "v")

    def __init__(
        self, q: Array, v: Array, code: NDArray[np.int64] | int, rows: Rows, missing: Array
    ) -> None:
        self.q, self.v, self.code = q, v, code
        self._rows, self._missing = rows, missing

    @property
    def missing(self) -> dict[str, Array]:
        """By task how far J v is from what it asked for (…, size) [1/s]."""
        return self._rows.by_task(self._missing)

    @property
    def moved(self) -> bool | NDArray[np.bool_]:
        """Whether the step could be made: one answer, or one a state."""
        found = (self.code != NOT_FINITE) & (self.code != OPEN_LOOP)
        return bool(found) if np.ndim(found) == 0 else np.asarray(found)

    def __repr__(self) -> str:
        return f"Step(status={self.status!r}, q={self.q!r}, v={self.v!r})"


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


# How a step or a solution ended, in words; results of batches have one for each state.


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
