"""What Tarsus wants to reach with the search for gaits: seconds, and gaits that are right.

A search that misses what it looks for takes forever.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from target import Target

Found = Callable[[dict[str, Any], str], dict[str, float]]

PERIODIC = 1e-8
"""How far a step of a robot may lead from where it begins [rad, rad/s]."""


def gait_target(what: str, must: float, aim: float, of: Found) -> Target:
    """Return a target for a time that `of` finds in the study of gaits, for a statistic."""

    def values(statistic: str) -> Callable[[dict[str, Any]], dict[str, float]]:
        return lambda results: of(results["gaits"], statistic) if "gaits" in results else {}

    return Target(what, must, aim, True, values("median"), values("min"))


def cycles(gaits: dict[str, Any], statistic: str) -> dict[str, float]:
    """Return the time of a limit cycle [ms]."""
    found = gaits["cycle"]
    return {"compass": 1e3 * found["ours"][statistic] if found["error"] <= 1e-10 else math.inf}


def basins(gaits: dict[str, Any], statistic: str) -> dict[str, float]:
    """Return the time of a basin [s]."""
    return {"compass": gaits["basin"]["seconds"][statistic]}


def tables(section: str) -> Found:
    """Return the time of all gaits of a table [s], if none misses what is known."""

    def of(gaits: dict[str, Any], statistic: str) -> dict[str, float]:
        found = gaits[section]
        return {
            f"{found['gaits']} gaits": math.inf if found["missed"] else found["seconds"][statistic]
        }

    return of


def doublings(gaits: dict[str, Any], statistic: str) -> dict[str, float]:
    """Return the time of the doublings [s], if all were found."""
    found = gaits["doublings"]
    reached = found["period"] >= found["wanted"]
    return {"compass": found["seconds"][statistic] if reached else math.inf}


def robots(gaits: dict[str, Any], statistic: str) -> dict[str, float]:
    """Return times of robots' gaits [s], of those that keep everything and are periodic."""
    return {
        row["model"]: row["seconds"][statistic]
        if row["success"] and row["period_error"] <= PERIODIC
        else math.inf
        for row in gaits["robots"]
    }


GAIT_TARGETS = (
    gait_target("compass walker, limit cycle to 1e-10 and multipliers, ms", 20.0, 3.0, cycles),
    gait_target("– basin, 160,000 states, 20 steps, two threads, s", 60.0, 15.0, basins),
    gait_target("– doublings to period 16, s", 60.0, 5.0, doublings),
    gait_target("five gaits of least efforts in space, s", 60.0, 10.0, tables("trunk")),
    gait_target("36 gaits of least efforts and their mechanics, s", 60.0, 10.0, tables("design")),
    gait_target("a robot's gait of least efforts from no guess, s", 600.0, 60.0, robots),
)
