"""What `fit` did, link by link."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from tarsus.geometry.swept_sphere import SweptSphere


@dataclass(frozen=True)
class LinkFit:
    """How tight the volumes of a link are.

    `of_solid` is the space that they take together over that of the shapes, NaN if a mesh is open;
    `of_hull` over that of their convex hull, infinite if that is flat. `gap` is how far they stick
    out at most [m]. `origin` tells of which link they are the image, and across which axes; it is
    empty for volumes of its own.
    """

    link: str
    volumes: int
    kinds: str
    of_solid: float
    of_hull: float
    gap: float
    origin: str = ""


@dataclass(frozen=True)
class FitReport:
    """A row for each link, and notes on meshes that are special."""

    model: str
    links: tuple[LinkFit, ...]
    notes: tuple[str, ...] = ()

    TITLES: ClassVar[tuple[str, ...]] = (
        *("link", "volumes", "kinds", "of solid", "of hull", "largest gap", "origin"),
    )

    def rows(self) -> list[tuple[str, ...]]:
        """Return the lines of a table under `TITLES`."""
        return [
            (
                *(each.link, f"{each.volumes}", each.kinds),
                "open" if math.isnan(each.of_solid) else f"{each.of_solid:.2f}",
                *(f"{each.of_hull:.2f}", f"{1e3 * each.gap:.1f} mm", each.origin),
            )
            for each in self.links
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        # JSON has no numbers that are not finite
        links = [
            {
                key: None if isinstance(value, float) and not math.isfinite(value) else value
                for key, value in asdict(each).items()
            }
            for each in self.links
        ]
        return {"model": self.model, "links": links, "notes": list(self.notes)}

    def __str__(self) -> str:
        table = [self.TITLES, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in table
        ]
        return "\n".join([*lines, *self.notes])


def kinds_of(volumes: Sequence[SweptSphere]) -> str:
    """Return how many volumes there are of each kind, in words."""
    count = Counter(volume.kind for volume in volumes)
    return ", ".join(f"{n} {kind}{'s' if n > 1 else ''}" for kind, n in sorted(count.items()))
