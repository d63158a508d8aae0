"""A gait as a run of the machine that floats: step after step, left and right in turn."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.cycles.cycle import LimitCycle
from tarsus.gait.walkers.landing import exchanged
from tarsus.gait.walkers.stance import Stance
from tarsus.geometry import Ground
from tarsus.simulation import Trajectory


def run_of(cycle: LimitCycle, steps: int, every: float) -> Trajectory:
    """Return so many steps of a gait with a sample `every` [s], from the origin along x."""
    walker, machine = cycle.walker, cycle.walker.stance
    if machine is None or (isinstance(machine, Stance) and len(walker.phases) > 1):
        raise ValueError(f"nothing says how {walker.name!r} looks: it has no machine")
    stance = machine if isinstance(machine, Stance) else machine.stance
    t, q, v, strikes, struck = _followed(cycle, steps, every)
    q, v = q[:, : stance.standing.nq], v[:, : stance.standing.nv]
    ways = np.zeros((len(struck) + 1, 2))
    for k, x in enumerate(struck):  # left of what is mirrored is right
        aside = stance.second_foot(x[: stance.standing.nq])[:3, 3] @ stance.at[:3, 1]
        ways[k + 1] = ways[k] + [float(walker.ahead(x)), (-1.0) ** k * aside]
    number = np.searchsorted(strikes, t, side="right")
    states = [
        _state(stance, a, b, ways[k], bool(k % 2)) for a, b, k in zip(q, v, number, strict=True)
    ]
    recorded = {"q": np.array([q for q, _ in states]), "v": np.array([v for _, v in states])}
    return Trajectory(stance.model, t, recorded, ground=Ground(slope=stance.slope))


def _followed(
    cycle: LimitCycle, steps: int, every: float
) -> tuple[Array, Array, Array, Array, list[Array]]:
    """Return samples t (T,), q (T, nq), v (T, nv), times of strikes and configurations at them."""
    walker, given = cycle.walker, cycle.tolerances._asdict()
    if not walker.clocked:
        flowed = walker.steps(*cycle.state, steps, sample=every, **given)
        last = list(flowed.events)[walker.events - 1 :: walker.events]
        return *flowed.samples, np.array([e.t for e in last]), [e.q for e in last]
    parts: list[tuple[Array, Array, Array]] = []
    strikes, struck, begin, (q, v) = [], [], 0.0, cycle.state
    for _ in range(steps):  # each has its own clock
        flowed = walker.steps(q, v, sample=every, **given)
        t, *states = flowed.samples
        parts.append((begin + t, states[0], states[1]))
        strikes.append(begin := begin + float(flowed.t))
        struck.append(flowed.events[-1].q)
        q, v = flowed.q, flowed.v
    t, all_q, all_v = (np.concatenate(x) for x in zip(*parts, strict=True))
    return t, all_q, all_v, np.array(strikes), struck


def _state(stance: Stance, q: Array, v: Array, way: Array, right: bool) -> tuple[Array, Array]:
    """Return q and v of the machine that floats, its root a way (2,) along and across the slope."""
    at = stance.at.copy()
    at[:3, 3] += stance.at[:3, :2] @ way
    root = stance.other if right else stance.standing
    if right:
        q = exchanged(stance.other, stance.standing, stance.names.T, q)
        v = stance.names.T @ v
    found = root.to_original(q, v, at=at)
    return found.q, found.v
