"""Solids, rods and rotors from which the models of this package are built."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

from numpy.typing import ArrayLike

from tarsus._lib.checks import number
from tarsus._lib.errors import WORLD, ModelError
from tarsus.model.builder import Builder

# Inertias of simple solids about their centres [kg m²], as the three numbers of a diagonal.


Triple = tuple[float, float, float]


def box(mass: float, size: Triple) -> Triple:
    """Return the inertia of a box with edges of `size` (x, y, z) [m]."""
    x, y, z = (edge**2 for edge in size)
    return mass / 12 * (y + z), mass / 12 * (x + z), mass / 12 * (x + y)


def rod(mass: float, length: float) -> Triple:
    """Return the inertia of a round rod along x, a twentieth as thick as it is long."""
    radius = length / 40
    across = mass * (length**2 / 12 + radius**2 / 4)
    return mass * radius**2 / 2, across, across


def rotor(axis: str, axial: float, across: float) -> Triple:
    """Return the inertia of a body of revolution about "x", "y" or "z"."""
    x, y, z = (axial if axis == letter else across for letter in "xyz")
    return x, y, z


# What planar mechanisms are made of: rods that stand upright, and where two of them meet.
#
# The plane of the mechanism is that of x and y; joints on the world turn it up, to x and z.


Point = tuple[float, float]

UPRIGHT = (math.pi / 2, 0.0, 0.0)
"""Roll, pitch and yaw that turn y of a planar mechanism up."""
DENSITY = 2.0
"""Mass of rods [kg/m]."""


def checked_lengths(mechanism: str, **lengths: float) -> list[float]:
    """Return lengths as floats, or raise `ModelError` that names the one that is not positive."""
    values = [number(length, f"{mechanism}: {name}") for name, length in lengths.items()]
    for name, value in zip(lengths, values, strict=True):
        if value <= 0.0:
            raise ModelError(f"{mechanism}: {name} is {value}, must be positive")
    return values


def add_rod(
    builder: Builder,
    name: str,
    parent: str,
    length: float,
    at: Point = (0.0, 0.0),
    limits: Point | None = None,
) -> None:
    """Add a rod along x on a revolute joint of the same name, at a point of its parent."""
    mass = DENSITY * length
    builder.body(name, mass, com=(length / 2, 0.0, 0.0), inertia=rod(mass, length))
    add_pivot(builder, name, parent, at, limits)


def add_pivot(
    builder: Builder, name: str, parent: str, at: Point, limits: Point | None = None
) -> None:
    """Hang the body `name` on a revolute joint of the same name, at a point of its parent.

    `limits` are the lowest and the largest angle [rad].
    """
    x, y = at
    lower, upper = limits or (None, None)
    upright = parent == WORLD
    builder.joint(
        name,
        "revolute",
        parent,
        name,
        position=(x, 0.0, y) if upright else (x, y, 0.0),
        rotation=UPRIGHT if upright else None,
        lower=lower,
        upper=upper,
    )


def meeting_point(a: Point, from_a: float, b: Point, from_b: float) -> Point:
    """Return the point at these distances from `a` and `b`, on the left of the way from a to b."""
    away = math.dist(a, b)
    along = (away**2 + from_a**2 - from_b**2) / (2 * away)
    square = from_a**2 - along**2
    if square < 0.0:
        raise ModelError(f"rods of {from_a} m and {from_b} m do not meet, {away} m apart")
    x, y = (b[0] - a[0]) / away, (b[1] - a[1]) / away
    across = math.sqrt(square)
    return a[0] + along * x - across * y, a[1] + along * y + across * x


def direction(a: Point, b: Point) -> float:
    """Return the angle of the way from `a` to `b` [rad]."""
    return math.atan2(b[1] - a[1], b[0] - a[0])


# Rotors of motors in the three ways in which models are made with them.


Rotors: TypeAlias = Literal["exact", "reflected", "none"]
"""Bodies that turn; bodies that are welded, with n² J on the joint; or no rotors at all."""


def checked_rotors(rotors: str) -> None:
    """Raise `ValueError` if there is no such way of modelling rotors."""
    if rotors not in get_args(Rotors):
        choices = ", ".join(map(repr, get_args(Rotors)))
        raise ValueError(f"rotors is {rotors!r}, must be one of {choices}")


def add_gear(
    builder: Builder,
    joint: str,
    ratio: float,
    rotors: Rotors,
    *,
    mass: float,
    inertia: ArrayLike,
    position: ArrayLike | None = None,
    rotation: ArrayLike | None = None,
    axis: str | None = None,
) -> None:
    """Add the rotor `joint`_rotor to a joint, on the joint's parent, unless there are none."""
    if rotors == "none":
        return
    builder.body(f"{joint}_rotor", mass, inertia=inertia)
    builder.gear(
        joint,
        ratio,
        f"{joint}_rotor",
        name=f"{joint}_motor",
        position=position,
        rotation=rotation,
        axis=axis,
        approximate="reflected" if rotors == "reflected" else None,
    )
