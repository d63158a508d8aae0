"""Write a measurement into the README: `python benchmarks/readme_table.py [RESULTS.json]`.

The text between the comments `bench:begin` and `bench:end` is replaced; without an argument the
newest file in `results` is taken.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from contact_table import contact_table
from flow_table import flow_table
from gait_table import gait_table
from kinematics import kinematics_table
from part_table import part_table
from walking import walking_table

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
COLUMNS = 6
"""Of a table of speeds."""
BLOCK = re.compile(r"(<!-- bench:begin -->\n).*?(<!-- bench:end -->)", re.DOTALL)


def main() -> None:
    """Read a file of results and rewrite the README."""
    files = [Path(name) for name in sys.argv[1:2]] or sorted((HERE / "results").glob("*.json"))
    if not files:
        sys.exit("there are no results yet: run make bench")
    results = json.loads(files[-1].read_text(encoding="utf-8"))
    text, count = BLOCK.subn(
        lambda m: m[1] + markdown(results) + "\n" + m[2], README.read_text(encoding="utf-8")
    )
    if count != 1:
        sys.exit(f"{README} must have one block between bench:begin and bench:end, has {count}")
    README.write_text(text, encoding="utf-8")


def markdown(results: dict[str, Any]) -> str:
    """Return the table, models by algorithms, and what it was measured on."""
    titles = list(dict.fromkeys(row["algorithm"] for row in results["rows"]))
    lines = ["Time of a state in µs: Pinocchio / Tarsus, one state / **Tarsus, in a batch**."]
    for some in (titles[:COLUMNS], titles[COLUMNS:]):
        if some:
            lines += ["", *_table(results["rows"], some)]
    lines += ["", _summary(results)]
    if clusters := results.get("clusters"):
        lines += ["", *cluster_table(clusters)]
    if symbols := results.get("symbols"):
        lines += ["", *symbol_table(symbols)]
    if parts := results.get("parts"):
        lines += ["", *part_table(parts)]
    if flows := results.get("flows"):
        lines += ["", *flow_table(flows)]
    if kinematics := results.get("kinematics"):
        lines += ["", *kinematics_table(kinematics)]
    if walking := results.get("walking"):
        lines += ["", *walking_table(walking)]
    if gaits := results.get("gaits"):
        lines += ["", *gait_table(gaits)]
    if contact := results.get("contact"):
        lines += ["", *contact_table(contact)]
    return "\n".join(lines)


def _table(rows: list[dict[str, Any]], titles: list[str]) -> list[str]:
    lines = ["| model (nv) | " + " | ".join(titles) + " |", "|---|" + "---|" * len(titles)]
    for (model, nv), group in groupby(rows, key=lambda row: (row["model"], row["nv"])):
        cells = {row["algorithm"]: _cell(row) for row in group}
        lines.append(f"| {model} ({nv}) | " + " | ".join(cells.get(t, "") for t in titles) + " |")
    return lines


def symbol_table(symbols: dict[str, Any]) -> list[str]:
    """Return the lines of a small table about Christoffel symbols."""
    times = {(row["model"], row["algorithm"]): row["one"]["median"] for row in symbols["times"]}
    slopes = {(row["model"], row["algorithm"]): row["slope"]["median"] for row in symbols["slopes"]}
    titles = {
        "Coriolis": "Coriolis",
        "Christoffel": "",
        "Christoffel, packed": "Christoffel, packed",
    }
    lines = [
        "| one state | chain of 20 | tree of 20 | grows as (chain) | (tree) |",
        "|---|" + "---|" * 4,
    ]
    for title, grows in titles.items():
        cells = [f"{times[f'{shape}(20)', title]:.3g} µs" for shape in ("chain", "tree")]
        cells += [f"n^{slopes[shape, grows]:.2f}" if grows else "" for shape in ("chain", "tree")]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def cluster_table(clusters: dict[str, Any]) -> list[str]:
    """Return the lines of a small table about gears and loops."""
    lolas, bars, chains = (clusters[key] for key in ("methods", "four_bars", "loops"))
    times = [row["median"] for row in bars["one"]]
    links = " / ".join(str(row["links"]) for row in chains)
    rows = {
        "a rotor at every joint, time / without: one state": _range(
            row["one_ratio"]["median"] for row in clusters["rotors"]
        ),
        "– in a batch": _range(row["batch_ratio"]["median"] for row in clusters["rotors"]),
        **{
            f"{row['model']} ({row['nv']}): articulated / sparse / dense": " / ".join(
                f"{row[method]['median']:.3g}" for method in ("articulated", "sparse", "dense")
            )
            + " µs"
            for row in lolas
        },
        f"a chain of {bars['four_bars'][0]} to {bars['four_bars'][-1]} four-bars: each": (
            f"{_range(times)} µs"
        ),
        f"a closed chain of {links} links": _each(chains, "one"),
        "– Pinocchio's LCABA, one proximal step": _each(chains, "lcaba"),
        "– Pinocchio's constraintDynamics": _each(chains, "constraint_dynamics"),
        "one state, time / in a batch": _range(
            row["speed_ratio"]["median"] for row in clusters["batches"]
        ),
        **{
            f"{row['model']} builds in": f"{row['seconds']['median']:.2f} s"
            for row in clusters["builds"]
        },
    }
    lines = ["| forward dynamics with gears and loops | |", "|---|---|"]
    return lines + [f"| {what} | {number} |" for what, number in rows.items() if number]


def _each(rows: list[dict[str, Any]], key: str) -> str:
    if any(key not in row for row in rows):
        return ""
    return " / ".join(f"{row[key]['median']:.3g}" for row in rows) + " µs"


def _range(values: Iterable[float]) -> str:
    ordered = sorted(values)
    return f"{ordered[0]:.2f} to {ordered[-1]:.2f}"


def _cell(row: dict[str, Any]) -> str:
    peer = f"{row['pinocchio']['median']:.3g}" if row["pinocchio"] else "–"
    return f"{peer} / {row['one']['median']:.3g} / **{row['per_state']['median']:.2g}**"


def _summary(results: dict[str, Any]) -> str:
    machine, rows = results["machine"], results["rows"]
    sentences = [
        f"Medians of {results['date'].split()[0]}, {machine['processor']}, "
        f"{machine['instruction_set']}, Python {machine['python']}, "
        f"Pinocchio {machine['pinocchio']}."
    ]
    if speeds := [row["throughput_ratio"] for row in rows if row["throughput_ratio"]]:
        ratios = [1 / row["one_ratio"] for row in rows if row["one_ratio"]]
        sentences.append(
            f"One state is {min(ratios):.1f} to {max(ratios):.1f} times as fast as in Pinocchio, "
            f"a state of a batch {min(speeds):.1f} to {max(speeds):.1f} times."
        )
    if threads := [row["two_threads_ratio"] for row in rows if row["two_threads_ratio"]]:
        sentences.append(
            f"A second thread makes a batch {min(threads):.2f} to {max(threads):.2f} times as fast."
        )
    growth = results["growth"]
    sentences.append(
        f"The time of ABA grows with the power {growth['one_slope']:.2f} of the length of a chain, "
        f"from {growth['links'][0]} to {growth['links'][-1]} links."
    )
    return " ".join(sentences)


if __name__ == "__main__":
    main()
