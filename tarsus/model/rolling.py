"""What a rolling joint states: the surface of its body, and the ground on which it rolls.

A surface is stated by its kind and its numbers [m], as a mapping or by anything that has both. The
core has them in closed form (core/surfaces): bodies by inverse Gauss maps, grounds by heights.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tarsus import _core
from tarsus._lib.checks import numbers, suggestion
from tarsus._lib.errors import ModelError, Source
from tarsus.model.description import Joint, SurfaceStatement

NUMBERS: Mapping[str, tuple[str, ...]] = {
    "plane": (),
    "sphere": ("radius",),
    "ellipsoid": ("rx", "ry", "rz"),
    "disc": ("radius",),
    "torus": ("R", "r"),
    "paraboloid": ("a", "b"),
    "sinusoid": ("amplitude", "frequency"),
}
"""Kind of a surface -> the names of its numbers, in their order."""

SIGNED = ("paraboloid",)
"""Kinds whose numbers may be zero or negative."""

_KINDS = _core.surface_kinds()
BODIES = tuple(kind for kind, (_, rolls, _) in _KINDS.items() if rolls)
"""Surfaces of bodies that roll: closed, with one point for each direction of the normal."""
GROUNDS = tuple(kind for kind, (_, _, ground) in _KINDS.items() if ground)
"""Surfaces to roll on: z = h(x, y), of spheres and ellipsoids the upper half."""

PLANE = SurfaceStatement("plane")


def checked_rolling(joint: Joint, what: str) -> Joint:
    """Return `joint` with checked surfaces; a joint that does not roll has none."""
    if joint.kind != "rolling":
        for key in ("surface", "ground"):
            if getattr(joint, key) is not None:
                raise ModelError(f"{what}: {key} is for rolling joints only", joint.source)
        return joint
    if joint.surface is None:
        message = f"a rolling joint needs a surface (valid: {', '.join(BODIES)})"
        raise ModelError(f"{what}: {message}", joint.source)
    surface = checked_surface(joint.surface, BODIES, f"{what}: surface", joint.source)
    if joint.ground is None:
        return dataclasses.replace(joint, surface=surface)
    ground = checked_surface(joint.ground, GROUNDS, f"{what}: ground", joint.source)
    roundest, hollow = _roundest(surface), _deepest_bend(ground)
    if roundest * hollow >= 1.0:
        raise ModelError(
            f"{what}: the {surface.kind} does not fit into the ground: its smallest radius of "
            f"curvature is {roundest:.6g} m, that of the {ground.kind} is {1.0 / hollow:.6g} m",
            joint.source,
        )
    return dataclasses.replace(joint, surface=surface, ground=ground)


def checked_surface(
    value: Any, kinds: tuple[str, ...], what: str, source: Source | None = None
) -> SurfaceStatement:
    """Return a surface of one of `kinds` with as many finite numbers as its kind has."""
    kind, stated = _parts(value, what, source)
    if kind not in kinds:
        raise ModelError(f"{what} is of kind {kind!r}{suggestion(kind, kinds)}", source)
    names = NUMBERS[kind]
    listed = f"({len(names)},): {', '.join(names)}" if names else "(0,)"
    values = numbers(stated, (len(names),), f"{what} {kind}: numbers", source, accepted=listed)
    if kind not in SIGNED and (values <= 0.0).any():
        stated = ", ".join(f"{name} {x:g}" for name, x in zip(names, values, strict=True))
        raise ModelError(f"{what} {kind}: numbers must be above zero, not {stated}", source)
    return SurfaceStatement(kind, tuple(values.tolist()))


def core_surfaces(joint: Joint) -> tuple[list[str], list[list[float]]]:
    """Return kinds (2,) and numbers (2, 3) of body and ground, as the core takes them."""
    both = (joint.surface or PLANE, joint.ground or PLANE)
    padded = [[*surface.numbers, 0.0, 0.0, 0.0][:3] for surface in both]
    return [surface.kind for surface in both], padded


def _parts(value: Any, what: str, source: Source | None) -> tuple[str, Any]:
    """Return kind and numbers of a mapping, or of an object that has them."""
    if isinstance(value, Mapping):
        for key in value:
            if key not in ("kind", "numbers"):
                valid = suggestion(key, ("kind", "numbers"))
                raise ModelError(f"{what} has an unknown key {key!r}{valid}", source)
        kind, stated = value.get("kind"), value.get("numbers", [])
    else:
        kind, stated = getattr(value, "kind", None), getattr(value, "numbers", [])
    if not isinstance(kind, str):
        message = f"{what} must be a surface or a mapping with kind and numbers, not {value!r}"
        raise ModelError(message, source)
    return kind, stated


def _roundest(body: SurfaceStatement) -> float:
    """Return the smallest radius of curvature of a body [m]."""
    least: dict[str, Callable[..., float]] = {
        "sphere": lambda radius: radius,
        "ellipsoid": lambda *axes: min(axes) ** 2 / max(axes),
        "disc": lambda radius: 0.0,
        "torus": lambda major, minor: minor,
    }
    return float(least[body.kind](*body.numbers))


def _deepest_bend(ground: SurfaceStatement) -> float:
    """Return the largest curvature of a ground upwards [1/m], zero where it is nowhere hollow."""
    if ground.kind == "paraboloid":
        return 2.0 * max(0.0, *ground.numbers)
    if ground.kind == "sinusoid":
        amplitude, frequency = ground.numbers
        return float(amplitude * (2.0 * np.pi * frequency) ** 2)
    return 0.0
