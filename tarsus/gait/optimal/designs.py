"""Machines for all numbers of a design: blends where these enter linearly, else built anew."""

from __future__ import annotations

from collections.abc import Sequence

from tarsus.arrays import Array
from tarsus.gait.optimal.blend import Blends
from tarsus.gait.optimal.conditions import Condition
from tarsus.gait.optimal.design import Design
from tarsus.gait.optimal.machine import Machine
from tarsus.gait.walkers import Walker

KEPT = 64
"""Machines that are kept, for values that come again."""


class Designs:
    """Machines by numbers of a design."""

    def __init__(self, walker: Walker, design: Design, conditions: Sequence[Condition]) -> None:
        self._walker, self._design, self._conditions = walker, design, tuple(conditions)
        self._kept: dict[bytes, Machine] = {}
        blends = Blends(walker, design, self._conditions) if design.names else None
        self._blends = blends if blends is not None and blends.exact else None

    def machine(self, numbers: Array) -> Machine:
        """Return the walker with these numbers, as equations."""
        if self._blends is not None:
            return self._blends.at(numbers)
        key = numbers.tobytes()
        found = self._kept.get(key)
        if found is None:  # searches on other threads may make or forget the same one
            found = Machine(self._design.walker(self._walker, numbers), self._conditions)
            if len(self._kept) >= KEPT:
                self._kept.clear()
            self._kept[key] = found
        return found
