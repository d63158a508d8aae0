"""Worlds of many free bodies, for tests of what finds their contacts and of what solves them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

import tarsus as ts

Array = np.ndarray
RADIUS, EDGE, MASS = 0.1, 0.2, 1.0
SHAPES: dict[str, tuple[tuple[float, ...], tuple[float, float, float]]] = {
    "sphere": ((RADIUS,), (0.4 * MASS * RADIUS**2,) * 3),
    "box": ((EDGE,) * 3, (MASS * EDGE**2 / 6,) * 3),
    "capsule": ((0.05, 0.2), (0.0055, 0.0055, 0.00125)),
    "ellipsoid": ((0.12, 0.08, 0.06), (0.002, 0.0036, 0.0042)),
}
"""Sizes, and moments of inertia [kg m²]."""


def bodies(kinds: Sequence[str], *, gravity: bool = True) -> ts.Model:
    """Return free bodies with these shapes."""
    builder = ts.Builder("many things", gravity=(0.0, 0.0, -9.81 if gravity else 0.0))
    for k, kind in enumerate(kinds):
        size, inertia = SHAPES[kind]
        builder.body(f"body_{k}", MASS, inertia=inertia)
        builder.joint(f"free_{k}", "free", "world", f"body_{k}")
        builder.shape(f"body_{k}", kind, size, role="collision")
    return builder.build()


def apart(count: int, rng: np.random.Generator, room: float, least: float) -> Array:
    """Return places (count, 3) in a cube [m], no two of which are nearer than `least`."""
    found: list[Array] = []
    while len(found) < count:
        place = rng.uniform(0.0, room, 3)
        if all(np.linalg.norm(place - other) > least for other in found):
            found.append(place)
    return np.array(found)


def state(places: Array, turns: Rotation, linear: Array, angular: Array) -> tuple[Array, Array]:
    """Return q (7 n,) and v (6 n,), velocities given in the world's axes."""
    q = np.concatenate([places, turns.as_quat()], axis=1).ravel()
    v = np.concatenate([turns.inv().apply(linear), turns.inv().apply(angular)], axis=1).ravel()
    return q, v


def momenta(kinds: Sequence[str], q: Array, v: Array) -> tuple[Array, Array, float]:
    """Return the sums of momenta (3,), (3,) about the world's origin, and the kinetic energy."""
    linear, angular, energy = np.zeros(3), np.zeros(3), 0.0
    for kind, x, y in zip(kinds, q.reshape(-1, 7), v.reshape(-1, 6), strict=True):
        turn, moments = Rotation.from_quat(x[3:]), np.array(SHAPES[kind][1])
        p = MASS * turn.apply(y[:3])
        linear = linear + p
        angular = angular + np.cross(x[:3], p) + turn.apply(moments * y[3:])
        energy += 0.5 * (MASS * y[:3] @ y[:3] + y[3:] @ (moments * y[3:]))
    return linear, angular, float(energy)
