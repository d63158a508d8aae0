"""Swept-sphere volumes of the links of a model, their files, and volumes that enclose shapes."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from tarsus._lib.checks import UnknownNameError, check_name, expect, number, suggestion
from tarsus._lib.errors import WORLD, ModelError, Source
from tarsus._lib.files import Array
from tarsus.formats import text
from tarsus.formats.native_elements import mapping
from tarsus.geometry.outlines import DIRECTIONS, reach, rims
from tarsus.geometry.solids import around
from tarsus.geometry.swept_spheres import SweptSphere
from tarsus.model.description import Shape
from tarsus.model.model import Model

# Volumes: swept spheres on the links of a model, several to a link where it is not convex.


ROLES = ("collision", "primitives", "visual")


class Volumes(Mapping[str, tuple[SweptSphere, ...]]):
    """Swept spheres by link, `Volumes({"shin": [SweptSphere(…), …], …})`; points in link frames.

    Volumes on the link "world" stand still: obstacles. `notes` tells what only stands for a
    shape, where volumes were made from shapes.
    """

    __slots__ = ("_by_link", "notes")

    def __init__(
        self, by_link: Mapping[str, Iterable[SweptSphere]], notes: Iterable[str] = ()
    ) -> None:
        if not isinstance(by_link, Mapping):
            kind = type(by_link).__name__
            raise TypeError(f"volumes are of type {kind}, must be a mapping from links to lists")
        self._by_link: dict[str, tuple[SweptSphere, ...]] = {}
        for link, volumes in by_link.items():
            check_name(link, "a link of volumes")
            listed = (volumes,) if isinstance(volumes, SweptSphere) else tuple(volumes)
            for volume in listed:
                expect(volume, SweptSphere, f"a volume of link {link!r}")
            if listed:
                self._by_link[link] = listed
        self.notes = tuple(notes)

    @classmethod
    def from_model(cls, model: Model, shapes: str = "collision", beyond: float = 0.02) -> Self:
        """Return volumes that hold the shapes of a model.

        `shapes` are its "collision" shapes, these without meshes ("primitives") or its "visual"
        shapes. Spheres and capsules are what they are. Others are enclosed: nothing of them is
        left out. Thick boxes are cut into slices until what encloses them reaches no farther than
        `beyond` [m]. Meshes are enclosed as the smallest box or capsule around them. `notes`
        tells how many were, and how far they reach.
        """
        expect(model, Model, "model")
        if shapes not in ROLES:
            raise ValueError(f"shapes is {shapes!r}, must be one of {', '.join(ROLES)}")
        if not number(beyond, "beyond") > 0.0:
            raise ValueError(f"beyond is {beyond} m, must be positive")
        role = "visual" if shapes == "visual" else "collision"
        wanted = [shape for shape in model.description.shapes if shape.role == role]
        if shapes == "primitives":
            wanted = [shape for shape in wanted if shape.kind != "mesh"]
        by_link: dict[str, list[SweptSphere]] = {}
        found = [enclosures(shape, beyond) for shape in wanted]
        for shape, (volumes, _) in zip(wanted, found, strict=True):
            by_link.setdefault(shape.body, []).extend(volumes)
        return cls(by_link, enclosure_notes(wanted, [reach for _, reach in found]))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a .yaml or .json file that `save` wrote, or that people did."""
        return cls(read_volumes(Path(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .yaml or .json file; numbers keep all their bits."""
        write_volumes(self, Path(path))

    def mirrored(self, names: Mapping[str, str], axis: str = "y") -> Self:
        """Return these volumes and the mirror images of some, about each link's own frame.

        `names` tells for a link whose images its volumes become, as {"left_shin": "right_shin"};
        {"torso": "torso"} adds the images of the torso's own volumes, but for those that are their
        own image. Links that have volumes of their own get no others.
        """
        if not isinstance(names, Mapping):
            raise TypeError(f"names is {names!r}, must be a mapping from link to link")
        added: dict[str, tuple[SweptSphere, ...]] = {}
        for link, other in names.items():
            images = [(volume, volume.mirrored(axis)) for volume in self[link]]
            if other == link:
                kept = (image for volume, image in images if not _same_place(volume, image))
                added[link] = (*self[link], *kept)
            elif other in self._by_link or other in added:
                raise ModelError(f"names: link {other!r} has volumes already, {link!r} mirrored")
            else:
                added[other] = tuple(image for _, image in images)
        return type(self)(self._by_link | added, self.notes)

    def of_group(self, link: str, group: str | None = None) -> tuple[SweptSphere, ...]:
        """Return a link's volumes in a group and those without groups; all without a `group`."""
        volumes = self[link]
        if group is None:
            return volumes
        groups = dict.fromkeys(name for volume in volumes for name in volume.groups)
        if group not in groups:
            message = f"link {link!r} has no volumes of a group {group!r}"
            raise UnknownNameError(message + suggestion(group, groups))
        return tuple(volume for volume in volumes if not volume.groups or group in volume.groups)

    def check_links(self, model: Model) -> None:
        """Raise unless every link is one of the model's, or the world."""
        expect(model, Model, "model")
        valid = dict.fromkeys([WORLD, *(body.name for body in model.description.bodies)])
        for link in self:
            if link not in valid:
                message = f"volumes: model {model.name!r} has no link {link!r}"
                raise UnknownNameError(message + suggestion(link, valid))

    def __getitem__(self, link: str) -> tuple[SweptSphere, ...]:
        try:
            return self._by_link[link]
        except (KeyError, TypeError):
            message = f"there are no volumes on a link {link!r}{suggestion(link, self)}"
            raise UnknownNameError(message) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_link)

    def __len__(self) -> int:
        return len(self._by_link)

    def __contains__(self, link: object) -> bool:
        return isinstance(link, str) and link in self._by_link

    def __repr__(self) -> str:
        count = sum(map(len, self.values()))
        return f"<tarsus.Volumes: {count} swept spheres on {len(self)} links>"


def _same_place(volume: SweptSphere, image: SweptSphere) -> bool:
    """Whether two volumes fill the same space, whatever the order of their points."""
    one, other = (np.unique(np.round(each.points, 12) + 0.0, axis=0) for each in (volume, image))
    return np.array_equal(one, other)


# Files of volumes, YAML or JSON: a list of swept spheres, each with its link.
#
#     format: tarsus-volumes
#     version: 1
#     volumes:
#     - link: left_shin
#       name: calf
#       radius: 0.05
#       points: [[0.0, 0.0, -0.05], [0.0, 0.0, -0.35]]
#       groups: [inner]
#
# Names and groups may be left out. Numbers keep all their bits.


FORMAT, VERSION = "tarsus-volumes", 1
KEYS = ("link", "name", "radius", "points", "groups")


def write_volumes(by_link: Mapping[str, tuple[SweptSphere, ...]], path: Path) -> None:
    """Write the volumes of all links to a file."""
    entries = [_entry(link, volume) for link, volumes in by_link.items() for volume in volumes]
    text.write({"format": FORMAT, "version": VERSION, "volumes": entries}, path)


def read_volumes(path: Path) -> dict[str, list[SweptSphere]]:
    """Return the volumes of a file by link."""
    source = Source(str(path))
    keys = ("format", "version", "volumes")
    top = mapping(text.read(path), keys, keys, "the file", source)
    if top["format"] != FORMAT or top["version"] != VERSION:
        stated = f"format {top['format']!r}, version {top['version']!r}"
        raise ModelError(f"must be format {FORMAT!r}, version {VERSION}, not {stated}", source)
    if not isinstance(top["volumes"], list):
        raise ModelError("volumes must be a list", source)
    by_link: dict[str, list[SweptSphere]] = {}
    for index, entry in enumerate(top["volumes"], 1):
        place = Source(str(path), getattr(entry, "line", None))
        link, volume = _volume(entry, f"entry {index} of volumes", place)
        by_link.setdefault(link, []).append(volume)
    return by_link


def _entry(link: str, volume: SweptSphere) -> dict[str, Any]:
    entry: dict[str, Any] = {"link": link}
    if volume.name:
        entry["name"] = volume.name
    entry |= {"radius": volume.radius, "points": volume.points.tolist()}
    if volume.groups:
        entry["groups"] = list(volume.groups)
    return entry


def _volume(entry: Any, what: str, source: Source) -> tuple[str, SweptSphere]:
    data = mapping(entry, KEYS, ("link", "radius", "points"), what, source)
    if not isinstance(data["link"], str) or not data["link"]:
        raise ModelError(f"{what}: link is {data['link']!r}, must be a name", source)
    groups = data.get("groups", [])
    if not isinstance(groups, list):
        raise ModelError(f"{what}: groups must be a list of names", source)
    try:
        volume = SweptSphere(data["points"], data["radius"], data.get("name", ""), tuple(groups))
    except ValueError as error:
        raise ModelError(f"{what}: {error}", source) from None
    return data["link"], volume


# Swept spheres around the shapes of a model.
#
# Spheres and capsules are swept spheres. What is not is enclosed, so that a distance is never
# reported larger than it is:
#
# | shape | volumes | reach beyond it | |---|---|---| | box | slices of half height c: a rectangle,
# c inside of its edges, with the radius √3 c | 0.73 c | | cylinder, long | a line, c inside of its
# ends, with √2 times its radius c | 0.41 c | | cylinder, flat | slices of half height c: an octagon
# | 0.4 c and 8 % of its radius | | ellipsoid | a rectangle as far as the two longer axes, with the
# shortest as radius | at corners | | torus | an octagon around its circle: it has no hole | 8 % of
# its radius | | mesh | the smallest box or capsule around its hull, enclosed in turn | |


MOST_SLICES = 32
CORNERS = 8
"""Corners of the polygon that stands for a disc."""
SAFE = 1.0 + 1e-12
"""Radii are larger by so much: corners on the surface are inside, whatever rounding does."""

Piece = tuple[Array, float]
"""Points (n, 3) in the shape's axes and a radius."""


def enclosures(shape: Shape, beyond: float) -> tuple[list[SweptSphere], float]:
    """Return swept spheres that hold a shape of a link, and how far they reach beyond it [m]."""
    pieces, placement = _pieces(shape, beyond)
    name = shape.name or shape.kind
    volumes = [
        SweptSphere(
            points @ placement[:3, :3].T + placement[:3, 3],
            radius,
            name if len(pieces) == 1 else f"{name} {number}",
        )
        for number, (points, radius) in enumerate(pieces, 1)
    ]
    exact = shape.kind in ("sphere", "capsule")
    return volumes, 0.0 if exact else _beyond(shape, volumes)


def enclosure_notes(shapes: Sequence[Shape], reaches: Sequence[float]) -> list[str]:
    """Tell for each kind of shape how many are enclosed, and how far they reach at most."""
    farthest: dict[str, list[float]] = {}
    for shape, beyond in zip(shapes, reaches, strict=True):
        if beyond > 0.0:
            farthest.setdefault(shape.kind, []).append(beyond)
    return [
        f"shapes of kind {kind} ({len(found)}) are enclosed, reaching up to {max(found):.3g} m "
        "beyond them"
        for kind, found in sorted(farthest.items())
    ]


def _pieces(shape: Shape, beyond: float) -> tuple[list[Piece], Array]:
    kind, size, placement = shape.kind, shape.size, shape.placement
    if kind == "mesh":
        kind, size, placement = around(shape)
    if kind == "sphere":
        return [(np.zeros((1, 3)), size[0])], placement
    if kind == "capsule":
        return [(_line(size[1] / 2), size[0])], placement
    if kind == "box":
        return _box(np.array(size) / 2, beyond), placement
    if kind == "cylinder":
        return _cylinder(size[0], size[1] / 2, beyond), placement
    if kind == "torus":
        return _disc(size[0] / math.cos(math.pi / CORNERS), 0.0, size[1]), placement
    return _ellipsoid(np.array(size)), placement


def _line(half: float) -> Array:
    return np.array([[0.0, 0.0, -half], [0.0, 0.0, half]])


def _box(half: Array, beyond: float) -> list[Piece]:
    """Slices across the shortest side; of each the corners are as far as its faces reach."""
    order = np.argsort(half)[::-1]
    a, b, c = half[order]
    slices = min(max(math.ceil((math.sqrt(3.0) - 1.0) * c / beyond), 1), MOST_SLICES)
    thin = c / slices
    pieces = []
    for height in np.linspace(thin - c, c - thin, slices):
        for points in _rectangle(a - thin, b - thin, height):
            turned = np.empty_like(points)
            turned[:, order] = points
            pieces.append((turned, math.sqrt(3.0) * thin * SAFE))
    return pieces


def _rectangle(a: float, b: float, height: float = 0.0) -> list[Array]:
    """A rectangle of half sides a ≥ b as two triangles, a line if b is zero, a point if a is."""
    if a <= 0.0:
        return [np.array([[0.0, 0.0, height]])]
    if b <= 0.0:
        return [np.array([[-a, 0.0, height], [a, 0.0, height]])]
    corners = np.array([[-a, -b, height], [a, -b, height], [a, b, height], [-a, b, height]])
    return [corners[[0, 1, 2]], corners[[0, 2, 3]]]


def _cylinder(radius: float, half: float, beyond: float) -> list[Piece]:
    if half >= radius:
        return [(_line(half - radius), math.sqrt(2.0) * radius * SAFE)]
    slices = min(max(math.ceil((math.sqrt(2.0) - 1.0) * half / beyond), 1), MOST_SLICES)
    thin = half / slices
    # the middle of an edge of the polygon is farthest from the rim of the slice
    outer = radius - thin
    across = math.hypot(radius - outer * math.cos(math.pi / CORNERS), thin) * SAFE
    heights = np.linspace(thin - half, half - thin, slices)
    return [piece for height in heights for piece in _disc(outer, float(height), across)]


def _disc(outer: float, height: float, radius: float) -> list[Piece]:
    """A polygon about z, as triangles from its first corner."""
    angle = 2.0 * math.pi / CORNERS * np.arange(CORNERS)
    corners = np.column_stack(
        [outer * np.cos(angle), outer * np.sin(angle), np.full(CORNERS, height)]
    )
    return [(corners[[0, k, k + 1]], radius * SAFE) for k in range(1, CORNERS - 1)]


def _ellipsoid(half: Array) -> list[Piece]:
    """‖(a x, b y, c z)‖ ≤ (a − c)|x| + (b − c)|y| + c for unit vectors: support functions."""
    order = np.argsort(half)[::-1]
    a, b, c = half[order]
    pieces = []
    for points in _rectangle(a - c, b - c):
        turned = np.empty_like(points)
        turned[:, order] = points
        pieces.append((turned, c * SAFE))
    return pieces


def _beyond(shape: Shape, volumes: Sequence[SweptSphere]) -> float:
    """How far the volumes reach beyond the shape in the direction in which they do most [m]."""
    outer = np.max(
        [(DIRECTIONS @ each.points.T).max(axis=1) + each.radius for each in volumes], axis=0
    )
    if shape.kind == "ellipsoid":
        axes = shape.placement[:3, :3] * np.array(shape.size)
        inner = np.linalg.norm(DIRECTIONS @ axes, axis=1) + DIRECTIONS @ shape.placement[:3, 3]
    else:
        inner = reach(rims(shape), DIRECTIONS).max(axis=1)
    return float(max((outer - inner).max(), 0.0))
