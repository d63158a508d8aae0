"""A call of the core that can be made again, for some of its states and not as far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus import _core
from tarsus._lib.files import Array
from tarsus.simulation.acting import Acting
from tarsus.simulation.drives import Rows
from tarsus.simulation.state import State


@dataclass(frozen=True, eq=False)
class Rewind:
    """Where states were before a call of the core, and what it was called with."""

    world: _core.World
    before: State
    parameters: Array
    rows: Rows

    @classmethod
    def of(cls, world: _core.World, state: State, parameters: Array, rows: Rows) -> Rewind:
        """Return copies of where states are."""
        acting = None if state.acting is None else state.acting.copy()
        arrays = state.q.copy(), state.v.copy(), state.memory.copy()
        return cls(world, State(*arrays, state.step, state.batched, acting), parameters, rows)

    def to(
        self, end: int, states: NDArray[np.int64], now: State, *, ledger: bool, threads: int
    ) -> None:
        """Put some states to where they were after step number `end`, by the same steps."""
        before, rows, numbers = self.before, self.rows, self.parameters
        q, v, memory = before.q[states], before.v[states], before.memory[states]
        acting = None if before.acting is None else before.acting.of(states)
        self.world.advance(
            q,
            v,
            memory,
            numbers if len(numbers) == 1 else numbers[states],
            rows.values if len(rows.values) == 1 else rows.values[states],
            hold=rows.hold,
            first_step=before.step - rows.first,
            steps=end - before.step,
            threads=threads,
            ledger=ledger,
            **parts_of(acting),
        )
        now.q[states], now.v[states], now.memory[states] = q, v, memory
        if acting is not None and now.acting is not None:
            now.acting.memory[states] = acting.memory


def parts_of(acting: Acting | None) -> dict[str, Any]:
    """Return what the core is told of parts."""
    if acting is None:
        return {}
    return {
        "parts": acting.parts.core,
        "part_numbers": acting.numbers,
        "part_memory": acting.memory,
    }
