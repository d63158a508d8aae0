"""`ts.gait.limit_cycle`: periodic gaits, found by Newton's method on the return map."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import count, number
from tarsus._lib.errors import TarsusError
from tarsus._lib.files import Array
from tarsus.gait.cycle import LimitCycle, cycle_of
from tarsus.gait.return_map import (
    COARSE,
    FINE,
    Returned,
    Search,
    Tolerances,
    kept_of,
    moved,
    newton,
    residual,
    take_step,
)
from tarsus.gait.walkers.walker import Walker, check_walker

# `ts.gait.limit_cycle`: a gait of a walker, found by Newton's method on its return map.


GUESSES = 16
"""As many seeds Newton's method begins from, at once."""


INSTANT, TINY = 1e-4, 1e-6
"""Steps that take less [s] or lead less far [m] are none: feet that strike where they stand."""


class NoGaitError(TarsusError, ArithmeticError):
    """There is no gait where it was looked for; `best` has the states that came nearest."""

    def __init__(self, message: str, best: Search | None = None) -> None:
        super().__init__(message)
        self.best = best


def limit_cycle(
    walker: Walker,
    guess: tuple[ArrayLike, ArrayLike] | LimitCycle | None = None,
    *,
    steps: int = 1,
    tolerance: float = 1e-10,
    rounds: int = 30,
    seed: int = 0,
) -> LimitCycle:
    """Return a gait that repeats after so many `steps`.

    `guess` is a state q (nq,), v (nv,) after a strike, or `steps` of them, or another gait;
    without one all gaits around the walker's start are looked for, and the first of them is
    returned: stable before unstable, then the slowest. Newton's method by shooting from strike to
    strike ends where no state is further from its return than `tolerance`. Of gaits in a family
    (`walker.kept`) the one is found that has the guess's energy. Raises `NoGaitError`.
    """
    check_walker(walker)
    count(steps, "steps")
    if not number(tolerance, "tolerance") > 0.0:
        raise ValueError(f"tolerance is {tolerance:g}, must be positive")
    if guess is None:
        found, search = _around(walker, steps, GUESSES, tolerance, rounds, seed)
        if not found:
            raise NoGaitError(_none(walker, steps, search), search)
        return found[0]
    q, v = _nodes(walker, guess, steps)
    search = newton(walker, q[None], v[None], tolerance=tolerance, rounds=rounds)
    if not search.error[0] <= tolerance:
        raise NoGaitError(_why(walker, search, tolerance), search)
    cycle = cycle_of(walker, search.q[0], search.v[0], float(search.error[0]), FINE)
    if cycle.times.min() <= INSTANT:
        raise NoGaitError(
            f"{walker.name} has no gait from this guess: it comes to rest, and steps take no time",
            search,
        )
    if cycle.shortest != steps:
        raise NoGaitError(
            f"{walker.name} has no gait of {steps} steps from this guess: it leads to one that "
            f"repeats after {cycle.shortest} already",
            search,
        )
    return cycle


def limit_cycles(
    walker: Walker,
    *,
    steps: int = 1,
    guesses: int = GUESSES,
    tolerance: float = 1e-10,
    rounds: int = 30,
    seed: int = 0,
) -> list[LimitCycle]:
    """Return the gaits around a walker's start, stable ones first, then the slowest first.

    States that scatter around the start walk some steps in lanes; Newton's method goes on from
    those that come back nearest, first with wide tolerances, all at once. Of gaits in families
    (`walker.kept`) those are returned that have the energy, or what else is kept, of the start.
    """
    check_walker(walker)
    for value, name in ((steps, "steps"), (guesses, "guesses"), (rounds, "rounds")):
        count(value, name)
    if not number(tolerance, "tolerance") > 0.0:
        raise ValueError(f"tolerance is {tolerance:g}, must be positive")
    return _around(walker, steps, guesses, tolerance, rounds, seed)[0]


def _around(
    walker: Walker, steps: int, guesses: int, tolerance: float, rounds: int, seed: int
) -> tuple[list[LimitCycle], Search | None]:
    """Return the gaits around a start, and what became of the guesses."""
    kept = kept_of(walker, *(x[None] for x in walker.start))
    q, v = seeds(walker, guesses, seed=seed)
    if not len(q):
        return [], None
    nodes = _follow(walker, q, v, steps, COARSE)
    search = newton(walker, *nodes, COARSE, tolerance=1e-6, rounds=rounds, kept=kept)
    found = []
    for k in _distinct(walker, search):
        nodes = search.q[[k]], search.v[[k]]
        last = newton(walker, *nodes, tolerance=tolerance, rounds=rounds, kept=kept)
        if last.error[0] <= tolerance:
            found.append(cycle_of(walker, last.q[0], last.v[0], float(last.error[0]), FINE))
    own = [each for each in found if each.shortest == steps and _walks(each)]
    return sorted(own, key=lambda cycle: (not cycle.stable, cycle.speed)), search


def _none(walker: Walker, steps: int, search: Search | None) -> str:
    """Return why no gait was found around a start."""
    words = f"{walker.name} has no gait of {steps} steps around its start"
    if search is None:
        return f"{words}: all states that were tried there fall"
    fell = int((~np.isfinite(search.error)).sum())
    nearest = search.error[np.isfinite(search.error)].min(initial=np.inf)
    return (
        f"{words}: of {len(search.error)} guesses {fell} fall, and the nearest comes back to "
        f"{nearest:.1e}, or to rest"
    )


def _nodes(
    walker: Walker,
    guess: tuple[ArrayLike, ArrayLike] | LimitCycle,
    steps: int,
) -> tuple[Array, Array]:
    """Return nodes (steps, nq), (steps, nv): those given, or what follows the one given."""
    given = (guess.q, guess.v) if isinstance(guess, LimitCycle) else guess
    model = walker.phases[0].model
    q, v = (np.array(x, float, ndmin=2) for x in given)
    for x, size, name in ((q, model.nq, "q"), (v, model.nv, "v")):
        if x.ndim != 2 or x.shape[1] != size or len(x) not in (1, steps):
            raise ValueError(
                f"{name} of the guess has shape {x.shape}, must be ({size},) or ({steps}, {size})"
            )
        if not np.isfinite(x).all():
            raise ValueError(f"{name} of the guess has entries that are not finite")
    if len(q) == steps:
        return q, v
    nodes = _follow(walker, q, v, steps, FINE)
    return nodes[0][0], nodes[1][0]


def _follow(
    walker: Walker, q: Array, v: Array, steps: int, tolerances: Tolerances
) -> tuple[Array, Array]:
    """Return as many nodes as steps from each of G states: where its steps lead, or itself."""
    nodes = [(q, v)]
    for _ in range(steps - 1):
        then = take_step(walker, *nodes[-1], tolerances)
        on = then.walked[:, None]
        nodes.append((np.where(on, then.q, nodes[-1][0]), np.where(on, then.v, nodes[-1][1])))
    stacked = [np.stack(x, axis=1) for x in zip(*nodes, strict=True)]
    return stacked[0], stacked[1]


def _distinct(walker: Walker, search: Search) -> list[int]:
    """Return the guesses that found a gait, each gait once, whichever of its nodes is first."""
    kept: list[int] = []
    for k in np.flatnonzero(search.error < 1e-5).tolist():
        apart = [_apart(walker, search, j, k) for j in kept]
        if not apart or min(apart) > 1e-4:
            kept.append(k)
    return kept


def _walks(cycle: LimitCycle) -> bool:
    """Return whether a cycle is a gait, and not rest."""
    return bool(cycle.times.min() > INSTANT and abs(cycle.step_length) > TINY)


def _apart(walker: Walker, search: Search, j: int, k: int) -> float:
    """Return how far the first node of guess k is from the nearest of guess j."""
    nodes = search.q.shape[1]
    here = [np.repeat(x[k, :1], nodes, axis=0) for x in (search.q, search.v)]
    away = residual(walker, search.q[j], search.v[j], here[0], here[1])
    return float(np.abs(away).max(axis=1).min())


def _why(walker: Walker, search: Search, tolerance: float) -> str:
    error = float(search.error[0])
    fell = np.flatnonzero(~search.last.walked)
    if len(fell):
        return f"{walker.name} has no gait from this guess: {search.last.why_not(int(fell[0]))}"
    return (
        f"{walker.name}: after {search.rounds} rounds a step still leads {error:.1e} away from "
        f"where it began, more than {tolerance:g}"
    )


# Where to begin to look for gaits: states that many steps from many starts lead near themselves.
#
# States around the start of a walker take a few steps in lanes. Those that still walk are on the
# section, pulled towards gaits that attract; those that a step moves least are where to begin.


STARTS = 512
SPREADS = (0.05, 0.2, 0.6)
"""How far starts scatter, in turn [rad, m; and as a part of the largest speed, at least 1]."""
STEPS = 3


def scattered(walker: Walker, count: int, spread: float, seed: int) -> tuple[Array, Array]:
    """Return states around the walker's start, (count, nq) and (count, nv); the first is it."""
    q, v = walker.start
    rng = np.random.default_rng(seed)
    scale = np.concatenate([np.ones(len(v)), np.full(len(v), max(1.0, np.abs(v).max()))])
    away = spread * scale * rng.uniform(-1.0, 1.0, size=(count, 2 * len(v)))
    away[0] = 0.0
    return moved(walker, np.tile(q, (count, 1)), np.tile(v, (count, 1)), away)


def seeds(walker: Walker, most: int, *, seed: int = 0, starts: int = STARTS) -> tuple[Array, Array]:
    """Return up to `most` states after strikes that one step moves least: (G, nq) and (G, nv)."""
    q, v = (np.zeros((0, len(x))) for x in walker.start)
    sizes: Array = np.zeros(0)
    for k, spread in enumerate(SPREADS):
        found = _still_walking(walker, *scattered(walker, starts, spread, seed + k))
        q, v = np.concatenate([q, found[0]]), np.concatenate([v, found[1]])
        sizes = np.concatenate([sizes, found[2]])
    chosen = _spread_out(walker, q, v, np.argsort(sizes).tolist(), most)
    return q[chosen], v[chosen]


def _still_walking(walker: Walker, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """Return states of all strikes of those that walk, and how far the next step moves them."""
    kept: list[tuple[Array, Array, Array]] = []
    at = take_step(walker, q, v, COARSE)
    for _ in range(STEPS):
        at = _onward(at)
        if not len(at.q):
            break
        then = take_step(walker, at.q, at.v, COARSE)
        move = np.linalg.norm(residual(walker, at.q, at.v, then.q, then.v), axis=1)
        kept.append((at.q[then.walked], at.v[then.walked], move[then.walked]))
        at = then
    if not kept:
        return q[:0], v[:0], np.zeros(0)
    joined = [np.concatenate(x) for x in zip(*kept, strict=True)]
    return joined[0], joined[1], joined[2]


def _onward(at: Returned) -> Returned:
    """Return those that walked."""
    return Returned(
        *(at.q[at.walked], at.v[at.walked], at.time[at.walked], at.walked[at.walked]),
        *(None, None, at.flowed),
    )


def _spread_out(walker: Walker, q: Array, v: Array, order: list[int], most: int) -> list[int]:
    """Return indices in their order, leaving out what is nearly one that is chosen."""
    chosen: list[int] = []
    for k in order:
        if not chosen or _nearest(walker, q, v, chosen, k) > 0.02 * (1.0 + np.linalg.norm(v[k])):
            chosen.append(k)
        if len(chosen) == most:
            break
    return chosen


def _nearest(walker: Walker, q: Array, v: Array, chosen: list[int], k: int) -> float:
    """Return how far state k is from the nearest that is chosen."""
    here = [np.tile(x[k], (len(chosen), 1)) for x in (q, v)]
    away = residual(walker, q[chosen], v[chosen], here[0], here[1])
    return float(np.linalg.norm(away, axis=1).min())
