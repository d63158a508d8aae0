"""An optimised gait that is played: its efforts over the time since the strike, no feedback."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarsus.arrays import Array
from tarsus.events.phase import Efforts
from tarsus.gait.optimal.optimized import OptimizedGait
from tarsus.gait.walkers import Walker

SAMPLES = 201
"""Of efforts over a phase; between them they are polynomials of degree five."""


def replayed(gait: OptimizedGait) -> Walker:
    """Return the walker whose motors play the efforts of a gait, each step from its beginning.

    Flows of its steps begin at t = 0, so that `ts.gait.limit_cycle` has its multipliers: whether
    the mechanics keeps the gait without feedback. Times after the end of a phase are its end.
    """
    begins = np.concatenate([[0.0], np.cumsum(gait.durations)[:-1]])
    phases = tuple(
        replace(phase, controller=_player(gait, p, float(begins[p])))
        for p, phase in enumerate(gait.walker.phases)
    )
    return Walker(
        phases,
        name=f"{gait.walker.name}, played",
        start=gait.state,
        ahead=gait.walker.ahead,
        slope=gait.walker.slope,
        section=gait.walker.section,
        longest=gait.walker.longest,
        clocked=True,
        exact=False,  # a controller in Python: differences of steps cost less than of efforts
    )


def _player(gait: OptimizedGait, phase: int, begin: float) -> Efforts:
    """Return the efforts of a phase as a function of time alone, by a spline through them."""
    from scipy.interpolate import make_interp_spline  # slow to import, and only needed here

    length = float(gait.durations[phase])
    times = np.linspace(0.0, length, SAMPLES)
    spline = make_interp_spline(times, gait.tau(times, phase), k=5)

    def efforts(t: float, q: Array, v: Array) -> Array:
        return np.asarray(spline(min(max(t - begin, 0.0), length)))

    return efforts
