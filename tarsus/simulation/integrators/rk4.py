"""A Runge–Kutta method of order four whose configurations never leave their group.

Stages are steps by the exponential map, and two of them are made in turn instead of their sum,
so that order four is order four for bodies that spin, and for joints that roll: E. Celledoni,
A. Marthinsen, B. Owren, "Commutator-free Lie group methods", Future Generation Computer Systems
19, 2003.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus._lib.files import Array
from tarsus.simulation.integrators.motion import Effort, SmoothMotion


@dataclass(frozen=True)
class RK4:
    """Four stages a step, for smooth motions."""

    name: ClassVar[str] = "rk4"

    def step(
        self, motion: SmoothMotion, t: float, state: tuple[Array, Array, Array], h: float, u: Effort
    ) -> tuple[Array, Array, Array]:
        """Return q (…, nq), v (…, nv) and works after a step of h seconds."""
        q, v, work = state

        def moved(q: Array, dv: Array) -> Array:
            return motion.model.integrate(q, dv, **motion.batch)

        v1, (a1, p1) = v, motion.rates(t, q, v, u)
        q2, v2 = moved(q, h / 2 * v1), v + h / 2 * a1
        a2, p2 = motion.rates(t + h / 2, q2, v2, u)
        q3, v3 = moved(q, h / 2 * v2), v + h / 2 * a2
        a3, p3 = motion.rates(t + h / 2, q3, v3, u)
        q4, v4 = moved(q2, h * v3 - h / 2 * v1), v + h * a3
        a4, p4 = motion.rates(t + h, q4, v4, u)
        q = moved(q, h / 12 * (3 * v1 + 2 * v2 + 2 * v3 - v4))
        q = moved(q, h / 12 * (-v1 + 2 * v2 + 2 * v3 + 3 * v4))
        v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return q, v, work + h / 6 * (p1 + 2 * p2 + 2 * p3 + p4)
