"""Curves through points that people draw, as functions in expressions: `smooth(t, 0, 0, 1, .3)`.

Behind the first argument stand times and values in turn. `linear` goes straight from point to
point, `smooth` without kinks and without overshoot: a cubic in each piece, with slopes that are
weighted harmonic means (F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5, 1984).
Before the first point and behind the last, both stay where these are; `linear_cycle` and
`smooth_cycle` begin again, and end where they begin.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from tarsus.studio.language import LineError

Curve = Callable[[float], float]
CURVES = ("linear", "smooth", "linear_cycle", "smooth_cycle")
"""Functions that are curves."""
MOST = 200
"""Points of a curve."""


def curve_of(name: str, numbers: Sequence[float]) -> Curve:
    """Return the curve that a function of that name is, through times and values in turn."""
    times, values = [*map(float, numbers[::2])], [*map(float, numbers[1::2])]
    if len(times) != len(values) or not 2 <= len(times) <= MOST:
        raise LineError(
            f"{name} needs 2 to {MOST} times and values in turn, as in {name}(t, 0, 0, 1, .3)",
            "EXPRESSION",
        )
    if not all(math.isfinite(x) for x in numbers):
        raise LineError(f"{name} needs finite numbers", "EXPRESSION")
    for before, after in pairwise(times):
        if not before < after:
            raise LineError(
                f"{name}: times must rise, {after:g} s comes after {before:g} s", "EXPRESSION"
            )
    cyclic, smooth = name.endswith("_cycle"), name.startswith("smooth")
    if cyclic and values[0] != values[-1]:
        raise LineError(
            f"{name} must end where it begins, {values[-1]:g} is not {values[0]:g}", "EXPRESSION"
        )
    slopes = _slopes(times, values, cyclic) if smooth else None
    first, period = times[0], times[-1] - times[0]

    def curve(t: float) -> float:
        if cyclic:
            t = first + math.fmod(math.fmod(t - first, period) + period, period)
        if t <= times[0]:
            return values[0]
        if t >= times[-1]:
            return values[-1]
        k = bisect.bisect_right(times, t) - 1
        step, rise = times[k + 1] - times[k], values[k + 1] - values[k]
        u = (t - times[k]) / step
        if slopes is None:
            return values[k] + u * rise
        a, b = step * slopes[k], step * slopes[k + 1]
        return values[k] + u * (a + u * (3.0 * rise - 2.0 * a - b + u * (a + b - 2.0 * rise)))

    return curve


def _slopes(times: list[float], values: list[float], cyclic: bool) -> list[float]:
    """Return the slope at each point; at the ends of a curve that does not go on it is level."""
    steps = [b - a for a, b in pairwise(times)]
    rises = [(b - a) / h for (a, b), h in zip(pairwise(values), steps, strict=True)]
    inner = [
        _mean(steps[k - 1], steps[k], rises[k - 1], rises[k]) for k in range(1, len(times) - 1)
    ]
    end = _mean(steps[-1], steps[0], rises[-1], rises[0]) if cyclic else 0.0
    return [end, *inner, end]


def _mean(before: float, after: float, slope: float, next_slope: float) -> float:
    """Return the harmonic mean of two slopes, weighted so that curves keep their rise and fall."""
    if not slope * next_slope > 0.0:
        return 0.0
    one, two = 2.0 * after + before, after + 2.0 * before
    return (one + two) / (one / slope + two / next_slope)
