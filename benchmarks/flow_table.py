"""The table of the README about flows: motions of high accuracy, and located events."""

from __future__ import annotations

from typing import Any


def flow_table(flows: dict[str, Any]) -> list[str]:
    """Return the lines of a small table about flows: a peer / one state / a state of a batch."""
    walker, feet, talos = (flows[key] for key in ("compass", "held", "free"))
    rows = {
        "a step of a compass walker, strike located: SciPy": _times(walker),
        "– strikes apart from SciPy's": f"{walker['error']:.0e} s",
    }
    for key, name in (("one", "one state"), ("batch", "in a batch")):
        if found := walker.get(f"{key}_derivatives_ratio"):
            rows[f"– with sensitivities, time / without, {name}"] = f"{found['median']:.2f}"
    rows |= {
        "ANYmal, feet held for 1 s: Pinocchio under SciPy": _times(feet),
        "Talos in free fall for 0.2 s, `ts.flow`: SciPy in our simulation, as it was": _times(
            talos
        ),
        "– SciPy alone": _times(talos, "plain"),
        "– `ts.Simulation`: SciPy in it, as it was": _times(talos, ours="_simulation"),
    }
    for row in flows["ledgers"]:
        told = f"{row['residual']:.0e}" if "residual" in row else "fails"
        rows[f"residual of the ledger / energy that flowed, {row['scene']}"] = told
    lines = ["| flows: peer / one state / **in a batch** (times as fast) | |", "|---|---|"]
    return lines + [f"| {what} | {number} |" for what, number in rows.items()]


def _times(row: dict[str, Any], peer: str = "peer", ours: str = "") -> str:
    """Return times of a peer, of one state and of a state of a batch, and ratios of speeds."""
    one, batch = f"one{ours}", f"batch{ours}"
    if peer not in row:
        return f"– / {_time(row[one])} / **{_time(row[batch])}**"
    speed = row["speed" if peer == "peer" else f"{peer}_speed"]
    faster = " and ".join(f"{speed[key]['median']:.3g}" for key in (one, batch))
    return f"{_time(row[peer])} / {_time(row[one])} / **{_time(row[batch])}** ({faster})"


def _time(summary: dict[str, float]) -> str:
    """Return a median in µs or ms."""
    median = summary["median"]
    return f"{median:.3g} µs" if median < 1e3 else f"{median / 1e3:.3g} ms"
