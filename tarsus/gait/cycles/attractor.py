"""`ts.gait.attractor`: where walkers come to by themselves, over a number that changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.gait.cycles.return_map import COARSE
from tarsus.gait.walkers.section import State
from tarsus.gait.walkers.walker import Walker
from tarsus.model.checks import count, find, numbers


def attractor(
    walker: Walker,
    name: str,
    values: ArrayLike,
    start: State | None = None,
    *,
    coordinate: int = 0,
    forgotten: int = 200,
    kept: int = 60,
) -> tuple[Array, Array]:
    """Return a coordinate after each of the last `kept` strikes for each value of a number.

    Walkers begin where those with the value before ended, and the first `forgotten` steps are left
    out: what is left is a point for a gait, two where its period is doubled, many in chaos. Returns
    values and coordinates (N,), as `plot_branches` draws them; a walker that falls adds none, and
    the next begins where the last one that walked did.
    """
    find(walker.numbers, name, "number of the walker")
    count(forgotten, "forgotten")
    count(kept, "kept")
    given = np.atleast_1d(np.asarray(values, float))
    numbers(given, (given.size,), "values")
    if not 0 <= coordinate < walker.phases[0].model.nq:
        raise ValueError(
            f"coordinate is {coordinate}, must be from 0 to {walker.phases[0].model.nq - 1}"
        )
    q, v = walker.start if start is None else start
    found: list[tuple[float, float]] = []
    steps, per_step = forgotten + kept, walker.events
    for value in given.tolist():
        other = walker.but(**{name: value})
        flowed = other.steps(q[None], v[None], steps, **COARSE._asdict())
        if flowed.n_events[0] < steps * per_step:
            continue
        strikes = [event.next_q[coordinate] for event in flowed.events][per_step - 1 :: per_step]
        found += [(value, float(x)) for x in strikes[-kept:]]
        q, v = flowed.q[0], flowed.v[0]
    points = np.array(found).reshape(-1, 2)
    return points[:, 0], points[:, 1]
