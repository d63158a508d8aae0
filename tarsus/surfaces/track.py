"""Nearest points followed along a motion: by their rates, corrected, and searched for anew.

From sample to sample the points move with their rates (Duindam 2006, theorem 3.6) and are
corrected by Newton's method. They are searched for anew, all over the surfaces, where

- what the conditions miss before the correction is more than `LOST`: the points jumped,
- the correction does not get to 1e-10 in `CORRECTIONS` steps, or
- neighbours have come nearer: the points are no longer a minimum.

Two points of which each is nearest among its neighbours can change places without any of that. So
for solids that are not convex, the search is repeated from time to time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model.checks import count
from tarsus.spatial.checks import shaped
from tarsus.surfaces.closest import EXACT, Pair, Places, conditions, improved, least_curvature
from tarsus.surfaces.rates import rates
from tarsus.surfaces.search import SAMPLES, pair_of, searched
from tarsus.surfaces.surface import Surface

LOST = 0.1
"""Predicted points that miss more than this, in sizes or radians, are searched for anew."""
CORRECTIONS = 6
"""Steps of Newton's method for each sample."""


@dataclass(frozen=True, eq=False)
class Track:
    """Nearest points along a motion, for each of n samples.

    `distance` (n,) [m] and its rate `distance_rate` (n,) [m/s]; `point_a` (n, 3) and `velocity_a`
    in the frame of a, `point_b` and `velocity_b` in that of b; `residual` (n,) is what the
    conditions miss, `resets` are the numbers of samples at which points were searched for and
    found elsewhere or anew, the first among them.
    """

    distance: Array
    distance_rate: Array
    point_a: Array
    point_b: Array
    velocity_a: Array
    velocity_b: Array
    residual: Array
    resets: tuple[int, ...]


def track(
    a: Surface,
    b: Surface,
    times: ArrayLike,
    poses: ArrayLike,
    twists: ArrayLike,
    *,
    look: int | None = None,
    seed: int = 0,
) -> Track:
    """Return the nearest points of two surfaces while b moves over a.

    At `times` (n,) [s] b has the `poses` (n, 4, 4) and `twists` (n, 6) in the frame of a, as in
    `contact_rates`. After every `look` samples all is searched through; without it after every 50
    if a solid is not convex, else never. When points are lost (see this module), they are
    searched for.
    """
    t, at, motion = _checked(times, poses, twists)
    if look is None:
        look = len(t) + 1 if a.convex and b.convex else 50
    count(look, "look")
    count(seed, "seed", 0)
    found: list[Places] = []
    steps: list[Array] = []
    residuals: list[Array] = []
    resets: list[int] = []
    for k in range(len(t)):
        pair = pair_of(a, b, at[k])
        here = None
        if found:
            here = _followed(pair, found[-1], steps[-1] * (t[k] - t[k - 1]))
        if here is None or (k > 0 and k % look == 0):
            best = Places(*(each[0] for each in searched(a, b, at[k], SAMPLES, seed)[1]))
            if here is None or abs(best.distance - here.distance) > 1e-9 * pair.size:
                here = best
                resets.append(k)
        found.append(here)
        steps.append(rates(pair, here, motion[k]))
        residuals.append(conditions(pair, here).residual)
    places = Places(*(np.array([place[i] for place in found]) for i in range(3)))
    step = np.array(steps)
    velocity_a, velocity_b = (
        (surface.moves(u)[0] @ own[..., None])[..., 0]
        for surface, u, own in ((a, places.u_a, step[:, :2]), (b, places.u_b, step[:, 2:4]))
    )
    return Track(
        places.distance,
        step[:, 4],
        a.point(places.u_a),
        b.point(places.u_b),
        velocity_a,
        velocity_b,
        np.array(residuals),
        tuple(resets),
    )


def _followed(pair: Pair, last: Places, step: Array) -> Places | None:
    """The places after a step and its correction, or None where they are lost."""
    here = Places(
        pair.a.moved(last.u_a, step[:2]),
        pair.b.moved(last.u_b, step[2:4]),
        np.asarray(last.distance + step[4]),
    )
    if not conditions(pair, here).residual < LOST:
        return None
    here = improved(pair, here, CORRECTIONS)
    if not conditions(pair, here).residual < EXACT:
        return None
    return here if least_curvature(pair, here) > 0.0 else None


def _checked(times: ArrayLike, poses: ArrayLike, twists: ArrayLike) -> tuple[Array, Array, Array]:
    t = np.atleast_1d(np.asarray(times, np.float64))
    at, motion = shaped(poses, (4, 4), "poses"), shaped(twists, (6,), "twists")
    if t.ndim != 1 or at.shape != (len(t), 4, 4) or motion.shape != (len(t), 6) or not len(t):
        raise ValueError(
            f"times, poses and twists have shapes {t.shape}, {at.shape} and {motion.shape}, "
            "must be (n,), (n, 4, 4) and (n, 6)"
        )
    if not (np.isfinite(t).all() and np.isfinite(motion).all()) or not (np.diff(t) > 0.0).all():
        raise ValueError("times and twists must be finite, and times must rise")
    return t, at, motion
