"""Pairs of links whose distance is watched, and which ones are by default."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from tarsus.geometry.pairs import body_numbers, excluded_pairs, neighbours, ordered
from tarsus.geometry.volumes import Volumes
from tarsus.model import Model
from tarsus.model.checks import UnknownNameError, expect, suggestion
from tarsus.model.description import WORLD


@dataclass(frozen=True)
class LinkPair:
    """Two links, and the groups of their volumes that meet in this pair; without a group all do."""

    first: str
    second: str
    first_group: str | None = None
    second_group: str | None = None

    @property
    def name(self) -> str:
        """What the pair is called: "left_shin / right_shin", with groups "left_shin:inner / …"."""
        return f"{_named(self.first, self.first_group)} / {_named(self.second, self.second_group)}"


def link_pairs(
    model: Model, volumes: Volumes, disabled: Iterable[Sequence[str]] = ()
) -> tuple[LinkPair, ...]:
    """Return all pairs of links with volumes that can come near each other.

    Links of one body, neighbours (by a joint, over bodies without volumes, or by a loop; the world
    is nobody's neighbour), what the model's file excludes and pairs in `disabled` are left out.
    """
    volumes.check_links(model)
    number = body_of_links(model, volumes)
    # what stands in the world is an obstacle for all, also for links that hang on the world
    near = {pair for pair in neighbours(model, set(number.values())) if min(pair) >= 0}
    out = near | excluded_pairs(model)
    names = {frozenset(_two(pair, "disabled")) for pair in disabled}
    # what stands still comes second
    links = sorted(volumes, key=lambda link: number[link] < 0)
    return tuple(
        LinkPair(a, b)
        for a, b in combinations(links, 2)
        if number[a] != number[b]
        and ordered(number[a], number[b]) not in out
        and frozenset((a, b)) not in names
    )


def checked_pairs(
    model: Model, volumes: Volumes, pairs: Iterable[LinkPair | Sequence[str]]
) -> tuple[LinkPair, ...]:
    """Return pairs of names as `LinkPair`, after a look at their links and groups."""
    number = body_of_links(model, volumes)
    found = []
    for each in [pairs] if isinstance(pairs, str) else pairs:
        pair = each if isinstance(each, LinkPair) else LinkPair(*_two(each, "pairs"))
        for link, group in (
            (pair.first, pair.first_group),
            (pair.second, pair.second_group),
        ):
            if link not in volumes:
                message = f"pairs: there are no volumes on a link {link!r}"
                raise UnknownNameError(message + suggestion(link, volumes))
            volumes.of_group(link, group)
        if number[pair.first] == number[pair.second]:
            raise ValueError(f"pairs: {pair.name} are on one body, their distance never changes")
        found.append(pair)
    return tuple(found)


def body_of_links(model: Model, volumes: Volumes) -> dict[str, int]:
    """Return the number of the moving body that carries each link; −1 for the world."""
    expect(volumes, Volumes, "volumes")
    number = body_numbers(model)
    return {link: number[WORLD if link == WORLD else model.frame(link).body] for link in volumes}


def _two(pair: Sequence[str], what: str) -> tuple[str, str]:
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise ValueError(f"{what} has {pair!r}, must be pairs of names of links")
    first, second = pair
    return first, second


def _named(link: str, group: str | None) -> str:
    return link if group is None else f"{link}:{group}"
