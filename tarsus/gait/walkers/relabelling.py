"""Names of the legs exchanged: a state of the machine on its right foot as one on its left foot.

The mirrored machine moves like the machine itself. Where poses of bodies on one foot are images of
those on the other, coordinates of one are ± coordinates of the other: a matrix that is found from
the velocities of bodies, and checked by where they come to.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.walkers.sides import MIRROR, centre_of, pairs_of
from tarsus.kit.rooted import Rooted
from tarsus.model import ModelError

TRIALS = 8
ALIKE = 1e-3
"""How far bodies may be from the images of others, as files are not exact [m]."""


def relabelling(left: Rooted, right: Rooted) -> Array:
    """Return the matrix (nv, nv) from rates on the right foot to rates of the image on the left.

    Where coordinates are numbers of their own (all joints with one), it is that of positions, too.
    """
    pairs = pairs_of(left.original)
    rows, images = [], []
    for name, other in pairs.items():
        rows.append(_centre_jacobian(left, other))
        seen = _centre_jacobian(right, name)
        images.append(np.concatenate([MIRROR[:, None] * seen[:3], -MIRROR[:, None] * seen[3:]]))
    found = np.linalg.lstsq(np.concatenate(rows), np.concatenate(images), rcond=1e-9)[0]
    matrix: Array = np.asarray(np.round(found), float)
    if np.abs(found - matrix).max() > 1e-2:
        raise ModelError(
            f"{left.original.name!r} on its right foot is no image of itself on its left foot: "
            "axes of mirrored joints are not mirrored"
        )
    _check(left, right, matrix, pairs)
    return matrix


def _centre_jacobian(model: Rooted, name: str) -> Array:
    """Return the jacobian (6, nv) of a body's centre of mass, neutral, in world axes."""
    q = model.neutral()
    rows = np.array(model.frame_jacobian(q, name, "local_world_aligned"))
    arm = centre_of(model, q, name) - np.asarray(model.frame_pose(q, name))[:3, 3]
    rows[:3] -= np.cross(arm, rows[3:], axisb=0, axisc=0)
    body = next(each for each in model.description.bodies if each.name == name)
    turns = np.abs(body.inertia).max() > 0.0  # a point has no directions
    rows[3:] *= turns
    return rows


def _check(left: Rooted, right: Rooted, matrix: Array, pairs: dict[str, str]) -> None:
    """Raise if bodies do not come to the images of each other."""
    rng = np.random.default_rng(0)
    away = 0.3 * rng.uniform(-1.0, 1.0, size=(TRIALS, right.nv))
    p = right.integrate(np.tile(right.neutral(), (TRIALS, 1)), away)
    q = left.integrate(np.tile(left.neutral(), (TRIALS, 1)), away @ matrix.T)
    root_left, root_right = left.at[:3, 3], right.at[:3, 3]
    worst, where = 0.0, ""
    for name, other in pairs.items():
        here = centre_of(left, q, other) - root_left
        there = MIRROR * (centre_of(right, p, name) - root_right)
        apart = float(np.abs(here - there).max())
        worst, where = max((worst, where), (apart, name))
    if worst > ALIKE:
        raise ModelError(
            f"{left.original.name!r} is not its own image: {where!r} comes {worst:.2g} m away from "
            f"where {pairs[where]!r} would mirror it"
        )
