"""Five bodies, one of which follows two others in a non-linear way.

M. Schwienbacher, "Efficient Algorithms for Biped Robots, Simulation, Collision Avoidance and
Angular Momentum Tracking", TU München 2013, section 2.7, Figure 2.12: the example on which the
O(n) recursion with sub-systems is derived there. Sizes and the function are ours.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.model import WORLD, Builder, Model
from tarsus.robots import solids


def five_bodies() -> Model:
    """Return the five-body example: B4 turns on B1 by sin q₂ + q₂ q₃², B5 hangs on B3.

    B1 hangs on the world, B2 and B4 on B1, B3 on B2; q₃ is a slide [m], the others are hinges.
    B2, B3 and B4 are one cluster with two coordinates inside the tree, with B1 before it and B5
    behind it. The function is Python: the model cannot be saved to a file.
    """
    builder = Builder("five_bodies")
    for i, size in enumerate((0.3, 0.25, 0.2, 0.15, 0.25), start=1):
        mass = 4.0 * size
        inertia = solids.box(mass, (size, size / 3, size / 4))
        builder.body(f"B{i}", mass, (size / 2, 0.02, -0.01 * i), inertia)
    builder.joint("q1", "revolute", WORLD, "B1", axis="z")
    builder.joint("q2", "revolute", "B1", "B2", position=(0.3, 0, 0), rotation=(0.4, 0, 0))
    builder.joint("q3", "prismatic", "B2", "B3", position=(0.25, 0, 0), axis=(1, 0, 1))
    builder.joint("q4", "revolute", "B1", "B4", position=(0.1, 0.1, 0), rotation=(0, 0.7, 0))
    builder.joint("q5", "revolute", "B3", "B5", position=(0.2, 0, 0), axis="y")
    builder.transmission("function", ["q2", "q3"], ["q4"], function=_turn_of_b4)
    return builder.build()


def _turn_of_b4(leaders: Array) -> tuple[Array, ...]:
    """Return the angle (1,) of B4 and its first (1, 2), second and third derivatives."""
    q2, q3 = leaders
    value = np.sin(q2) + q2 * q3**2
    first = [np.cos(q2) + q3**2, 2 * q2 * q3]
    second = [[-np.sin(q2), 2 * q3], [2 * q3, 2 * q2]]
    third = [[[-np.cos(q2), 0.0], [0.0, 2.0]], [[0.0, 2.0], [2.0, 0.0]]]
    return np.array([value]), np.array([first]), np.array([second]), np.array([third])
