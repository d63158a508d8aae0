"""What Tarsus wants to reach in contact, beside MuJoCo; every robot and every motion counts.

A motion that fails counts as infinitely slow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from bipeds import BIPEDS
from target import Target


def step_target(
    what: str, must: float, aim: float, key: str, *, bipeds: bool, lower: bool
) -> Target:
    """Return a target for the steps of robots on two or on four legs."""

    def of(statistic: str) -> Callable[[dict[str, Any]], dict[str, float]]:
        def values(results: dict[str, Any]) -> dict[str, float]:
            found = {}
            for row in results.get("contact", {}).get("steps", ()):
                if (row["model"].split(",")[0] in BIPEDS) != bipeds:
                    continue
                title = f"{row['model']} {row['motion']}"
                if key in row:
                    found[title] = float(row[key][statistic])
                elif "failure" in row:
                    found[title] = math.inf if lower else 0.0
            return found

        return values

    return Target(what, must, aim, lower, of("median"), of("min"))


def learning_target(what: str, must: float, aim: float, motion: str, key: str) -> Target:
    """Return a target for learning or for loops in Python, times [µs] or ratios of times."""

    def of(statistic: str) -> Callable[[dict[str, Any]], dict[str, float]]:
        def values(results: dict[str, Any]) -> dict[str, float]:
            return {
                str(row["model"]): float(row[key][statistic])
                for row in results.get("contact", {}).get("learning", ())
                if row["motion"] == motion and key in row
            }

        return values

    return Target(what, must, aim, True, of("median"), of("min"))


def operator_target(what: str, must: float, aim: float, key: str) -> Target:
    """Return a target for the growth of the contact operator."""

    def of(statistic: str) -> Callable[[dict[str, Any]], dict[str, float]]:
        def values(results: dict[str, Any]) -> dict[str, float]:
            operator = results.get("contact", {}).get("operator")
            return {"chain": float(operator[key][statistic])} if operator else {}

        return values

    return Target(what, must, aim, True, of("median"), of("min"))


def creep(results: dict[str, Any]) -> dict[str, float]:
    """Return how far a box crept on a slope [m]."""
    measured = results.get("contact", {}).get("creep")
    return {"box": abs(measured["tarsus"])} if measured else {}


def ledger(results: dict[str, Any]) -> dict[str, float]:
    """Return residuals of ledgers of energy, as parts of what flowed, by scene."""
    return dict(results.get("contact", {}).get("ledger", {}))


CONTACT_TARGETS = (
    step_target("biped, a step, time / MuJoCo", 0.6, 0.4, "one_ratio", bipeds=True, lower=True),
    step_target(
        "biped, batch, throughput / MuJoCo", 3.0, 6.0, "throughput_ratio", bipeds=True, lower=False
    ),
    step_target(
        "quadruped, a step, time / MuJoCo", 0.5, 0.3, "one_ratio", bipeds=False, lower=True
    ),
    # must: not slower than it was
    step_target(
        "quadruped, batch, throughput / MuJoCo",
        *(4.0, 8.0, "throughput_ratio"),
        bipeds=False,
        lower=False,
    ),
    learning_target("learning, a step of a robot, µs", 6.0, 3.5, "learns", "one"),
    learning_target("learning, time / MuJoCo's rollout", 1 / 3, 1 / 6, "learns", "one_ratio"),
    learning_target("sim.step, time / mj_step", 1.0, 0.7, "sim.step in a loop", "one_ratio"),
    learning_target("sim.run of one step, µs", 40.0, 15.0, "sim.run of one step", "one"),
    Target("box on a slope, creep in 10 s, m", 1e-9, 0.0, True, creep),
    Target("ledger, residual / energy that flowed", 1e-3, 1e-6, True, ledger),
    operator_target("contact operator over links, log-log slope", 1.1, 1.0, "links_slope"),
    operator_target("contact operator over contacts, log-log slope", 2.0, 1.5, "contacts_slope"),
)
