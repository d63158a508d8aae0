"""When and why a run ended before its time, for each state."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tarsus._lib.files import Array
from tarsus.model.description import Record


@dataclass(frozen=True, eq=False)
class Ended(Record):
    """When `until` ended a run: `time` [s], inf where it did not, and `why` in words.

    For a batch `time` is (B,) and `why` has a word for each state.
    """

    time: Array = field(default_factory=lambda: np.full((), np.inf))
    why: str | tuple[str, ...] = ""

    def __bool__(self) -> bool:
        """Whether it ended any state."""
        return bool(np.isfinite(self.time).any())

    def __getitem__(self, state: int) -> Ended:
        """Return how one state of a batch ended."""
        return Ended(np.array(self.time[state]), self.why[state])


NEVER = Ended()
"""One state that no condition ended."""
