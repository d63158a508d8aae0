"""Which bodies can touch each other.

Bodies of different trees can, always: two robots, a robot and a box, a robot and what is fixed to
the world. Inside one tree they can if that is asked for, unless they are neighbours or touch each
other already in the neutral configuration, as shapes around a joint do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from tarsus._lib.checks import UnknownNameError, suggestion
from tarsus._lib.errors import WORLD
from tarsus.geometry.swept_spheres import VolumeOnBody
from tarsus.geometry.volumes import Volumes
from tarsus.model.description import Shape
from tarsus.model.model import Model

Pair = tuple[int, int]
"""Two bodies, or two shapes, by number."""


class Placed(NamedTuple):
    """What touches, on a moving body with this number (−1: the world), and the link that has it."""

    body: int
    link: str
    shape: Shape | VolumeOnBody


def placed_shapes(model: Model, role: str) -> list[Placed]:
    """Return the shapes of a model that have this role, with the bodies that carry them."""
    number = body_numbers(model)
    stated = model.description.shapes
    return [
        Placed(number[shape.body], link.body, shape)
        for link, shape in zip(stated, model.shapes, strict=True)
        if shape.role == role
    ]


def placed_volumes(model: Model, volumes: Volumes) -> list[Placed]:
    """Return all volumes with the bodies that carry their links."""
    volumes.check_links(model)
    number = body_numbers(model)
    found = []
    for link, listed in volumes.items():
        frame = None if link == WORLD else model.frame(link)
        for volume in listed:
            on = volume if frame is None else volume.moved(frame.placement)
            body = WORLD if frame is None else frame.body
            found.append(Placed(number[body], link, VolumeOnBody(body, on)))
    return found


def watched_pairs(
    model: Model, shapes: Sequence[Placed], self_collision: bool | Iterable[tuple[str, str]]
) -> list[Pair]:
    """Return the pairs of shapes, by number, that are watched for contact.

    What the file excludes is not watched. `self_collision` True adds pairs inside a tree, but for
    neighbours. Pairs of names say exactly which bodies, or links welded to them, are watched.
    """
    if isinstance(self_collision, bool):
        trees = trees_of(model)
        near, excluded = neighbours(model, {shape.body for shape in shapes}), excluded_pairs(model)

        def wanted(a: Placed, b: Placed) -> bool:
            if ordered(a.body, b.body) in excluded:
                return False
            if trees[a.link] != trees[b.link]:
                return True
            return bool(self_collision) and ordered(a.body, b.body) not in near
    else:
        named = _named(model, self_collision)

        def wanted(a: Placed, b: Placed) -> bool:
            names = {frozenset((x, y)) for x in _names(a) for y in _names(b)}
            return bool(names & named)

    # the first of a pair moves: forces are reported as they act on it
    order = sorted(range(len(shapes)), key=lambda number: shapes[number].body < 0)
    return [
        (i, j)
        for i, j in combinations(order, 2)
        if shapes[i].body != shapes[j].body and wanted(shapes[i], shapes[j])
    ]


def ordered(a: int, b: int) -> Pair:
    """Return the numbers with the smaller one first."""
    return min(a, b), max(a, b)


def body_numbers(model: Model) -> dict[str, int]:
    """Return the number of each moving body by name; the world's is −1."""
    return {WORLD: -1} | {name: i for i, name in enumerate(model.body_names)}


def trees_of(model: Model) -> dict[str, str]:
    """Return for each link one of its tree: joints connect links, the world does not."""
    tree = {body.name: body.name for body in model.description.bodies} | {WORLD: WORLD}

    def root(name: str) -> str:
        while tree[name] != name:
            name = tree[name]
        return name

    for joint in model.description.joints:
        if joint.parent != WORLD:
            tree[root(joint.child)] = root(joint.parent)
    return {name: root(name) for name in tree}


def neighbours(model: Model, with_shapes: set[int]) -> set[Pair]:
    """Return bodies next to each other: by a joint, over bodies without shapes, or by a loop."""
    parents = [body.parent for body in model.bodies]
    found = set()
    for body in with_shapes - {-1}:
        parent = parents[body]
        while parent >= 0 and parent not in with_shapes:
            parent = parents[parent]
        found.add(ordered(body, parent))
    return found | _moving(model, ((loop.body_a, loop.body_b) for loop in model.description.loops))


def excluded_pairs(model: Model) -> set[Pair]:
    """Return pairs of bodies that the file says never touch."""
    return _moving(model, model.description.metadata.get("excluded_contacts", ()))


def _moving(model: Model, links: Iterable[Sequence[str]]) -> set[Pair]:
    """The moving bodies that carry these pairs of links."""
    number = body_numbers(model)

    def carrier(link: str) -> int:
        return number[WORLD if link == WORLD else model.frame(link).body]

    return {ordered(carrier(first), carrier(second)) for first, second in links}


def _names(placed: Placed) -> set[str]:
    return {placed.link, placed.shape.body}


def _named(model: Model, pairs: Iterable[tuple[str, str]]) -> set[frozenset[str]]:
    valid = dict.fromkeys([WORLD, *(body.name for body in model.description.bodies)])
    found = set()
    for pair in pairs if isinstance(pairs, Iterable) else [pairs]:
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise ValueError(f"self_collision has {pair!r}, must be True or pairs of body names")
        for name in pair:
            if name not in valid:
                message = f"self_collision: there is no body {name!r}"
                raise UnknownNameError(message + suggestion(name, valid))
        found.add(frozenset(pair))
    return found
