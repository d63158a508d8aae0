"""Table 2.6 of M. Schwienbacher: run times of forward dynamics on the models of Lola."""

from __future__ import annotations

from tarsus import robots
from tarsus_lab.reproduce.result import Curve, Result, Row, Verdict, ranged
from tarsus_lab.reproduce.timing import METHODS, method_times

# for each type: run time of the O(n) recursion [s], η dense and η sparse, on five machines
TABLE = {
    2: (
        ("8.916e-05", "1.217e-04", "1.893e-04", "7.771e-05", "5.367e-05"),
        ("1.162", "1.054", "1.005", "0.941", "1.011"),
        ("1.125", "1.038", "0.952", "0.904", "0.979"),
    ),
    3: (
        ("7.517e-05", "9.831e-05", "1.410e-04", "6.403e-05", "4.612e-05"),
        ("1.653", "1.561", "1.671", "1.411", "1.472"),
        ("1.477", "1.417", "1.437", "1.243", "1.247"),
    ),
}
CHEAP_CLUSTERS = (
    "the O(n) recursion gains more than in the thesis, where sub-systems cost about what the "
    "recursion saves"
)
OTHER_MACHINE = "a machine of today, and compiled code of today; the ratios η tell more"


def run() -> Result:
    """Measure the three methods on Lola, types 2 and 3."""
    times = method_times({f"{type_}": robots.lola(type_) for type_ in TABLE})
    rows: list[Row] = []
    for type_, (seconds, *etas) in TABLE.items():
        fast, sparse, dense = (times[f"{type_}", method] for method in METHODS)
        rows.append(_run_time(type_, seconds, fast))
        for label, printed, slow in zip(("dense", "sparse"), etas, (dense, sparse), strict=True):
            label = f"type {type_} η({label}), time over that of O(n)"
            rows.append(ranged(label, printed, slow / fast, CHEAP_CLUSTERS))
    curves = tuple(
        Curve(method, (2.0, 3.0), tuple(times[f"{type_}", method] for type_ in TABLE))
        for method in METHODS
    )
    return Result(
        "lola-2.6",
        "Run times of forward dynamics on Lola, types 2 and 3",
        "M. Schwienbacher, TU München 2013, Table 2.6: five machines from 2008 to 2012",
        tuple(rows),
        curves,
        ("type of the model", "time of a call [µs]"),
    )


def _run_time(type_: int, seconds: tuple[str, ...], ours: float) -> Row:
    printed = sorted(1e6 * float(number) for number in seconds)
    verdict: Verdict = "surpassed" if ours < printed[0] else "missed"
    thesis = f"{printed[0]:.1f} … {printed[-1]:.1f}"
    return Row(f"type {type_} time of O(n) [µs]", thesis, ours, verdict, OTHER_MACHINE)
