"""Names for what touches, in the core's order: points, rims, ellipsoids, then pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

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
