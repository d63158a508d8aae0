"""Steps whose contacts were not solved: how many, how badly, and what a run says about them.

The core solves the contact problem of each step until its conditions are violated by no more than
the tolerance of the law. Where it gives up before, it counts the step if what is left is more than
`ALLOWED` of the speeds: the motion goes on, but is not the one that was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tarsus import _core
from tarsus._lib.files import Array
from tarsus.model.description import Record

ALLOWED = 1e-8
"""What may be left of the violation of contact conditions, relative to the speeds."""


class ConvergenceWarning(UserWarning):
    """A run with steps whose contacts were not solved."""


@dataclass(frozen=True, eq=False)
class Unsolved(Record):
    """Steps of a run whose contacts were not solved, (B,) for a batch."""

    count: NDArray[np.int64] = field(default_factory=lambda: np.zeros((), np.int64))
    """How many, () or (B,)."""
    worst: Array = field(default_factory=lambda: np.zeros(()))
    """The largest violation that was left, relative to the speeds, () or (B,)."""

    @property
    def total(self) -> int:
        """How many in all states together."""
        return int(self.count.sum())

    def __getitem__(self, state: int) -> Unsolved:
        """Return those of one state of a batch."""
        return Unsolved(np.array(self.count[state]), np.array(self.worst[state]))

    def warning(self, steps: int) -> str:
        """Return what to say about them in a run of so many steps."""
        states = np.count_nonzero(self.count)
        where = f" in {states} of {self.count.size} states" if self.count.ndim else ""
        return (
            f"the contacts of {self.total} of {steps * self.count.size} steps{where} were not "
            f"solved: up to {float(self.worst.max()):.2g} of the speeds is left, {ALLOWED:g} is "
            "allowed. Take more iterations, as in ts.contact.Exact(iterations=5000), or a shorter "
            "dt; strict=True stops at the first such step"
        )


SOLVED = Unsolved()
"""One state without such steps."""


def unsolved_of(world: _core.World, memory: Array, batched: bool) -> Unsolved:
    """Return what the states of a run (B, n) remember about such steps."""
    place = world.unsolved
    if not batched and memory[0, place] == 0.0:
        return SOLVED
    whole = Unsolved(memory[:, place].astype(np.int64), memory[:, place + 1].copy())
    return whole if batched else whole[0]
