"""`ts.geometry.fit`: swept-sphere volumes around the links of a model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from tarsus._lib.checks import UnknownNameError, count, expect, flag, number, suggestion
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.geometry.fitting.cover import (
    cover,
    hull_volume,
    largest_gap,
    solid_volume,
    union_volume,
)
from tarsus.geometry.fitting.enclose import SLACK, Fit
from tarsus.geometry.fitting.pieces import Pieces, pieces
from tarsus.geometry.fitting.skins import Skin, skin
from tarsus.geometry.swept_spheres import SweptSphere, volume
from tarsus.geometry.volumes import ROLES, Volumes
from tarsus.model.description import Shape
from tarsus.model.model import Model

# `ts.geometry.fit`: a few swept spheres around each link of a model.


PARTS, TIGHTNESS = 4, 1.2
MOST_PARTS = 64


class Fitted(Volumes):
    """Volumes that `fit` found; `report` tells how tight they are."""

    __slots__ = ("report",)

    def __init__(
        self,
        by_link: Mapping[str, Iterable[SweptSphere]],
        notes: Iterable[str] = (),
        report: FitReport | None = None,
    ) -> None:
        super().__init__(by_link, notes)
        self.report = report or FitReport("", ())


@dataclass(frozen=True, eq=False)
class _Own:
    """A link with volumes of its own, of which others may be images."""

    link: str
    outlook: Outlook
    pieces: Pieces
    fits: list[Fit]


def fit(
    model: Model,
    *,
    links: Iterable[str] | None = None,
    parts: int = PARTS,
    tightness: float = TIGHTNESS,
    shapes: str = "collision",
    mirror: bool = True,
    progress: Callable[[str, float], None] | None = None,
) -> Fitted:
    """Return volumes that hold the shapes of each link, or of some `links`, with a `.report`.

    Each link gets at most `parts` balls, lines and triangles, fewer where these take no more than
    `tightness` times the volume of the shapes, or where more would hardly take less. No vertex and
    no face of a mesh is outside, nor the inside of a closed one. `shapes` are "collision",
    "primitives" (without meshes) or "visual". With `mirror` links that look like the mirror image
    of another get the image of its volumes. `progress` is called with the next link and the
    share that is done. The result is the same each time.
    """
    expect(model, Model, "model")
    count(parts, "parts", most=MOST_PARTS)
    if not number(tightness, "tightness") >= 1.0:
        raise ValueError(f"tightness is {tightness}, must be at least 1")
    flag(mirror, "mirror")
    by_link = _shapes(model, links, shapes)
    found: dict[str, list[SweptSphere]] = {}
    rows: list[LinkFit] = []
    notes: list[str] = []
    own: list[_Own] = []
    for done, (link, of_link) in enumerate(by_link.items()):
        if progress is not None:
            progress(link, done / len(by_link))
        skins = [skin(shape) for shape in of_link]
        notes += [note for each in skins for note in each.notes]
        outlook, solid = Outlook.of(skins), solid_volume(skins)
        origin, fits = _image(own, link, outlook, skins) if mirror else ("", None)
        if fits is None:
            cut = pieces(skins)
            fits = cover(cut, outlook.volume if math.isnan(solid) else solid, parts, tightness)
            own.append(_Own(link, outlook, cut, fits))
        found[link] = _named(fits)
        kinds = kinds_of(found[link])
        taken, gap = union_volume(fits), largest_gap(fits, skins)
        ratios = _ratio(taken, solid), _ratio(taken, outlook.volume)
        rows.append(LinkFit(link, len(fits), kinds, *ratios, gap, origin))
    report = FitReport(model.name, tuple(rows), tuple(notes))
    return Fitted(found, notes, report)


def _shapes(model: Model, links: Iterable[str] | None, role: str) -> dict[str, list[Shape]]:
    """The shapes of each link that has some, in the order of the model."""
    if role not in ROLES:
        raise ValueError(f"shapes is {role!r}, must be one of {', '.join(ROLES)}")
    by_link: dict[str, list[Shape]] = {}
    for shape in model.description.shapes:
        left_out = role == "primitives" and shape.kind == "mesh"
        if shape.role == ("visual" if role == "visual" else "collision") and not left_out:
            by_link.setdefault(shape.body, []).append(shape)
    if not by_link:
        raise ModelError(f"{model.name!r} has no {role} shapes to fit volumes to")
    if links is None:
        return by_link
    if isinstance(links, str):
        raise TypeError(f"links is {links!r}, must be a list of names")
    wanted = list(dict.fromkeys(links))
    for name in wanted:
        if name not in by_link:
            message = f"links: {model.name!r} has no link {name!r} with {role} shapes"
            raise UnknownNameError(message + suggestion(name, by_link))
    return {name: by_link[name] for name in by_link if name in wanted}


def _image(
    own: list[_Own], link: str, outlook: Outlook, skins: list[Skin]
) -> tuple[str, list[Fit] | None]:
    """The image of another link's volumes that fits this one, if there is any."""
    for other in sorted(own, key=lambda each: -_likeness(each.link, link)):
        for signs in other.outlook.images(outlook):
            # cut by the other's grid, so that pieces are those to which its volumes were fitted
            cut = pieces([each.image(signs) for each in skins], other.pieces.grid)
            if (fits := image(other.fits, signs, cut)) is not None:
                return f"{described(signs)} {other.link}", fits
    return "", None


def _likeness(name: str, other: str) -> int:
    """How many letters two names share in their places: left_arm is like right_arm from behind."""
    return sum(a == b for a, b in zip(reversed(name), reversed(other), strict=False))


def _named(fits: list[Fit]) -> list[SweptSphere]:
    names = [f"part {k}" for k in range(1, len(fits) + 1)] if len(fits) > 1 else ["whole"]
    return [
        SweptSphere(each.core, each.radius, name) for each, name in zip(fits, names, strict=True)
    ]


def _ratio(taken: float, space: float) -> float:
    return math.inf if space == 0.0 else taken / space


# What `fit` did, link by link.


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


# Links that are mirror images of others, or the same: left and right limbs get the same volumes.
#
# What two links look like decides, not what they are called: boxes around them and volumes must
# agree, and then the image of the one's volumes must hold the other, with radii that hardly grow.


ALIKE = 5e-3
"""By how much of their size links may differ and radii may grow; volumes by twice as much."""
SIGNS = sorted(product((1.0, -1.0), repeat=3), key=lambda signs: -sum(signs))
"""The same place first, then images about one plane, about two, about three."""


@dataclass(frozen=True, eq=False)
class Outlook:
    """What of a link is compared: the corners (2, 3) of the box around it, its hull's volume."""

    box: Array
    volume: float

    @classmethod
    def of(cls, skins: Sequence[Skin]) -> Outlook:
        """Return what the surfaces of a link look like together."""
        vertices = np.concatenate([skin.vertices for skin in skins])
        return cls(np.array([vertices.min(axis=0), vertices.max(axis=0)]), hull_volume(vertices))

    def images(self, other: Outlook) -> list[Array]:
        """Return the signs (3,) of axes with which this link may look like another."""
        size = float(np.ptp(self.box, axis=0).max())
        if abs(self.volume - other.volume) > 2 * ALIKE * max(self.volume, other.volume):
            return []
        return [
            np.array(signs)
            for signs in SIGNS
            if np.abs(np.sort(self.box * signs, axis=0) - other.box).max() <= ALIKE * size
        ]


def image(fits: Sequence[Fit], signs: Array, pieces: Pieces) -> list[Fit] | None:
    """Return the image of volumes, grown a little so that they hold all; None if that is much.

    `pieces` are those of the link whose volumes they become, seen in the image.
    """
    size = float(np.ptp(pieces.points, axis=0).max())
    outside = np.array([pieces.reach(fit.core) - fit.radius for fit in fits])
    owner, least = outside.argmin(axis=0), outside.min(axis=0)
    if float(least.max()) > ALIKE * size:
        return None
    found = []
    for index, fit in enumerate(fits):
        grown = max(float(least[owner == index].max(initial=0.0)), 0.0)
        radius = fit.radius + grown + (SLACK * size if grown else 0.0)
        found.append(Fit(fit.core * signs, radius, volume(fit.core, radius)))
    return found


def described(signs: Array) -> str:
    """Return how an image came about, in words."""
    if (signs > 0.0).all():
        return "same as"
    axes = " and ".join(axis for axis, sign in zip("xyz", signs, strict=True) if sign < 0.0)
    return f"image across {axes} of"
