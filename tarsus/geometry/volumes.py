"""Volumes: swept spheres on the links of a model, several to a link where it is not convex."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self

import numpy as np

from tarsus.geometry.enclosures import enclosure_notes, enclosures
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.geometry.volume_files import read_volumes, write_volumes
from tarsus.model import Model
from tarsus.model.checks import UnknownNameError, check_name, expect, number, suggestion
from tarsus.model.description import WORLD, ModelError

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
