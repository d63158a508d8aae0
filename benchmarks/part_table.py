"""Table of `docs/benchmarks.md` about parts: run-time constraints, changes, stiff gears."""

from __future__ import annotations

from typing import Any


def part_table(parts: dict[str, Any]) -> list[str]:
    """Return the lines of the table about parts."""
    gears = parts["gears"]
    rows = {
        f"100 bodies, one of them dragged, one frame at 60 Hz, {row['kit']}": (
            f"{row['frame']['median'] / 1e3:.2f} ms"
        )
        for row in parts["dragged"]
    }
    for row in parts["sticks"]:
        what = f"8 s of five rods on fifteen elastic strings by Radau, {row['accuracy']}"
        rows[what] = f"{row['run']['median'] / 1e3:.0f} ms"
    for key in ("add", "remove"):
        times = sorted((row[key]["median"], row["part"]) for row in parts["changes"])
        (least, first), (most, last) = times[0], times[-1]
        rows[f"{key} a part while a quadruped moves"] = (
            f"{least:.0f} µs ({first}) to {most:.0f} µs ({last})"
        )
    rows["arm with six elastic gears of 1e5 N m/rad, one step of 1 ms"] = _gears(gears)
    rows["– relative energy residual, elastic / rigid gears"] = " / ".join(
        f"{gears[key]['friction']:.1e}" for key in ("ledger", "rigid_ledger")
    )
    if "stable" in gears:
        rows["– time that MuJoCo stays stable in the same run, by integrator"] = ", ".join(
            f"{seconds:g} s ({name})" for name, seconds in gears["stable"].items()
        )
    for row in parts["equivalents"]:
        rows[f"one step: {row['what']}"] = (
            f"{row['part']['median']:.3g} / {row['own']['median']:.3g} µs"
        )
    lines = ["| force elements and constraints at run time | |", "|---|---|"]
    return lines + [f"| {what} | {number} |" for what, number in rows.items()]


def _gears(gears: dict[str, Any]) -> str:
    ours = f"{gears['one']['median']:.3g} µs"
    return f"{ours}, MuJoCo {gears['mujoco']['median']:.3g} µs" if "mujoco" in gears else ours
