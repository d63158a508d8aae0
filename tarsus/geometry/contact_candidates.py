"""Contact candidates: places of a model that can touch something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus import _core
from tarsus._lib.checks import UnknownNameError, reals, suggestion
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.geometry.body_pairs import Placed
from tarsus.geometry.grounds import Terrain
from tarsus.geometry.outlines import balls, outline, rims
from tarsus.geometry.solids import is_ellipsoid
from tarsus.model.model import Model

# Names for what touches, in the core's order: points, rims, ellipsoids, then pairs.


PER_RING, PER_PAIR = 3, 8
"""How many candidates the core has for a rim and for a pair of solids."""
GROUND = "ground"


class Surface(NamedTuple):
    """How a shape rubs, bounces and gives way, as far as it states it."""

    friction: float | None = None
    restitution: float | None = None
    torsion: float | None = None
    rolling: float | None = None
    stiffness: float | None = None
    damping: float | None = None

    @classmethod
    def of(cls, shape: Any) -> Self:
        """Return what a shape states; volumes state nothing."""
        return cls(*(getattr(shape, name, None) for name in cls._fields))


UNSTATED = Surface()


@dataclass(frozen=True)
class Candidate:
    """A place that may touch: a `shape` of a `link`, which moves with `body`.

    `other_body`, `other_link` and `other_shape` are what it may touch, "ground" or the second body
    of a pair. Both may state how their surfaces rub and bounce.
    """

    body: str
    link: str
    shape: str
    other_body: str = GROUND
    other_link: str = GROUND
    other_shape: str = GROUND
    surface: Surface = UNSTATED
    other_surface: Surface = UNSTATED


def unique_names(candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """Return a name for each candidate: "foot", "foot 2" …, or "hand / table" for a pair."""
    seen: Counter[str] = Counter()
    names = []
    for each in candidates:
        pair = "" if each.other_link == GROUND else f" / {each.other_link}"
        name = each.link + pair
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return tuple(names)


# Where candidates are, as the core sees them: a world to look at, not to simulate.


NO_POINTS: Mapping[str, Any] = {
    "point_body": [],
    "point_position": np.zeros((0, 3)),
    "point_radius": np.zeros(0),
    "ring_body": [],
    "ring_position": np.zeros((0, 3)),
    "ring_axis": np.zeros((0, 3)),
    "ring_radius": np.zeros(0),
}
"""What touches the ground, where nothing does."""


def world_of(model: Model, arguments: Mapping[str, Any], ground: Terrain | None) -> _core.World:
    """Return a world with arrays as in `Collision.arguments`; its `contacts(q)` are gaps."""
    return _core.World(
        model,
        dt=1e-3,
        ground_kind="none" if ground is None else ground.kind,
        ground_numbers=np.zeros(0) if ground is None else ground.numbers,
        max_contacts=1,
        law_numbers={},
        stiction=np.zeros(model.nv),
        effort=np.zeros(model.nv),
        **{**NO_POINTS, **arguments},
    )


# What of a model can touch the ground: named points, or the outlines of its shapes.


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
