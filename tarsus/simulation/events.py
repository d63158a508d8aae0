"""Events of a run: when what met, parted, slipped or stuck, with impulses and energies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.simulation.contact_record import Place

KINDS = (
    "impact",
    "release",
    "slip",
    "stick",
    "limit_impact",
    "limit_release",
    "joint_slip",
    "joint_stick",
    "touch",
)
"""What can happen; the core reports the place in this list."""
NUMBERS = 10
"""Numbers of a row: time, kind, index, point, impulse, energy lost; with compliant contact also
the speed and what is left."""


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happened at one time."""

    t: float
    """[s]."""
    kind: str
    """One of "impact", "release", "slip", "stick" (of contacts), "limit_impact", "limit_release",
    "joint_slip", "joint_stick" (of joints), "touch" (of compliant surfaces)."""
    body: str
    """The body that touches, or the joint."""
    other: str
    """What it touches: another body or "ground"; empty for joints."""
    point: Array
    """Where, in the world (3,) [m]; zero for joints."""
    impulse: Array
    """On `body`, in world axes (3,) [N·s]; of a joint its first number; zero but for impacts."""
    lost: float
    """Energy that an impact took [J]; at a touch what the last deformation still stored."""
    state: int
    """Which state of the batch, 0 without one."""
    speed: float = math.nan
    """At which compliant surfaces part [m/s], negative where they meet; NaN for others."""
    left: float = 0.0
    """What compliant surfaces store after it [J]: at a release what no motion gets back."""


class Events:
    """The events of a run, in the order of time, state after state."""

    def __init__(
        self,
        rows: Array,
        state_index: NDArray[np.int64],
        places: Sequence[Place],
        limits: Sequence[str],
        frictions: Sequence[str],
    ) -> None:
        self.rows = rows
        """(N, 10): time, kind, index, point, impulse, energy lost; or (N, 12) with the speed and
        what is left of deformations."""
        self.state_index = state_index
        """Which state of the batch (N,), zeros without a batch."""
        self.places = places
        """What can touch, of each index of a contact."""
        self.limits, self.frictions = limits, frictions
        """Names of joints, of each index of a limit and of a dry friction."""

    @property
    def t(self) -> Array:
        """Times (N,) [s]."""
        return self.rows[:, 0]

    @property
    def kinds(self) -> NDArray[np.str_]:
        """(N,) words."""
        return np.array(KINDS)[self.rows[:, 1].astype(np.int64)]

    @property
    def impulse(self) -> Array:
        """(N, 3) [N·s], in world axes."""
        return self.rows[:, 6:9]

    @property
    def lost(self) -> Array:
        """Energy that impacts took (N,) [J]."""
        return self.rows[:, 9]

    def of(self, kind: str) -> Events:
        """Return the events of one kind."""
        if kind not in KINDS:
            raise ValueError(f"kind is {kind!r}, must be one of {', '.join(map(repr, KINDS))}")
        return self._some(self.kinds == kind)

    def of_state(self, state: int) -> Events:
        """Return the events of one state of a batch."""
        found = self._some(self.state_index == state)
        found.state_index = np.zeros(len(found), np.int64)
        return found

    def _some(self, chosen: NDArray[np.bool_]) -> Events:
        given = self.places, self.limits, self.frictions
        return Events(self.rows[chosen], self.state_index[chosen], *given)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, k: int) -> Event:
        row = self.rows[k]
        kind, index = KINDS[int(row[1])], int(row[2])
        if kind.startswith("limit"):
            body, other = self.limits[index], ""
        elif kind.startswith("joint"):
            body, other = self.frictions[index], ""
        else:
            body, other = self.places[index].body, self.places[index].other
        return Event(
            *(float(row[0]), kind, body, other, row[3:6], row[6:9], float(row[9])),
            int(self.state_index[k]),
            *map(float, row[NUMBERS:]),
        )

    def __iter__(self) -> Iterator[Event]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        found = {kind: int((self.kinds == kind).sum()) for kind in KINDS}
        told = ", ".join(f"{count} {kind}" for kind, count in found.items() if count)
        return f"<tarsus.Events: {told or 'none'}>"
