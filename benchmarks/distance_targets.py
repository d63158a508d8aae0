"""What Tarsus wants to reach with distances between volumes, beside Pinocchio and coal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from target import Target


def humanoid(what: str, statistic: str) -> Callable[[dict[str, Any]], dict[str, float]]:
    """Return the time of rows whose name begins with `what`, beside all distances by coal."""

    def values(results: dict[str, Any]) -> dict[str, float]:
        return {
            row["what"]: float(row["ratio"][statistic])
            for row in results.get("distances", {}).get("humanoid", ())
            if row["what"].startswith(what)
        }

    return values


def pair(name: str) -> Callable[[dict[str, Any]], dict[str, float]]:
    """Return the time of one pair of volumes [ns]."""

    def values(results: dict[str, Any]) -> dict[str, float]:
        rows = results.get("distances", {}).get("pairs", ())
        return {row["pair"]: float(row["nanoseconds"]) for row in rows if row["pair"] == name}

    return values


DISTANCE_TARGETS = (
    Target(
        "distances of a humanoid within 0.1 m, time / coal",
        *(0.3, 0.1, True),
        humanoid("within", "median"),
        humanoid("within", "min"),
    ),
    Target("distance of two lines in a batch, ns", 15.0, 6.0, True, pair("line, line")),
    Target(
        "distance of two triangles in a batch, ns", 150.0, 60.0, True, pair("triangle, triangle")
    ),
)
