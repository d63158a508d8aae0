"""What of a fixed machine is in the ground whatever its joints do: it is no contact.

The foot of an arm reaches into the floor that it is bolted to, and so do parts that turn on it. All
of this is in the ground in all configurations, so that nothing could move it out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import listing
from tarsus._lib.files import Array
from tarsus.geometry.collision import Collision
from tarsus.geometry.contact_candidates import PER_RING, world_of
from tarsus.geometry.grounds import Space, Terrain
from tarsus.model.model import Model

TURNING = ("revolute", "universal", "spherical", "spherical_zyx")
"""Joints that keep a machine where it is fixed."""
SAMPLES = 64
TOUCHING = 1e-9
"""Gaps up to this one are closed [m]."""
KEYS = {
    "point": ("body", "position", "radius"),
    "ring": ("body", "position", "axis", "radius", "tube"),
    "ellipsoid": ("body", "placement", "size"),
}
"""What of the core's arrays belongs to each kind of place on the ground, in the core's order."""


def without_buried(model: Model, collision: Collision, ground: Terrain) -> Collision:
    """Return what can touch, without places that are in the ground in all configurations."""
    turning = _turning_bodies(model)
    if isinstance(ground, Space) or not turning:
        return collision
    sizes = [len(collision.arguments[f"{kind}_body"]) for kind in KEYS]
    per = [1, PER_RING, 1]
    count = int(np.dot(sizes, per))
    mine = np.array([each.body in turning for each in collision.candidates[:count]], bool)
    if not mine.any():
        return collision
    gaps = world_of(model, collision.arguments, ground).contacts(_configurations(model))
    inside = mine & (gaps[:, :count, 0].max(axis=0) <= TOUCHING)
    # a rim is left out where all of it is in the ground
    groups = np.repeat(np.arange(sum(sizes)), np.repeat(per, sizes))
    leave = np.array([inside[groups == k].all() for k in range(sum(sizes))], bool)
    if not leave.any():
        return collision
    return _without(collision, leave, leave[groups])


def _turning_bodies(model: Model) -> set[str]:
    """Bodies that are fixed to the world but for turning joints that follow no others."""
    found: set[str] = set()
    for body in model.bodies:
        joint = model.joints[body.index]
        carried = body.parent < 0 or model.body_names[body.parent] in found
        if carried and joint.kind in TURNING and not joint.dependent:
            found.add(body.name)
    return found


def _configurations(model: Model) -> Array:
    """The neutral configuration and others (SAMPLES, nq), loops closed, joints in their ranges."""
    q = model.random_configuration(0, SAMPLES)
    q[0] = model.neutral()
    return q


def _without(collision: Collision, leave: NDArray[np.bool_], out: NDArray[np.bool_]) -> Collision:
    arguments, start = dict(collision.arguments), 0
    for kind, keys in KEYS.items():
        size = len(arguments[f"{kind}_body"])
        keep = ~leave[start : start + size]
        arguments |= {f"{kind}_{key}": arguments[f"{kind}_{key}"][keep] for key in keys}
        start += size
    stay = np.ones(len(collision.candidates), bool)
    stay[: len(out)] = ~out
    gone = [x for x, keep in zip(collision.candidates, stay, strict=True) if not keep]
    links = dict.fromkeys(x.link for x in gone)
    note = (
        f"places ({leave.sum()}) that are in the ground in all configurations do not touch it: on "
        f"{listing(links, limit=5)}"
    )
    return replace(
        collision,
        arguments=arguments,
        candidates=tuple(x for x, keep in zip(collision.candidates, stay, strict=True) if keep),
        warnings=(*collision.warnings, note),
        blends={name: rows[stay] for name, rows in collision.blends.items()},
    )
