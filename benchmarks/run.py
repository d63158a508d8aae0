"""`make bench`: measure, compare with the targets, save the results and write the tables."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import write_tables
from clusters import measure_clusters
from contact import measure_contact
from distances import measure_distances
from drives import measure_drives
from environment_speed import measure_environments
from flows import measure_flows
from gaits import measure_gaits
from growth import measure_growth
from kinematics import measure_kinematics
from parts import measure_parts
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text
from symbols import measure_symbols
from targets import TARGETS, Target
from tarsus_lab.bench import Plan
from walking import measure_walking

RESULTS = Path(__file__).parent / "results"
STUDIES: dict[str, Callable[..., dict[str, Any]]] = {
    "clusters": measure_clusters,
    "symbols": measure_symbols,
    "parts": measure_parts,
    "flows": measure_flows,
    "distances": measure_distances,
    "kinematics": measure_kinematics,
    "walking": measure_walking,
    "gaits": measure_gaits,
    "contact": measure_contact,
    "drives": measure_drives,
    "learning": measure_environments,
    "bodies": measure_growth,
}
STYLES = {"aim": "green", "must": "yellow", "missed": "bold red"}


def main() -> None:
    """Run `tarsus bench` with the arguments of this script and all studies; print the targets.

    A complete run is saved in `results` and written to `docs/benchmarks.md` and `README.md`. With
    `--quick`, or the name of a study such as `--clusters`, nothing is saved.
    """
    arguments = sys.argv[1:]
    chosen = [name for name in STUDIES if f"--{name}" in arguments]
    results = {} if chosen else tarsus_bench(arguments)
    for name in chosen or STUDIES:
        results[name] = study(name, "--quick" in arguments)
    console = Console()
    console.print()
    console.print(judged(results))
    if not chosen and "--quick" not in arguments:
        dated = RESULTS / f"{results['date'].split()[0]}.json"
        dated.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
        write_tables.write(results)
        console.print(f"\nsaved in {dated}, written to {write_tables.PAGE} and README.md")


def tarsus_bench(arguments: list[str]) -> dict[str, Any]:
    """Return the results of `tarsus bench`, which runs in a process of its own."""
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / "latest.json"
    command = [sys.executable, "-m", "tarsus", "bench", "--output", str(file), *arguments]
    if code := subprocess.call(command):
        sys.exit(code)
    results: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    file.unlink()
    return results


def study(name: str, quick: bool) -> dict[str, Any]:
    """Return the measurements of a study, with a bar that goes away."""
    console = Console(stderr=True)
    plan = Plan.quick() if quick else Plan()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(name, total=1.0)
        return STUDIES[name](
            plan,
            progress=lambda text, share: progress.update(task, description=text, completed=share),
        )


def judged(results: dict[str, Any]) -> Table:
    """Return a table of the targets, the worst and the median measured number of each.

    The last column is the worst number by the smallest times instead of the median ones.
    """
    table = Table(title="Targets", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for header in ("", "must", "aim", "worst", "", "median", "missed", "worst of min"):
        table.add_column(header, header_style="dim", overflow="fold")
    for target in TARGETS:
        values = target.values(results)
        if values:
            smallest = target.smallest(results) if target.smallest else {}
            table.add_row(*_cells(target, values), _worst(target, smallest))
    return table


def _worst(target: Target, values: dict[str, float]) -> Text:
    if not values:
        return Text("")
    worst = target.worst(values.values())
    return Text(f"{worst:.3g}", STYLES[target.verdict(worst)])


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
