"""The contact of a body: a trunk on the ground, a foot that lands, a hand at a ball."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus.model import Model
from tarsus.simulation.contact_record import GROUND, Place
from tarsus.simulation.until.condition import Condition, Mask, Samples


@dataclass(frozen=True, eq=False)
class Touch(Condition):
    """`body` (a body or a link of it) transmits a force to `other`, or to anything.

    `other` is a body or "ground". At the start of a run nothing is known to touch yet.
    """

    needs: ClassVar[tuple[str, ...]] = ("contacts",)

    body: str
    other: str | None = None

    def check(self, model: Model, places: Sequence[Place]) -> None:
        """Raise if these two can not touch."""
        names = dict.fromkeys(each for place in places for each in place if each != GROUND)
        if self.body not in names:
            raise ValueError(f"{self.body!r} has no contact points{suggestion(self.body, names)}")
        others = dict.fromkeys(
            other for place in places for one, other in _pairs(place) if one == self.body
        )
        if self.other is not None and self.other not in others:
            raise ValueError(
                f"{self.body!r} can not touch {self.other!r}{suggestion(self.other, others)}"
            )

    def holds(self, samples: Samples, model: Model, places: Sequence[Place]) -> Mask:
        """Return whether it holds (B, K)."""
        held = np.zeros((samples.states, len(samples.t)), np.bool_)
        if samples.contacts is not None:
            meant = np.array([self._means(place) for place in places], np.bool_)
            rows, where = samples.contacts
            pushes = rows[:, 7:10].any(axis=1) & meant[rows[:, 0].astype(np.int64)]
            held[where[0, pushes], where[1, pushes]] = True
        return held

    def _means(self, place: Place) -> bool:
        return any(one == self.body and self.other in (None, other) for one, other in _pairs(place))

    def __str__(self) -> str:
        return f"{self.body!r} touches {'something' if self.other is None else repr(self.other)}"


def _pairs(place: Place) -> list[tuple[str, str]]:
    """Return what touches what, in both directions and by all names."""
    first = dict.fromkeys((place.body, place.link))
    return [*((one, place.other) for one in first), *((place.other, one) for one in first)]
