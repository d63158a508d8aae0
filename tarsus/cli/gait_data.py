"""Gaits as plain data, for `tarsus gait --json` and its tables."""

from __future__ import annotations

from typing import Any

import tarsus as ts


def optimised_data(gait: ts.gait.OptimizedGait) -> dict[str, Any]:
    """Return a gait of least efforts."""
    return {
        "cost": gait.cost,
        "speed": gait.speed,
        "duration": gait.duration,
        "step_length": gait.step_length,
        "cost_of_transport": gait.cost_of_transport,
        "peak_efforts": dict(gait.peak_efforts),
        "design": dict(gait.design),
        "violations": dict(gait.violations),
        "status": gait.status,
    }


def gait_data(gaits: list[ts.gait.LimitCycle], studies: list[Any]) -> dict[str, Any]:
    """Return gaits as plain data, with the branches and the basin that were asked for."""
    told: dict[str, Any] = {"gaits": [_cycle_data(each) for each in gaits]}
    for each in studies:
        if isinstance(each, ts.gait.Basin):
            axes = {name: values.tolist() for name, values in each.over.items()}
            told["basin"] = {"over": axes, "steps": each.steps.tolist(), "volume": each.volume}
        else:
            branches = each.branches if isinstance(each, ts.gait.Doublings) else [each]
            told["branches"] = [_branch_data(branch) for branch in branches]
    return told


def _branch_data(branch: ts.gait.Branch) -> dict[str, Any]:
    return {
        "number": branch.name,
        "steps": branch.steps,
        "values": branch.values.tolist(),
        "q": branch.q.tolist(),
        "v": branch.v.tolist(),
        "stable": branch.stable.tolist(),
        "bifurcations": [{"kind": x.kind, "value": x.value} for x in branch.bifurcations],
        "ended": branch.ended,
        "notes": branch.notes,
    }


def _cycle_data(gait: ts.gait.LimitCycle) -> dict[str, Any]:
    return {
        "walker": gait.walker.name,
        "numbers": dict(gait.walker.numbers),
        "steps": gait.steps,
        "q": gait.q.tolist(),
        "v": gait.v.tolist(),
        "period": gait.period,
        "speed": gait.speed,
        "step_length": gait.step_length,
        "multipliers": [[x.real, x.imag] for x in gait.multipliers.astype(complex)],
        "stable": gait.stable,
        "cost_of_transport": gait.cost_of_transport,
        "violations": list(gait.violations),
    }
