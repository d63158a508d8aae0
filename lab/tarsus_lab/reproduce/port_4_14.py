"""Figure 4.14 of V. Duindam: passive gaits of the kneed robot Dribbel, of which one is stable."""

from __future__ import annotations

import numpy as np

from tarsus.events import guards
from tarsus.gait.limit_cycle import limit_cycle
from tarsus.gait.optimal.conditions import Require
from tarsus.gait.optimal.optimize import optimize
from tarsus.gait.optimal.search import OptimizedGait
from tarsus.gait.walkers.planar import dribbel
from tarsus_lab.reproduce.port_searches import SOURCE, cheaper
from tarsus_lab.reproduce.result import Curve, Result, Row, compared, judged

FOUND = "two motions of the thesis' own model are passive: a better search finds them"
POSTURE = (0.25, -0.5, 0.0)
"""With which searches begin: legs apart, knees straight [rad]."""


def gait(speed: float | None = None) -> OptimizedGait:
    """Return an efficient gait of Dribbel down a slope of 3°, from no guess."""
    bends = Require(
        guards.JointPosition("swing_knee"), high=-0.3, during=(0.5, 0.5), label="knee bends"
    )
    return optimize(dribbel(), speed, require=[bends], posture=POSTURE, starts=2)


def run() -> Result:
    """Compare efficient gaits of Dribbel with figure 4.14, and go on to passive ones."""
    rows: list[Row] = []
    curves = []
    for label, speed, duration, multiplier in (
        ("short", None, "0.75250", "2.614"),
        ("long", 0.562, "0.85089", "0.340"),
    ):
        found = gait(speed)
        rows.append(cheaper(f"{label} gait: cost", "0.0122", found, FOUND))
        cycle = limit_cycle(found.walker, found.state)
        rows.append(
            compared(
                f"{label} gait, passive: duration [s]",
                "",
                cycle.period,
                right=duration,
                reason=FOUND,
            )
        )
        largest = float(np.abs(cycle.multipliers).max())
        rows.append(
            compared(
                f"{label} gait: largest multiplier", "", largest, right=multiplier, reason=FOUND
            )
        )
        t = np.linspace(0.0, float(found.durations[0]), 80)
        knee = found.q(t)[:, 2]
        curves.append(Curve(f"swing knee, {label} gait", tuple(t.tolist()), tuple(knee.tolist())))
    rows.append(
        judged("a stable passive gait", "none found", "found", False, FOUND, "surpassed")
        if float(np.abs(cycle.multipliers).max()) < 1.0
        else judged("a stable passive gait", "none found", "none", True)
    )
    return Result(
        "port-4.14",
        "Dribbel, with knees: gaits without any efforts, and a stable one",
        f"{SOURCE}, figure 4.14",
        tuple(rows),
        tuple(curves),
        ("time [s]", "angle [rad]"),
    )
