"""`ts.Collision`: what of a model can touch the ground and other bodies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np

from tarsus._lib.checks import count, expect, flag, listing
from tarsus._lib.files import Array
from tarsus.geometry.body_pairs import (
    Pair,
    Placed,
    ordered,
    placed_shapes,
    placed_volumes,
    trees_of,
    watched_pairs,
)
from tarsus.geometry.contact_candidates import (
    COARSE,
    PER_PAIR,
    PER_RING,
    Candidate,
    ContactPoints,
    Surface,
    Touches,
    on_the_ground,
    touches_of_points,
    touches_of_shapes,
    unique_names,
    world_of,
)
from tarsus.geometry.contact_material import (
    GIVING_WAY,
    Frictions,
    PairFrictions,
    Rubbing,
    Rule,
    blends,
    stated_rules,
)
from tarsus.geometry.grounds import SmoothGround, Terrain
from tarsus.geometry.height_field import Profile
from tarsus.geometry.solids import Solid, solid
from tarsus.geometry.volumes import Volumes
from tarsus.model.description import Shape
from tarsus.model.model import Model
from tarsus.model.name_references import PAIR_FRICTIONS

# The parts of a model that can touch the ground and each other, as arrays for the core.


TouchingShapes: TypeAlias = Literal["collision", "primitives", "visual"]


@dataclass(frozen=True, eq=False, repr=False)
class Collision:
    """What of a model can touch, and what it is called.

    `arguments` are the arrays that the core's `World` takes. `candidates` tells body, link and
    shape of every place that may touch, in the order of the core's numbers (`numbered` for those
    on a particular ground). `warnings` says what was replaced or left out. `blends` has rows (n, 4)
    for "friction", "restitution", "torsion", "rolling", "stiffness" and "damping", as far as shapes
    state them (`tarsus.geometry.contact_material`); of these `by_files` are stated by files alone,
    for their own simulators.
    """

    model: str
    arguments: Mapping[str, Any]
    candidates: tuple[Candidate, ...]
    warnings: tuple[str, ...]
    blends: Mapping[str, Array] = field(default_factory=dict)
    by_files: tuple[str, ...] = ()

    @classmethod
    def from_model(
        cls,
        model: Model,
        contact_points: ContactPoints | None = None,
        self_collision: bool | Iterable[tuple[str, str]] = False,
        shapes: TouchingShapes | Volumes = "collision",
        mesh_points: int = 32,
        hollows: bool = False,
        friction: Frictions | None = None,
        restitution: Frictions | None = None,
        stiffness: Frictions | None = None,
        damping: Frictions | None = None,
        pairs: PairFrictions | None = None,
        combine: Rule | Mapping[str, Rule] | None = None,
        ignore_ground: Iterable[str] = (),
    ) -> Self:
        """Return what of a model can touch the ground, and which bodies can touch each other.

        `contact_points` are the only points that touch the ground: names of frames, or a mapping
        from names to positions (3,) or (k, 3) on them [m]. Without them the model's `shapes` do:
        its "collision" shapes, these without meshes ("primitives"), or its "visual" shapes; or
        `Volumes`: links that have some touch as these, all others as their collision shapes. Of
        each body at most `mesh_points` corners of meshes are kept, those that keep its outline;
        each other they touch as convex hulls of twice as many corners.
        What lies behind the outline touches nothing flat and is left out, unless `hollows` is set.

        Bodies of different trees can touch each other. With `self_collision` those of one tree
        can, too, unless they are neighbours or touch in the neutral configuration; or give pairs
        of names, and exactly these bodies can. Those in `ignore_ground`, by names of shapes, links
        or bodies, do not touch the ground.

        Shapes rub and bounce as they state; `friction` and `restitution` state it here, by names of
        shapes, links or bodies, and `stiffness` [N/m] and `damping` [N·s/m] how they give way,
        for contact laws that let them. Of two that meet `combine` makes one: "min" (unless stated),
        "max" (as MuJoCo does), "mean" or "product" for friction, or some of these by name of the
        number; of restitutions the larger one counts, stiffness and damping are in "series". What
        states none is as the ground says, or rigid on what states a stiffness.
        `pairs` has frictions of pairs of names, "ground" among them, whatever these state; those
        of the file count, too (MJCF's `<pair>`).
        """
        expect(model, Model, "model")
        if not isinstance(shapes, Volumes) and shapes not in get_args(TouchingShapes):
            raise ValueError(
                f"shapes is {shapes!r}, must be one of {', '.join(get_args(TouchingShapes))}, "
                "or Volumes"
            )
        count(mesh_points, "mesh_points", 4)
        flag(hollows, "hollows")
        chosen = _chosen(model, shapes)
        if contact_points is None:
            touches = touches_of_shapes(on_the_ground(chosen, ignore_ground), mesh_points, hollows)
            some = len(touches.rims) + len(touches.ellipsoids)
            notes = [] if some else _nothing(model, shapes)
        else:
            touches, notes = touches_of_points(model, contact_points), []
        between = between_bodies(model, chosen, self_collision, mesh_points)
        is_rim = touches.rims[:, 3:6].any(axis=1)
        candidates = (*_on_ground(model, touches, is_rim), *_of_pairs(between))
        named = {
            "friction": friction or {},
            "restitution": restitution or {},
            "stiffness": stiffness or {},
            "damping": damping or {},
        }
        listed = model.description.metadata.get(PAIR_FRICTIONS, ())
        of_file = {(a, b): float(mu) for a, b, mu in listed}
        return cls(
            model.name,
            {**_ground_arguments(touches, is_rim), **between.arguments},
            candidates,
            (*notes, *touches.warnings, *between.warnings),
            blends(candidates, Rubbing(stated_rules(combine), named, pairs or {}, of_file)),
            tuple(name for name in GIVING_WAY if not (named[name] or _by_hand(model, name))),
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for each candidate: its link, numbered if there are several; "a / b" for pairs."""
        return unique_names(self.candidates)

    def numbered(self, ground: Terrain | None) -> tuple[Candidate, ...]:
        """Return the candidate of each of the core's numbers on a ground.

        On a profile or a smooth ground each ball, ellipsoid and point of a rim may touch in two
        places: their second places are behind all others.
        """
        if ground is None or ground.kind not in (Profile.kind, SmoothGround.kind):
            return self.candidates
        return (*self.candidates, *self.candidates[: self._count_on_ground])

    @property
    def _count_on_ground(self) -> int:
        points, rings, ellipsoids = (
            len(self.arguments[key]) for key in ("point_body", "ring_body", "ellipsoid_body")
        )
        return points + PER_RING * rings + ellipsoids

    def blends_on(self, ground: Terrain | None) -> dict[str, Array]:
        """Return `blends` for each of the core's numbers on a ground, see `numbered`."""
        if not self.blends:
            return {}
        places = len(self.numbered(ground))
        order = np.arange(places)
        order[len(self.candidates) :] -= len(self.candidates)
        return {name: rows[order] for name, rows in self.blends.items()}

    def __repr__(self) -> str:
        counts = (
            f"{len(self.arguments[key])} {what}"
            for key, what in (
                ("point_body", "points"),
                ("ring_body", "rims"),
                ("ellipsoid_body", "ellipsoids"),
                ("pairs", "pairs"),
            )
            if key != "ellipsoid_body" or len(self.arguments[key])
        )
        return f"<tarsus.Collision of {self.model!r}: {', '.join(counts)}>"


def _chosen(model: Model, shapes: TouchingShapes | Volumes) -> list[Placed]:
    if isinstance(shapes, Volumes):
        others = [placed for placed in _chosen(model, "collision") if placed.link not in shapes]
        return [*placed_volumes(model, shapes), *others]
    found = placed_shapes(model, "visual" if shapes == "visual" else "collision")
    if shapes == "primitives":
        found = [placed for placed in found if placed.shape.kind != "mesh"]
    return found


def _by_hand(model: Model, name: str) -> bool:
    """Whether a shape that comes from no file states a number."""
    return any(
        getattr(shape, name) is not None and shape.source is None
        for shape in model.description.shapes
    )


def _nothing(model: Model, shapes: TouchingShapes | Volumes) -> list[str]:
    """Tell that nothing touches the ground, and what would."""
    if isinstance(shapes, Volumes):
        return [f"{model.name!r} has no volumes and no collision shapes on moving bodies"]
    other = [role for role in get_args(TouchingShapes) if role != shapes and _chosen(model, role)]
    hint = f"; shapes={other[0]!r} has some" if other else ""
    what = f"{model.name!r} has no {shapes} shapes on moving bodies: nothing touches the ground"
    return [f"{what}{hint}, or name frames as contact_points"]


def _ground_arguments(touches: Touches, is_rim: Any) -> dict[str, Any]:
    rims, bodies = touches.rims, np.array(touches.bodies, np.int64)
    points, rings = rims[~is_rim], rims[is_rim]
    round_ones = [each.shape for each in touches.ellipsoids if isinstance(each.shape, Shape)]
    return {
        "point_body": bodies[~is_rim],
        "point_position": np.ascontiguousarray(points[:, :3]),
        "point_radius": np.ascontiguousarray(points[:, 6]),
        "ring_body": bodies[is_rim],
        "ring_position": np.ascontiguousarray(rings[:, :3]),
        "ring_axis": np.ascontiguousarray(rings[:, 3:6]),
        "ring_radius": np.ascontiguousarray(rings[:, 6]),
        "ring_tube": np.ascontiguousarray(rings[:, 7]),
        "ellipsoid_body": np.array([each.body for each in touches.ellipsoids], np.int64),
        "ellipsoid_placement": np.array(
            [shape.placement for shape in round_ones], np.float64
        ).reshape(-1, 4, 4),
        "ellipsoid_size": np.array([shape.size for shape in round_ones], np.float64).reshape(-1, 3),
    }


def _on_ground(model: Model, touches: Touches, is_rim: Any) -> list[Candidate]:
    found = [
        Candidate(model.body_names[body], label.link, label.shape, surface=label.surface)
        for body, label in zip(touches.bodies, touches.labels, strict=True)
    ]
    points = [each for each, rim in zip(found, is_rim, strict=True) if not rim]
    rings = [each for each, rim in zip(found, is_rim, strict=True) if rim]
    smooth = [
        Candidate(model.body_names[body], link, shape.name or shape.kind, surface=Surface.of(shape))
        for body, link, shape in touches.ellipsoids
    ]
    return [*points, *(each for each in rings for _ in range(PER_RING)), *smooth]


def _of_pairs(between: Between) -> list[Candidate]:
    found = []
    for i, j in between.pairs:
        a, b = between.shapes[i], between.shapes[j]
        name, other = (each.shape.name or each.shape.kind for each in (a, b))
        surfaces = Surface.of(a.shape), Surface.of(b.shape)
        candidate = Candidate(
            *(a.shape.body, a.link, name), *(b.shape.body, b.link, other), *surfaces
        )
        found += [candidate] * PER_PAIR
    return found


# Contacts between bodies: the pairs that are watched, and the solids that they are made of.


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
    """Return the pairs of shapes that can touch, see `tarsus.geometry.body_pairs`.

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
