"""The return map: the state after a strike becomes the state after the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.differences import WEIGHTS
from tarsus.events.parameters import Parameter
from tarsus.events.report import ENDS, EVENTS, Flowed
from tarsus.gait.walkers.walker import Walker
from tarsus.kit.rooted import Rooted
from tarsus.model.kinds import NONHOLONOMIC


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
