"""Samples of a run on compliant surfaces: states, works, contacts, events, and the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.simulation.compliant_steps import (
    DEFORMATION,
    FORCE,
    GAP,
    LOSSES,
    NORMAL,
    POINT,
    SLIPS,
    SPEED,
    STORED,
    CompliantSteps,
)
from tarsus.simulation.contact_record import NUMBERS, STATES, Contacts, Place
from tarsus.simulation.energy import COUNTED, FIXED
from tarsus.simulation.events import KINDS, Events
from tarsus.simulation.events import NUMBERS as EVENT
from tarsus.simulation.integrators.smooth_motion import SmoothMotion
from tarsus.simulation.recorder import check_recording

COLUMNS = ("contact_normal", "contact_friction", "impacts")
"""What contacts lost, as the ledger calls it."""

Rows = tuple[Array, NDArray[np.int64]]
"""Contacts (N, 13) with their deformations (N, 4), and the state and the sample of each (2, N)."""
Found = tuple[Rows, Array]
"""Contacts of samples, and what they store (n, m)."""


class CompliantRecord:
    """S samples of B states; `put` fills them block by block."""

    def __init__(
        self, moving: CompliantSteps, places: Sequence[Place], states: int, samples: int
    ) -> None:
        model, at = moving.model, moving.layout
        self.moving, self.places = moving, places
        works = at.works.stop - at.works.start
        sizes = {"q": model.nq, "v": model.nv, "tau": model.nv, "work": works}
        sizes |= {"losses": LOSSES, "stored": 1}
        check_recording(8 * samples * states * (sum(sizes.values()) + FIXED + model.n_bodies))
        self.arrays = {name: np.zeros((states, samples, n)) for name, n in sizes.items()}
        self._events: list[tuple[Array, NDArray[np.int64]]] = []
        self._rows: list[Rows] = []

    def contact_rows(self, states: NDArray[np.int64], q: Array, x: Array) -> Found:
        """Return contacts of samples (n, m, …) of some states, and what they store (n, m)."""
        n, m = q.shape[:2]
        flat = np.repeat(states, m), q.reshape(n * m, -1), x.reshape(n * m, -1)
        records = self.moving.records(*flat)
        on = flat[2][:, self.moving.layout.on] > 0.0
        which, candidate = np.nonzero(on)
        own = records[which, candidate]
        rows = np.zeros((len(own), NUMBERS + 4))
        rows[:, 0] = candidate
        for k, part in ((1, POINT), (4, NORMAL), (7, FORCE)):
            rows[:, k : k + 3] = own[:, part]
        rows[:, 10] = own[:, GAP]
        slips, sticks = STATES.index("slip"), STATES.index("stick")
        rows[:, 11] = np.where(own[:, SLIPS] > 0.0, slips, sticks)
        deformed = flat[2][:, self.moving.layout.deformation].reshape(n * m, -1, DEFORMATION)
        rows[:, NUMBERS:] = total(deformed[which, candidate])
        stored = records[..., STORED].sum(axis=1).reshape(n, m)
        return (rows, np.stack([states[which // max(m, 1)], which % max(m, 1)])), stored

    def put(
        self, states: NDArray[np.int64], first: int, q: Array, x: Array, tau: Array, found: Found
    ) -> None:
        """Keep samples (n, m, …) from number `first` on, with their contacts."""
        at, there = self.moving.layout, slice(first, first + q.shape[1])
        (rows, where), stored = found
        new = (q, x[..., : at.nv], tau, x[..., at.works], x[..., at.losses], stored[..., None])
        for array, values in zip(self.arrays.values(), new, strict=True):
            array[states, there] = values
        if len(rows):
            self._rows.append((rows, where + np.array([[0], [first]])))

    def happened(self, states: NDArray[np.int64], found: Mapping[str, Array], until: Array) -> None:
        """Keep the events of a block, up to times (n,) of its states."""
        told, layout = found["events"], self.moving.layout
        motion, candidate = told[:, 0].astype(np.int64), told[:, 3].astype(np.int64)
        seen = told[:, 1] <= until[motion]
        told, motion, candidate = told[seen], motion[seen], candidate[seen]
        if not len(told):
            return
        q, before, after = (found[name][seen] for name in ("event_q", "before", "after"))
        each = np.arange(len(told)), candidate
        at, then = (self.moving.records(states[motion], q, x)[each] for x in (before, after))
        rows = np.zeros((len(told), EVENT + 2))
        rows[:, 0] = told[:, 1]
        rows[:, 1] = np.where(told[:, 2] > 0.0, KINDS.index("touch"), KINDS.index("release"))
        rows[:, 2] = candidate
        rows[:, 3:6] = at[:, POINT]
        rows[:, 9] = (before - after)[:, layout.losses][:, 2]
        rows[:, EVENT], rows[:, EVENT + 1] = at[:, SPEED], then[:, STORED]
        self._events.append((rows, states[motion]))

    def events(self) -> Events:
        """Return all events, in the order of time, state after state."""
        rows = np.concatenate([np.zeros((0, EVENT + 2)), *(rows for rows, _ in self._events)])
        states = np.concatenate([np.zeros(0, np.int64), *(states for _, states in self._events)])
        order = np.lexsort((rows[:, 0], states))
        return Events(rows[order], states[order], self.places, (), ())

    def contacts(self, samples: int, batched: bool) -> Contacts:
        """Return the contacts of the first samples."""
        rows = np.concatenate([np.zeros((0, NUMBERS + 4)), *(rows for rows, _ in self._rows)])
        where = [np.zeros((2, 0), np.int64), *(where for _, where in self._rows)]
        state, sample = np.concatenate(where, axis=1)
        order = np.lexsort((sample, state))
        order = order[sample[order] < samples]
        states = len(self.arrays["q"])
        shape = (states, samples) if batched else (samples,)
        rows, deformation = rows[order, :NUMBERS], rows[order, NUMBERS:]
        return Contacts(rows, state[order], sample[order], shape, self.places, deformation)

    def recorded(self, samples: int, motion: SmoothMotion) -> dict[str, Array]:
        """Return all arrays (B, T, n) of the first samples, the ledger and parts among them."""
        q, v, tau, work, losses, stored = (each[:, :samples] for each in self.arrays.values())
        energy = motion.ledger(q, v, work)
        for k, name in enumerate(COLUMNS):
            energy[..., 4 + COUNTED.index(name)] = losses[..., k]
        energy[..., FIXED - 1] = losses[..., 3]
        found = {"q": q, "v": v, "tau": tau}
        found["energy"] = np.concatenate([energy, stored], axis=-1)
        if motion.parts is not None:
            found["parts"] = motion.part_records(q, v, tau, work)
        return found


def total(factors: Array) -> Array:
    """Return θ, x, y, z (…, 4) of the product of two deformations (…, 8): Duindam 2006, (3.31)."""
    theta, x, y, z, theta2, x2, y2, z2 = np.moveaxis(factors, -1, 0)
    c, s = np.cos(theta), np.sin(theta)
    parts = theta + theta2, x + c * x2 - s * y2, y + s * x2 + c * y2, z + z2
    return np.stack(parts, axis=-1)
