"""Postures in which nothing is in the ground or in another body, near one in which something is."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.geometry.collision import Collision
from tarsus.geometry.ground import Ground
from tarsus.geometry.places import world_of
from tarsus.geometry.terrain import Terrain
from tarsus.model import Model
from tarsus.model.checks import count, expect, number, reals
from tarsus.model.description import ModelError

REACHES = np.geomspace(0.02, 3.0, 24)
"""How far joints are moved in each round [rad or m], as a standard deviation."""
TRIES = 64
"""Postures of a round."""


def clear_posture(
    model: Model,
    q: ArrayLike | None = None,
    ground: Terrain | None = None,
    collision: Collision | None = None,
    *,
    clearance: float = 1e-3,
    seed: int = 0,
) -> Array:
    """Return q (nq,), or a posture near it in which nothing touches the ground or another body.

    For arms whose neutral posture is in the ground on which they stand: the root stays, joints
    are within their limits, and all shapes have a `clearance` [m]. Postures are tried farther and
    farther away from q (`model.initial_configuration` unless stated); of those of a round that
    are clear the nearest one is taken. Without a `ground` it is the plane z = 0, without
    `collision` all collision shapes count. Robots that float are put down by `ts.stand`.
    """
    expect(model, Model, "model")
    start = reals(model.initial_configuration if q is None else q, "q")
    if start.shape != (model.nq,):
        raise ValueError(f"q has shape {start.shape}, must be ({model.nq},)")
    least = number(clearance, "clearance")
    count(seed, "seed", 0)
    rng = np.random.default_rng(seed)
    shapes = Collision.from_model(model) if collision is None else collision
    world = world_of(model, shapes.arguments, Ground() if ground is None else ground)

    def clear(postures: Array) -> Array:
        gaps = world.contacts(np.ascontiguousarray(postures))[..., 0].min(axis=1, initial=np.inf)
        inside = ((postures >= model.lower) & (postures <= model.upper)).all(axis=1)
        return np.asarray((gaps >= least) & inside)

    if clear(start[None])[0]:
        return np.array(start)
    for reach in REACHES:
        steps = reach * rng.normal(size=(TRIES, model.nv)) * model.driven
        postures = np.asarray(model.integrate(start, steps))
        found = np.flatnonzero(clear(postures))
        if len(found):
            return np.array(postures[found[np.argmin((steps[found] ** 2).sum(axis=1))]])
    raise ModelError(
        f"{model.name!r} touches something in all of {TRIES * len(REACHES)} postures around q: is "
        "the ground too high (ts.Ground(level=…)), or does its root start in it?"
    )
