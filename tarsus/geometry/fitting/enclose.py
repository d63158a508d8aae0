"""The smallest swept sphere around points: a ball, a line or a triangle, whichever takes least.

    minimise  V(corners, r)   such that   d_i(corners) + m_i ≤ r   for every point i

V is Steiner's volume, d_i the distance of a point from the core, m_i the radius of the ball about
it. Both have simple slopes: as the nearest place of a core moves, its distance does not change to
first order, so ∂d_i/∂corner = −w (p_i − place)/d_i with the weight w of the corner. Sequential
quadratic programming (Kraft 1988) solves it on the few points that matter, found round by round.
What it returns is only a core: the radius is the largest distance over all points, so that whatever
the solver did, nothing is outside.
"""

from __future__ import annotations

import contextlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.geometry.fitting.starts import reach, starts
from tarsus.geometry.fitting.swept import nearest, volume, volume_slopes

ROUNDS, STEPS = 6, 40
"""Rounds of the solver, and its steps in a round."""
FIRST, ADDED = 24, 10
"""How many points take part in the first round, and how many join at each."""
CLOSE = 1e-5
"""Points that are outside by less than this share of the size end the rounds."""
HOPELESS = 1.5
"""Kinds whose best start takes more than this times the best of all are not improved."""
SIMPLER = 0.02
"""A core of fewer corners is preferred if it takes at most this share more."""
SLACK = 1e-9
"""What is added to radii for rounding, as a share of the size."""


class Fit(NamedTuple):
    """A core (1 … 3, 3), the radius at which it holds its points, and its volume."""

    core: Array
    radius: float
    volume: float


def enclose(points: Array, margins: Array, *, effort: int = 2, near: Array | None = None) -> Fit:
    """Return the smallest swept sphere around balls of radii `margins` (n,) about points (n, 3).

    `effort` is how many starts of each kind are improved; without effort it is the best of the
    starts. `near` is a core that is close to the one that is looked for, and improved alone.
    """
    points, margins = outermost(points, margins)
    low = (points - margins[:, None]).min(axis=0)
    size = max(float(((points + margins[:, None]).max(axis=0) - low).max()), 1e-12)
    origin = points.mean(axis=0)
    scaled, inner = (points - origin) / size, margins / size

    def fit(core: Array) -> Fit:
        return _fit(core * size + origin, points, margins, size)

    if len(points) <= 3 and np.ptp(inner) == 0.0:
        return _fit(points, points, margins, size)
    if near is not None:
        return fit(_tightened((near - origin) / size, scaled, inner))
    cores = starts(scaled, inner)
    fits = {corners: [fit(core) for core in cores[corners]] for corners in cores}
    hopeless = HOPELESS * min(each[0].volume for each in fits.values())
    for corners, starting in cores.items():
        for core in starting[:effort] if fits[corners][0].volume <= hopeless else ():
            fits[corners].append(fit(_tightened(core, scaled, inner)))
    best = [min(each, key=lambda fit: fit.volume) for each in fits.values()]
    least = min(each.volume for each in best)
    return next(each for each in best if each.volume <= (1.0 + SIMPLER) * least)


def outermost(points: Array, margins: Array) -> tuple[Array, Array]:
    """Return the corners of the hull of points (n, 3) of equal margins, which stand for all."""
    from scipy.spatial import ConvexHull, QhullError  # slow to import

    kept = []
    for margin in np.unique(margins):
        own = np.flatnonzero(margins == margin)
        if len(own) > 8:
            # all in a plane or on a line: every one is kept
            with contextlib.suppress(QhullError):
                own = own[np.sort(ConvexHull(points[own]).vertices)]
        kept.append(own)
    chosen = np.concatenate(kept)
    return points[chosen], margins[chosen]


def _fit(core: Array, points: Array, margins: Array, size: float) -> Fit:
    radius = reach(core, points, margins) + SLACK * size
    return Fit(core, radius, volume(core, radius))


def _tightened(core: Array, points: Array, margins: Array) -> Array:
    """Return a core of smaller volume, from one that begins nearby."""
    from scipy.optimize import minimize  # slow to import

    radius = reach(core, points, margins)
    best, least = core, volume(core, radius)
    if not least > 0.0:
        return core  # points, or what is on one line, are held by themselves
    working = np.zeros(len(points), bool)
    for _ in range(ROUNDS):
        distance = nearest(core, points)[0] + margins
        if distance.max() - radius < CLOSE and working.any():
            break
        working[_violated(distance, working)] = True
        problem = _Problem(points[working], margins[working], len(core), least)
        result = minimize(
            problem.volume,
            np.append(core.ravel(), radius),
            jac=problem.slopes,
            method="SLSQP",
            constraints={"type": "ineq", "fun": problem.room, "jac": problem.room_slopes},
            options={"maxiter": STEPS, "ftol": 1e-6},
        )
        if not np.isfinite(result.x).all():
            break
        core, radius = result.x[:-1].reshape(-1, 3), float(result.x[-1])
        taken = volume(core, reach(core, points, margins))
        if taken < least:
            best, least = core, taken
    return best


def _violated(distance: Array, working: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The points that are farthest from a core and do not take part yet."""
    order = np.argsort(np.where(working, -np.inf, distance), kind="stable")
    return order[-(ADDED if working.any() else FIRST) :]


class _Problem:
    """The volume, and the room that each point has, as functions of all corners and the radius."""

    def __init__(self, points: Array, margins: Array, corners: int, scale: float) -> None:
        self.points, self.margins, self.scale = points, margins, scale
        self.shape = (corners, 3)
        self._at: bytes = b""
        self._near: tuple[Array, Array] = np.zeros(0), np.zeros(0)

    def volume(self, x: Array) -> float:
        return volume(x[:-1].reshape(self.shape), x[-1]) / self.scale

    def slopes(self, x: Array) -> Array:
        by_core, by_radius = volume_slopes(x[:-1].reshape(self.shape), x[-1])
        return np.append(by_core.ravel(), by_radius) / self.scale

    def room(self, x: Array) -> Array:
        return np.asarray(x[-1] - self.margins - self._nearest(x)[0])

    def room_slopes(self, x: Array) -> Array:
        distance, weights = self._nearest(x)
        away = self.points - weights @ x[:-1].reshape(self.shape)
        away /= np.maximum(distance, 1e-12)[:, None]
        slopes = np.ones((len(distance), len(x)))
        slopes[:, :-1] = (weights[:, :, None] * away[:, None, :]).reshape(len(distance), -1)
        return slopes

    def _nearest(self, x: Array) -> tuple[Array, Array]:
        """The solver asks for values and slopes at one x, one after the other."""
        if self._at != (at := x.tobytes()):
            self._at, self._near = at, nearest(x[:-1].reshape(self.shape), self.points)
        return self._near
