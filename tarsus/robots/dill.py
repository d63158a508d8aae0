"""Dill(n): a fractal tree of 2ⁿ links, the benchmark of M. Schwienbacher's thesis.

M. Schwienbacher, "Efficient Algorithms for Biped Robots, Simulation, Collision Avoidance and
Angular Momentum Tracking", TU München 2013, section 2.10.1.
"""

from __future__ import annotations

from tarsus.model import WORLD, Builder, Model
from tarsus.robots.sizes import checked_size

LARGEST = 16


def dill(n: int) -> Model:
    """Return Dill(n): a link, n times the smallest in size, that carries Dill(0) … Dill(n − 1).

    The smallest link is a cylinder along x of 0.1 kg, 0.1 m and radius 0.01 m on a revolute
    joint about z. Links are numbered depth first; there are 2ⁿ of them, n at most 16.
    """
    n = checked_size(n, "n", 0, LARGEST)
    builder = Builder(f"dill({n})")
    _grow(builder, n, "link", WORLD, slot=0)
    return builder.build()


def _grow(builder: Builder, n: int, name: str, parent: str, slot: int) -> None:
    """Add Dill(n) at x = 0.1 `slot` of `parent`, turned by `slot`/3 rad about x."""
    scale = max(n, 1)
    builder.body(
        name,
        mass=0.1 * scale**3,
        com=(0.05 * scale, 0.0, 0.0),
        inertia=[moment * scale**5 for moment in (1 / 200000, 403 / 1200000, 403 / 1200000)],
        inertia_at="origin",
    )
    builder.joint(
        name, "revolute", parent, name, position=(0.1 * slot, 0, 0), rotation=(slot / 3, 0, 0)
    )
    for child in range(1, n + 1):
        _grow(builder, child - 1, f"{name}.{child}", name, slot=child)
