"""Table of `docs/benchmarks.md` about the search for gaits."""

from __future__ import annotations

from typing import Any


def gait_table(gaits: dict[str, Any]) -> list[str]:
    """Return the lines of the table about the search for gaits."""
    cycle, basin, doublings = (gaits[key] for key in ("cycle", "basin", "doublings"))
    flips, ratio = len(doublings["degrees"]), doublings["ratios"][-1:]
    last_ratio = f", last Feigenbaum ratio {ratio[0]:.4g}" if ratio else ""
    rows = {
        f"limit cycle of a compass walker to 1e-10 with multipliers, guess {cycle['crude']:.0%} off"
        ": SciPy / Tarsus": f"{_time(cycle['peer'])} / {_time(cycle['ours'])} "
        f"({cycle['speed']['median']:.3g} times as fast)",
        "– differences of state, multipliers": (
            f"{cycle['apart']:.0e}, {cycle['multipliers_apart']:.0e}"
        ),
        f"basin of attraction, {basin['states']:,} states, up to {basin['steps']} steps each, "
        f"{basin['threads']} threads ({basin['survived']:.1%} inside)": _time(basin["seconds"]),
        f"period doublings of Goswami's compass walker to {doublings['period']} steps, "
        f"{flips} flips{last_ratio}": _time(doublings["seconds"]),
        f"{gaits['trunk']['gaits']} minimum-torque gaits of a walker with a trunk": _found(
            gaits["trunk"]
        ),
        f"{gaits['design']['gaits']} of the compass walker, optimized springs and masses": _found(
            gaits["design"]
        ),
    }
    for row in gaits["robots"]:
        what = f"gait of the legs of {row['model']} ({row['joints']} joints) without a guess"
        rows[what] = (
            f"{_time(row['seconds'])}, periodic to {row['period_error']:.0e}"
            if row["success"]
            else row["status"]
        )
    lines = ["| search for gaits, one core | |", "|---|---|"]
    return lines + [f"| {what} | {number} |" for what, number in rows.items()]


def _found(table: dict[str, Any]) -> str:
    """Return the time of all gaits of a table, and the number that missed the known result."""
    missed = f", {table['missed']} missed" if table["missed"] else ""
    return _time(table["seconds"]) + missed


def _time(seconds: dict[str, float]) -> str:
    """Return a median in ms or s."""
    median = seconds["median"]
    return f"{median:.3g} s" if median >= 1.0 else f"{1e3 * median:.3g} ms"
