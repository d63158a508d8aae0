"""An oracle for constraints between two free bodies: second rates in closed form.

With points p1, p2 at velocities V1, V2 of bodies that turn with ω1, ω2 and d = p1 − p2:

    point-to-point  C = d              C̈ = a1 − a2
    distance        C = d·d − l²       C̈ = 2 |V1 − V2|² + 2 d·(a1 − a2)

where a = v̇ + ω̇ × r + ω × (ω × r) is the acceleration of a point, convective terms and all. (5.17)
and (5.18) of Schröder (1990) lack the factor 2 and the convective terms.
"""

from __future__ import annotations

import numpy as np
from free_bodies import Array, Bodies

ONE, OTHER = np.array([0]), np.array([1])


def point_acceleration(bodies: Bodies, k: int, at: Array, linear: Array, turning: Array) -> Array:
    """Return the acceleration (3,) of a point of body k, from those of its centre and turning."""
    arm, spin = bodies.rotation[k] @ at, bodies.spin[k]
    return np.asarray(linear[k] + np.cross(turning[k], arm) + np.cross(spin, np.cross(spin, arm)))


def point_to_point(
    bodies: Bodies, at: tuple[Array, Array], linear: Array, turning: Array
) -> tuple[Array, Array]:
    """Return C (3,) and its second rate."""
    first, second = (bodies.points(np.array([k]), at[k][None])[0][0] for k in range(2))
    rates = [point_acceleration(bodies, k, at[k], linear, turning) for k in range(2)]
    return first - second, rates[0] - rates[1]


def distance(
    bodies: Bodies, at: tuple[Array, Array], length: float, linear: Array, turning: Array
) -> tuple[float, float]:
    """Return C and its second rate."""
    gap, rate = point_to_point(bodies, at, linear, turning)
    first, second = (bodies.points(np.array([k]), at[k][None])[1][0] for k in range(2))
    away = first - second
    return float(gap @ gap - length**2), float(2 * away @ away + 2 * gap @ rate)
