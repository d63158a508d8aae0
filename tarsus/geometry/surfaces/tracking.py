"""Closest points of two surfaces along a motion, and their rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import count
from tarsus._lib.files import Array
from tarsus.geometry.surfaces.closest import (
    EXACT,
    SAMPLES,
    ClosestPoints,
    Pair,
    Places,
    conditions,
    improved,
    least_curvature,
    pair_of,
    searched,
)
from tarsus.geometry.surfaces.round import Disc, Ellipsoid
from tarsus.geometry.surfaces.surface import Surface, tangent_plane
from tarsus.spatial import shaped

# Nearest points followed along a motion: by their rates, corrected, and searched for anew.
#
# From sample to sample the points move with their rates (Duindam 2006, theorem 3.6) and are
# corrected by Newton's method. They are searched for anew, all over the surfaces, where
#
# - what the conditions miss before the correction is more than `LOST`: the points jumped,
# - the correction does not get to 1e-10 in `CORRECTIONS` steps, or
# - neighbours have come nearer: the points are no longer a minimum.
#
# Two points of which each is nearest among its neighbours can change places without any of that. So
# for solids that are not convex, the search is repeated from time to time.


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


# How fast nearest points move on two surfaces that move (Duindam 2006, theorem 3.6).


@dataclass(frozen=True, eq=False)
class ContactRates:
    """Rates of nearest points: `distance` Δ̇ [m/s], and how they move over their surfaces.

    `velocity_a` (3,) is the velocity of the point on a in a's frame, `velocity_b` (3,) that of
    the point on b in b's frame [m/s].
    """

    distance: float
    velocity_a: Array
    velocity_b: Array


def contact_rates(
    a: Surface, b: Surface, at: ClosestPoints, pose_of_b: ArrayLike, twist: ArrayLike
) -> ContactRates:
    """Return the rates of nearest points `at`, while b at its pose (4, 4) has a twist (6,) over a.

    The twist [linear, angular] is in the frame of a: a point x of b has the velocity
    linear + angular × x there [m/s, rad/s].
    """
    pair = pair_of(a, b, pose_of_b)
    motion = shaped(twist, (6,), "twist")
    if motion.ndim != 1:
        raise ValueError(f"twist has shape {motion.shape}, must be (6,)")
    places = Places(at.u_a, at.u_b, np.asarray(at.distance))
    step = rates(pair, places, motion)
    moves_a, _ = a.moves(at.u_a)
    moves_b, _ = b.moves(at.u_b)
    return ContactRates(float(step[4]), moves_a @ step[:2], moves_b @ step[2:4])


def rates(pair: Pair, at: Places, twist: Array) -> Array:
    """Return the rates (…, 5) of steps on a, on b and of Δ: theorem 3.6 before elimination.

    Where points are not unique, those that move least.
    """
    here = conditions(pair, at)
    linear, angular = twist[..., :3], twist[..., 3:]
    moved = linear + np.cross(angular, here.point_b)
    turned = -np.cross(angular, here.normal_b)
    across = np.swapaxes(tangent_plane(here.normal_a), -1, -2)
    right = np.concatenate([moved / pair.size, (across @ turned[..., None])[..., 0]], axis=-1)
    return np.asarray((np.linalg.pinv(here.matrix, rcond=1e-12) @ right[..., None])[..., 0])


# Closed forms: a point, a disc or an ellipsoid over the plane z = 0 (Duindam 2006, 3.1).


UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class OverPlane:
    """Nearest points of bodies and the plane z = 0, and their rates; leading dimensions as poses.

    `distance` (…) [m], `distance_rate` (…) [m/s]; `ground_point` and `ground_velocity` (…, 3) in
    the ground's frame, `body_point` and `body_velocity` (…, 3) over the body, in its frame.
    """

    distance: Array
    distance_rate: Array
    ground_point: Array
    body_point: Array
    ground_velocity: Array
    body_velocity: Array


def over_plane(
    body: Ellipsoid | Disc | ArrayLike,
    pose: ArrayLike,
    twist: ArrayLike | None = None,
    *,
    smoothing: float = 0.0,
) -> OverPlane:
    """Return the nearest points of a body at poses (…, 4, 4) and the plane z = 0.

    `body` is a `Sphere`, an `Ellipsoid`, a `Disc`, or a point (3,) on the body. Twists (…, 6)
    [linear, angular] are in the ground's frame: a point x of the body has the velocity linear +
    angular × x. A disc that lies flat touches all around: a `smoothing` ε above zero, as in
    (3.5), has its point move to the centre there. Examples 3.1, 3.2 and 3.4, with the signs of
    (3.5) put right.
    """
    there = shaped(pose, (4, 4), "pose")
    motion = np.zeros(6) if twist is None else shaped(twist, (6,), "twist")
    linear, angular = motion[..., :3], motion[..., 3:]
    turn = there[..., :3, :3]
    back = np.swapaxes(turn, -1, -2)
    up = turn[..., 2, :]  # the ground's z axis, seen from the body
    up_rate = -np.cross((back @ angular[..., None])[..., 0], up)
    own, own_velocity = _body_point(body, up, up_rate, smoothing)
    world = (turn @ own[..., None])[..., 0] + there[..., :3, 3]
    carried = linear + np.cross(angular, world)
    velocity = carried + (turn @ own_velocity[..., None])[..., 0]
    level = np.array([1.0, 1.0, 0.0])
    return OverPlane(
        world[..., 2], carried[..., 2], world * level, own, velocity * level, own_velocity
    )


def _body_point(
    body: Ellipsoid | Disc | ArrayLike, up: Array, up_rate: Array, smoothing: float
) -> tuple[Array, Array]:
    """The lowest point (…, 3) of a body and its velocity over it, both in the body's frame."""
    if isinstance(body, Ellipsoid):
        square = body.half_axes**2
        height = np.sqrt((up * square * up).sum(axis=-1, keepdims=True))
        rate = (up * square * up_rate).sum(axis=-1, keepdims=True) / height
        return -square * up / height, -square * (up_rate - up * rate / height) / height
    if isinstance(body, Disc):
        flat, flat_rate = up * [1.0, 1.0, 0.0], up_rate * [1.0, 1.0, 0.0]
        s = np.sqrt((flat * flat).sum(axis=-1, keepdims=True) + smoothing)
        rate = (flat * flat_rate).sum(axis=-1, keepdims=True) / s**2
        return -body.radius * flat / s, -body.radius * (flat_rate - flat * rate) / s
    if isinstance(body, (list, tuple, np.ndarray)):
        point = np.broadcast_to(shaped(body, (3,), "body"), up.shape)
        return point, np.zeros(np.broadcast_shapes(up.shape, up_rate.shape))
    raise TypeError(
        f"body is of type {type(body).__name__}, must be a Sphere, an Ellipsoid, a Disc or a point"
    )
