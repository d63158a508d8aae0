"""Looks at the samples of a run for what shall end it, many at once, and remembers what did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tarsus.model import Model
from tarsus.simulation.contact_record import Place
from tarsus.simulation.ended import NEVER, Ended
from tarsus.simulation.until import Condition, Function, Samples
from tarsus.simulation.until.condition import Mask

Until: TypeAlias = Condition | Callable[..., Any] | Sequence[Condition | Callable[..., Any]]
"""A condition of `ts.until`, a function (t, q, v) → bool, or a list: what holds first ends."""

ENDED = -1.0
"""What the memory of a state tells the core about it when a condition has ended it."""

Steps = NDArray[np.int64]


class Watch:
    """The conditions of a run, and which of them ended its states, in which step."""

    def __init__(
        self, until: Until, model: Model, places: Sequence[Place], states: int, batched: bool
    ) -> None:
        self.conditions = conditions_of(until)
        for condition in self.conditions:
            condition.check(model, places)
        self.model, self.places, self.batched = model, places, batched
        self.needs = tuple(dict.fromkeys(name for each in self.conditions for name in each.needs))
        """What of a sample they look at."""
        self.step: Steps = np.full(states, -1, np.int64)
        """After which step each state ended, −1 for those that go on (B,)."""
        self.which: Steps = np.zeros(states, np.int64)
        """Which condition ended it (B,)."""

    @property
    def over(self) -> Mask:
        """Whose motion was ended (B,)."""
        return np.asarray(self.step >= 0)

    def look(self, samples: Samples) -> tuple[Steps, Steps]:
        """Return the first sample at which something holds, −1 for none, and what it is (B,)."""
        found = [each.holds(samples, self.model, self.places) for each in self.conditions]
        if not any(each.any() for each in found):
            return np.full(samples.states, -1), np.zeros(samples.states, np.int64)
        held: Mask = np.stack(found)
        some: Mask = np.asarray(held.any(axis=0))
        first = np.where(some.any(axis=1), some.argmax(axis=1), -1)
        each = np.arange(len(first))
        return first, held[:, each, np.maximum(first, 0)].argmax(axis=0)

    def end(self, states: Steps, step: int, which: Steps) -> None:
        """Note that states end after a step, and by which conditions."""
        self.step[states], self.which[states] = step, which

    def ended(self, dt: float) -> Ended:
        """Return when and why states ended."""
        if not self.over.any() and not self.batched:
            return NEVER
        time = np.where(self.over, self.step * dt, np.inf)
        words = [str(each) for each in self.conditions]
        why = tuple(words[k] * bool(over) for k, over in zip(self.which, self.over, strict=True))
        return Ended(time, why) if self.batched else Ended(np.array(time[0]), why[0])


def conditions_of(until: Until) -> tuple[Condition, ...]:
    """Return what a user means as conditions."""
    each = tuple(until) if isinstance(until, (list, tuple)) else (until,)
    if each and all(isinstance(one, Condition) or callable(one) for one in each):
        return tuple(one if isinstance(one, Condition) else Function(one) for one in each)
    raise TypeError(
        f"until is {until!r}, must be a function (t, q, v) → bool, a condition of ts.until, or a "
        "list of these"
    )
