"""Inertias of simple solids about their centres [kg m²], as the three numbers of a diagonal."""

from __future__ import annotations

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
