"""Keeps samples of a run: arrays for states and energies, a compact list for contacts."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus import _core
from tarsus._lib.checks import suggestion
from tarsus._lib.files import Array, check_result_size
from tarsus.model import Model
from tarsus.simulation.contact_record import NUMBERS, Contacts, Place
from tarsus.simulation.state import State
from tarsus.simulation.trajectory import ARRAYS, RECORDED
from tarsus.simulation.until import Samples

LARGE = 1 << 15
"""Numbers of an array for which it pays to use memory again."""
ROOM = 32 << 20
"""Bytes that lists of contacts may take in one call of the core."""
LISTS = 128
"""Samples of contacts in one call of the core: more would not stay in the cache."""
WATCHED = 64
"""Samples that are looked at in one call of the core, where they are not kept."""

Record = bool | Sequence[str]
"""True for everything, False for only the first and the last state, or names."""


class Recorder:
    """Samples 0 (the start) to n of a run with B states.

    What someone else `needs` to see of them is made, too, but not kept.
    """

    def __init__(
        self,
        record: Record,
        every: int,
        world: _core.World,
        model: Model,
        state: State,
        steps: int,
        needs: tuple[str, ...] = (),
    ) -> None:
        states = len(state.q)
        parts = 0 if state.acting is None else state.acting.parts.core.record_size
        self.names = names_of(record)
        self.only_ends = record is False
        self.every = max(steps, 1) if self.only_ends and not needs else every
        samples = 1 + (1 if self.only_ends else steps // every)
        self.needs = needs
        self.layout = layout_of(
            tuple(dict.fromkeys((*self.names, *needs))) if needs else self.names,
            *(model.nq, model.nv, world.energy_size, parts, states * world.max_contacts),
        )
        self.most = self.layout.most if not needs else min(self.layout.most, WATCHED)
        """How many samples one call of the core may make."""
        check_recording(8 * samples * states * self.layout.numbers)
        self.arrays = blank(states, samples, self.layout)
        self.record = dict(self.arrays)
        """What the core writes to, at the place of each sample; contacts go through a buffer."""
        self.world = world
        self.states, self.samples, self.count = states, samples, 0
        self._lists = np.empty(0)
        self._rows: list[Array] = []
        self._places: list[NDArray[np.int64]] = []
        self._touched: tuple[Array, NDArray[np.int64]] | None = None
        self._held: NDArray[np.int64] | None = None
        """The last sample of each state before it stands still (B,), where some do."""
        self._cut = False

    @property
    def place(self) -> int:
        """Where the core writes the next sample to, of what `room` returns."""
        return 0 if self.only_ends else self.count

    def start(self, state: State, energy: Array | None) -> None:
        """Keep the state at the start as the first sample."""
        self._keep_state(state)
        if energy is not None:
            self.arrays["energy"][:, 0] = energy
            if "parts" in self.arrays:
                self.arrays["parts"][:, 0] = self._first_parts

    def parts_at_start(self) -> Array | None:
        """Return where the first sample of parts is written to, if they are recorded."""
        if "parts" not in self.arrays:
            return None
        self._first_parts = np.zeros((self.states, self.arrays["parts"].shape[2]))
        return self._first_parts

    def end(self, state: State) -> None:
        """Keep the last state, if only the ends are recorded."""
        if self.only_ends and self.count < self.samples:
            self._keep_state(state)

    def room(self, n: int) -> dict[str, Array] | None:
        """Return where the core writes n samples to, from number `count` on; None for none."""
        if not n or (self.only_ends and not self.needs):
            return None
        if self.only_ends:  # there is room for those that are looked at
            sizes = (each for each in self.layout.sizes if each[0] in self.needs)
            self.record = {name: np.empty((self.states, n, size)) for name, size in sizes}
        if self.layout.lists:
            shape = self.states, n, self.world.max_contacts, NUMBERS
            size = math.prod(shape)
            if size > len(self._lists):  # new memory is slow at first
                self._lists = np.empty(size)
            self.record["contacts"] = self._lists[:size].reshape(shape)
        return self.record

    def keep(self, n: int) -> None:
        """Keep n samples that the core wrote."""
        if not n or (self.only_ends and not self.needs):
            return
        if self.layout.lists:
            rows, places = self.world.listed(self.record["contacts"], self.place)
            self._touched = rows, places
            if "contacts" in self.names and not self.only_ends:
                self._rows.append(rows)
                self._places.append(places)
        self.count += 0 if self.only_ends else n

    def last(self, times: Array, batched: bool) -> Samples:
        """Return the last samples, at so many times."""
        n = len(times)
        first = 0 if self.only_ends else self.count - n
        recorded = {
            name: self.record[name][:, first : first + n] for name in self.needs if name in ARRAYS
        }
        touched = self._touched
        if touched is not None:
            touched = touched[0], touched[1] - np.array([[0], [first]])
        return Samples(times, recorded, touched, self.states, batched)

    def hold(self, states: NDArray[np.int64], sample: int) -> None:
        """Let states stand still after a sample, as the core does with those that stop."""
        if self.only_ends:
            return
        if self._held is None:
            self._held = np.full(self.states, sys.maxsize, np.int64)
        self._held[states], self._cut = sample, True
        for name, array in self.arrays.items():
            stays = name in ("q", "v", "energy", "parts")
            array[states, sample + 1 : self.count] = array[states, sample, None] if stays else 0.0

    def cut(self, count: int) -> None:
        """Forget all samples from number `count` on."""
        self.count, self._cut = min(self.count, max(count, 1)), True

    def recorded(self, batched: bool) -> dict[str, Array]:
        """Return the arrays (T, n), or (B, T, n) for a batch."""
        arrays = self.arrays
        if self.needs:
            arrays = {name: array for name, array in arrays.items() if name in self.names}
        if not batched:
            one = {name: array[0] for name, array in arrays.items()}
            whole = self.count == self.samples
            return one if whole else {name: array[: self.count] for name, array in one.items()}
        return {name: array[:, : self.count] for name, array in arrays.items()}

    def contacts(self, batched: bool, places: Sequence[Place]) -> Contacts | None:
        """Return the contacts in the order of states, then of time; None if not asked for."""
        if "contacts" not in self.names:
            return None
        shape = (self.states, self.count) if batched else (self.count,)
        if len(self._rows) == 1 and not self._cut:  # in order already
            where = self._places[0]
            return Contacts(self._rows[0], where[0], where[1], shape, places)
        rows = np.concatenate([np.zeros((0, NUMBERS)), *self._rows])
        state, sample = np.concatenate([np.zeros((2, 0), np.int64), *self._places], axis=1)
        if self.states == 1 and not self._cut:
            return Contacts(rows, state, sample, shape, places)
        order = np.lexsort((sample, state))
        order = order[sample[order] < self.count]
        if self._held is not None:
            order = order[sample[order] <= self._held[state[order]]]
        return Contacts(rows[order], state[order], sample[order], shape, places)

    def _keep_state(self, state: State) -> None:
        arrays = self.arrays
        if "q" in arrays:
            arrays["q"][:, self.count] = state.q
        if "v" in arrays:
            arrays["v"][:, self.count] = state.v
        self.count += 1


def names_of(record: Record) -> tuple[str, ...]:
    """Return what is to be recorded, by name."""
    if isinstance(record, bool):
        return RECORDED if record else ("q", "v")
    if not isinstance(record, Iterable):
        raise TypeError(f"record is {record!r}, must be True, False or names of {RECORDED}")
    names = (record,) if isinstance(record, str) else tuple(record)
    for name in names:
        if name not in RECORDED:
            raise ValueError(f"record has the unknown name {name!r}{suggestion(name, RECORDED)}")
    if not names:
        raise ValueError("record is empty; False records only the first and the last state")
    return names


class Layout(NamedTuple):
    """What samples consist of, and what the core has to know about them."""

    sizes: tuple[tuple[str, int], ...]
    """The arrays that are kept, with the numbers of a sample."""
    numbers: int
    """The sum of these."""
    lists: bool
    """Whether there are lists of contacts."""
    most: int
    """How many samples one call of the core may make."""
    ledger: bool
    """Whether the core must keep the sums of the ledger."""


@lru_cache(256)
def layout_of(
    names: tuple[str, ...], nq: int, nv: int, energy_size: int, part_size: int, contacts: int
) -> Layout:
    """Return the layout of samples with at most so many contacts in all states together."""
    every = {"q": nq, "v": nv, "tau": nv, "limits": nv, "statistics": 5, "energy": energy_size}
    sizes = tuple((name, every[name]) for name in ARRAYS if name in names and name in every)
    if part_size and ("parts" in names or "energy" in names):
        sizes = (*sizes, ("parts", part_size))
    lists = "contacts" in names and contacts > 0
    most = max(1, min(LISTS, ROOM // (8 * contacts * NUMBERS))) if lists else sys.maxsize
    return Layout(sizes, sum(n for _, n in sizes), lists, most, "energy" in names)


def blank(states: int, samples: int, layout: Layout) -> dict[str, Array]:
    """Return arrays (B, samples, n) whose first sample is zero; the others are to be filled."""
    if states * samples * layout.numbers < LARGE:
        return {name: np.zeros((states, samples, n)) for name, n in layout.sizes}
    return {name: _blank(states, samples, n) for name, n in layout.sizes}


def _blank(states: int, samples: int, n: int) -> Array:
    if states * samples * n < LARGE:
        return np.zeros((states, samples, n))
    array = _core.new_array((states, samples, n))
    array[:, 0] = 0.0
    return array


def check_recording(size: int) -> None:
    """Raise if a recording would take more bytes than there is memory for."""
    check_result_size(
        size,
        "recording every sample",
        "name less in record=, take a larger every=, or record=False",
    )
