"""`ts.geometry.fit`: a few swept spheres around each link of a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tarsus.geometry.fitting.cover import cover
from tarsus.geometry.fitting.enclose import Fit
from tarsus.geometry.fitting.mirror import Outlook, described, image
from tarsus.geometry.fitting.pieces import Pieces, pieces
from tarsus.geometry.fitting.report import FitReport, LinkFit, kinds_of
from tarsus.geometry.fitting.skins import Skin, skin
from tarsus.geometry.fitting.tightness import largest_gap, solid_volume, union_volume
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.geometry.volumes import ROLES, Volumes
from tarsus.model import Model
from tarsus.model.checks import UnknownNameError, count, expect, flag, number, suggestion
from tarsus.model.description import ModelError, Shape

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
