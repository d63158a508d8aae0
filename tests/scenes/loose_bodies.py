"""Bodies that fly, fall and lie by themselves: one shape each, of even density."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

import tarsus as ts

Array = NDArray[np.float64]
G = 9.81


def inertia(kind: str, size: tuple[float, ...], mass: float) -> Array:
    """Return the moments of inertia (3,) of a solid of even density about its centre."""
    if kind == "sphere":
        return np.full(3, 0.4 * mass * size[0] ** 2)
    if kind == "box":
        squares = np.square(size)
        return np.asarray(mass / 12.0 * (squares.sum() - squares))
    radius, length = size  # a cylinder, or a capsule that is taken for one
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    return np.array([across, across, 0.5 * mass * radius**2])


def loose(
    *shapes: tuple[str, tuple[float, ...]], mass: float = 1.0, gravity: float = G, **options: Any
) -> ts.Model:
    """Return a model of free bodies "body0", "body1" …, each with a shape that may touch."""
    builder = ts.Builder("loose", gravity=(0.0, 0.0, -gravity))
    for k, (kind, size) in enumerate(shapes):
        name = f"body{k}"
        builder.body(name, mass, inertia=inertia(kind, size, mass))
        builder.joint(f"flight{k}", "free", "world", name)
        builder.shape(name, kind, size, role="collision", **options)
    return builder.build()


def placed(positions: ArrayLike, turns: Rotation | None = None) -> Array:
    """Return the configuration (7 n,) of free bodies at positions (n, 3), turned or not."""
    where = np.atleast_2d(np.asarray(positions, float))
    quaternions = np.tile([0.0, 0.0, 0.0, 1.0], (len(where), 1))
    if turns is not None:
        quaternions = np.broadcast_to(np.atleast_2d(turns.as_quat()), quaternions.shape)
    return np.hstack([where, quaternions]).ravel()


def moving(turns: Rotation, linear: ArrayLike, angular: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the velocity (6,) of a free body in its own axes, from one in the world's."""
    back = turns.inv()
    return np.concatenate([back.apply(linear), back.apply(angular)])


def mechanical(run: ts.Trajectory) -> Array:
    """Return kinetic and potential energy (…, T) [J], from the states alone."""
    m = run.model
    return np.asarray(m.kinetic_energy(run.q, run.v) + m.potential_energy(run.q))


def deepest(run: ts.Trajectory) -> Array:
    """Return how far shapes are below the level ground (…, T) [m], from the states alone."""
    heights = ts.geometry.height_over_ground(run.model, run.q, ts.Ground())
    return np.maximum(0.0, -np.asarray(heights))
