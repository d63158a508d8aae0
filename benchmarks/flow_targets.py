"""What Tarsus wants to reach with motions of high accuracy and located events, beside SciPy.

A run that fails has a ledger that is infinitely wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from target import Target

Found = Callable[[dict[str, Any], str], dict[str, float]]


def flow_target(what: str, must: float, aim: float, of: Found, *, lower: bool = False) -> Target:
    """Return a target for what `of` finds in the study of flows, for a statistic."""

    def values(statistic: str) -> Callable[[dict[str, Any]], dict[str, float]]:
        return lambda results: of(results["flows"], statistic) if "flows" in results else {}

    return Target(what, must, aim, lower, values("median"), values("min"))


def speeds(section: str, *keys: str) -> Found:
    """Return how many times as fast as its peer a motion of a section is."""

    def of(flows: dict[str, Any], statistic: str) -> dict[str, float]:
        found = flows[section].get("speed", {})
        return {NAMES[key]: found[key][statistic] for key in keys if key in found}

    return of


def steps(flows: dict[str, Any], statistic: str) -> dict[str, float]:
    """Return the steps of compass walkers in a second of one core."""
    return {"batch": 1e6 / flows["compass"]["batch"][statistic]}


def sensitivities(flows: dict[str, Any], statistic: str) -> dict[str, float]:
    """Return what sensitivities add to the time of a step, where there are any."""
    return {
        NAMES[key]: flows["compass"][f"{key}_derivatives_ratio"][statistic]
        for key in ("one", "batch")
        if f"{key}_derivatives_ratio" in flows["compass"]
    }


def strikes(flows: dict[str, Any], _: str) -> dict[str, float]:
    """Return how far strikes are from SciPy's [s]."""
    return {"compass": flows["compass"]["error"]}


def ledgers(flows: dict[str, Any], _: str) -> dict[str, float]:
    """Return residuals of ledgers of runs with located events, as parts of what flowed."""
    return {row["scene"]: row.get("residual", math.inf) for row in flows["ledgers"]}


NAMES = {
    "one": "one state",
    "batch": "batch",
    "one_simulation": "one state, Simulation",
    "batch_simulation": "batch, Simulation",
}

FLOW_TARGETS = (
    flow_target("compass walker to its strike, steps/s in a batch", 2e4, 1e5, steps),
    flow_target("– one state, speed / SciPy", 20.0, 60.0, speeds("compass", "one")),
    flow_target("– batch, speed / SciPy", 100.0, 300.0, speeds("compass", "batch")),
    flow_target("– strike, apart from SciPy's, s", 1e-9, 1e-10, strikes, lower=True),
    flow_target("– with sensitivities, time / without", 4.0, 2.0, sensitivities, lower=True),
    flow_target(
        "ANYmal, feet held, speed / Pinocchio and SciPy",
        *(20.0, 50.0, speeds("held", "one", "batch")),
    ),
    flow_target(
        "Talos in free fall, one state, speed / by SciPy before",
        *(20.0, 20.0, speeds("free", "one", "one_simulation")),
    ),
    flow_target(
        "– batch, speed / by SciPy before", 20.0, 100.0, speeds("free", "batch", "batch_simulation")
    ),
    flow_target("located events, ledger, residual / flow", 1e-8, 1e-10, ledgers, lower=True),
)
