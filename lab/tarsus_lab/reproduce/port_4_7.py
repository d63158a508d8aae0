"""Figures 4.7 and 4.8 of V. Duindam: passive gaits of the compass walker as least efforts."""

from __future__ import annotations

import numpy as np

from tarsus.gait.limit_cycle import limit_cycle
from tarsus.gait.optimal.optimize import optimize
from tarsus.gait.optimal.search import OptimizedGait
from tarsus.gait.walkers.planar import compass
from tarsus_lab.reproduce.port_searches import SOURCE, cheaper, strike_speed
from tarsus_lab.reproduce.result import Curve, Result, Row, compared, judged

SEARCH = "theirs is of a polynomial that is nearly passive, ours of the gait that it leads to"


def gait(fast: bool) -> OptimizedGait:
    """Return the gait of least efforts down 3°, from no guess; with feet that come down `fast`."""
    walker = compass()
    return optimize(walker, require=[strike_speed(walker)] if fast else [], posture=(0.2, -0.4))


def unstable() -> Result:
    """Compare the gait that is found first with figure 4.7."""
    return _result("port-4.7", False, "0.0004", "0.60786", "", "figure 4.7")


def stable() -> Result:
    """Compare the gait that is found with a strike speed with figure 4.8."""
    return _result("port-4.8", True, "0.0010", "0.78280", "0.76", "figure 4.8")


def _result(name: str, fast: bool, cost: str, duration: str, speed: str, where: str) -> Result:
    found = gait(fast)
    cycle = limit_cycle(found.walker, found.state)
    largest = float(np.abs(cycle.multipliers).max())
    off = float(np.abs(cycle.q[0] - found.state[0]).max())
    rows: list[Row] = [
        cheaper("cost", cost, found, SEARCH),
        compared(
            "duration of the passive gait [s]", "", cycle.period, right=duration, reason=SEARCH
        ),
        compared(
            "speed [m/s]", speed, cycle.speed, right=f"{0.753 if fast else 0.908}", reason=SEARCH
        ),
        judged("angles off the passive gait [rad]", "practically none", off, off < 1e-3),
        judged(
            "largest multiplier",
            "stable" if fast else "unstable",
            largest,
            (largest < 1.0) == fast,
        ),
    ]
    t = np.linspace(0.0, found.duration, 100)
    q = found.q(t)
    word = "a stable" if fast else "an unstable"
    return Result(
        name,
        f"A compass walker: {word} passive gait, found as one of least efforts",
        f"{SOURCE}, {where}",
        tuple(rows),
        tuple(
            Curve(label, tuple(t.tolist()), tuple(q[:, k].tolist()))
            for k, label in ((1, "between the legs"), (0, "stance leg"))
        ),
        ("time [s]", "angle [rad]"),
    )
