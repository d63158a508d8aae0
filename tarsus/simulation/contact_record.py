"""Contacts of a run: where bodies touched, with which forces, and whether they stuck or slipped.

Only contacts that transmit forces, or could in that step, are kept: one row for each, in the
order of time. Forces act on `body`; on `other`, if it is not the ground, acts the opposite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import suggestion
from tarsus._lib.files import Array
from tarsus.sensors.touches import GROUND as GROUND
from tarsus.sensors.touches import Touches

STATES = ("open", "stick", "slip", "impact")
"""What a contact can do; the core reports the place in this list."""

NUMBERS = 13
"""Numbers of a row: candidate, point, normal, force, gap, state, work."""


class Place(NamedTuple):
    """What a candidate for contact belongs to."""

    body: str
    """The moving body."""
    other: str
    """The body that it may touch, or "ground"."""
    link: str
    """The link that was stated, which may be welded to the body."""


@dataclass(frozen=True)
class Contact:
    """One contact at one time, in world axes."""

    body: str
    link: str
    """The link of the body that touches, as it was stated."""
    other: str
    """The body that is touched, or "ground"."""
    point: Array
    """(3,) [m]."""
    normal: Array
    """From `other` to `body` (3,)."""
    force: Array
    """On `body`, averaged over the last step (3,) [N]."""
    gap: float
    """Distance [m], negative for penetration."""
    state: str
    """One of "open", "stick", "slip", "impact"."""
    work: float
    """What the contact gave to the mechanism in the last step [J]."""
    candidate: int
    """Number of the point, rim or pair that touches; it stays the same while contact lasts."""

    @property
    def normal_force(self) -> float:
        """The part of the force along the normal [N]."""
        return float(self.force @ self.normal)


class Contacts:
    """The contacts of a run, one row for each contact of each sample."""

    def __init__(
        self,
        rows: Array,
        state_index: NDArray[np.int64],
        sample: NDArray[np.int64],
        shape: tuple[int, ...],
        places: Sequence[Place],
        deformation: Array | None = None,
    ) -> None:
        self.rows = rows
        """(N, 13): candidate, point, normal, force, gap, state, work."""
        self.state_index = state_index
        """Which state of the batch (N,), zeros without a batch."""
        self.sample = sample
        """Which of the times of the run (N,)."""
        self.shape = shape
        """(T,), or (B, T) for a batch."""
        self.places = tuple(places)
        """The body and what it may touch, of each candidate."""
        self._deformation = deformation

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def candidate(self) -> NDArray[np.int64]:
        """(N,)."""
        return self.rows[:, 0].astype(np.int64)

    @property
    def point(self) -> Array:
        """(N, 3) [m], in the world."""
        return self.rows[:, 1:4]

    @property
    def normal(self) -> Array:
        """(N, 3), from what is touched to the body."""
        return self.rows[:, 4:7]

    @property
    def force(self) -> Array:
        """(N, 3) [N], on the body, in world axes."""
        return self.rows[:, 7:10]

    @property
    def gap(self) -> Array:
        """(N,) [m], negative for penetration."""
        return self.rows[:, 10]

    @property
    def work(self) -> Array:
        """(N,) [J], what the contact gave to the mechanism in the last step.

        Zero with compliant contact, whose energies are in the ledger.
        """
        return self.rows[:, 12]

    @property
    def deforms(self) -> bool:
        """Whether surfaces deform: those of compliant contact."""
        return self._deformation is not None

    @property
    def deformation(self) -> Array:
        """(N, 4): angle θ [rad] and x, y, z [m] by which surfaces are deformed.

        Of compliant contact (Duindam 2006, eq. 3.24), z along the normal.
        """
        if self._deformation is None:
            raise ValueError("there are no deformations: only compliant contact has them")
        return self._deformation

    @property
    def states(self) -> NDArray[np.str_]:
        """(N,) words: "stick", "slip", "impact"."""
        return np.array(STATES)[self.rows[:, 11].astype(np.int64)]

    @property
    def bodies(self) -> NDArray[np.str_]:
        """(N,) names of the bodies that touch."""
        return self._names(0)

    @property
    def others(self) -> NDArray[np.str_]:
        """(N,) names of what they touch: other bodies or "ground"."""
        return self._names(1)

    @property
    def links(self) -> NDArray[np.str_]:
        """(N,) names of the links that touch, as they were stated."""
        return self._names(2)

    def at(self, sample: int, state: int = 0) -> list[Contact]:
        """Return the contacts at time number `sample`, of one state of a batch."""
        sample = range(self.shape[-1])[sample]
        chosen = np.flatnonzero((self.sample == sample) & (self.state_index == state))
        return [contact_of(self.rows[i], self.places) for i in chosen]

    def force_on(self, body: str) -> Array:
        """Return the sum of the contact forces on a body or link, (T, 3) or (B, T, 3) [N]."""
        first, second = self._of(body)
        return self._sum((first.astype(float) - second)[:, None] * self.force)

    def ground_force(self) -> Array:
        """Return the force of the ground on the whole mechanism, (T, 3) or (B, T, 3) [N]."""
        return self._sum((self.others == GROUND)[:, None] * self.force)

    def state_of(self, body: str) -> NDArray[np.str_]:
        """Return what the contacts of a body or link do, (T,) or (B, T) words.

        "open" if it has none. With several contacts one that slips counts more than one that
        sticks, an impact most.
        """
        first, second = self._of(body)
        chosen = first | second
        codes = np.zeros(self._lead() + self.shape[-1:], np.int64)
        places = self.state_index[chosen], self.sample[chosen]
        np.maximum.at(codes, places, self.rows[chosen, 11].astype(np.int64))
        return np.array(STATES)[codes.reshape(self.shape)]

    def of_state(self, state: int) -> Contacts:
        """Return the contacts of one state of a batch."""
        chosen = self.state_index == state
        zeros = np.zeros(int(chosen.sum()), np.int64)
        deformation = None if self._deformation is None else self._deformation[chosen]
        return Contacts(
            *(self.rows[chosen], zeros, self.sample[chosen], self.shape[1:], self.places),
            deformation,
        )

    def as_touches(self) -> Touches:
        """Return them as sensors see them."""
        return touches_of(
            self.rows, self.state_index * self.shape[-1] + self.sample, self.shape, self.places
        )

    def touching(self) -> tuple[str, ...]:
        """Return the names of the links that touched something, in the order of candidates."""
        return tuple(dict.fromkeys(self.places[k].link for k in np.unique(self.candidate)))

    def _lead(self) -> tuple[int, ...]:
        return self.shape[:-1] or (1,)

    def _names(self, which: int) -> NDArray[np.str_]:
        return np.array([place[which] for place in self.places] or [""])[self.candidate]

    def _sum(self, forces: Array) -> Array:
        total = np.zeros((*self._lead(), self.shape[-1], 3))
        np.add.at(total, (self.state_index, self.sample), forces)
        return total.reshape(*self.shape, 3)

    def _of(self, name: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return where a body or link is the first, and where it is the second, that touches."""
        names = dict.fromkeys(each for place in self.places for each in place if each != GROUND)
        if name not in names:
            raise ValueError(f"{name!r} has no contact points{suggestion(name, names)}")
        return (self.bodies == name) | (self.links == name), self.others == name

    def __repr__(self) -> str:
        return f"<tarsus.Contacts: {len(self)} in {self.shape[-1]} samples>"


def touches_of(
    rows: Array, state: NDArray[np.int64], lead: tuple[int, ...], places: Sequence[Place]
) -> Touches:
    """Return rows (N, 13) of states (N,), counted through `lead`, as sensors see them."""
    vectors = (rows[:, first : first + 3] for first in (1, 4, 7))
    return Touches(lead, state, rows[:, 0].astype(np.int64), places, *vectors)


def contact_of(row: Array, places: Sequence[Place]) -> Contact:
    """Return one row as a record."""
    candidate = int(row[0])
    place = places[candidate]
    return Contact(
        body=place.body,
        link=place.link,
        other=place.other,
        point=row[1:4].copy(),
        normal=row[4:7].copy(),
        force=row[7:10].copy(),
        gap=float(row[10]),
        state=STATES[int(row[11])],
        work=float(row[12]),
        candidate=candidate,
    )
