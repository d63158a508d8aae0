"""Pareto fronts of gaits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import numbers, reals
from tarsus._lib.files import Array
from tarsus.events.phase import Efforts
from tarsus.gait.limit_cycle import NoGaitError, limit_cycle
from tarsus.gait.optimal.optimize import optimize
from tarsus.gait.optimal.search import OptimizedGait
from tarsus.gait.walkers.walker import Walker, check_walker

# Cost, speed and stability of gaits against each other: which of them no other one beats.


@dataclass(frozen=True, eq=False)
class Front:
    """Gaits of least efforts over speeds."""

    gaits: tuple[OptimizedGait, ...]
    multipliers: Array
    """The largest one of each gait whose efforts are played (K,), NaN where it is not kept."""

    @property
    def speeds(self) -> Array:
        """[m/s] (K,)."""
        return np.array([gait.speed for gait in self.gaits])

    @property
    def costs(self) -> Array:
        """∫ τᵀ Q τ dt of a step, for each metre (K,)."""
        return np.array([gait.cost / gait.step_length for gait in self.gaits])

    @property
    def best(self) -> NDArray[np.bool_]:
        """Which gaits keep everything, and no other is as fast, as cheap and as stable (K,).

        V. Pareto; a gait that does not come back counts as infinitely unstable.
        """
        unstable = np.nan_to_num(self.multipliers, nan=np.inf)
        points = np.column_stack([-self.speeds, self.costs, unstable])
        kept = np.array([gait.success for gait in self.gaits])
        others = points[kept]
        beaten = [((others <= p).all(1) & (others < p).any(1)).any() for p in points]
        return np.asarray(kept & ~np.array(beaten))

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of costs and multipliers over speeds."""
        from tarsus.gait.plots import plot_front

        return plot_front(self, path)

    def __repr__(self) -> str:
        low, high = self.speeds.min(), self.speeds.max()
        return (
            f"<Front of {self.gaits[0].walker.name}: {len(self.gaits)} gaits from {low:.3g} to "
            f"{high:.3g} m/s, {self.best.sum()} that no other beats>"
        )


def front(walker: Walker, speeds: ArrayLike, **options: Any) -> Front:
    """Return gaits of least efforts at speeds (K,) [m/s], each continued from the one before.

    `options` are those of `ts.gait.optimize`, `design` among them. Each gait's efforts are played
    from strike to strike, and the largest multiplier of that motion says how stable it is by its
    mechanics alone.
    """
    check_walker(walker)
    given = np.atleast_1d(reals(speeds, "speeds"))
    numbers(given, (given.size,), "speeds")
    if not given.size:
        raise ValueError("speeds is empty: name at least one [m/s]")
    for name in sorted({"speed", "guess"} & set(options)):
        raise TypeError(f"{name} is not among the options: each speed is searched from the others")
    gaits: list[OptimizedGait] = []
    for speed in given.tolist():
        gait = optimize(walker, speed, **options)
        if gaits and gaits[-1].success:
            other = optimize(walker, speed, guess=gaits[-1], **options)
            gait = min((gait, other), key=lambda each: (not each.success, each.cost))
        gaits.append(gait)
    return Front(tuple(gaits), np.array([_largest(gait) for gait in gaits]))


def _largest(gait: OptimizedGait) -> float:
    try:
        found = limit_cycle(replayed(gait), gait.state, tolerance=1e-6, rounds=6)
    except NoGaitError:
        return float("nan")
    return float(np.abs(found.multipliers).max())


# An optimised gait that is played: its efforts over the time since the strike, no feedback.


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
    return Walker.from_phases(
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
