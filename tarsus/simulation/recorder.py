"""Keeps samples of a run: arrays for states and energies, a compact list for contacts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tarsus import _core
from tarsus.model import Model
from tarsus.model.checks import suggestion
from tarsus.model.description import Array
from tarsus.simulation.contacts import NUMBERS, Contacts, Place
from tarsus.simulation.state import State
from tarsus.simulation.trajectory import ARRAYS, RECORDED

ROOM = 32 << 20
"""Bytes that one call of the core may fill with contacts and states."""
MOST = 8 << 30
"""Bytes of a recording; beyond that one should record less."""

Record = bool | Sequence[str]
"""True for everything, False for only the first and the last state, or names."""


class Recorder:
    """Samples 0 (the start) to n of a run with B states."""

    def __init__(
        self,
        record: Record,
        every: int,
        world: _core.World,
        model: Model,
        states: int,
        steps: int,
    ) -> None:
        self.names = names_of(record)
        self.only_ends = record is False
        self.every = max(steps, 1) if self.only_ends else every
        samples = 1 + (1 if self.only_ends else steps // every)
        sizes = {"q": model.nq, "v": model.nv, "tau": model.nv, "statistics": 5}
        sizes["energy"] = world.energy_size
        kept = {name: sizes[name] for name in ARRAYS if name in self.names}
        check_size(8 * samples * states * sum(kept.values()))
        self.arrays = {name: np.zeros((states, samples, n)) for name, n in kept.items()}
        self.shapes: dict[str, tuple[int, ...]] = {name: (n,) for name, n in kept.items()}
        if "contacts" in self.names:
            self.shapes["contacts"] = world.max_contacts, NUMBERS
        numbers = sum(math.prod(shape) for shape in self.shapes.values())
        self.most = max(1, ROOM // (8 * states * max(numbers, 1)))
        """How many samples fit into one call of the core."""
        self.states, self.samples, self.count = states, samples, 0
        self._rows: list[Array] = []
        self._places: list[Array] = []

    @property
    def ledger(self) -> bool:
        """Whether the core must keep the sums of the ledger."""
        return "energy" in self.names

    def start(self, state: State, energy: Array | None) -> None:
        """Keep the state at the start as the first sample."""
        self._keep_state(state, energy)

    def end(self, state: State) -> None:
        """Keep the last state, if only the ends are recorded."""
        if self.only_ends and self.count < self.samples:
            self._keep_state(state, None)

    def buffers(self, n: int) -> dict[str, Array] | None:
        """Return arrays (B, n, …) for the core to write n samples to, None for none."""
        if not n or self.only_ends:
            return None
        if self.states > 1:
            return {name: np.empty((self.states, n, *shape)) for name, shape in self.shapes.items()}
        found = {name: array[:, self.count : self.count + n] for name, array in self.arrays.items()}
        if "contacts" in self.shapes:
            found["contacts"] = np.empty((1, n, *self.shapes["contacts"]))
        return found

    def keep(self, buffers: dict[str, Array] | None, n: int) -> None:
        """Keep n samples that the core wrote."""
        if buffers is None:
            return
        if self.states > 1:  # the samples of one state alone are in their place already
            for name, array in self.arrays.items():
                array[:, self.count : self.count + n] = buffers[name]
        if "contacts" in buffers and buffers["contacts"].size:
            state, sample, slot = np.nonzero(buffers["contacts"][..., 0] >= 0.0)
            self._rows.append(buffers["contacts"][state, sample, slot])
            self._places.append(np.stack([state, sample + self.count]))
        self.count += n

    def cut(self, count: int) -> None:
        """Forget all samples from number `count` on."""
        self.count = min(self.count, max(count, 1))

    def recorded(self, batched: bool) -> dict[str, Array]:
        """Return the arrays (T, n), or (B, T, n) for a batch."""
        return {
            name: array[:, : self.count] if batched else array[0, : self.count]
            for name, array in self.arrays.items()
        }

    def contacts(self, batched: bool, places: Sequence[Place]) -> Contacts | None:
        """Return the contacts in the order of states, then of time; None if not asked for."""
        if "contacts" not in self.names:
            return None
        rows = np.concatenate([np.zeros((0, NUMBERS)), *self._rows])
        state, sample = np.concatenate([np.zeros((2, 0), np.int64), *self._places], axis=1)
        order = np.lexsort((sample, state))
        order = order[sample[order] < self.count]
        shape = (self.states, self.count) if batched else (self.count,)
        return Contacts(rows[order], state[order], sample[order], shape, places)

    def _keep_state(self, state: State, energy: Array | None) -> None:
        for name, value in (("q", state.q), ("v", state.v), ("energy", energy)):
            if name in self.arrays and value is not None:
                self.arrays[name][:, self.count] = value
        self.count += 1


def names_of(record: Record) -> tuple[str, ...]:
    """Return what is to be recorded, by name."""
    if isinstance(record, bool):
        return RECORDED if record else ("q", "v")
    names = (record,) if isinstance(record, str) else tuple(record)
    for name in names:
        if name not in RECORDED:
            raise ValueError(f"record has the unknown name {name!r}{suggestion(name, RECORDED)}")
    if not names:
        raise ValueError("record is empty; False records only the first and the last state")
    return names


def check_size(size: int) -> None:
    """Raise if a recording would take more bytes than is sensible."""
    if size > MOST:
        raise ValueError(
            f"recording every sample would take {size / 2**30:.0f} GiB; name less in record=, "
            "take a larger every=, or record=False"
        )
