"""Table 4.2 and figures 4.17 and 4.18 of V. Duindam: optimal gaits of a walker with a trunk."""

from __future__ import annotations

import math

import numpy as np

from tarsus.events import guards
from tarsus.gait.impact_analysis import impact_analysis
from tarsus.gait.optimal.conditions import Require
from tarsus.gait.optimal.optimize import optimize
from tarsus.gait.optimal.search import OptimizedGait
from tarsus.gait.walkers.spatial import walker3d
from tarsus_lab.reproduce.port_searches import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, Row, Verdict, judged

PRINTED = {
    1: ("0.52", "0.26", "0.20", "4.18", "1.82"),
    2: ("0.63", "0.31", "0.18", "3.12", "1.35"),
    3: ("0.68", "0.34", "0.15", "2.56", "1.11"),
    4: ("0.73", "0.37", "0.15", "2.18", "0.99"),
    5: ("0.77", "0.39", "0.14", "1.91", "0.90"),
}
RIGHT = {
    1: (0.601, 0.301, 0.100, 7.09, 2.51),
    2: (0.696, 0.348, 0.093, 5.68, 1.88),
    3: (0.754, 0.377, 0.088, 4.96, 1.57),
    4: (0.799, 0.400, 0.082, 4.49, 1.37),
    5: (0.834, 0.417, 0.077, 4.15, 1.24),
}
"""By the mass of the hip: duration, step, width, cost, power; of an independent computation."""
NAMES = ("duration [s]", "step [m]", "width [m]", "cost", "power [W]")
SAMPLES = (
    "where the thesis samples efforts is not said: samples at one end only let polynomials hide "
    "efforts at the other, which halves the cost; ours are dense, and so is the clearance"
)


def gait(hip: float) -> OptimizedGait:
    """Return the optimal gait of a walker with this hip mass [kg] at 0.5 m/s, 1 cm clear."""
    clear = Require(guards.Height("left_foot"), low=0.01, during=(0.1, 0.9), label="clearance")
    return optimize(walker3d(hip, 6.0 - hip), 0.5, require=[clear], starts=1)


def run() -> Result:
    """Compare five optimal gaits with table 4.2."""
    rows: list[Row] = []
    found = {hip: gait(hip) for hip in PRINTED}
    table = {hip: _numbers(each) for hip, each in found.items()}
    for hip, numbers in table.items():
        for name, printed, right, ours in zip(
            NAMES, PRINTED[hip], RIGHT[hip], numbers, strict=True
        ):
            good = found[hip].success and abs(ours / right - 1.0) < 0.02
            verdict: Verdict = "corrected" if good else "missed"
            label = f"hip {hip} kg, head {6 - hip} kg: {name}"
            rows.append(Row(label, printed, ours, verdict, SAMPLES))
    rows += _trends(table) + [_balance(found[3])]
    costs = [each.net_cost_of_transport for each in found.values()]
    rows.append(judged("cost of transport, at most", "0.046", max(costs), max(costs) < 0.07))
    t = np.linspace(0.0, found[3].duration, 60)
    heights = np.asarray(found[3].walker.phases[0].model.frame_pose(found[3].q(t), "left_foot"))[
        :, 2, 3
    ]
    return Result(
        "port-4.17",
        "A walker with a trunk in space: optimal gaits of five mass distributions",
        f"{SOURCE}, table 4.2, figures 4.17 and 4.18",
        tuple(rows),
        (Curve("swing foot, 3 and 3 kg", tuple(t.tolist()), tuple(heights.tolist())),),
        ("time [s]", "height [m]"),
    )


def _numbers(found: OptimizedGait) -> tuple[float, ...]:
    q = found.q(found.duration)
    aside = math.sin(q[3]) - math.sin(q[1])
    return found.duration, found.step_length, aside, found.cost, found.power


def _trends(table: dict[int, tuple[float, ...]]) -> list[Row]:
    """Return how numbers change as mass goes from the head to the hip."""
    rows = []
    for k, (name, way) in enumerate(zip(NAMES, (1, 1, -1, -1, -1), strict=True)):
        steps = np.diff([numbers[k] for numbers in table.values()])
        word = "rises" if way > 0 else "falls"
        good = bool((way * steps > 0.0).all())
        rows.append(judged(f"{name} with a heavier hip", word, word if good else "no", good))
    ratio = table[1][4] / table[5][4]
    rows.append(judged("power of (1, 5) over that of (5, 1)", "2.0", ratio, abs(ratio - 2.0) < 0.1))
    return rows


def _balance(found: OptimizedGait) -> Row:
    """Return that motors give what strikes take."""
    taken = float(
        impact_analysis(found.walker, found.q(found.duration)).lost(found.v(found.duration))
    )
    off = abs(found.power * found.duration / taken - 1.0)
    return judged("work of the motors beside the loss of the strike", "the same", off, off < 0.01)
