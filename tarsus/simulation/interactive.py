"""Interactive motions of a simulation: steps as users ask for them, parts, snapshots, takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import ByName, flag
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.parts.part import Part
from tarsus.sensors import Live
from tarsus.simulation.board import Board
from tarsus.simulation.contact_record import Contact
from tarsus.simulation.controllers import restart
from tarsus.simulation.drives import Controller, Drive
from tarsus.simulation.energy import EnergyLedger
from tarsus.simulation.external import External, pushing, stated
from tarsus.simulation.integrators import Integrator
from tarsus.simulation.motion import Motion
from tarsus.simulation.parameters import MassScale
from tarsus.simulation.part_handle import PartHandle
from tarsus.simulation.part_record import part_records, part_rows
from tarsus.simulation.snapshot import Snapshot, restored, taken
from tarsus.simulation.starts import Starts
from tarsus.simulation.take import Take


class Interactive:
    """What a simulation does step by step: `reset`, `step`, `add`, `snapshot`, `record` …"""

    model: Model
    dt: float
    integrator: Integrator
    board: Board
    """The parts that act on it: `add`, `remove`."""
    _motion: Motion | None = None
    """The interactive motion, which is no setting."""
    _take: Take | None = None
    """Where its inputs are noted, if they are."""

    def reset(
        self,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        *,
        controller: Controller | None = None,
        mass_scale: MassScale = None,
        threads: int = 1,
        ledger: bool = False,
    ) -> None:
        """Start an interactive motion from q (nq,) and v (nv,), or from B states at once.

        `controller` is as of `run`: those that the core knows are part of its steps, contacts and
        all. Without one, `step` takes efforts. With `ledger` works are counted, for `energy_now`.
        """
        starts = self.started()
        restart(controller)
        drive = starts.drive(controller)
        world, state, numbers = starts.prepare(drive, q, v, mass_scale)
        motion = Motion(
            self.model,
            world,
            starts.worlds.places,
            None if controller is None else drive,
            state,
            numbers,
            dt=self.dt,
            threads=threads,
            ledger=flag(ledger, "ledger"),
        )
        acting = self.board.on(state.q)
        if acting is not None:
            motion.take(acting)
        self._begin(motion)

    def step(
        self, command: Any = None, steps: int = 1, *, external: External | None = None
    ) -> tuple[Array, Array]:
        """Make steps of the interactive motion, and return q and v.

        Without a controller `command` is efforts (nv,) or (B, nv), none unless stated. With one it
        is a setpoint for these steps: positions (nq,) or (B, nq), also (q, v) or (q, v, added); or
        what else the controller's `reference` may be at a time. Unless stated, the controller
        follows its own reference. `external` wrenches act in these steps; they are as of `run`.
        Ctrl-C ends a call of many steps after the one that is being made, at which q, v and t stay.
        """
        if external is None:
            return self.moving().step(command, steps)
        with pushing(self.board, stated(external)):
            return self.moving().step(command, steps)

    def snapshot(self) -> Snapshot:
        """Return the interactive motion as it is now, to go on from with `restore`.

        It has all that the next steps depend on, so that they have the same bits: also what
        contacts and the controller remember, by its `get_state`.
        """
        return taken(self, self.moving())

    def restore(self, snapshot: Snapshot, controller: Controller | None = None) -> None:
        """Go on from a snapshot: of this simulation, or of another one with the same content.

        Its controller goes on, too, by its `set_state`, unless another `controller` is given that
        is equal by content: two motions that go on beside each other need two, if they remember.
        """
        self._begin(restored(self, snapshot, controller))

    def record(self) -> Take:
        """Start to note all inputs of the interactive motion, until `stop` of what is returned.

        `replay` of it does them again, here or in another simulation with the same content.
        """
        if self._take is not None:
            raise RuntimeError("a take is being recorded already: stop it first")
        take = Take(self)
        if self._motion is not None:
            take.note_start(self.snapshot())
        vars(self)["_take"] = take
        if self._motion is not None:
            self._motion.notes = take
        return take

    def _begin(self, motion: Motion) -> None:
        """Let `motion` be the interactive one from now on."""
        if self._take is not None:
            self._take.note_start(taken(self, motion))
            motion.notes = self._take
        vars(self)["_motion"] = self.board.motion = motion

    @property
    def q(self) -> Array:
        """The configuration of the interactive motion, (nq,) or (B, nq)."""
        return self.moving().core.q

    @property
    def v(self) -> Array:
        """The velocity of the interactive motion, (nv,) or (B, nv)."""
        return self.moving().core.v

    @property
    def t(self) -> float:
        """The time since `reset` [s]."""
        return self.moving().t

    def contacts_now(self, state: int = 0) -> list[Contact]:
        """Return the contacts in the last step of the interactive motion."""
        return self.moving().contacts(state)

    def read(self, live: Live) -> dict[str, Array]:
        """Return what sensors read now in the interactive motion, (n,) or (B, n) by name.

        Contacts are those of the last step.
        """
        return live.read(self.t, self.q, self.v, touches=self.moving().touches())

    def energy_now(self) -> EnergyLedger:
        """Return the ledger as it is now, a sample of it; works since `reset(…, ledger=True)`."""
        motion = self.moving()
        if not motion.core.ledger:
            raise RuntimeError("works are not counted: start with reset(q, v, ledger=True)")
        row, of_parts = motion.energies()
        names = () if motion.acting is None else part_rows(motion.acting.parts)
        shape = (motion.states, 1, -1) if motion.batched else (1, -1)
        parts = part_records(names, of_parts.reshape(shape)) if names else None
        return EnergyLedger(self.model, np.array([self.t]), row.reshape(shape), parts)

    def add(self, part: Part) -> PartHandle:
        """Put a constraint or a force on, also while a motion goes on, and return its handle.

        The handle has `on`, `target`, `force`, `gap` and the numbers of the part, in a batch one
        a state. Runs and motions that start later have the part, too.
        """
        return self.board.add(part)

    def remove(self, part: PartHandle | str) -> None:
        """Take a part off, by its handle or its name; nothing else changes."""
        self.board.remove(part)

    @property
    def parts(self) -> Mapping[str, PartHandle]:
        """The handles of all parts by name."""
        names = [each.name for each in self.board.parts.parts]
        return ByName("part", ((name, self.board.handle(name)) for name in names))

    def moving(self) -> Motion:
        """Return the interactive motion."""
        if self._motion is None:
            self.started()  # raises where there can be none
            raise RuntimeError("there is no motion yet: call reset(q, v) first")
        return self._motion

    def started(self) -> Starts:
        """Return what runs and motions with contacts start from."""
        raise NotImplementedError

    def content(self, drive: Drive, steps: int) -> dict[str, str]:
        """Return hashes of all that a motion of so many steps depends on, by name."""
        raise NotImplementedError
