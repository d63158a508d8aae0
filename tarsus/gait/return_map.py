"""The return map of a walker, and Newton's method on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.differences import WEIGHTS
from tarsus._lib.files import Array
from tarsus.events.flow_result import ENDS, EVENTS, Flowed
from tarsus.events.parameters import Parameter
from tarsus.gait.walkers.walker import Walker
from tarsus.model.description import NONHOLONOMIC
from tarsus.model.rerooted_model import Rooted

# The return map: the state after a strike becomes the state after the next one.


class Tolerances(NamedTuple):
    """Errors of flows, relative and absolute."""

    rtol: float = 1e-12
    atol: float = 1e-13


FINE, COARSE = Tolerances(), Tolerances(1e-8, 1e-9)
"""For gaits to ten digits; for looking around."""


@dataclass(frozen=True, eq=False)
class Returned:
    """Where steps from B states led: states after them, times, and derivatives if wanted."""

    q: Array
    v: Array
    time: Array
    """How long the steps took (B,) [s]."""
    walked: NDArray[np.bool_]
    """Which of them ended with the strike that they should end with (B,)."""
    slopes: Array | None
    """(B, 2 nv, 2 nv + p): by the states before and by parameters."""
    time_slopes: Array | None
    """(B, 2 nv + p) [s]."""
    flowed: Flowed

    def why_not(self, k: int) -> str:
        """Return why motion k is no step."""
        ended = self.flowed.ended
        return f"the step {ended if isinstance(ended, str) else ended[k]}"


def take_step(
    walker: Walker,
    q: Array,
    v: Array,
    tolerances: Tolerances = FINE,
    *,
    derivatives: bool = False,
    parameters: Sequence[Parameter] = (),
) -> Returned:
    """Take one step from each of B states after a strike, q (B, nq) and v (B, nv).

    States off the section are led onto it: P(φ_t(x)) = P(x), so that P is a map of all states,
    whose derivative has the multipliers of a gait for eigenvalues and 0 along the motion.
    """
    exact = derivatives and walker.exact
    flowed = walker.steps(q, v, derivatives=exact, parameters=parameters, **tolerances._asdict())
    first = walker.phases[0]
    walked = np.array([why == ENDS[EVENTS] for why in flowed.ended])
    walked &= np.array([name == first.name for name in flowed.phase])
    nq, nv = first.model.nq, first.model.nv
    after_q, after_v = _wide(flowed.q, nq), _wide(flowed.v, nv)
    walked &= np.isfinite(after_q).all(1) & np.isfinite(after_v).all(1)
    slopes = times = None
    if exact:
        slopes = np.swapaxes(_wide(np.swapaxes(flowed.derivatives, 1, 2), 2 * nv), 1, 2)
        times = flowed.time_derivatives
    elif derivatives:
        slopes, times = _differences(walker, q, v, tolerances)
    return Returned(after_q, after_v, np.array(flowed.t), walked, slopes, times, flowed)


def _wide(found: Array, size: int) -> Array:
    """Return numbers (…, size) of a phase, not a number where motions ended in one with fewer."""
    whole = np.full((*found.shape[:-1], size), np.nan)
    kept = min(size, found.shape[-1])
    whole[..., :kept] = found[..., :kept]
    return whole


def multipliers_of(slopes: Array, heading: bool = False) -> Array:
    """Return the eigenvalues of steps one after another (n, 2 nv, 2 nv), the largest first.

    That along the motion, which is zero, is left out; and that of the `heading` of a walker that
    may head anywhere: as left and right are exchanged, it is −1 for each step. All are not a number
    where steps beside the gait fall.
    """
    size = slopes.shape[1]
    product = np.eye(size)
    for slope in slopes:
        product = slope[:, :size] @ product
    if not np.isfinite(product).all():
        return np.full(size - 1 - heading, np.nan)
    found = np.linalg.eigvals(product)
    if heading:
        found = np.delete(found, np.argmin(np.abs(found - (-1.0) ** len(slopes))))
    return np.asarray(found[np.argsort(-np.abs(found))][:-1])


def cyclic(slopes: Array) -> Array:
    """Return how far steps lead past next nodes by the nodes before: (…, 2 nv n, 2 nv n).

    `slopes` D are those of n steps (…, n, 2 nv, 2 nv): D_k δ_k − δ_{k+1}, the first after the last.
    """
    *lead, nodes, size = slopes.shape[:-1]
    matrix = np.zeros((*lead, nodes, size, nodes, size))
    for k in range(nodes):
        matrix[..., k, :, k, :] += slopes[..., k, :, :]
        matrix[..., k, :, (k + 1) % nodes, :] -= np.eye(size)
    return matrix.reshape(*lead, nodes * size, nodes * size)


def residual(walker: Walker, q: Array, v: Array, next_q: Array, next_v: Array) -> Array:
    """Return what next states are away from states, as steps of q and changes of v (B, 2 nv)."""
    model = walker.phases[0].model
    return np.concatenate([model.difference(q, next_q), next_v - v], axis=-1)


def moved(walker: Walker, q: Array, v: Array, step: Array) -> tuple[Array, Array]:
    """Return states after steps of q and changes of v (B, 2 nv)."""
    model = walker.phases[0].model
    return np.asarray(model.integrate(q, step[..., : model.nv])), v + step[..., model.nv :]


def on_root(walker: Walker, q: Array) -> Array:
    """Return configurations (…, nq) whose stance foot touches at its root, as after a strike.

    A sole that rolls to all sides has places on the ground that no step of q tells, and that make
    no difference but to how far a step leads.
    """
    model = walker.phases[0].model
    if isinstance(model, Rooted) and model.root_joint in model.joint_names:
        root = model.joint(model.root_joint)
        if root.kind in NONHOLONOMIC:
            q = q.copy()
            q[..., root.q_slice.start : root.q_slice.start + 2] = 0.0
    return q


STEP = 1e-4
"""Of differences of the map, of sixth order [rad, m, rad/s, m/s]."""


def _differences(walker: Walker, q: Array, v: Array, tolerances: Tolerances) -> tuple[Array, Array]:
    """Return derivatives of the map and of the step's time by differences, for what rolls.

    Not a number where one of the steps next to a state falls.
    """
    size = 2 * walker.phases[0].model.nv
    offsets = [(k * way, way * weight) for k, weight in WEIGHTS for way in (1, -1)]
    distances, weights = (np.array(x) for x in zip(*offsets, strict=True))
    pushes = STEP * distances[:, None, None] * np.eye(size)  # (6, 2 nv, 2 nv)
    around = (len(q), len(offsets), size)
    states = [
        np.broadcast_to(x[:, None, None], (*around, x.shape[-1])).reshape(-1, x.shape[-1])
        for x in (q, v)
    ]
    steps = np.broadcast_to(pushes, (*around, size)).reshape(-1, size)
    at = take_step(walker, q, v, tolerances)
    then = take_step(walker, *moved(walker, states[0], states[1], steps), tolerances)
    ends = [np.repeat(x, len(offsets) * size, axis=0) for x in (at.q, at.v)]
    away = residual(walker, ends[0], ends[1], then.q, then.v)
    away[~then.walked] = np.nan
    times = np.where(then.walked, then.time, np.nan).reshape(around) - at.time[:, None, None]
    slopes = np.einsum("boij,o->bji", away.reshape(*around, size), weights) / STEP
    return np.asarray(slopes), np.einsum("boi,o->bi", times, weights) / STEP


# Newton's method for gaits: states to which n steps lead back, from many guesses at once.


ROUNDING = 1e-14
"""What a pseudo-inverse leaves of zeros, as a share of the largest step."""
HALVINGS = 8
NEUTRAL = 1e-7
"""Singular values of DP − I below this, as a part of the largest, are of gaits in families whose
walker does not say what it keeps."""


@dataclass(frozen=True, eq=False)
class Search:
    """What became of G guesses of n nodes each."""

    q: Array
    """(G, n, nq), states after strikes: node k + 1 follows node k, the first follows the last."""
    v: Array
    error: Array
    """Largest entry of what nodes are away from where steps lead (G,), infinite if they fall."""
    rounds: int
    last: Returned


def newton(
    walker: Walker,
    q: Array,
    v: Array,
    tolerances: Tolerances = FINE,
    *,
    tolerance: float,
    rounds: int,
    kept: Array | None = None,
) -> Search:
    """Lead nodes (G, n, nq), (G, n, nv) to gaits of n steps by multiple shooting.

    All nodes of all guesses are steps of one flow in lanes. Newton's steps are damped by halves
    until errors fall. Where gaits are a family the one is found that keeps `kept` (k,), what each
    guess has unless stated.
    """
    guesses, nodes = q.shape[:2]
    wanted = kept_of(walker, q[:, 0], v[:, 0]) if kept is None else kept
    step = _Steps(walker, guesses, nodes, tolerances, wanted)
    at, errors = step(q, v)
    done = 0
    for done in range(1, rounds + 1):  # noqa: B007
        open = (np.abs(errors).max(1) > tolerance) & np.isfinite(errors).all(1)
        if not open.any():
            break
        ways = np.zeros((guesses, nodes, 2 * v.shape[-1]))
        ways[open] = _ways(at, errors, step.kept_slopes(q, v), guesses, nodes)[open]
        open &= np.isfinite(ways).all((1, 2))
        ways[~open] = 0.0
        q, v, at, errors = _damped(step, q, v, at, errors, ways, open)
    return Search(q, v, np.nan_to_num(np.abs(errors).max(1), nan=np.inf), done, at)


@dataclass(frozen=True)
class _Steps:
    """Steps of all nodes, what they miss the next nodes by, and what is not kept as wanted."""

    walker: Walker
    guesses: int
    nodes: int
    tolerances: Tolerances
    wanted: Array

    def __call__(self, q: Array, v: Array) -> tuple[Returned, Array]:
        flat = [x.reshape(-1, x.shape[-1]) for x in (q, v)]
        at = take_step(self.walker, flat[0], flat[1], self.tolerances, derivatives=True)
        nexts = [np.roll(x, -1, axis=1).reshape(-1, x.shape[-1]) for x in (q, v)]
        errors = residual(self.walker, nexts[0], nexts[1], at.q, at.v)
        errors[~at.walked] = np.nan
        missed = kept_of(self.walker, q[:, 0], v[:, 0]) - self.wanted
        return at, np.concatenate([errors.reshape(self.guesses, -1), missed], axis=1)

    def kept_slopes(self, q: Array, v: Array) -> Array:
        return kept_slopes(self.walker, q[:, 0], v[:, 0])

    def moved(self, q: Array, v: Array, ways: Array) -> tuple[Array, Array]:
        return moved(self.walker, q, v, ways)


def _ways(at: Returned, errors: Array, kept: Array, guesses: int, nodes: int) -> Array:
    """Return Newton's steps (G, n, 2 nv): D_k δ_k − δ_{k+1} = −r_k, in cyclic order.

    And `kept` (G, k, 2 nv) δ_0 = −r of what is kept: more equations, but they do not contradict.
    """
    size, rows = kept.shape[-1], errors.shape[1]
    assert at.slopes is not None
    slopes = at.slopes[:, :, :size].reshape(guesses, nodes, size, size)
    flat = np.zeros((guesses, rows, nodes * size))
    flat[:, : nodes * size] = cyclic(slopes)
    flat[:, nodes * size :, :size] = kept
    good = np.isfinite(flat).all((1, 2)) & np.isfinite(errors).all(1)
    found = np.full((guesses, nodes * size), np.nan)
    if good.any():
        inverse = np.linalg.pinv(flat[good], rcond=NEUTRAL)
        steps = -np.einsum("gij,gj->gi", inverse, errors[good])
        # a knee that is straight stays on the side of its guard: no step is rounding alone
        steps[np.abs(steps) < ROUNDING * np.abs(steps).max(axis=1, keepdims=True)] = 0.0
        found[good] = steps
    return found.reshape(guesses, nodes, size)


def _damped(
    step: _Steps,
    q: Array,
    v: Array,
    at: Returned,
    errors: Array,
    ways: Array,
    open: NDArray[np.bool_],
) -> tuple[Array, Array, Returned, Array]:
    """Go as much of each way as lowers its error; guesses that find nothing lower stay."""
    before = np.linalg.norm(errors, axis=1)
    part = np.where(open, 1.0, 0.0)
    waiting = open.copy()
    for _ in range(HALVINGS):
        trial = step.moved(q, v, part[:, None, None] * ways)
        at, found = step(*trial)
        size = np.linalg.norm(found, axis=1)
        waiting = open & ~(size < before)
        if not waiting.any():
            return *trial, at, found
        part[waiting] *= 0.5
    part[waiting] = 0.0
    trial = step.moved(q, v, part[:, None, None] * ways)
    return *trial, *step(*trial)


# Gaits in families: where an energy or a heading is kept, each gait has others beside it.
#
# What is kept (`Walker.kept`) tells them apart. As equations beside those of the return map it
# makes a gait the only one again.


FAMILY_STEP = 1e-6
"""Of differences of what is kept [rad, m, rad/s, m/s]."""
ROUNDED = 1e-8
"""What is nearer to one does not fade: multipliers are not known any better."""
ONE = 1e-4
"""Multipliers of families are as near to one as this; what is further away is told as it is."""


def fade(multipliers: Array, neutral: int) -> NDArray[np.bool_]:
    """Return whether pushes fade (…,) with multipliers (…, n), but for those along a family.

    These are the `neutral` ones nearest to one. A gait whose multipliers are not as near to one as
    its walker says is judged by all.
    """
    away = np.abs(multipliers - 1.0)
    order = np.argsort(away, axis=-1)[..., :neutral]
    sizes = np.abs(multipliers)
    family = np.take_along_axis(away, order, axis=-1) < ONE
    judged = np.where(family, 0.0, np.take_along_axis(sizes, order, axis=-1))
    np.put_along_axis(sizes, order, judged, axis=-1)
    return np.asarray((sizes < 1.0 - ROUNDED).all(axis=-1))


def kept_of(walker: Walker, q: Array, v: Array) -> Array:
    """Return what steps keep (B, k) of states q (B, nq) and v (B, nv); k is 0 without families."""
    return np.zeros((len(q), 0)) if walker.kept is None else np.asarray(walker.kept(q, v))


def kept_slopes(walker: Walker, q: Array, v: Array) -> Array:
    """Return how it changes with steps of q and changes of v (B, k, 2 nv), by differences."""
    size = 2 * v.shape[-1]
    found = np.zeros((len(q), walker.neutral, size))
    for column in range(size if walker.neutral else 0):
        step = np.zeros((len(q), size))
        step[:, column] = FAMILY_STEP
        ends = [kept_of(walker, *moved(walker, q, v, way * step)) for way in (1.0, -1.0)]
        found[:, :, column] = (ends[0] - ends[1]) / (2.0 * FAMILY_STEP)
    return found
