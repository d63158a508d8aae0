"""Parts of the palette: shapes by their numbers, with volumes and inertias."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tarsus.robots.solids import box as box_inertia

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Solid:
    """A part as a shape: its options with their defaults [m], the shape, volume, inertia of 1 kg.

    `turned` says that the shape's axis, z, lies along x of the part ("x") or along y ("y").
    """

    kind: str
    options: Mapping[str, tuple[float, ...]]
    size: Callable[..., tuple[float, ...]]
    volume: Callable[..., float]
    inertia: Callable[..., Triple]
    turned: str = "z"


def _cylinder(radius: float, length: float, axis: str) -> Triple:
    """Return the inertia of a cylinder of 1 kg about its centre, with its axis along x, y or z."""
    along, across = radius**2 / 2, radius**2 / 4 + length**2 / 12
    return tuple(along if letter == axis else across for letter in "xyz")  # type: ignore[return-value]


def _capsule(radius: float, length: float) -> tuple[float, Triple]:
    """Return volume, and inertia of 1 kg, of a capsule along x whose straight part has a length."""
    tube, ball = math.pi * radius**2 * length, 4 / 3 * math.pi * radius**3
    volume = tube + ball
    along = (tube * radius**2 / 2 + ball * 0.4 * radius**2) / volume
    # each half ball has its centre 3/8 r beyond the end of the tube
    far = length**2 / 4 + 3 / 8 * length * radius
    across = tube * (radius**2 / 4 + length**2 / 12) + ball * (0.4 * radius**2 + far)
    return volume, (along, across / volume, across / volume)


def _box(x: float, y: float, z: float) -> Solid:
    return Solid(
        "box",
        {"size": (x, y, z)},
        lambda size: tuple(size),
        lambda size: math.prod(size),
        lambda size: box_inertia(1.0, tuple(size)),
    )


SOLIDS: Mapping[str, Solid] = {
    "box": _box(0.4, 0.2, 0.1),
    "plate": _box(0.6, 0.4, 0.02),
    "foot": _box(0.2, 0.08, 0.03),
    "rod": Solid(
        "cylinder",
        {"length": (1.0,), "radius": (0.02,)},
        lambda length, radius: (radius[0], length[0]),
        lambda length, radius: math.pi * radius[0] ** 2 * length[0],
        lambda length, radius: _cylinder(radius[0], length[0], "x"),
        "x",
    ),
    "capsule": Solid(
        "capsule",
        {"length": (0.5,), "radius": (0.05,)},
        lambda length, radius: (radius[0], length[0]),
        lambda length, radius: _capsule(radius[0], length[0])[0],
        lambda length, radius: _capsule(radius[0], length[0])[1],
        "x",
    ),
    "wheel": Solid(
        "cylinder",
        {"radius": (0.2,), "width": (0.05,)},
        lambda radius, width: (radius[0], width[0]),
        lambda radius, width: math.pi * radius[0] ** 2 * width[0],
        lambda radius, width: _cylinder(radius[0], width[0], "y"),
        "y",
    ),
    "sphere": Solid(
        "sphere",
        {"radius": (0.1,)},
        lambda radius: (radius[0],),
        lambda radius: 4 / 3 * math.pi * radius[0] ** 3,
        lambda radius: (0.4 * radius[0] ** 2,) * 3,
    ),
}
"""The palette of parts by name."""

DENSITY = 700.0
"""Of wood [kg/m³], for parts that state neither mass nor density."""
