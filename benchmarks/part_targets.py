"""What Tarsus wants to reach with parts: constraints and forces beside the tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from target import Target

Values = Callable[[dict[str, Any]], dict[str, float]]


def part_target(
    what: str, must: float, aim: float, of: Callable[[dict[str, Any], str], dict[str, float]]
) -> Target:
    """Return a target for what `of` finds in the study of parts, for a statistic."""

    def values(statistic: str) -> Values:
        return lambda results: of(results["parts"], statistic) if "parts" in results else {}

    return Target(what, must, aim, True, values("median"), values("min"))


def frames(parts: dict[str, Any], statistic: str) -> dict[str, float]:
    """Return the times of a frame in which a kit is dragged [ms]."""
    return {row["kit"]: row["frame"][statistic] / 1e3 for row in parts["dragged"]}


def sticks(parts: dict[str, Any], statistic: str) -> dict[str, float]:
    """Return the times of eight seconds of sticks and rubbers [s]."""
    return {row["accuracy"]: row["run"][statistic] / 1e6 for row in parts["sticks"]}


def changes(parts: dict[str, Any], statistic: str) -> dict[str, float]:
    """Return the times to add and to remove a part [µs]."""
    return {
        f"{key} {row['part']}, {row['others']} others": row[key][statistic]
        for row in parts["changes"]
        for key in ("add", "remove")
    }


def gears(parts: dict[str, Any], statistic: str) -> dict[str, float]:
    """Return the time of a step with stiff gears as a part of MuJoCo's."""
    found = parts["gears"].get("one_ratio")
    return {"arm": found[statistic]} if found else {}


def ledger(parts: dict[str, Any], _: str) -> dict[str, float]:
    """Return the residual of the ledger with stiff gears."""
    return {"arm": parts["gears"]["ledger"]["friction"]}


PART_TARGETS = (
    part_target("dragging a kit of 100 bodies, a frame, ms", 4.0, 1.0, frames),
    part_target("sticks and rubbers, 8 s by Radau, s", 0.1, 0.02, sticks),
    part_target("adding or removing a part, µs", 50.0, 50.0, changes),
    part_target("stiff gears, a step, time / MuJoCo", 1.0, 1.0, gears),
    part_target("stiff gears, ledger, residual / energy that flowed", 1e-3, 1e-3, ledger),
)
