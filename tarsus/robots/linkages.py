"""Linkages: four-bars, slider-crank, Strandbeest leg."""

from __future__ import annotations

import math
from typing import SupportsIndex

import numpy as np

from tarsus._lib.checks import checked_size, number
from tarsus._lib.errors import WORLD, ModelError
from tarsus.model.builder import Builder
from tarsus.model.model import Model
from tarsus.robots import building as solids
from tarsus.robots.building import (
    DENSITY,
    UPRIGHT,
    Point,
    add_pivot,
    add_rod,
    checked_lengths,
    direction,
    meeting_point,
)

# Mechanisms with one loop: planar and spatial four-bar linkages, and the slider-crank.
#
# J. J. Uicker, G. R. Pennock, J. E. Shigley, "Theory of Machines and Mechanisms", Oxford
# University Press 2017, chapters 1 and 2.


def four_bar(
    ground: float = 0.4,
    crank: float = 0.1,
    coupler: float = 0.35,
    rocker: float = 0.25,
    *,
    angle: float = 0.0,
) -> Model:
    """Return a planar four-bar linkage of rods with these lengths [m], driven by its "crank".

    The crank turns about the origin, the rocker about (`ground`, 0, 0), in the plane of x and z;
    the coupler hangs on the crank and meets the tip of the rocker. With the lengths given the
    crank turns all round; others may close only near some `angle` [rad] of the crank, at which
    they are assembled. The rods weigh 2 kg/m.
    """
    lengths = checked_lengths(
        "four_bar", ground=ground, crank=crank, coupler=coupler, rocker=rocker
    )
    builder = Builder("four_bar")
    _add_four_bar(builder, WORLD, "", lengths, number(angle, "four_bar: angle"))
    return builder.build()


def four_bar_chain(n: SupportsIndex) -> Model:
    """Return a tower of `n` four-bar linkages, each on the coupler of the one below it.

    Each is a trapezium, 0.2 m wide below and 0.18 m above, with sides of 0.3 m, and has a degree
    of freedom, "crank_0", "crank_1" and so on, with limits within which the trapezium closes.
    """
    size = checked_size(n, "n")
    builder = Builder(f"four_bar_chain({size})")
    parent = WORLD
    for i in range(size):
        _add_four_bar(builder, parent, f"_{i}", [0.2, 0.3, 0.18, 0.3], 1.5, limits=(0.6, 2.2))
        parent = f"coupler_{i}"
    return builder.build()


def slider_crank(crank: float = 0.1, rod: float = 0.3) -> Model:
    """Return a planar slider-crank: the "crank" moves the "slider" (1 kg) along x by a rod.

    Lengths [m]; the slider is at `crank` + `rod` from the axis of the crank if both are in line.
    """
    crank, rod = checked_lengths("slider_crank", crank=crank, rod=rod)
    if rod <= crank:
        raise ModelError(f"slider_crank: rod is {rod}, must be longer than the crank of {crank}")
    builder = Builder("slider_crank")
    add_rod(builder, "crank", WORLD, crank)
    add_rod(builder, "rod", "crank", rod, (crank, 0.0))
    builder.body("slider", 1.0, inertia=solids.box(1.0, (0.08, 0.05, 0.05)))
    builder.joint("slider", "prismatic", WORLD, "slider", rotation=UPRIGHT, axis="x")
    builder.close_loop(
        *("revolute", "rod", (rod, 0.0, 0.0), "slider", (0.0, 0.0, 0.0)),
        name="wrist_pin",
        independent=["crank"],
        start={"slider": crank + rod},
        constraint=False,
    )
    return builder.build()


def spatial_four_bar() -> Model:
    """Return a spatial four-bar linkage (RSSR), whose "crank" turns all round and swings "rocker".

    The crank (0.08 m) turns about z, the rocker (0.2 m) about an axis along y that passes through
    (0.3, 0.1, 0). A coupler of 0.37 m leads from tip to tip on two ball joints. The spin of the
    coupler about itself, which nothing drives, is left out: its ball joint on the crank is a
    cross with two axes.
    """
    crank, coupler, rocker = 0.08, 0.37, 0.2
    builder = Builder("spatial_four_bar")
    for name, length in (("crank", crank), ("coupler", coupler), ("rocker", rocker)):
        mass = DENSITY * length
        builder.body(name, mass, (length / 2, 0.0, 0.0), solids.rod(mass, length))
    builder.body("cross", 0.02, inertia=solids.box(0.02, (0.02, 0.02, 0.02)))
    builder.joint("crank", "revolute", WORLD, "crank", axis="z")
    builder.joint("cross", "revolute", "crank", "cross", position=(crank, 0.0, 0.0), axis="z")
    builder.joint("coupler", "revolute", "cross", "coupler", axis="y")
    builder.joint("rocker", "revolute", WORLD, "rocker", position=(0.3, 0.1, 0.0), axis="y")
    builder.close_loop(
        *("spherical", "coupler", (coupler, 0.0, 0.0), "rocker", (rocker, 0.0, 0.0)),
        name="ball",
        independent=["crank"],
        start={"cross": 0.31, "coupler": -0.51, "rocker": -1.12},
        constraint=False,
    )
    return builder.build()


def _add_four_bar(
    builder: Builder,
    parent: str,
    suffix: str,
    lengths: list[float],
    angle: float,
    limits: Point | None = None,
) -> None:
    """Add a four-bar linkage on a parent, assembled near a crank angle with the rocker above."""
    ground, crank, coupler, rocker = lengths
    pivot = (ground, 0.0)
    tip = (crank * math.cos(angle), crank * math.sin(angle))
    pin = meeting_point(tip, coupler, pivot, rocker)
    names = [f"{part}{suffix}" for part in ("crank", "coupler", "rocker")]
    add_rod(builder, names[0], parent, crank, limits=limits)
    add_rod(builder, names[1], names[0], coupler, (crank, 0.0))
    add_rod(builder, names[2], parent, rocker, pivot)
    angles = (angle, direction(tip, pin) - angle, direction(pivot, pin))
    builder.close_loop(
        *("revolute", names[1], (coupler, 0.0, 0.0), names[2], (rocker, 0.0, 0.0)),
        name=f"pin{suffix}",
        independent=[names[0]],
        start=dict(zip(names, angles, strict=True)),
        constraint=False,
    )


# A leg of a Strandbeest: eleven rods whose foot walks straight while a crank turns.
#
# T. Jansen, "The Great Pretender", 010 Publishers 2007: his "holy numbers" are the lengths.


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
