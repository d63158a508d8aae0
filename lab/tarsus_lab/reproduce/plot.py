"""The picture of a result: its curves, or else the thesis' numbers beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tarsus._lib.files import replacing
from tarsus_lab.reproduce.result import Result

BLUE, ORANGE = "#2f6f9f", "#e07a3f"


def plot(result: Result, file: str | Path) -> None:
    """Draw a result to a file (.png, .pdf, .svg); needs matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        message = "pictures need matplotlib: pip install 'tarsus[view]'"
        raise ModuleNotFoundError(message, name="matplotlib") from None

    rows = [(row.label, number(row.thesis), number(row.ours)) for row in result.rows]
    height = 4.8 if result.curves else 1.6 + 0.24 * len(rows)
    figure = Figure(figsize=(8.0, height), layout="constrained")
    axes = figure.add_subplot()
    if result.curves:
        _draw_curves(axes, result)
    else:
        _draw_rows(axes, rows)
    axes.set_title(f"{result.title}\n{result.source}", fontsize=10, loc="left")
    axes.grid(visible=True, alpha=0.3)
    with replacing(file) as part:
        figure.savefig(part, dpi=150)


def number(value: float | str) -> float | None:
    """Return what a cell of a table says, if that is one number above zero."""
    try:
        found = float(value)
    except ValueError:
        return None
    return found if found > 0.0 else None


def _draw_curves(axes: Any, result: Result) -> None:
    # motions begin at zero; measurements are at sizes above it, and grow by powers
    motion = min(curve.x[0] for curve in result.curves) <= 0.0
    for curve in result.curves:
        axes.plot(curve.x, curve.y, "-" if motion else "o-", label=curve.label)
    if motion:
        axes.set_ylim(*_usual_range(result))
    else:
        if max(curve.x[-1] / curve.x[0] for curve in result.curves) >= 8.0:
            axes.set_xscale("log", base=2)
        else:
            axes.set_xticks(result.curves[0].x)
        axes.set_yscale("log")
    axes.set_xlabel(result.axes[0])
    axes.set_ylabel(result.axes[1])
    axes.legend()


def _usual_range(result: Result) -> tuple[float, float]:
    """Return limits for y that are not those of the one curve that diverges."""
    low, high = min(result.curves[0].y), max(result.curves[0].y)
    return low - 0.2 * (high - low), high + 0.2 * (high - low)


def _draw_rows(axes: Any, rows: list[tuple[str, float | None, float | None]]) -> None:
    for i, (_, thesis, ours) in enumerate(rows):
        if thesis is not None:
            axes.plot(
                thesis, i, "o", color=ORANGE, mfc="none", ms=8, label="thesis" if not i else ""
            )
        if ours is not None:
            axes.plot(ours, i, "o", color=BLUE, ms=4, label="ours" if not i else "")
    axes.set_yticks(range(len(rows)), [label for label, _, _ in rows], fontsize=8)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xscale("log")
    axes.legend()
