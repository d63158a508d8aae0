"""The measurement as tables of rich."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby, repeat
from typing import Any

from rich.table import Table
from rich.text import Text

HEADERS = (
    *("Pinocchio\nµs (min)", "Tarsus\nµs (min)", "time\nratio"),
    *("batch\nstates", "1 thread\nµs/state", "speed\nratio", "threads\n2 / 1"),
)
NARROW_HEADERS = (
    *("Pinocchio\nµs", "Tarsus\nµs", "time\nratio"),
    *("batch\nµs/state", "speed\nratio", "threads\n2 / 1"),
)
WIDE = 110
"""Columns of a terminal from which on the smallest times and the batch sizes are shown, too."""


def tables(results: dict[str, Any], width: int = WIDE) -> Iterator[Table | Text]:
    """Yield what a reader wants to see, in this order, for a terminal of so many columns."""
    yield _machine(results)
    yield _speed(results["rows"], wide=width >= WIDE)
    yield _growth(results["growth"])
    yield Text(_memory(results["memory"]))
    yield Text(results["notes"], "dim")


def _machine(results: dict[str, Any]) -> Text:
    m = results["machine"]
    versions = f"Python {m['python']}, NumPy {m['numpy']}, Pinocchio {m['pinocchio']}"
    text = Text(f"Tarsus {m['tarsus']}", "bold")
    text.append(f" ({m['instruction_set']}) on {m['processor']}, {m['cores']} cores", "not bold")
    return text.append(f"\n{versions}, {results['date']}\n", "not bold dim")


def _speed(rows: list[dict[str, Any]], *, wide: bool) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 2 if wide else 1, 0, 0))
    table.add_column("model", style="bold", overflow="fold")
    table.add_column("algorithm", no_wrap=True)
    for header in HEADERS if wide else NARROW_HEADERS:
        table.add_column(header, justify="right", no_wrap=True)
    for model, group in groupby(rows, key=lambda row: row["model"]):
        for label, row in zip(chain([model], repeat("")), group, strict=False):
            table.add_row(label, *_cells(row, wide=wide))
        table.add_row()
    return table


def _cells(row: dict[str, Any], *, wide: bool) -> list[str]:
    return [
        row["algorithm"],
        _times(row["pinocchio"], smallest=wide),
        _times(row["one"], smallest=wide),
        _ratio(row["one_ratio"]),
        *([str(row["batch"])] if wide else []),
        f"{row['per_state']['median']:.3g}",
        _ratio(row["throughput_ratio"], 1),
        _ratio(row["two_threads_ratio"]),
    ]


def _growth(growth: dict[str, Any]) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("\nABA of a chain")
    for links in growth["links"]:
        table.add_column(f"{links}\nlinks", justify="right")
    table.add_column("log-log\nslope", justify="right")
    for key, label in (("one", "one state, µs"), ("per_state", "batch, µs/state")):
        times = [f"{entry['median']:.3g}" for entry in growth[key]]
        table.add_row(label, *times, f"{growth[f'{key}_slope']:.2f}")
    return table


def _memory(memory: list[dict[str, Any]]) -> str:
    if not memory:
        return ""
    worst = max(memory, key=lambda entry: float(entry["beyond"]))
    return (
        f"\nMemory of a call beyond inputs and output: at most {worst['beyond'] / 1024:.0f} KiB "
        f"({worst['algorithm']} of {worst['model']}, {worst['batch']} states, whose inputs and "
        f"output are {worst['inputs_and_output'] / 1024:.0f} KiB).\n"
    )


def _times(times: dict[str, float] | None, *, smallest: bool) -> str:
    if times is None:
        return "–"
    return f"{times['median']:.2f}" + (f" ({times['min']:.2f})" if smallest else "")


def _ratio(ratio: float | None, digits: int = 2) -> str:
    return f"{ratio:.{digits}f}" if ratio is not None else "–"
