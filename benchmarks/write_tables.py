"""Write benchmark results to the documentation: `python benchmarks/write_tables.py [RESULTS.json]`.

All tables go to `docs/benchmarks.md`, six rows to `README.md`, in both between the comments
`bench:begin` and `bench:end`. Without an argument the newest file in `results` is used. After a
complete run `make bench` does the same.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from contact_table import contact_table
from dynamics_table import cluster_table, dynamics_table, symbol_table
from flow_table import flow_table
from gait_table import gait_table
from kinematics import kinematics_table
from part_table import part_table
from significant import significant
from walking import walking_table

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
PAGE = HERE.parent / "docs" / "benchmarks.md"
BLOCK = re.compile(r"(<!-- bench:begin -->\n).*?(<!-- bench:end -->)", re.DOTALL)
SECTIONS: dict[str, tuple[str, Callable[[dict[str, Any]], list[str]]]] = {
    "clusters": ("Gears and loops", cluster_table),
    "symbols": ("Coriolis matrix and Christoffel symbols", symbol_table),
    "parts": ("Force elements and constraints", part_table),
    "flows": ("Accurate integration and events", flow_table),
    "kinematics": ("Inverse kinematics and whole-body control", kinematics_table),
    "walking": ("Walking", walking_table),
    "gaits": ("Search for gaits", gait_table),
    "contact": ("Contact", contact_table),
}
"""Keys of the results, with the heading and the table of each."""


def main() -> None:
    """Read a file of results and write both files."""
    files = [Path(name) for name in sys.argv[1:2]] or sorted((HERE / "results").glob("*.json"))
    if not files:
        sys.exit("there are no results yet: run make bench")
    write(json.loads(files[-1].read_text(encoding="utf-8")))


def write(results: dict[str, Any]) -> None:
    """Replace the tables of `docs/benchmarks.md` and the rows of `README.md`."""
    _replace(PAGE, page(results))
    _replace(README, rows(results))


def page(results: dict[str, Any]) -> str:
    """Return all tables with the date and the computer, as Markdown."""
    lines = [provenance(results, SECTIONS), "", "## Dynamics", "", *dynamics_table(results)]
    for key, (heading, table) in SECTIONS.items():
        if key in results:
            lines += ["", f"## {heading}", "", *table(results[key])]
    return "\n".join(lines)


def rows(results: dict[str, Any]) -> str:
    """Return the six rows of the README with the date and the computer, as Markdown."""
    speeds = {(row["model"], row["algorithm"]): row for row in results["rows"]}
    steps = {(row["model"], row["motion"]): row for row in results["contact"]["steps"]}
    piles = {row["model"]: row for row in results["contact"]["piles"]}
    step, body = results["kinematics"]["step"], results["kinematics"]["body"]
    forward, derivatives = (speeds["talos_reduced", name] for name in ("ABA", "ABA derivatives"))
    trot, towers = steps["anymal", "trots"], piles["100 boxes in 10 towers"]
    table = {
        "forward dynamics, Talos (38 velocities)": ("Pinocchio", *_dynamics(forward)),
        "derivatives of forward dynamics, Talos": ("Pinocchio", *_dynamics(derivatives)),
        "contact step, ANYmal trotting": ("MuJoCo", *_contact(trot)),
        "contact step, 100 boxes in 10 towers": ("MuJoCo", *_contact(towers)),
        "inverse kinematics step, Talos": (
            "placo",
            step.get("placo", {}).get("median [us]"),
            step["tarsus"]["median [us]"],
            None,
        ),
        "whole-body control, Talos on two feet": (
            "placo",
            body.get("placo"),
            body["tarsus"],
            body["tarsus, each of 1024"],
        ),
    }
    lines = [
        "| time in µs | other library | Tarsus, one state | Tarsus, state of a batch |",
        "|---|---|---|---|",
    ]
    for task, (peer, theirs, one, batch) in table.items():
        cells = (f"{peer} {_time(theirs)}", _time(one), _time(batch))
        lines.append(f"| {task} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", provenance(results, ("kinematics", "contact"))])


def provenance(results: dict[str, Any], sections: Iterable[str]) -> str:
    """Return when and on which computer the results were measured, with these sections.

    `separate_runs` of older results maps sections to the dates of other runs, and `remark` states
    what disturbed a run.
    """
    machine = results["machine"]
    versions = [
        f"{name} {machine[key]}"
        for key, name in (("tarsus", "Tarsus"), ("pinocchio", "Pinocchio"), ("mujoco", "MuJoCo"))
        if machine.get(key, "not installed") != "not installed"
    ]
    sentences = [
        f"Medians of {results['date']} on {machine['processor']}, {machine['instruction_set']}, "
        f"Python {machine['python']}, {', '.join(versions)}."
    ]
    dates = {key: date for key, date in results.get("separate_runs", {}).items() if key in sections}
    if dates:
        listed = ", ".join(f"{SECTIONS[key][0]} ({date})" for key, date in dates.items())
        sentences.append(f"Measured in separate runs, whose computer was not recorded: {listed}.")
    if remark := results.get("remark"):
        sentences.append(remark)
    return " ".join(sentences)


def _dynamics(row: dict[str, Any]) -> tuple[float | None, float, float]:
    peer = row["pinocchio"]["median"] if row["pinocchio"] else None
    return peer, row["one"]["median"], row["per_state"]["median"]


def _contact(row: dict[str, Any]) -> tuple[float | None, ...]:
    return tuple(
        row[key]["median"] if key in row else None for key in ("mujoco", "one", "per_state")
    )


def _time(microseconds: float | None) -> str:
    return "–" if microseconds is None else significant(microseconds)


def _replace(file: Path, text: str) -> None:
    """Replace the block of a file; exit with an error if it does not have exactly one."""
    new, count = BLOCK.subn(lambda m: m[1] + text + "\n" + m[2], file.read_text(encoding="utf-8"))
    if count != 1:
        sys.exit(f"{file} must have one block between bench:begin and bench:end, has {count}")
    file.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
