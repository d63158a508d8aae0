"""Table of `docs/benchmarks.md` about accurate integration and located events."""

from __future__ import annotations

from typing import Any


def flow_table(flows: dict[str, Any]) -> list[str]:
    """Return the lines of a table: time of SciPy / Tarsus, one state / Tarsus, state of a batch."""
    walker, feet, talos = (flows[key] for key in ("compass", "held", "free"))
    rows = {
        "one step of a compass walker, impact located, against SciPy": _times(walker),
        "– difference of the impact times": f"{walker['error']:.0e} s",
    }
    for key, name in (("one", "one state"), ("batch", "in a batch")):
        if found := walker.get(f"{key}_derivatives_ratio"):
            rows[f"– time with sensitivities / time without, {name}"] = f"{found['median']:.2f}"
    rows |= {
        "ANYmal with fixed feet for 1 s, against Pinocchio with SciPy": _times(feet),
        "Talos in free fall for 0.2 s, `ts.flow`, against SciPy with energy balance": _times(talos),
        "– against SciPy without energy balance": _times(talos, "plain"),
        "– `ts.Simulation`, against SciPy with energy balance": _times(talos, ours="_simulation"),
    }
    for row in flows["ledgers"]:
        residual = f"{row['residual']:.0e}" if "residual" in row else "fails"
        rows[f"energy residual / exchanged energy: {row['scene']}"] = residual
    lines = [
        "| accurate integration: peer / one state / **state of a batch** (speed-ups) | |",
        "|---|---|",
    ]
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
