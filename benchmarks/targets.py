"""What Tarsus wants to reach on one core: must, and aim.

Ratios compare with Pinocchio from Python on the same states in the same run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Target:
    """A number that must be reached and one to aim for; `lower` says which way is better."""

    what: str
    must: float
    aim: float
    lower: bool
    values: Callable[[dict[str, Any]], dict[str, float]]
    """From the results to the measured numbers, by name of the model or of the algorithm."""

    def verdict(self, value: float) -> str:
        """Return "aim", "must" or "missed"."""
        if value <= self.aim if self.lower else value >= self.aim:
            return "aim"
        reached = value <= self.must if self.lower else value >= self.must
        return "must" if reached else "missed"

    def worst(self, values: Iterable[float]) -> float:
        """Return the number that is farthest from the aim."""
        return (max if self.lower else min)(values)


def column(key: str, *algorithms: str) -> Callable[[dict[str, Any]], dict[str, float]]:
    """Return a column of the table of speeds, for some algorithms."""

    def values(results: dict[str, Any]) -> dict[str, float]:
        return {
            f"{row['algorithm']} of {row['model']}": float(row[key])
            for row in results["rows"]
            if row["algorithm"] in algorithms and row[key] is not None
        }

    return values


def slope(results: dict[str, Any]) -> dict[str, float]:
    """Return the growth of ABA."""
    growth = results["growth"]
    return {"one state": growth["one_slope"], "batch": growth["per_state_slope"]}


def memory(results: dict[str, Any]) -> dict[str, float]:
    """Return the memory of a call as a share of its inputs and output."""
    return {
        f"{entry['algorithm']} of {entry['model']}": entry["beyond"] / entry["inputs_and_output"]
        for entry in results["memory"]
    }


ONE_STATE = ("RNEA", "CRBA", "ABA", "FK", "frame Jacobian")
OTHERS = ("CRBA", "FK", "frame Jacobian", "centroidal")
ALL = ("RNEA", "ABA", *OTHERS)

TARGETS = (
    Target("one state, time / Pinocchio", 0.8, 0.5, True, column("one_ratio", *ONE_STATE)),
    Target(
        "batch, RNEA and ABA, throughput / Pinocchio",
        *(6.0, 10.0, False),
        column("throughput_ratio", "RNEA", "ABA"),
    ),
    Target(
        "batch, the others, throughput / Pinocchio",
        *(4.0, 8.0, False),
        column("throughput_ratio", *OTHERS),
    ),
    Target("two threads / one", 1.8, 1.95, False, column("two_threads_ratio", *ALL)),
    Target("ABA from 50 to 1000 links, log-log slope", 1.1, 1.0, True, slope),
    Target("memory of a batch / its inputs and output", 0.5, 0.1, True, memory),
)
