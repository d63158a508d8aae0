"""A leg of a Strandbeest: eleven rods whose foot walks straight while a crank turns.

T. Jansen, "The Great Pretender", 010 Publishers 2007: his "holy numbers" are the lengths.
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.model import WORLD, Builder, Model
from tarsus.robots.planar import (
    DENSITY,
    Point,
    add_pivot,
    add_rod,
    checked_lengths,
    direction,
    meeting_point,
)

HOLY_NUMBERS = dict(
    zip(
        "abcdefghijklm",
        (38.0, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 7.8, 15.0),
        strict=True,
    )
)
"""Lengths of the rods: m is the crank, (−a, −l) the fixed hinge as seen from the crank's axis."""


def strandbeest_leg(scale: float = 0.01) -> Model:
    """Return a leg of a Strandbeest with one degree of freedom, its "crank".

    `scale` [m] is the unit of Jansen's numbers. Seven bodies: the crank, the rods j, k, c and f,
    the triangle "upper" (b, d, e) on the fixed hinge and the triangle "lower" (g, h, i), whose
    far corner has the frame "foot". Rods weigh 2 kg/m.
    """
    (scale,) = checked_lengths("strandbeest_leg", scale=scale)
    size = {name: scale * number for name, number in HOLY_NUMBERS.items()}
    hinge, tip = (-size["a"], -size["l"]), (size["m"], 0.0)
    # joints of the leg with the crank along x; the triangles bend away from the crank
    shoulder = meeting_point(hinge, size["b"], tip, size["j"])
    knee = meeting_point(tip, size["k"], hinge, size["c"])
    elbow = meeting_point(hinge, size["d"], shoulder, size["e"])
    ankle = meeting_point(knee, size["g"], elbow, size["f"])
    foot = meeting_point(knee, size["i"], ankle, size["h"])

    builder = Builder("strandbeest_leg")
    add_rod(builder, "crank", WORLD, size["m"])
    add_rod(builder, "j", "crank", size["j"], (size["m"], 0.0))
    add_rod(builder, "k", "crank", size["k"], (size["m"], 0.0))
    far_corner = _add_triangle(builder, "upper", WORLD, hinge, (hinge, shoulder, elbow))
    add_rod(builder, "c", WORLD, size["c"], hinge)
    add_rod(builder, "f", "upper", size["f"], far_corner)
    toe = _add_triangle(builder, "lower", "c", (size["c"], 0.0), (knee, ankle, foot))
    builder.frame("foot", "lower", position=(*toe, 0.0))
    angles = {
        "crank": 0.0,
        "j": direction(tip, shoulder),
        "k": direction(tip, knee),
        "upper": direction(hinge, shoulder),
        "c": direction(hinge, knee),
        "f": direction(elbow, ankle) - direction(hinge, shoulder),
        "lower": direction(knee, ankle) - direction(hinge, knee),
    }
    closures = (("j", "j", "upper", "b"), ("k", "k", "c", "c"), ("f", "f", "lower", "g"))
    for body_a, rod_a, body_b, rod_b in closures:
        builder.close_loop(
            *("revolute", body_a, (size[rod_a], 0.0, 0.0), body_b, (size[rod_b], 0.0, 0.0)),
            name=f"{body_a}_{body_b}",
            independent=["crank"],
            start=angles,
            constraint=False,
        )
    return builder.build()


def _add_triangle(
    builder: Builder, name: str, parent: str, at: Point, corners: tuple[Point, Point, Point]
) -> Point:
    """Add a triangle of rods, hung at its first corner, its x axis towards the second.

    Returns its third corner in its own axes.
    """
    angle = direction(corners[0], corners[1])
    turn = np.array([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0]])
    own = (np.array(corners) - corners[0]) @ turn
    edges = np.roll(own, -1, axis=0) - own
    masses = DENSITY * np.linalg.norm(edges, axis=1)
    com = masses @ (own + edges / 2) / masses.sum()
    middles = own + edges / 2 - com
    # second moments of thin rods, ∫ x xᵀ dm, about the centre of mass
    spread = (middles.T * masses) @ middles + (edges.T * masses) @ edges / 12
    spread[2, 2] = masses @ (edges**2).sum(axis=1) / 80**2  # round rods, as `solids.rod` has
    builder.body(name, masses.sum(), com, np.trace(spread) * np.eye(3) - spread)
    add_pivot(builder, name, parent, at)
    return float(own[2, 0]), float(own[2, 1])
