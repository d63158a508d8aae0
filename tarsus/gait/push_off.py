"""The push of an ankle just before a strike, by which a walker with light legs goes on as before.

The hip has all the mass. A push along the old leg adds r to its velocity, the strike takes away
what is along the new one. With unit directions s and n from the old and the new foot to the hip,
the kinetic energy is the same before and after if what is added is what is taken away,

    r = −n·v / (1 + n·s),

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, (5.37).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.control.arguments import vectors


def leg_direction(pitch: ArrayLike, roll: ArrayLike) -> Array:
    """Return the unit vector (…, 3) from a foot to the hip, of a leg that leans ahead and right."""
    a, b = np.asarray(pitch, float), np.asarray(roll, float)
    return np.stack([np.sin(a) * np.cos(b), -np.sin(b), np.cos(a) * np.cos(b)], axis=-1)


def leg_velocity(pitch: ArrayLike, roll: ArrayLike, rates: ArrayLike) -> Array:
    """Return the velocity (…, 3) of a hip over a foot that stands [1/s], of the rates (…, 2)."""
    along, aside = _tangents(pitch, roll)
    rates = np.asarray(rates, float)
    return np.asarray(along * rates[..., :1] + aside * rates[..., 1:])


def leg_rates(pitch: ArrayLike, roll: ArrayLike, velocity: ArrayLike) -> Array:
    """Return the rates (…, 2) of both angles that a velocity (…, 3) across the leg has."""
    along, aside = _tangents(pitch, roll)
    u = np.asarray(velocity, float)
    size = (along * along).sum(axis=-1)
    return np.stack([(along * u).sum(axis=-1) / size, (aside * u).sum(axis=-1)], axis=-1)


def _tangents(pitch: ArrayLike, roll: ArrayLike) -> tuple[Array, Array]:
    a, b = np.asarray(pitch, float), np.asarray(roll, float)
    along = np.stack([np.cos(a) * np.cos(b), np.zeros_like(a * b), -np.sin(a) * np.cos(b)], -1)
    aside = np.stack([-np.sin(a) * np.sin(b), -np.cos(b), -np.cos(a) * np.sin(b)], axis=-1)
    return along, aside


def push_off(
    velocity: ArrayLike, stance: ArrayLike, swing: ArrayLike, energy: ArrayLike | None = None
) -> Array:
    """Return how fast an ankle pushes just before a strike (…) [m/s], never backwards.

    `velocity` (…, 3) is that of the hip, across the old leg; `stance` and `swing` (…, 3) are unit
    vectors from the old and the new foot to it. `energy` (…) [m²/s²] is the kinetic energy by mass
    that shall be there after the strike, as much as before unless stated.
    """
    v, s, n = (vectors(x, 3, name) for x, name in _named(velocity, stance, swing))
    into, between = (n * v).sum(axis=-1), (n * s).sum(axis=-1)
    if energy is None:
        return np.asarray(np.maximum(-into / (1.0 + between), 0.0))
    # |v + r s|² − (n·(v + r s))² = 2 energy, with v across s
    across = 1.0 - between**2
    rest = into**2 - (v * v).sum(axis=-1) + 2.0 * np.asarray(energy, float)
    root = np.sqrt(np.maximum((into * between) ** 2 + across * rest, 0.0))
    return np.asarray(np.maximum((into * between + root) / across, 0.0))


def struck(velocity: ArrayLike, stance: ArrayLike, swing: ArrayLike, push: ArrayLike) -> Array:
    """Return the velocity of the hip (…, 3) after a push and a strike."""
    v, s, n = (vectors(x, 3, name) for x, name in _named(velocity, stance, swing))
    pushed = v + np.asarray(push, float)[..., None] * s
    return np.asarray(pushed - n * (n * pushed).sum(axis=-1, keepdims=True))


def _named(*given: ArrayLike) -> list[tuple[ArrayLike, str]]:
    return list(zip(given, ("velocity", "stance", "swing"), strict=True))
