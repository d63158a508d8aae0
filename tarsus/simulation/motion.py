"""An interactive motion: states that make a few steps a call, with little overhead."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from tarsus import _core
from tarsus._lib.checks import count, read_only, reals, threads_of
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.sensors.touches import Touches
from tarsus.simulation.acting import Acting, steps_until
from tarsus.simulation.contact_record import Contact, Place, contact_of, touches_of
from tarsus.simulation.drives import Drive, Rows
from tarsus.simulation.errors import SimulationError, fault
from tarsus.simulation.part_trouble import suspects
from tarsus.simulation.rewind import parts_of
from tarsus.simulation.state import State

if TYPE_CHECKING:
    from tarsus.simulation.take import Take


class Motion:
    """What `Simulation.reset` starts and `Simulation.step` moves on.

    With a `drive` the commands of its steps come from a controller, whose setpoint may be given
    with each call; without one they are efforts.
    """

    def __init__(
        self,
        model: Model,
        world: _core.World,
        places: Sequence[Place],
        drive: Drive | None,
        state: State,
        parameters: Array,
        *,
        dt: float,
        threads: int,
        ledger: bool = False,
    ) -> None:
        self.model, self.places, self.drive, self.dt = model, places, drive, dt
        self.world, self.states, self.batched = world, len(state.q), state.batched
        self.acting: Acting | None = None
        self.notes: Take | None = None
        """Where its inputs are noted, if they are."""
        self.parameters, self.threads = read_only(np.array(parameters)), threads_of(threads)
        self._stopped = False
        self.core = _core.Motion(
            world, state.q, state.v, parameters, batched=state.batched, threads=self.threads
        )
        self.core.ledger = ledger

    def step(self, command: Any = None, steps: int = 1) -> tuple[Array, Array]:
        """Make steps with efforts, or with the setpoint of a controller, and return q and v."""
        if type(steps) is not int or steps != 1:
            count(steps, "steps")
        if self._stopped:
            self._stop()  # the others must not move on without it
        if self.acting is not None and self.acting.plans:
            return self._planned(command, steps)
        return self._make(command, steps) if self.notes is None else self._noted(command, steps)

    def gaps(self) -> Array:
        """Return the values (B, n) of all rows of parts, as they are now."""
        acting = self.acting
        assert acting is not None
        q, v = np.atleast_2d(self.core.q, self.core.v)
        return self.world.part_rows(
            q,
            v,
            self.core.memory,
            self.parameters,
            acting.parts.core,
            acting.numbers,
            acting.memory,
        )[0]

    def energies(self) -> tuple[Array, Array]:
        """Return the ledger's row (B, n) as it is now, and what it says of parts (B, m)."""
        q, v = np.atleast_2d(self.core.q, self.core.v)
        size = 0 if self.acting is None else self.acting.parts.core.record_size
        of_parts = np.zeros((self.states, size))
        row = self.world.energies(
            *(q, v, self.core.memory, self.parameters),
            **parts_of(self.acting),
            record=of_parts if size else None,
        )
        return row, of_parts

    def take(self, acting: Acting) -> None:
        """Go on with these parts."""
        self.core.set_parts(acting.parts.core, acting.numbers, acting.memory)
        self.acting = acting

    def _planned(self, command: Any, steps: int) -> tuple[Array, Array]:
        """Make steps in pieces, in which the numbers of parts stay as they are."""
        assert self.acting is not None
        end = self.core.steps + steps
        while True:
            q, v = np.atleast_2d(self.core.q), np.atleast_2d(self.core.v)
            until = self.acting.prepare(self.t, self.dt, q, v)
            piece = steps_until(until, self.core.steps, end, self.dt)
            moved = self._noted(command, piece)
            if self.core.steps >= end:
                return moved

    def _noted(self, command: Any, steps: int) -> tuple[Array, Array]:
        """Make steps, and note them if someone wants to do them again."""
        if self.notes is None:
            return self._make(command, steps)
        with self.notes.noting_step(self, command, steps):
            return self._make(command, steps)

    def _make(self, command: Any, steps: int) -> tuple[Array, Array]:
        if self.drive is None:
            if command is not None and (
                type(command) is not np.ndarray or command.dtype.char != "d"
            ):
                command = reals(command, "tau", copy=False)
            moved = self.core.step(command, steps)
        else:
            moved = self._driven(self.drive, command, self.core.steps + steps)
        if moved is None:
            self._stop()
        return moved

    @property
    def t(self) -> float:
        """The time since the start [s]."""
        return self.core.steps * self.dt

    def changes(self) -> tuple[int, bool]:
        """Return what is not the same any more once something has moved."""
        return self.core.steps, self._stopped

    def seen(self) -> tuple[Array, Array]:
        """Return q and v, for the drive."""
        return self.core.q, self.core.v

    def touches(self) -> Touches:
        """Return the contacts of the last step, as sensors see them."""
        rows, (state, _) = self.world.listed(np.asarray(self.core.touched), 0)
        return touches_of(rows, state, (self.states,) if self.batched else (), self.places)

    def contacts(self, state: int) -> list[Contact]:
        """Return the contacts of a state in the last step."""
        rows = takewhile(lambda row: row[0] >= 0.0, self.core.touched[state, 0])
        return [contact_of(row, self.places) for row in rows]

    def _driven(self, drive: Drive, setpoint: Any, end: int) -> tuple[Array, Array] | None:
        """Make steps until number `end`, as long as nothing stops them."""
        moved: tuple[Array, Array] | None = None
        while self.core.steps < end:
            rows = drive.rows(self.core.steps, end - self.core.steps, self, setpoint)
            if len(rows.values) not in (1, self.states):
                raise ValueError(
                    f"setpoints are for {len(rows.values)} states, but the motion has {self.states}"
                )
            last = self.core.steps + rows.steps
            while self.core.steps < last:
                row, steps = _next(rows, self.core.steps, last)
                moved = self.core.step(rows.values[:, row], steps)
                if moved is None:
                    return None
        return moved

    def _stop(self) -> NoReturn:
        status = self.core.status
        which = int(np.flatnonzero(status[:, 0])[0])
        code, step, element = (int(x) for x in status[which])
        cause, body = fault(self.model, code, element)
        cause += suspects(self.acting, which)
        self._stopped = True
        of = f"state {which}: " if self.states > 1 else ""
        raise SimulationError(f"{of}{cause}", time=step * self.dt, body=body)


def _next(rows: Rows, step: int, last: int) -> tuple[int, int]:
    """Return which row is the command of a step, and for how many steps up to `last`."""
    row = min((step - rows.first) // rows.hold, rows.values.shape[1] - 1)
    held = rows.first + (row + 1) * rows.hold
    return row, (last if row == rows.values.shape[1] - 1 else min(last, held)) - step
