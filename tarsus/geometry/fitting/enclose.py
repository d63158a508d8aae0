"""The smallest swept sphere around points."""

from __future__ import annotations

import contextlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.geometry.swept_spheres import nearest, volume, volume_slopes

# The smallest swept sphere around points: a ball, a line or a triangle, whichever takes least.
#
#     minimise  V(corners, r)   such that   d_i(corners) + m_i ≤ r   for every point i
#
# V is Steiner's volume, d_i the distance of a point from the core, m_i the radius of the ball about
# it. Both have simple slopes: as the nearest place of a core moves, its distance does not change to
# first order, so ∂d_i/∂corner = −w (p_i − place)/d_i with the weight w of the corner. Sequential
# quadratic programming (Kraft 1988) solves it on the few points that matter, found round by round.
# What it returns is only a core: the radius is the largest distance over all points, so that
# whatever the solver did, nothing is outside.


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


# Swept spheres around points by rule of thumb: where the search for the smallest begins.


_SIDES = [[0.0, 120.0, 240.0], [0.0, 90.0, 225.0]]  # an even triangle, and half a square
_ANGLES = np.radians((np.arange(0.0, 360.0, 15.0)[:, None, None] + _SIDES).reshape(-1, 3))
NORMALS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=-1)
"""Normals of the sides (turns, 3, 2) of triangles that are tried."""
LINES, TRIANGLES = 2, 2
"""How many starts are worth to be improved."""


def starts(points: Array, margins: Array) -> dict[int, list[Array]]:
    """Return cores by their number of corners, the best first, for balls of radii `margins` (n,)
    about points (n, 3).
    """
    axes = principal_axes(points)
    lines = [_line(points, margins, axis) for axis in (*axes.T, _longest(points))]
    triangles = [
        core
        for normal in range(3)
        for core in _triangles(points, margins, np.roll(axes, -normal, axis=1))
    ]
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    return {
        1: [middle[None]],
        2: _best(lines, points, margins)[:LINES],
        3: _best(triangles, points, margins)[:TRIANGLES],
    }


def principal_axes(points: Array) -> Array:
    """Return orthonormal columns (3, 3), the direction in which points spread least first."""
    centered = points - points.mean(axis=0)
    return np.asarray(np.linalg.eigh(centered.T @ centered)[1])


def reach(core: Array, points: Array, margins: Array) -> float:
    """Return the radius at which a core holds all balls."""
    return float((nearest(core, points)[0] + margins).max())


def _best(cores: list[Array], points: Array, margins: Array) -> list[Array]:
    volumes = [volume(core, reach(core, points, margins)) for core in cores]
    return [cores[i] for i in np.argsort(volumes, kind="stable")]


def _longest(points: Array) -> Array:
    """Direction to the farthest point from the one that is farthest from the middle."""
    far = points[np.argmax(((points - points.mean(axis=0)) ** 2).sum(axis=1))]
    other = points[np.argmax(((points - far) ** 2).sum(axis=1))]
    return np.asarray((other - far) / max(float(np.linalg.norm(other - far)), 1e-300))


def _line(points: Array, margins: Array, axis: Array) -> Array:
    """A line along an axis through the middle, as short as its caps allow."""
    along = points @ axis
    across = points - along[:, None] * axis
    middle = (across.min(axis=0) + across.max(axis=0)) / 2
    middle -= (middle @ axis) * axis
    away = np.linalg.norm(across - middle, axis=1)
    radius = float((away + margins).max())
    cap = np.sqrt(np.maximum((radius - margins) ** 2 - away**2, 0.0))
    top, bottom = float((along - cap).max()), float((along + cap).min())
    if top < bottom:
        top = bottom = (top + bottom) / 2
    return np.asarray(middle + np.array([[bottom], [top]]) * axis)


def _triangles(points: Array, margins: Array, axes: Array) -> list[Array]:
    """The two smallest triangles across the first axis whose offset sides touch the points."""
    height, flat = points @ axes[:, 0], points @ axes[:, 1:]
    middle = (height.min() + height.max()) / 2
    radius = float((np.abs(height - middle) + margins).max())
    cap = np.sqrt(np.maximum((radius - margins) ** 2 - (height - middle) ** 2, 0.0))
    offsets = (NORMALS @ flat.T - cap).max(axis=-1)  # (turns, 3)
    before, offsets_before = np.roll(NORMALS, 1, axis=1), np.roll(offsets, 1, axis=1)
    # where neighbouring sides meet (Cramer)
    meets = NORMALS[..., 0] * before[..., 1] - NORMALS[..., 1] * before[..., 0]
    x = offsets * before[..., 1] - offsets_before * NORMALS[..., 1]
    y = offsets_before * NORMALS[..., 0] - offsets * before[..., 0]
    corners = np.stack([x, y], axis=-1) / meets[..., None]
    # sides that passed each other leave a triangle that is inside out: a point will do
    centers = corners.mean(axis=1, keepdims=True)
    turned = ((NORMALS * centers).sum(axis=-1) > offsets).any(axis=1)
    corners[turned] = centers[turned]
    sides = corners - np.roll(corners, 1, axis=1)
    area = np.abs(sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]) / 2
    perimeter = np.linalg.norm(sides, axis=-1).sum(axis=1)
    order = np.argsort(2 * area * radius + np.pi / 2 * radius**2 * perimeter, kind="stable")
    return [corners[i] @ axes[:, 1:].T + middle * axes[:, 0] for i in order[:2]]
