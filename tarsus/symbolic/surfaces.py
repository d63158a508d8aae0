"""Surfaces of bodies that roll and of their grounds, in symbols: as in the core's surface files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from tarsus.symbolic.recursions import Values


@dataclass(frozen=True)
class Surface:
    """A kind of surface with its numbers, which may be symbols."""

    kind: str
    numbers: list[Any]


def inverse_gauss(surface: Surface, normal: Values) -> tuple[Values, Values]:
    """Return where a body has an outward normal (3,) of any length, and its slope (3, 3)."""
    m = sympy.symbols("m_x m_y m_z", cls=sympy.Dummy, real=True)
    support = _support(surface, *m)
    gradient = [sympy.diff(support, x) for x in m]
    hessian = [[sympy.diff(of_one, x) for x in m] for of_one in gradient]
    here = dict(zip(m, normal, strict=True))
    point = [each.subs(here, simultaneous=True) for each in gradient]
    slope = [[each.subs(here, simultaneous=True) for each in row] for row in hessian]
    return np.array(point, dtype=object), np.array(slope, dtype=object)


def ground_height(ground: Surface, x: Any, y: Any) -> tuple[Any, Values, Values]:
    """Return the height of a ground at x and y, its slopes (2,) and second derivatives (2, 2)."""
    places = sympy.symbols("x y", cls=sympy.Dummy, real=True)
    height = sympy.sympify(_height(ground, *places))
    slopes = [sympy.diff(height, along) for along in places]
    bends = [[sympy.diff(slope, along) for along in places] for slope in slopes]
    here = dict(zip(places, (x, y), strict=True))

    def at(value: Any) -> Any:
        return value.subs(here, simultaneous=True)

    second = [[at(bend) for bend in row] for row in bends]
    return at(height), np.array([at(s) for s in slopes], object), np.array(second, object)


def _support(surface: Surface, x: Any, y: Any, z: Any) -> Any:
    """Return the support function: how far a body reaches along (x, y, z), times its length."""
    n, flat = surface.numbers, sympy.sqrt(x**2 + y**2)
    if surface.kind == "sphere":
        return n[0] * sympy.sqrt(x**2 + y**2 + z**2)
    if surface.kind == "ellipsoid":
        return sympy.sqrt((n[0] * x) ** 2 + (n[1] * y) ** 2 + (n[2] * z) ** 2)
    if surface.kind == "disc":
        return n[0] * flat
    if surface.kind == "torus":
        return n[0] * flat + n[1] * sympy.sqrt(x**2 + y**2 + z**2)
    raise NotImplementedError(f"no symbols for a body of kind {surface.kind!r}")


def _height(ground: Surface, x: Any, y: Any) -> Any:
    n = ground.numbers
    if ground.kind == "plane":
        return sympy.Integer(0)
    if ground.kind == "sphere":
        return sympy.sqrt(n[0] ** 2 - x**2 - y**2)
    if ground.kind == "ellipsoid":
        return n[2] * sympy.sqrt(1 - (x / n[0]) ** 2 - (y / n[1]) ** 2)
    if ground.kind == "paraboloid":
        return n[0] * x**2 + n[1] * y**2
    if ground.kind == "sinusoid":
        return n[0] * sympy.sin(2 * sympy.pi * n[1] * y)
    raise NotImplementedError(f"no symbols for a ground of kind {ground.kind!r}")
