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
    """Return the machine that floats on its way from a state after a strike, as far as it walks.

    And how it ended, or of a walker with a clock its last step, as each is one of its own.
    """
    machine = walker.stance
    if machine is None or (isinstance(machine, Stance) and len(walker.phases) > 1):
        raise ValueError(f"nothing says how {walker.name!r} looks: it has no machine")
    stance = machine if isinstance(machine, Stance) else machine.stance
    at_once = 1 if walker.clocked else steps
    parts: list[tuple[Array, Array, Array]] = []
    strikes: list[float] = []
    places: list[Array] = []
    begin = 0.0
    for _ in range(steps // at_once):
        flowed = walker.steps(q, v, at_once, sample=every, **tolerances._asdict())
        t, *sampled = flowed.samples
        parts.append((begin + t, sampled[0], sampled[1]))
        for event in list(flowed.events)[walker.events - 1 :: walker.events]:
            side = (-1.0) ** len(strikes)  # left of what is mirrored is right
            strikes.append(begin + event.t)
            places.append(stance.placed(event.q[: stance.standing.nq]) * (1.0, side))
        begin, q, v = begin + float(flowed.t), flowed.q, flowed.v
        if flowed.n_events < at_once * walker.events:
            break
    t, q, v = (np.concatenate(x) for x in zip(*parts, strict=True))
    q, v = q[:, : stance.standing.nq], v[:, : stance.standing.nv]
    ways = np.cumsum([np.zeros(2), *places], axis=0)
    number = np.searchsorted(strikes, t, side="right")
    states = [
        _state(stance, a, b, ways[k], bool(k % 2)) for a, b, k in zip(q, v, number, strict=True)
    ]
    recorded = {"q": np.array([q for q, _ in states]), "v": np.array([v for _, v in states])}
    return Trajectory(stance.model, t, recorded, ground=Ground(slope=stance.slope)), flowed


def _state(stance: Stance, q: Array, v: Array, way: Array, right: bool) -> tuple[Array, Array]:
    """Return q and v of the machine that floats, its root a way (2,) along and across the slope."""
    at = stance.at.copy()
    at[:3, 3] += stance.at[:3, :2] @ way
    root = stance.other if right else stance.standing
    if right:
        q = stance.relabelling.back.configurations(q)
        v = stance.names.T @ v
    found = root.to_original(q, v, at=at)
    return found.q, found.v
