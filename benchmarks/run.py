"""`make bench`: measure, show the tables and the targets, keep the numbers as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text
from targets import TARGETS, Target

RESULTS = Path(__file__).parent / "results"
STYLES = {"aim": "green", "must": "yellow", "missed": "bold red"}


def main() -> None:
    """Run `tarsus bench` with the arguments of this script and judge the results."""
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / "latest.json"
    command = [sys.executable, "-m", "tarsus", "bench", "--output", str(file), *sys.argv[1:]]
    if code := subprocess.call(command):
        sys.exit(code)
    results = json.loads(file.read_text(encoding="utf-8"))
    dated = RESULTS / f"{results['date'].split()[0]}.json"
    file.replace(dated)
    console = Console()
    console.print()
    console.print(judged(results))
    console.print(f"\nkept in {dated}")


def judged(results: dict[str, Any]) -> Table:
    """Return a table of the targets, the worst and the median measured number of each."""
    table = Table(title="Targets", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for header in ("", "must", "aim", "worst", "", "median", "missed"):
        table.add_column(header, header_style="dim", overflow="fold")
    for target in TARGETS:
        values = target.values(results)
        if values:
            table.add_row(*_cells(target, values))
    return table


def _cells(target: Target, values: dict[str, float]) -> list[Text | str]:
    ordered = sorted(values.values())
    worst, median = target.worst(ordered), ordered[len(ordered) // 2]
    where = next(name for name, value in values.items() if value == worst)
    missed = sum(target.verdict(value) == "missed" for value in ordered)
    sign = "≤" if target.lower else "≥"
    return [
        target.what,
        f"{sign} {target.must:g}",
        f"{sign} {target.aim:g}",
        Text(f"{worst:.3g}", STYLES[target.verdict(worst)]),
        Text(where, "dim"),
        Text(f"{median:.3g}", STYLES[target.verdict(median)]),
        f"{missed} of {len(ordered)}",
    ]


if __name__ == "__main__":
    main()
