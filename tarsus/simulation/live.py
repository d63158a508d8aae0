"""Interactive motions: single steps with little overhead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus import _core
from tarsus.geometry import Terrain
from tarsus.model import Model
from tarsus.model.description import Array
from tarsus.simulation.contact import ContactLaw
from tarsus.simulation.contact.numbers import count
from tarsus.simulation.contacts import NUMBERS, Contact, contact_of
from tarsus.simulation.drives import Drive, torques
from tarsus.simulation.errors import SimulationError, fault
from tarsus.simulation.parameters import MassScale, parameters
from tarsus.simulation.state import State, check_depth, check_masses, start
from tarsus.simulation.worlds import Worlds


@dataclass
class Motion:
    """What an interactive motion keeps between steps."""

    world: _core.World
    state: State
    parameters: Array
    commands: Array
    """(B, 1, nv)."""
    touched: Array
    """Contacts of the last step (B, 1, max_contacts, 13)."""
    threads: int

    def __post_init__(self) -> None:
        self.record = {"contacts": self.touched} if self.touched.size else None


class Live:
    """The interactive part of a simulation: `reset`, `step`, and the state that they change."""

    model: Model
    ground: Terrain | None
    contact: ContactLaw
    dt: float
    effort: Array
    worlds: Worlds | None
    _motion: Motion | None = None

    def reset(
        self,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        *,
        mass_scale: MassScale = None,
        threads: int = 1,
    ) -> None:
        """Start an interactive motion from q (nq,) and v (nv,), or from B states at once."""
        world, state, numbers = self.prepare(torques(self.model, self.effort), q, v, mass_scale)
        commands = np.zeros((len(state.q), 1, self.model.nv))
        touched = np.full((len(state.q), 1, world.max_contacts, NUMBERS), -1.0)
        self._motion = Motion(world, state, numbers, commands, touched, threads)

    def step(self, tau: ArrayLike | None = None, steps: int = 1) -> tuple[Array, Array]:
        """Make steps with the efforts tau (nv,) or (B, nv), and return q and v."""
        motion = self._moving()
        state = motion.state
        try:
            motion.commands[:, 0] = 0.0 if tau is None else tau
        except (TypeError, ValueError):
            nv, shape = self.model.nv, np.shape(np.asarray(tau, object))
            message = f"tau has shape {shape}, must be ({nv},) or ({len(state.q)}, {nv}) of numbers"
            raise ValueError(message) from None
        if steps != 1:
            count(steps, "steps")
        try:
            status = motion.world.advance(
                state.q,
                state.v,
                state.memory,
                motion.parameters,
                motion.commands,
                first_step=state.step,
                steps=steps,
                every=steps,
                threads=motion.threads,
                record=motion.record,
            )
        except ValueError:
            if np.isfinite(motion.commands).all():
                raise
            raise ValueError("tau has entries that are not finite") from None
        if status.any() and status[:, 0].any():
            self._stop(status)
        state.step += steps
        return state.seen()

    @property
    def q(self) -> Array:
        """The configuration of the interactive motion, (nq,) or (B, nq)."""
        return self._moving().state.seen()[0]

    @property
    def v(self) -> Array:
        """The velocity of the interactive motion, (nv,) or (B, nv)."""
        return self._moving().state.seen()[1]

    @property
    def t(self) -> float:
        """The time since `reset` [s]."""
        return self._moving().state.step * self.dt

    def contacts_now(self, state: int = 0) -> list[Contact]:
        """Return the contacts in the last step of the interactive motion."""
        motion = self._moving()
        assert self.worlds is not None
        rows = motion.touched[state, 0]
        return [contact_of(row, self.worlds.places) for row in rows[rows[:, 0] >= 0.0]]

    def prepare(
        self, drive: Drive, q: Any, v: Any, mass_scale: MassScale
    ) -> tuple[_core.World, State, Array]:
        """Return the world, the state and the parameters that a motion starts with, checked."""
        if self.worlds is None:
            raise ValueError("this integrator is for whole smooth runs in free space: use run")
        world = self.worlds.get(drive)
        state = start(self.model, q, v, world.memory_size)
        check_masses(self.model, state.q)
        check_depth(world, state.q, self.contact.start_depth(self.model), self.worlds.places)
        return world, state, parameters(self.model, self.ground, drive, mass_scale, len(state.q))

    def _moving(self) -> Motion:
        if self._motion is None:
            raise RuntimeError("there is no motion yet: call reset(q, v) first")
        return self._motion

    def _stop(self, status: Array) -> None:
        which = int(np.flatnonzero(status[:, 0])[0])
        code, step, element = (int(x) for x in status[which])
        cause, body = fault(self.model, code, element)
        raise SimulationError(cause, time=step * self.dt, body=body)
