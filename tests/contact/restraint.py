"""Bounces that give no energy: impulses are cut back where an island of rows would gain.

Newton's restitution asks for a velocity, whatever it costs. What impulses p give to rows that
would have the velocities u without them is E = p · (u + ½ A p). Where E > 0 for rows that feel
each other, p is taken from the line between the solutions with and without the bounce, as far
along as E ≤ 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from cone_problem import Array, ConeProblem
from scipy.sparse.csgraph import connected_components


def restrained(
    problem: ConeProblem, target: Array, bounce: Array, solve: Callable[[ConeProblem], Array]
) -> Array:
    """Return the impulses of a problem whose first rows have these targets."""
    p = solve(problem)
    u = problem.b + target
    islands = _islands(problem.A)
    if not bounce.any() or all(_energy(problem.A, u, p, own) <= 0.0 for own in islands):
        return p
    rest = solve(replace(problem, b=problem.b + bounce))
    found = p.copy()
    for own in islands:
        share = _share(problem.A, u, rest, p, own)
        found[own] = rest[own] + share * (p - rest)[own]
    return found


def _islands(A: Array) -> list[Array]:
    size = np.sqrt(np.diag(A))
    count, label = connected_components(np.abs(A) > 1e-13 * np.outer(size, size), directed=False)
    return [label == k for k in range(count)]


def _energy(A: Array, u: Array, p: Array, own: Array) -> float:
    return float(p[own] @ (u + 0.5 * A @ p)[own])


def _share(A: Array, u: Array, rest: Array, p: Array, own: Array) -> float:
    """Return the largest share of the way from `rest` to p at which nothing is gained."""
    if _energy(A, u, p, own) <= 0.0:
        return 1.0
    at = [_energy(A, u, rest + x * (p - rest), own) for x in (0.0, 0.5, 1.0)]
    bend = 2.0 * (at[0] - 2.0 * at[1] + at[2])
    slope = at[2] - at[0] - bend
    if at[0] >= 0.0 or bend <= 0.0:
        return 0.0
    roots = np.roots([bend, slope, at[0]])
    return float(np.clip(roots.real.max(), 0.0, 1.0))
