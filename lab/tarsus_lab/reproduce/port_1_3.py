"""Examples 1.1 and 1.2: a bungee jump, lumped and distributed, in three representations."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicSpline

from tarsus._lib.files import Array
from tarsus_lab.reproduce.bungee import Bungee
from tarsus_lab.reproduce.result import Curve, Result, compared, judged

SOURCE = "V. Duindam, Port-Based Modeling and Control, University of Twente 2006"
CHOSEN = (
    "no numbers are printed; with a rope of no length of its own that hangs at 60 m, a start there "
    "at rest and g = 9.81 m/s², an independent integration gives these digits"
)
TIMES = np.linspace(0.0, 15.0, 1501)


def run() -> Result:
    """Compare both models, and three representations of each, with figure 1.3."""
    rows, curves = [], []
    for label, jump, height, when, safe in (
        ("lumped", Bungee(), "1.37", "5.47", True),
        ("distributed", Bungee(10), "-1.84", "5.58", False),
    ):
        motion = jump.motion(TIMES)
        heights = jump.heights(motion)
        others = jump.block_diagram(TIMES), jump.behaviour(TIMES)
        lowest, at = _lowest(heights)
        rows.append(
            compared(f"{label}: lowest height [m]", "", lowest, right=height, reason=CHOSEN)
        )
        rows.append(compared(f"{label}: at the time [s]", "", at, right=when, reason=CHOSEN))
        said = "barely safe" if safe else "crashes"
        does = "barely safe" if 0.0 < lowest < 2.0 else "crashes" if lowest < 0.0 else "safe"
        rows.append(judged(f"{label}: the jump is", said, does, said == does))
        apart = max(float(np.abs(heights - other).max()) for other in others)
        rows.append(judged(f"{label}: three representations [m]", "equal", apart, apart < 1e-6))
        left = motion.ledger.relative_residual
        rows.append(judged(f"{label}: energy from nowhere, relative", "none", left, left < 1e-8))
        curves.append(Curve(label, tuple(TIMES.tolist()), tuple(heights.tolist())))
    return Result(
        "port-1.3",
        "A bungee jump in two models, each as block diagram, behaviour and ports",
        f"{SOURCE}, examples 1.1 and 1.2",
        tuple(rows),
        tuple(curves),
        ("time [s]", "height of the jumper [m]"),
    )


def _lowest(heights: Array) -> tuple[float, float]:
    """Return the lowest height of the first swing, and when that is."""
    spline = CubicSpline(TIMES, heights)
    turns = spline.derivative().roots(extrapolate=False)
    when = float(next(t for t in turns if t > 1.0))
    return float(spline(when)), when
