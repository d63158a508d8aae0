"""A gait as a run of the machine that floats: step after step, left and right in turn."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.events.report import Flowed
from tarsus.gait.cycles.cycle import LimitCycle
from tarsus.gait.cycles.return_map import Tolerances
from tarsus.gait.walkers.stance import Stance
from tarsus.gait.walkers.walker import Walker
from tarsus.geometry import Ground
from tarsus.simulation import Trajectory


def run_of(cycle: LimitCycle, steps: int, every: float) -> Trajectory:
    """Return so many steps of a gait with a sample `every` [s], from the origin along x."""
    return walked(cycle.walker, *cycle.state, steps, every, cycle.tolerances)[0]


def walked(
    walker: Walker, q: Array, v: Array, steps: int, every: float, tolerances: Tolerances
) -> tuple[Trajectory, Flowed]:
    """Return the machine that floats on its way from a state after a strike, as far as it walks."""
    stance = walker.stance
    if stance is None or len(walker.phases) > 1:
        raise ValueError(f"nothing says how {walker.name!r} looks: it has no machine")
    flowed = walker.steps(q, v, steps, sample=every, **tolerances._asdict())
    t, q, v = flowed.samples
    strikes = np.array([event.t for event in flowed.events])
    places = [stance.placed(event.q) * (1.0, (-1.0) ** k) for k, event in enumerate(flowed.events)]
    ways = np.cumsum([np.zeros(2), *places], axis=0)
    number = np.searchsorted(strikes, t, side="right")
    states = [
        _state(stance, a, b, ways[k], bool(k % 2)) for a, b, k in zip(q, v, number, strict=True)
    ]
    recorded = {"q": np.array([q for q, _ in states]), "v": np.array([v for _, v in states])}
    return Trajectory(stance.model, t, recorded, ground=Ground(slope=stance.slope)), flowed


def _state(stance: Stance, q: Array, v: Array, way: Array, right: bool) -> tuple[Array, Array]:
    """Return q and v of the machine that floats, its stance foot a way (2,) along the slope."""
    at = stance.at.copy()
    at[:3, 3] += stance.at[:3, :2] @ way
    root = stance.other if right else stance.standing
    if right:
        q = stance.relabelling.back.configurations(q)
        v = stance.names.T @ v
    found = root.to_original(q, v, at=at)
    return found.q, found.v
