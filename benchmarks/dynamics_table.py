"""Tables of `docs/benchmarks.md` about dynamics: algorithms, gears and loops, Coriolis matrices."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from significant import significant

COLUMNS = 6
"""Largest number of algorithms in one table."""


def dynamics_table(results: dict[str, Any]) -> list[str]:
    """Return the lines of the tables of models by algorithms, and the range of speed-ups."""
    titles = list(dict.fromkeys(row["algorithm"] for row in results["rows"]))
    lines = ["Time per state in µs: Pinocchio / Tarsus, one state / **Tarsus, state of a batch**."]
    for some in (titles[:COLUMNS], titles[COLUMNS:]):
        if some:
            lines += ["", *_speeds(results["rows"], some)]
    return [*lines, "", _summary(results)]


def _speeds(rows: list[dict[str, Any]], titles: list[str]) -> list[str]:
    lines = ["| model (nv) | " + " | ".join(titles) + " |", "|---|" + "---|" * len(titles)]
    for (model, nv), group in groupby(rows, key=lambda row: (row["model"], row["nv"])):
        cells = {row["algorithm"]: _cell(row) for row in group}
        lines.append(f"| {model} ({nv}) | " + " | ".join(cells.get(t, "") for t in titles) + " |")
    return lines


def symbol_table(symbols: dict[str, Any]) -> list[str]:
    """Return the lines of the table about Coriolis matrices and Christoffel symbols."""
    times = {(row["model"], row["algorithm"]): row["one"]["median"] for row in symbols["times"]}
    slopes = {(row["model"], row["algorithm"]): row["slope"]["median"] for row in symbols["slopes"]}
    titles = {
        "Coriolis": "Coriolis",
        "Christoffel": "",
        "Christoffel, packed": "Christoffel, packed",
    }
    lines = [
        "| one state | chain of 20 | tree of 20 | growth (chain) | growth (tree) |",
        "|---|" + "---|" * 4,
    ]
    for title, grows in titles.items():
        cells = [f"{times[f'{shape}(20)', title]:.3g} µs" for shape in ("chain", "tree")]
        cells += [f"n^{slopes[shape, grows]:.2f}" if grows else "" for shape in ("chain", "tree")]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def cluster_table(clusters: dict[str, Any]) -> list[str]:
    """Return the lines of the table about gears and loops."""
    lolas, bars, chains = (clusters[key] for key in ("methods", "four_bars", "loops"))
    times = [row["median"] for row in bars["one"]]
    links = " / ".join(str(row["links"]) for row in chains)
    rows = {
        "time with a rotor at every joint / time without, one state": _range(
            row["one_ratio"]["median"] for row in clusters["rotors"]
        ),
        "– state of a batch": _range(row["batch_ratio"]["median"] for row in clusters["rotors"]),
        **{
            f"{row['model']} ({row['nv']}): articulated / sparse / dense": " / ".join(
                f"{row[method]['median']:.3g}" for method in ("articulated", "sparse", "dense")
            )
            + " µs"
            for row in lolas
        },
        f"chains of {bars['four_bars'][0]} to {bars['four_bars'][-1]} four-bars, per four-bar": (
            f"{_range(times)} µs"
        ),
        f"closed chain of {links} links": _each(chains, "one"),
        "– Pinocchio's LCABA, one proximal step": _each(chains, "lcaba"),
        "– Pinocchio's constraintDynamics": _each(chains, "constraint_dynamics"),
        "time of one state / time of a state of a batch": _range(
            row["speed_ratio"]["median"] for row in clusters["batches"]
        ),
        **{
            f"time to build {row['model']}": f"{row['seconds']['median']:.2f} s"
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
    peer = significant(row["pinocchio"]["median"]) if row["pinocchio"] else "–"
    batch = significant(row["per_state"]["median"], 2)
    return f"{peer} / {significant(row['one']['median'])} / **{batch}**"


def _summary(results: dict[str, Any]) -> str:
    rows, growth = results["rows"], results["growth"]
    sentences = []
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
    sentences.append(
        f"The time of ABA grows with the power {growth['one_slope']:.2f} of the chain length, "
        f"from {growth['links'][0]} to {growth['links'][-1]} links."
    )
    return " ".join(sentences)
