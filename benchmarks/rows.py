"""Rows of the contact benchmark as lines of text."""

from __future__ import annotations

from typing import Any

TITLE = 44
COLUMNS = {
    "µs MuJoCo": 10,
    "Tarsus": 8,
    "ratio": 6,
    "| µs MuJoCo": 12,
    "Tarsus ": 8,
    "speed": 6,
    "| points": 8,
    "sweeps": 7,
    "most": 5,
    "residual": 9,
}
HEADER = "one state, then a batch".ljust(TITLE) + "".join(
    f" {name.rjust(width)}" for name, width in COLUMNS.items()
)


def line(row: dict[str, Any]) -> str:
    """Return a row: times of MuJoCo and Tarsus and their ratios, and what the solver did."""
    cells = [
        _time(row, "mujoco"),
        _time(row, "one"),
        _time(row, "one_ratio"),
        _time(row, "mujoco_per_state"),
        _time(row, "per_state"),
        _time(row, "throughput_ratio"),
        *(_number(row, key) for key in ("contacts", "iterations", "most_iterations", "residual")),
    ]
    text = f"{row['model']} {row['motion']}".ljust(TITLE)
    text += "".join(
        f" {cell.rjust(width)}" for cell, width in zip(cells, COLUMNS.values(), strict=True)
    )
    return f"{text}  {row['failure']}" if "failure" in row else text


def _time(row: dict[str, Any], key: str) -> str:
    return f"{row[key]['median']:.3g}" if key in row else "–"


def _number(row: dict[str, Any], key: str) -> str:
    return f"{row[key]:.3g}" if key in row else "–"
