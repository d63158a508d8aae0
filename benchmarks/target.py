"""A number that Tarsus wants to reach: must, and aim."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Target:
    """A number that must be reached and one to aim for; `lower` says which way is better."""

    what: str
    must: float
    aim: float
    lower: bool
    values: Callable[[dict[str, Any]], dict[str, float]]
    """From the results to the measured numbers, by name of the model or of the algorithm."""
    smallest: Callable[[dict[str, Any]], dict[str, float]] | None = None
    """The same of the smallest times, which neighbours on the machine disturb less."""

    def verdict(self, value: float) -> str:
        """Return "aim", "must" or "missed"."""
        if value <= self.aim if self.lower else value >= self.aim:
            return "aim"
        reached = value <= self.must if self.lower else value >= self.must
        return "must" if reached else "missed"

    def worst(self, values: Iterable[float]) -> float:
        """Return the number that is farthest from the aim."""
        return (max if self.lower else min)(values)
