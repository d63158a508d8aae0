"""What of a model can touch the ground: named points, or the outlines of its shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.geometry.candidates import Surface
from tarsus.geometry.outline import outline
from tarsus.geometry.pairs import Placed
from tarsus.geometry.rims import balls, rims
from tarsus.geometry.solids import is_ellipsoid
from tarsus.model import Model
from tarsus.model.checks import UnknownNameError, reals, suggestion
from tarsus.model.description import WORLD, ModelError

ContactPoints: TypeAlias = Sequence[str] | Mapping[str, ArrayLike]
COARSE = 1e-3
"""Outlines that are off by more than this are reported [m]."""


class Label(NamedTuple):
    """The names of a link and its shape, and how that rubs and bounces."""

    link: str
    shape: str
    surface: Surface = Surface()


@dataclass(frozen=True, eq=False)
class Touches:
    """Rims (n, 8) with the numbers of their bodies, and the names of link and shape of each.

    `ellipsoids` are shapes that touch as they are.
    """

    rims: Array
    bodies: list[int]
    labels: list[Label]
    ellipsoids: list[Placed] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def touches_of_points(model: Model, points: ContactPoints) -> Touches:
    """Return the points that are named: frames, or positions (3,) or (k, 3) on frames."""
    if isinstance(points, str) or not isinstance(points, Iterable):
        raise ValueError(f"contact_points is {points!r}, must be a list of names or a mapping")
    named = points if isinstance(points, Mapping) else dict.fromkeys(points, np.zeros(3))
    found, bodies, labels = [np.zeros((0, 8))], [], []
    for name, position in named.items():
        frame = model.frame(name)
        if frame.body == WORLD:
            raise ModelError(f"contact_points: frame {name!r} does not move")
        offsets = np.atleast_2d(reals(position, f"contact_points: {name!r}"))
        if offsets.ndim != 2 or offsets.shape[1] != 3 or not np.isfinite(offsets).all():
            message = f"contact_points: {name!r} is at {position!r}, must be (3,) or (k, 3)"
            raise ValueError(message)
        rotation, origin = frame.placement[:3, :3], frame.placement[:3, 3]
        found.append(balls(offsets @ rotation.T + origin))
        bodies += [model.body(frame.body).index] * len(offsets)
        labels += [Label(name, "point")] * len(offsets)
    return Touches(np.concatenate(found), bodies, labels)


def on_the_ground(shapes: Sequence[Placed], ignored: Iterable[str]) -> list[Placed]:
    """Return shapes without those that are ignored, by names of shapes, links or bodies."""
    if isinstance(ignored, str):
        raise ValueError(f"ignore_ground is {ignored!r}, must be a list of names")
    left = list(shapes)
    for name in ignored:
        known = {x: None for each in shapes for x in _names(each)}
        if name not in known:
            message = f"ignore_ground: no shape, link or body is called {name!r}"
            raise UnknownNameError(message + suggestion(name, known))
        left = [each for each in left if name not in _names(each)]
    return left


def touches_of_shapes(shapes: Sequence[Placed], mesh_points: int, hollows: bool) -> Touches:
    """Return ellipsoids, and rims of others that `outline` keeps; a warning if it is coarse."""
    found, bodies, labels = [np.zeros((0, 8))], [], []
    errors: dict[str, float] = {}
    moving = sorted((shape for shape in shapes if shape.body >= 0), key=lambda shape: shape.body)
    ellipsoids = [placed for placed in moving if is_ellipsoid(placed.shape)]
    others = [placed for placed in moving if not is_ellipsoid(placed.shape)]
    for body, group in groupby(others, key=lambda shape: shape.body):
        parts = [(placed, rims(placed.shape)) for placed in group]
        of_body = np.concatenate([part for _, part in parts])
        owners = [placed for placed, part in parts for _ in part]
        of_mesh = np.array([owner.shape.kind == "mesh" for owner in owners])
        kept, error = outline(of_body, of_mesh, mesh_points, hollows=hollows)
        found.append(of_body[kept])
        bodies += [body] * len(kept)
        labels += [_label(owners[i]) for i in kept]
        errors[owners[0].shape.body] = error
    coarse = [body for body, error in errors.items() if error > COARSE]
    notes = []
    if coarse:
        worst = max(coarse, key=errors.__getitem__)
        notes.append(
            f"at most {mesh_points} corners of meshes stand for each body: bodies ({len(coarse)}) "
            f"reach more than {1e3 * COARSE:g} mm beyond them, {worst!r} most, "
            f"{1e3 * errors[worst]:.1f} mm; more mesh_points are finer"
        )
    return Touches(np.concatenate(found), bodies, labels, ellipsoids, notes)


def _names(placed: Placed) -> tuple[str, ...]:
    return placed.shape.name or placed.shape.kind, placed.link, placed.shape.body


def _label(placed: Placed) -> Label:
    name = placed.shape.name or placed.shape.kind
    return Label(placed.link, name, Surface.of(placed.shape))
