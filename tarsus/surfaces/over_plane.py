"""Closed forms: a point, a disc or an ellipsoid over the plane z = 0 (Duindam 2006, 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.spatial.checks import shaped
from tarsus.surfaces.disc import Disc
from tarsus.surfaces.ellipsoid import Ellipsoid

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
