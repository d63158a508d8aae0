"""Example 3.10 of V. Duindam: closets that rock, and closets that stand."""

from __future__ import annotations

import math

import numpy as np

from tarsus import scenes
from tarsus.simulation.trajectory import Trajectory
from tarsus_lab.reproduce.port_4_2 import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, Row, compared, judged

TILT = 0.02
"""At which closets are let go [rad]."""
HALVINGS = 14
"""Of the interval in which the limit is looked for."""


def run() -> Result:
    """Compare simulated closets with example 3.10."""
    return Result(
        "port-3.10",
        "A closet that is tilted and let go: it rocks if it is high, and stands if it is not",
        f"{SOURCE}, example 3.10",
        (
            compared("mass in the centre: rocks above h/w", "1.000", limit(1e-6)),
            compared("even density: rocks above h/w", "0.707", limit(None)),
            *_after(),
        ),
        tuple(_curve(height) for height in (2.0, 1.0, 0.6)),
        ("time [s]", "tilt [rad]"),
    )


def limit(inertia: float | None) -> float:
    """Return the least height of a closet that rocks, as a share of its width, by halving."""
    low, high = 0.4, 1.6
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        rocks = len(_released(middle, inertia).events.of("release")) > 0
        low, high = (low, middle) if rocks else (middle, high)
    return 0.5 * (low + high)


def _released(height: float, inertia: float | None = None) -> Trajectory:
    return scenes.closet(1.0, height, 1.0, inertia, tilt=TILT).run(duration=1.0)


def _after() -> list[Row]:
    """What is left of the energy of a strike: nothing, or the square of (3.65)."""
    low, high = _released(0.6), _released(1.5)
    still = float(np.abs(low.v[-1]).max())
    inertia, square = (1.0 + 1.5**2) / 3, 1.0 + 1.5**2
    kept = (inertia + 1.5**2 - 1.0) / (inertia + square)
    energy = 9.81 * (math.sin(TILT) + 1.5 * (math.cos(TILT) - 1.0))
    share = 1.0 - float(high.events.of("impact").lost[0]) / energy
    off = abs(share - kept**2)
    return [
        judged("a low closet stands: speeds after a strike", "0", still, still < 1e-12),
        judged("a high one keeps of its energy, beside (3.65)", "the same", off, off < 1e-8),
    ]


def _curve(height: float) -> Curve:
    run = _released(height)
    return Curve(f"h = {height:g} w", tuple(run.t.tolist()), tuple(run.q[:, 2].tolist()))
