"""Table 3.2 of S. F. Echeandia: run times of the Coriolis matrix and of Christoffel symbols.

How they grow with the number of links is said in section 3.3.2 there: as N² and N³ for chains,
"roughly as O(N)" and "empirically" as N^1.25 for trees with two branches at each link.
"""

from __future__ import annotations

import numpy as np

from tarsus import robots
from tarsus._lib.errors import WORLD
from tarsus.model.builder import Builder
from tarsus.model.model import Model
from tarsus_lab.bench.timing import Contender, describe_machine
from tarsus_lab.reproduce.result import Curve, Result, Row, Verdict
from tarsus_lab.reproduce.rotor_tables import SOURCE
from tarsus_lab.reproduce.timing import contender, measure

MATRIX = "m.coriolis_matrix(q, v)"
SYMBOLS = "m.christoffel_symbols(q)"
PACKED = "m.christoffel_symbols_packed(q)"
NAMES = {MATRIX: "C", SYMBOLS: "Γ", PACKED: "Γ packed"}

LENGTHS = (16, 32, 64, 128)
# branching, call, exponent of the thesis, the largest that counts as the same
SLOPES = (
    ("serial", 1.0, MATRIX, "2", 2.1),
    ("serial", 1.0, PACKED, "3", 3.2),
    ("branching", 2.0, MATRIX, "1", 1.3),
    ("branching", 2.0, PACKED, "1.25", 1.5),
)

OTHER_MACHINE = "C++ on RBDL there, on a machine that is not stated; ours are calls from Python"
OTHER_ROBOT = (
    f"{OTHER_MACHINE}; the robots are not stated either, but for their degrees of freedom: here "
    "a free trunk with two legs of seven joints, and one with a waist and four legs of three. The "
    "thesis' biped has the numbers of its chain, though its symbols should take about half as long"
)
POWER = (
    "read from figures in the thesis; here the slope of log time over log N, N = 16 … 128, which "
    "is flatter at first, since a call has a fixed cost. Symbols are packed: to fill N³ zeros "
    "would hide what branches save"
)
LEAVES_ZEROS = (
    f"{OTHER_MACHINE}; packed are only symbols that are not zero by the structure of the tree, "
    "beside the thesis' time for all"
)

# microseconds of C and Γ
PRINTED = {
    "serial, 20 DoF": ("18", "122", OTHER_MACHINE),
    "branching, 20 DoF": ("10", "33", OTHER_MACHINE),
    "biped, 20 DoF": ("18", "122", OTHER_ROBOT),
    "quadruped, 19 DoF": ("10", "37", OTHER_ROBOT),
}


def run() -> Result:
    """Measure four mechanisms, then chains and trees of 16 to 128 links."""
    contenders = {
        (label, call): contender(model, call)
        for label, model in mechanisms().items()
        for call in NAMES
    }
    measure(contenders)
    rows: list[Row] = []
    for label, (matrix, symbols, reason) in PRINTED.items():
        for call, thesis, why in (
            (MATRIX, matrix, reason),
            (SYMBOLS, symbols, reason),
            (PACKED, symbols, LEAVES_ZEROS),
        ):
            row = f"{label}: {NAMES[call]} [µs]"
            rows.append(_run_time(row, thesis, contenders[label, call], why))
    curves = [growth(branching, call, label) for label, branching, call, _, _ in SLOPES]
    rows += [
        _order(f"{label}: {NAMES[call]}, exponent of N", thesis, slope(curve), limit)
        for (label, _, call, thesis, limit), curve in zip(SLOPES, curves, strict=True)
    ]
    return Result(
        "coriolis-3.2",
        "Run times of the Coriolis matrix and of Christoffel symbols: median (smallest)",
        f"{SOURCE} 3.2; here: {describe_machine()['processor']}",
        tuple(rows),
        tuple(curves),
        ("number of links N", "time of a call [µs]"),
    )


def mechanisms() -> dict[str, Model]:
    """Return the four mechanisms of the table."""
    models = robots.chain(20), robots.tree(20, 2.0), walker(2, 7), walker(4, 3, waist=True)
    return dict(zip(PRINTED, models, strict=True))


def walker(legs: int, joints: int, *, waist: bool = False) -> Model:
    """Return a free trunk, with a waist or not, and legs of skew tubes."""
    builder = Builder(f"walker({legs}, {joints})")
    builder.body("trunk", 10.0, (0.0, 0.0, 0.1), (0.2, 0.3, 0.4))
    builder.joint("root", "free", WORLD, "trunk")
    hips = "trunk"
    if waist:
        hips = "pelvis"
        builder.body(hips, 5.0, (0.0, 0.0, -0.1), (0.1, 0.1, 0.1))
        builder.joint("waist", "revolute", "trunk", hips)
    for leg in range(legs):
        parent, place = hips, (0.2 * leg, 0.0, 0.0)
        for i in range(joints):
            link = f"link_{leg}_{i}"
            builder.body(link, 1.0, (0.15, 0.0, 0.0), (1e-3, 8e-3, 8e-3))
            turn = (np.pi / 2, 0.0, 0.0)
            builder.joint(
                f"joint_{leg}_{i}", "revolute", parent, link, position=place, rotation=turn
            )
            parent, place = link, (0.3, 0.0, 0.0)
    return builder.build()


def growth(branching: float, call: str, label: str) -> Curve:
    """Return times of a call [µs] on chains or trees, the slope in the label."""
    times = measure({n: contender(robots.tree(n, branching), call) for n in LENGTHS})
    curve = Curve("", tuple(map(float, LENGTHS)), tuple(times.values()))
    return Curve(f"{NAMES[call]}, {label}: N^{slope(curve):.2f}", curve.x, curve.y)


def slope(curve: Curve) -> float:
    """Return the exponent of the power that fits a curve best."""
    return float(np.polyfit(np.log(curve.x), np.log(curve.y), 1)[0])


def _run_time(label: str, printed: str, found: Contender, reason: str) -> Row:
    verdict: Verdict = "surpassed" if found.median < float(printed) else "missed"
    ours = f"{found.median:.2f} ({min(found.samples):.2f})"
    return Row(label, printed, ours, verdict, reason)


def _order(label: str, printed: str, ours: float, limit: float) -> Row:
    verdict: Verdict = "reproduced" if ours <= limit else "missed"
    return Row(label, printed, ours, verdict, POWER)
