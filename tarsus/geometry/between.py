"""Contacts between bodies: the pairs that are watched, and the solids that they are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.formats.context import listing
from tarsus.geometry.candidates import PER_PAIR
from tarsus.geometry.pairs import Pair, Placed, ordered, trees_of, watched_pairs
from tarsus.geometry.places import world_of
from tarsus.geometry.solids import Solid, solid
from tarsus.geometry.touches import COARSE
from tarsus.model import Model

SIZES = 4
"""How many numbers the core has for the size of a solid."""
FINER = 2
"""Hulls may have so many times the corners that stand for a mesh on the ground."""


@dataclass(frozen=True, eq=False)
class Between:
    """Pairs of `solids` by number; `shapes[i]` is what solid i is or stands for."""

    shapes: list[Placed] = field(default_factory=list)
    solids: list[Solid] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arrays that the core takes; hulls that several solids have are stated once."""
        found = (each.hull for each in self.solids if each.hull is not None)
        hulls = {hull: number for number, hull in enumerate(dict.fromkeys(found))}
        sizes = [
            each.size if each.hull is None else np.array([hulls[each.hull]]) for each in self.solids
        ]
        return {
            "solid_body": np.array([shape.body for shape in self.shapes], np.int64),
            "solid_kind": [each.kind for each in self.solids],
            "solid_placement": _stacked([each.placement for each in self.solids], (4, 4)),
            "solid_size": _stacked([_padded(size) for size in sizes], (SIZES,)),
            "hull_counts": [len(hull.corners) for hull in hulls],
            "hull_corners": np.concatenate([np.zeros((0, 3)), *(hull.corners for hull in hulls)]),
            "hull_faces": [[list(loop) for loop in hull.faces] for hull in hulls],
            "pairs": np.array(self.pairs, np.int64).reshape(-1, 2),
        }


def between_bodies(
    model: Model,
    shapes: Sequence[Placed],
    self_collision: bool | Iterable[tuple[str, str]],
    mesh_points: int,
) -> Between:
    """Return the pairs of shapes that can touch, see `tarsus.geometry.pairs`.

    Hulls of meshes have at most twice as many corners as `mesh_points`.
    """
    pairs = watched_pairs(model, shapes, self_collision)
    # only shapes of pairs become solids: meshes of others need not be read
    used = sorted({number for pair in pairs for number in pair})
    place = {number: i for i, number in enumerate(used)}
    found = Between(
        [shapes[number] for number in used],
        [solid(shapes[number].shape, FINER * mesh_points) for number in used],
        [(place[i], place[j]) for i, j in pairs],
    )
    notes: list[str] = []
    if self_collision is True and pairs:
        found, notes = _without_touching(model, found)
    return replace(found, warnings=[*_replaced(found), *_coarse(found), *notes])


def _without_touching(model: Model, found: Between) -> tuple[Between, list[str]]:
    """Leave out bodies of one tree that touch each other in the neutral configuration."""
    world = world_of(model, found.arguments, None)
    gaps = world.contacts(model.neutral()[None])[0, :, 0].reshape(-1, PER_PAIR).min(axis=1)
    trees = trees_of(model)
    bodies, touching = [], {}
    for (i, j), gap in zip(found.pairs, gaps, strict=True):
        a, b = found.shapes[i], found.shapes[j]
        bodies.append(ordered(a.body, b.body))
        if gap <= 0.0 and trees[a.link] == trees[b.link]:
            touching[bodies[-1]] = f"{a.shape.body} and {b.shape.body}"
    kept = [pair for pair, key in zip(found.pairs, bodies, strict=True) if key not in touching]
    if not touching:
        return found, []
    names = listing(touching.values(), limit=5)
    note = f"pairs of bodies ({len(touching)}) touch in the neutral configuration"
    return replace(found, pairs=kept), [f"{note} and are not watched: {names}"]


def _replaced(found: Between) -> list[str]:
    """What stands for shapes that are not exact in contacts between bodies."""
    count = Counter(
        (placed.shape.kind, each.kind)
        for placed, each in zip(found.shapes, found.solids, strict=True)
        if not each.exact
    )
    if not count:
        return []
    parts = [f"{kind} by {stand_in} ({n})" for (kind, stand_in), n in sorted(count.items())]
    return [f"in contacts between bodies shapes are replaced: {', '.join(parts)}"]


def _coarse(found: Between) -> list[str]:
    """Which hulls of meshes reach clearly less far than these."""
    errors = [
        (each.hull.error, placed.link)
        for placed, each in zip(found.shapes, found.solids, strict=True)
        if each.hull is not None and each.hull.error > COARSE
    ]
    if not errors:
        return []
    worst, link = max(errors)
    return [
        f"in contacts between bodies hulls of meshes ({len(errors)}) are simplified: these reach "
        f"more than {1e3 * COARSE:g} mm beyond them, that of {link!r} most, {1e3 * worst:.1f} mm; "
        "more mesh_points are finer"
    ]


def _padded(size: Array) -> Array:
    return np.concatenate([size, np.zeros(SIZES - len(size))])


def _stacked(rows: list[Array], shape: tuple[int, ...]) -> Array:
    return np.array(rows, np.float64).reshape(-1, *shape)
