"""Solution methods of a velocity step: QP, damped least squares, resolved rate, transpose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import positive
from tarsus._lib.files import Array
from tarsus._lib.qp import QPSolution, solve_qp
from tarsus.ik.priorities import Level
from tarsus.ik.results import CONTRADICTORY, ITERATIONS, NOT_FINITE, SOLVED
from tarsus.ik.tasks.task import Task

# Velocities by a quadratic programme: tasks by levels and weights, within all limits.
#
#     min ½ Σ weight (J v − r)² + ½ ε (v − z)ᵀ W (v − z)
#     with  low ≤ v ≤ high  and  rows_low ≤ C v ≤ rows_high
#
# Levels are solved one after the other, each as far as those before stay as they are. ε is small:
# it chooses among velocities that do the tasks alike, and keeps them finite where a machine is
# singular.


CODES = np.array([SOLVED, CONTRADICTORY, ITERATIONS, NOT_FINITE])
"""Of the ends of programmes, in their order."""


@dataclass(frozen=True)
class Bounds:
    """What velocities (…, nv), and rows (…, k, nv) of them, may be."""

    low: Array
    high: Array
    rows: Array
    rows_low: Array
    rows_high: Array

    def of_accelerations(self, v: Array, dt: float) -> Bounds:
        """Return the bounds of accelerations after which velocities keep these."""
        along = (self.rows @ v[..., None])[..., 0]
        return Bounds(
            (self.low - v) / dt,
            (self.high - v) / dt,
            self.rows,
            (self.rows_low - along) / dt,
            (self.rows_high - along) / dt,
        )

    @staticmethod
    def free(nv: int) -> Bounds:
        """Return bounds that permit everything."""
        none = np.zeros(0)
        return Bounds(np.full(nv, -np.inf), np.full(nv, np.inf), np.zeros((0, nv)), none, none)


def programme(
    levels: list[Level],
    damping: Array,
    wish: Array,
    bounds: Bounds | None,
    start: QPSolution | None,
) -> QPSolution:
    """Return the solution of the programme; `damping` (nv,) is ε W, `start` one of before."""
    nv = wish.shape[-1]
    lead = wish.shape[:-1]
    free = Bounds.free(nv) if bounds is None else bounds
    size = nv + free.rows.shape[-2]
    fits = start is not None and start.working_set.shape == (*lead, size)
    task = [level.jacobian for level in levels] or [np.zeros((*lead, 0, nv))]
    rate = [level.rate for level in levels] or [np.zeros((*lead, 0))]
    return solve_qp(
        np.concatenate(task, axis=-2),
        np.concatenate(rate, axis=-1),
        weight=np.concatenate([level.weight for level in levels] or [np.zeros(0)]),
        damping=damping,
        reference=wish,
        levels=[len(level.weight) for level in levels] or None,
        start=start if fits else None,
        lower=free.low,
        upper=free.high,
        rows=free.rows if size > nv else None,
        rows_lower=free.rows_low if size > nv else -np.inf,
        rows_upper=free.rows_high if size > nv else np.inf,
    )


def codes(found: QPSolution) -> NDArray[np.int64]:
    """Return how steps ended (…), of how their programmes did."""
    return np.asarray(CODES[found.code])


# Bounds for methods that know none: joints that would go too far are held at their bounds.
#
# What is held stays held, and the others make up for it (F. Flacco, A. De Luca, O. Khatib, "Control
# of redundant robots under hard joint constraints: saturation in the null space", IEEE Transactions
# on Robotics 31, 2015, in its simplest form). Bounds always hold; the velocities are not always the
# best ones that do.


Method = Callable[[list[Level], Array, Array], Array]
"""From levels, the weight of velocities and a wish to velocities."""


def bounded(
    method: Method,
    levels: list[Level],
    weight: Array,
    wish: Array,
    bounds: Bounds | None,
) -> Array:
    """Return velocities (…, nv) within the bounds of joints."""
    v = method(levels, weight, wish)
    if bounds is None:
        return v
    low, high = bounds.low, bounds.high
    held = np.zeros(v.shape, bool)
    fixed = np.zeros_like(v)
    for _ in range(v.shape[-1]):
        beyond = ~held & ((v < low) | (v > high))
        if not beyond.any():
            break
        fixed = np.where(beyond, np.clip(v, low, high), fixed)
        held |= beyond
        rest = [
            replace(
                level,
                jacobian=np.where(held[..., None, :], 0.0, level.jacobian),
                rate=level.rate - (level.jacobian @ fixed[..., None])[..., 0],
            )
            for level in levels
        ]
        v = np.where(held, fixed, method(rest, weight, np.where(held, 0.0, wish)))
    return np.clip(v, low, high)


# A price on velocities that errors raise: targets out of reach are approached calmly.
#
# Where a machine is stretched towards a target that it cannot reach, J v = r asks for any velocity
# along the direction in which J is singular, and steps go to and fro. What they leave out is how J
# turns: the second derivative of ½ Σ w e² is Jᵀ w J + Σ w e ∇²e, and the last term is at most as
# large as the errors times a length. With
#
#     ε + calm ‖w e‖
#
# as the price of velocities, in the metric W, steps fall short of that bound where `calm` [m] is as
# large as the reach of the machine, and come to rest. It vanishes with the errors, as fast as they
# do: targets within reach are approached as before (J. Fan, Y. Yuan, "On the quadratic convergence
# of the Levenberg–Marquardt method without nonsingularity assumption", Computing 74, 2005; with the
# square of the error T. Sugihara, IEEE Transactions on Robotics 27, 2011).


def calm_rows(tasks: Sequence[Task], calm: float) -> list[Array]:
    """Return how much the error of each row (size,) of each task counts: those that come first."""
    first = min((task.level for task in tasks if task.level >= 0), default=0)
    return [calm * task.weight * float(task.level == first) for task in tasks]


# Damped least squares, level by level: finite velocities also where a machine is singular.
#
# With A = Ω^½ J W^−½ and its singular values σ, the velocities that make
#
#     Σ weight (J v − r)² + λ² (v − z)ᵀ W (v − z)
#
# smallest are found with factors σ/(σ² + λ²) in place of 1/σ (Y. Nakamura, H. Hanafusa, "Inverse
# kinematic solutions with singularity robustness for robot manipulator control", Journal of Dynamic
# Systems, Measurement, and Control 108, 1986). λ is a number, or rises with how near the machine is
# to a singular position, or what is smaller than a bound is left out ("truncated").
#
# A next level moves in the null space of those before it (B. Siciliano, J.-J. Slotine, "A general
# framework for managing multiple tasks in highly redundant robotic systems", ICAR 1991), and z in
# that of all of them.


NULL = 1e-9
"""Singular values below this part of the largest leave their direction to the next level."""


@dataclass(frozen=True)
class Damping:
    """How velocities are kept finite: `value` is λ, in the units of J.

    "fixed" always adds λ²; "adaptive" only where the smallest singular value is below `bound`,
    λ² (1 − (σ/bound)²), so that elsewhere tasks are exact; "truncated" leaves out singular values
    below `bound`, and `value` does not count.
    """

    kind: Literal["fixed", "adaptive", "truncated"] = "adaptive"
    value: float = 1e-2
    bound: float = 1e-2

    def __post_init__(self) -> None:
        if self.kind not in ("fixed", "adaptive", "truncated"):
            kinds = "'fixed', 'adaptive' or 'truncated'"
            raise ValueError(f"kind of damping is {self.kind!r}, must be {kinds}")
        positive(self.value, "value of damping")
        positive(self.bound, "bound of damping")

    def factors(self, sigma: Array, least: Array | float = 0.0) -> Array:
        """Return what takes the place of 1/σ (…, n), zero for those of at most `least`."""
        if self.kind == "truncated":
            kept = sigma > np.maximum(self.bound, least)
            return np.asarray(np.where(kept, 1.0, 0.0) / np.where(kept, sigma, 1.0))
        square = np.full((*sigma.shape[:-1], 1), self.value**2)
        if self.kind == "adaptive":
            # what levels before have taken is no singular position: rows are zero there
            left = np.where(sigma > least, sigma, np.inf) if np.any(least) else sigma
            smallest = left.min(axis=-1, keepdims=True, initial=np.inf)
            near = np.clip(1.0 - (smallest / self.bound) ** 2, 0.0, 1.0)
            square = square * near
        floor = np.maximum(sigma**2 + square, 1e-300)
        return np.asarray(np.where(sigma > least, sigma / floor, 0.0))


def damped(
    levels: Sequence[Level], weight: Array, wish: Array, damping: Damping
) -> tuple[Array, Array]:
    """Return velocities (…, nv), and (…) the smallest singular value of the first level's rows.

    `weight` (…, nv) is that of velocities, `wish` (…, nv) what they would be without tasks.
    """
    scale = 1.0 / np.sqrt(weight)
    nv = weight.shape[-1]
    v = np.zeros_like(wish)
    free = np.broadcast_to(np.eye(nv), (*wish.shape, nv))
    smallest = np.full(wish.shape[:-1], np.inf)
    for number, level in enumerate(levels):
        root = np.sqrt(level.weight)
        whole = root[:, None] * level.jacobian * scale[..., None, :]
        rows = whole @ free
        least = NULL * np.linalg.norm(whole, axis=(-1, -2))[..., None] * (number > 0)
        missing = root * (level.rate - (level.jacobian @ v[..., None])[..., 0])
        u, sigma, vt = np.linalg.svd(rows, full_matrices=False)
        along = (np.swapaxes(u, -1, -2) @ missing[..., None])[..., 0]
        step = np.swapaxes(vt, -1, -2) @ (damping.factors(sigma, least) * along)[..., None]
        v = v + scale * (free @ step)[..., 0]
        if number == 0 and sigma.shape[-1]:
            smallest = sigma[..., -1]
        taken = vt * (sigma > np.maximum(least, NULL * sigma[..., :1]))[..., None]
        free = free - free @ np.swapaxes(taken, -1, -2) @ taken
    rest = np.swapaxes(free, -1, -2) @ ((wish - v) / scale)[..., None]
    return np.asarray(v + scale * (free @ rest)[..., 0]), smallest


# Resolved motion rates with one small system of equations to solve.
#
# Of all velocities with J v = r the one that makes ½ vᵀ W v + α ∇H v smallest is
#
#     v = J_W# r − α N W⁻¹ ∇H,      J_W# = W⁻¹ Jᵀ (J W⁻¹ Jᵀ)⁻¹,      N = 1 − J_W# J,
#
# a weighted pseudo-inverse and a gradient in its null space (A. Liégeois, "Automatic supervisory
# control of the configuration and behavior of multibody mechanisms", IEEE Transactions on Systems,
# Man and Cybernetics 7, 1977). Neither J_W# nor N need be formed (Schwienbacher 2013, algorithm
# 4.3):
#
#     z = −α W⁻¹ ∇H,    (J W⁻¹ Jᵀ) λ = r − J z,    v = W⁻¹ Jᵀ λ + z .


class InverseWeight(Protocol):
    """The inverse of the weight W of velocities, as a function."""

    def __call__(self, x: Array) -> Array:
        """Return W⁻¹ x of columns x (…, nv, n)."""
        ...


class Diagonal:
    """A diagonal weight (nv,), which also reconciles metres and radians."""

    def __init__(self, weight: Array) -> None:
        self._inverse = 1.0 / weight

    def __call__(self, x: Array) -> Array:
        """Return W⁻¹ x of columns x (…, nv, n)."""
        return np.asarray(self._inverse[:, None] * x)


class RankOne:
    """W = δ 1 + aᵀ a with a row a (…, nv): its inverse without forming it (Sherman, Morrison).

    With the row of the vertical angular momentum velocities are found that have little of it
    (Schwienbacher 2013, section 7.5).
    """

    def __init__(self, row: Array, delta: float) -> None:
        self._row, self._delta = row, delta
        self._share = delta + (row * row).sum(axis=-1)

    def __call__(self, x: Array) -> Array:
        """Return W⁻¹ x of columns x (…, nv, n)."""
        along = self._row[..., None, :] @ x / self._share[..., None, None]
        return np.asarray((x - self._row[..., :, None] * along) / self._delta)


def one_solve(
    jacobian: Array, rate: Array, inverse_weight: InverseWeight, wish: Array
) -> tuple[Array, Array]:
    """Return velocities (…, nv), and (…) how near J W⁻¹ Jᵀ is to a singular matrix.

    `wish` (…, nv) is z: what velocities would be without tasks. The second result is the smallest
    eigenvalue by the largest one, the square of that of J for W = 1; where it vanishes the
    velocities are those of least norm that come nearest.
    """
    across = inverse_weight(np.swapaxes(jacobian, -1, -2))
    values, vectors = np.linalg.eigh(jacobian @ across)
    largest = np.maximum(values[..., -1:], 1e-300)
    kept = values > CUT * largest
    missing = rate - (jacobian @ wish[..., None])[..., 0]
    inside = (np.swapaxes(vectors, -1, -2) @ missing[..., None])[..., 0]
    solved = np.where(kept, inside, 0.0) / np.where(kept, values, 1.0)
    multipliers = vectors @ solved[..., None]
    return np.asarray((across @ multipliers)[..., 0] + wish), values[..., 0] / largest[..., 0]


CUT = 1e-12
"""Eigenvalues below this part of the largest count as zero: 1e-6 of the largest velocity."""


# The transposed jacobian: no equations to solve, no singular positions, and slow.
#
# v = η W⁻¹ Jᵀ Ω r follows the gradient of the error (W. Wolovich, H. Elliott, "A computational
# technique for inverse kinematics", CDC 1984); the factor η is that after which the rows come
# nearest to r, so that no gain has to be tuned.


def transposed(level: Level, weight: Array) -> Array:
    """Return velocities (…, nv) for the rows of a level; `weight` (…, nv) is of velocities."""
    pull = (level.weight * level.rate)[..., None, :] @ level.jacobian
    direction = pull[..., 0, :] / weight
    moved = (level.jacobian @ direction[..., None])[..., 0]
    upper = (level.weight * moved * level.rate).sum(axis=-1)
    lower = (level.weight * moved * moved).sum(axis=-1)
    share = np.where(lower > 0.0, upper, 0.0) / np.where(lower > 0.0, lower, 1.0)
    return np.asarray(share[..., None] * direction)
