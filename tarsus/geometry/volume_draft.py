"""Volumes that are being edited: a link and one of its volumes are chosen, and can be changed."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import count, expect, find, numbers
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.geometry.fitting.cover import joined
from tarsus.geometry.fitting.fit import fit
from tarsus.geometry.fitting.pieces import Pieces, pieces
from tarsus.geometry.fitting.skins import Skin, Triangles, skin
from tarsus.geometry.swept_spheres import KINDS, SweptSphere
from tarsus.geometry.volumes import Volumes
from tarsus.model import Model
from tarsus.model.description import Shape


class VolumeDraft:
    """Lists of volumes by link, the `link` and the `chosen` volume of it that changes act on.

    Nothing is written before `save`. `changed` is called after each change.
    """

    def __init__(self, model: Model, volumes: Volumes | None = None) -> None:
        expect(model, Model, "model")
        self.model = model
        self.lists: dict[str, list[SweptSphere]] = {}
        if volumes is not None:
            expect(volumes, Volumes, "volumes")
            volumes.check_links(model)
            self.lists = {link: list(volumes[link]) for link in volumes}
        self.shapes: dict[str, list[Shape]] = {}
        for shape in model.description.shapes:
            if shape.role == "collision":
                self.shapes.setdefault(shape.body, []).append(shape)
        self.links = (*(body.name for body in model.description.bodies), WORLD)
        self._skins: dict[str, list[Skin]] = {}
        self._pieces: dict[str, Pieces] = {}
        self.link = next(iter({**self.lists, **self.shapes}), self.links[0])
        self.chosen = 0
        self.changed: Callable[[], None] = lambda: None

    @property
    def volumes(self) -> Volumes:
        """What was drafted so far."""
        return Volumes(self.lists)

    @property
    def here(self) -> list[SweptSphere]:
        """The volumes of the link that is edited."""
        return self.lists.setdefault(self.link, [])

    @property
    def groups(self) -> dict[str, int]:
        """Names of all groups, in order, and how many volumes of all links each has."""
        every = (name for each in self.lists.values() for volume in each for name in volume.groups)
        return dict(sorted(Counter(every).items()))

    def assign(self, group: str) -> None:
        """Put the chosen volume into a group, or take it out if it is in it already."""
        if not self.here:
            return
        if not isinstance(group, str) or not (name := group.strip()):
            raise ValueError(f"group is {group!r}, must be a name")
        own = self.here[self.chosen].groups
        self.change(groups=[each for each in own if each != name] if name in own else (*own, name))

    def choose(self, link: str, volume: int = 0) -> None:
        """Edit a volume of a link; the first if there is none of this number."""
        find(dict.fromkeys(self.links, 0), link, "link")
        count(volume, "volume", 0)
        self.link = link
        self.chosen = volume if 0 <= volume < len(self.here) else 0
        self.changed()

    def add(self, kind: str) -> None:
        """Add a "ball", "line" or "triangle" that can be seen, in the middle of the link."""
        corners = list(KINDS).index(kind) + 1 if kind in KINDS else 0
        if not corners:
            raise ValueError(f"kind is {kind!r}, must be one of {', '.join(KINDS)}")
        low, high = self._box()
        middle, size = (low + high) / 2, float((high - low).max())
        offsets = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])[:corners]
        self._insert(SweptSphere(middle + size / 4 * offsets, size / 8, kind))

    def copy(self) -> None:
        """Add a copy of the chosen volume, which is chosen then."""
        if self.here:
            self._insert(self.here[self.chosen])

    def remove(self) -> None:
        """Remove the chosen volume."""
        if self.here:
            self.here.pop(self.chosen)
            self.chosen = max(min(self.chosen, len(self.here) - 1), 0)
            self.changed()

    def change(
        self,
        *,
        points: ArrayLike | None = None,
        radius: float | None = None,
        name: str | None = None,
        groups: Iterable[str] | None = None,
    ) -> None:
        """Change the chosen volume: all its points, its radius [m], its name or its groups."""
        if not self.here:
            return
        old = self.here[self.chosen]
        new = SweptSphere(
            old.points if points is None else points,
            old.radius if radius is None else radius,
            old.name if name is None else name,
            old.groups if groups is None else groups,
        )
        if new.points.shape != old.points.shape:
            raise ValueError(f"points has shape {new.points.shape}, must be {old.points.shape}")
        self.here[self.chosen] = new
        self.changed()

    def move_point(self, corner: int, position: ArrayLike) -> None:
        """Move one corner of the chosen volume to a position (3,) in the link's frame [m]."""
        if self.here:
            points = self.here[self.chosen].points.copy()
            count(corner, "corner", 0, len(points) - 1)
            points[corner] = numbers(position, (3,), "position")
            self.change(points=points)

    def move(self, offset: ArrayLike) -> None:
        """Move the chosen volume by an offset (3,) [m]."""
        if self.here:
            shift = numbers(offset, (3,), "offset")
            self.change(points=self.here[self.chosen].points + shift)

    def mirror(self, axis: str, other: str | None = None) -> None:
        """Add the image of the chosen volume; or replace those of another link by images of all."""
        if other is None or other == self.link:
            if self.here:
                self._insert(self.here[self.chosen].mirrored(axis))
            return
        find(dict.fromkeys(self.links, 0), other, "link")
        self.lists[other] = [volume.mirrored(axis) for volume in self.here]
        self.changed()

    def fit(self, parts: int) -> None:
        """Replace the volumes of the link by at most so many that are fitted to its shapes."""
        self.lists[self.link] = list(fit(self.model, links=[self.link], parts=parts)[self.link])
        self.chosen = 0
        self.changed()

    def grow(self) -> None:
        """Give the chosen volume the radius at which nothing of the shapes is outside of all.

        It holds every piece of the shapes then that none of the others holds as a whole.
        """
        if not self.here or not self._of_link():
            return
        reach, radius = self._reach(), self.here[self.chosen].radius
        held = reach <= self._radii()
        held[self.chosen] = False
        wanted = float(reach[self.chosen][~held.any(axis=0)].max(initial=radius))
        if wanted > radius:
            self.change(radius=wanted)

    def outside(self) -> float:
        """Return how far the shapes of the link are outside of all its volumes at most [m].

        Each piece of them, cut by a grid, counts as held only by a volume that holds all of it, so
        it is never less than it is.
        """
        if not self._of_link():
            return 0.0
        if not self.here:
            return math.inf
        return float((self._reach() - self._radii()).min(axis=0).max())

    def _reach(self) -> Array:
        """The radii (volumes, pieces) at which volumes hold each piece of the link's shapes [m]."""
        if self.link not in self._pieces:
            self._pieces[self.link] = pieces(self._of_link())
        cut = self._pieces[self.link]
        return np.array([cut.reach(volume.points) for volume in self.here])

    def _radii(self) -> Array:
        return np.array([[volume.radius] for volume in self.here])

    def surface(self) -> tuple[Array, Triangles]:
        """Return vertices (n, 3) and triangles (m, 3) of the shapes of the link, in its frame."""
        skins = self._of_link()
        return joined(skins) if skins else (np.zeros((0, 3)), np.zeros((0, 3), np.int64))

    def _of_link(self) -> list[Skin]:
        """The surfaces of the link, read once."""
        if self.link not in self._skins:
            self._skins[self.link] = [skin(shape) for shape in self.shapes.get(self.link, ())]
        return self._skins[self.link]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all volumes to a file (.yaml, .json)."""
        self.volumes.save(path)

    def _insert(self, volume: SweptSphere) -> None:
        self.here.append(replace(volume, name=volume.name or volume.kind))
        self.chosen = len(self.here) - 1
        self.changed()

    def _box(self) -> tuple[Array, Array]:
        vertices = self.surface()[0]
        if not len(vertices):
            return np.full(3, -0.1), np.full(3, 0.1)
        return vertices.min(axis=0), vertices.max(axis=0)
