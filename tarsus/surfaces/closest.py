"""Where two smooth surfaces are nearest: the conditions, Newton's method and rates.

Surface b has the pose (R, p) in the frame of surface a. Its nearest points fulfil (V. Duindam,
"Port-based modeling and control for efficient bipedal walking robots", 2006, equation 3.13)

    f_a + Δ g_a = R f_b + p          g_a = −R g_b

five equations for two coordinates on each surface and the distance Δ, which is negative where
they overlap. Their derivative is the same matrix for Newton's method and for rates (theorem 3.6,
before velocities are eliminated): with it also a rim, whose normal turns where its point rests,
is a surface.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarsus.arrays import Array
from tarsus.surfaces.surface import Surface, tangent_plane

EXACT = 1e-10
"""Points that miss the conditions by less than this, in sizes of what is there, are nearest."""


class Pair(NamedTuple):
    """Two surfaces, poses (…, 4, 4) of the second on the first, and a length to measure by [m]."""

    a: Surface
    b: Surface
    pose: Array
    size: float


class Places(NamedTuple):
    """Coordinates (…, 2) on both surfaces and the distance (…) [m] between them."""

    u_a: Array
    u_b: Array
    distance: Array


class Conditions(NamedTuple):
    """What places miss (…, 5), and its derivative (…, 5, 5) by steps on a, on b and by Δ.

    Lengths are in sizes of the pair. Normals (…, 3) of both and the point on b are in a's frame,
    and so are `moves`: how point and normal of a and of b move, four (…, 3, 2).
    """

    missed: Array
    matrix: Array
    normal_a: Array
    point_b: Array
    normal_b: Array
    moves: tuple[Array, Array, Array, Array]

    @property
    def residual(self) -> Array:
        """The largest (…) that is missed: sizes, or radians; normals must not look the same way."""
        same = np.einsum("...i,...i", self.normal_a, self.normal_b) > 0.0
        return np.where(same, np.inf, np.abs(self.missed).max(axis=-1))


def conditions(pair: Pair, at: Places) -> Conditions:
    """Return what places miss of the conditions for nearest points."""
    turn, origin = pair.pose[..., :3, :3], pair.pose[..., :3, 3]
    point_a, normal_a = pair.a.point(at.u_a), pair.a.normal(at.u_a)
    point_b = (turn @ pair.b.point(at.u_b)[..., None])[..., 0] + origin
    normal_b = (turn @ pair.b.normal(at.u_b)[..., None])[..., 0]
    moves_a, turns_a = pair.a.moves(at.u_a)
    moves_b, turns_b = (turn @ each for each in pair.b.moves(at.u_b))
    across = np.swapaxes(tangent_plane(normal_a), -1, -2)
    apart = point_a + at.distance[..., None] * normal_a - point_b
    missed = np.concatenate(
        [apart / pair.size, (across @ (normal_a + normal_b)[..., None])[..., 0]], axis=-1
    )
    offset = moves_a + at.distance[..., None, None] * turns_a
    upper = np.concatenate([offset, -moves_b, normal_a[..., None]], axis=-1) / pair.size
    lower = np.concatenate([across @ turns_a, across @ turns_b], axis=-1)
    lower = np.concatenate([lower, np.zeros((*lower.shape[:-1], 1))], axis=-1)
    matrix = np.concatenate([upper, lower], axis=-2)
    moves = (moves_a, turns_a, moves_b, turns_b)
    return Conditions(missed, matrix, normal_a, point_b, normal_b, moves)


def improved(pair: Pair, at: Places, iterations: int) -> Places:
    """Return places after so many steps of Newton's method, damped a little and none too long.

    K. Levenberg 1944: where places are not unique, it goes to the next one and stays there.
    """
    for _ in range(iterations):
        here = conditions(pair, at)
        across = np.swapaxes(here.matrix, -1, -2)
        square = across @ here.matrix
        damping = 1e-13 * np.trace(square, axis1=-2, axis2=-1)[..., None, None]
        step = -np.linalg.solve(square + damping * np.eye(5), across @ here.missed[..., None])[
            ..., 0
        ]
        # no normal turns by more than half a radian, no distance jumps by more than a size
        _, turns_a, _, turns_b = here.moves
        turn = np.linalg.norm((turns_a @ step[..., :2, None])[..., 0], axis=-1)
        turn = np.maximum(turn, np.linalg.norm((turns_b @ step[..., 2:4, None])[..., 0], axis=-1))
        way = np.linalg.norm(here.matrix[..., :3, :4] @ step[..., :4, None], axis=-2)[..., 0]
        long = np.maximum(np.maximum(turn / 0.5, way), np.abs(step[..., 4]) / pair.size)
        step = step / np.maximum(long, 1.0)[..., None]
        at = Places(
            pair.a.moved(at.u_a, step[..., :2]),
            pair.b.moved(at.u_b, step[..., 2:4]),
            at.distance + step[..., 4],
        )
    return at


def least_curvature(pair: Pair, at: Places) -> Array:
    """Return how fast surfaces part beside their nearest points, the least of all ways (…) [1/m].

    That is the curvature of one and of the other's parallel surface through the same point, in
    sum. It is positive where the points are nearest among their neighbours, zero where neighbours
    are as near, and −inf beyond the centres of curvature of both: there the conditions hold at
    points on far sides.
    """
    here = conditions(pair, at)
    across = np.swapaxes(tangent_plane(here.normal_a), -1, -2)
    moves_a, turns_a, moves_b, turns_b = (across @ each for each in here.moves)
    # rims are tubes of a radius that nobody sees
    thin = 1e-7 * pair.size
    moves_a, moves_b = moves_a + thin * turns_a, moves_b + thin * turns_b
    distance = at.distance[..., None, None]
    found = [
        _parting(distance, *sides)
        for sides in ((moves_a, turns_a, moves_b, turns_b), (moves_b, turns_b, moves_a, turns_a))
    ]
    return np.maximum(*found)


def _parting(distance: Array, moves: Array, turns: Array, moves_b: Array, turns_b: Array) -> Array:
    """The least relative curvature (…) of a parallel surface and another; −inf if there is none."""
    offset = moves + distance * turns
    stretch = np.linalg.eigvals(offset @ np.linalg.pinv(moves)).real
    relative = turns_b @ np.linalg.pinv(moves_b) + turns @ np.linalg.pinv(offset)
    relative = (relative + np.swapaxes(relative, -1, -2)) / 2.0
    return np.where((stretch <= 0.0).any(axis=-1), -np.inf, np.linalg.eigvalsh(relative)[..., 0])
