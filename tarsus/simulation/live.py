"""Interactive motions: single steps with little overhead."""

from __future__ import annotations

from functools import cached_property
from itertools import takewhile
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from tarsus import _core
from tarsus.geometry import Terrain
from tarsus.model import Model
from tarsus.model.checks import count, read_only, reals
from tarsus.model.description import Array
from tarsus.simulation.contact import ContactLaw
from tarsus.simulation.contact.numbers import threads_of
from tarsus.simulation.contacts import Contact, contact_of
from tarsus.simulation.drives import Drive, LawDrive, torques
from tarsus.simulation.errors import SimulationError, fault
from tarsus.simulation.parameters import MassScale, parameters
from tarsus.simulation.state import (
    State,
    check_configuration,
    check_depth,
    check_limits,
    check_masses,
    plain,
    start,
)
from tarsus.simulation.worlds import Worlds


class Live:
    """The interactive part of a simulation: `reset`, `step`, and the state that they change."""

    model: Model
    surface: Terrain
    contact: ContactLaw
    dt: float
    effort: Array
    worlds: Worlds | None
    _motion: _core.Motion | None = None
    _kept: tuple[LawDrive, Array] | None = None
    """The last law in the core and its parameters: the next run often has the same."""

    @cached_property
    def _limp(self) -> Drive:
        """What acts when nothing is said about efforts."""
        return torques(self.model, self.effort)

    @cached_property
    def _numbers(self) -> Array:
        """Return the parameters of limp motions of the model as it is."""
        states = len(self.surface.parameters)
        return parameters(self.model, self.surface, self._limp, None, states)

    def reset(
        self,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        *,
        mass_scale: MassScale = None,
        threads: int = 1,
    ) -> None:
        """Start an interactive motion from q (nq,) and v (nv,), or from B states at once."""
        world, state, numbers = self.prepare(self._limp, q, v, mass_scale)
        self._motion = _core.Motion(
            world,
            state.q,
            state.v,
            numbers,
            batched=state.batched,
            threads=threads_of(threads),
        )

    def step(self, tau: ArrayLike | None = None, steps: int = 1) -> tuple[Array, Array]:
        """Make steps with the efforts tau (nv,) or (B, nv), and return q and v."""
        if type(steps) is not int or steps != 1:
            count(steps, "steps")
        if tau is not None and (type(tau) is not np.ndarray or tau.dtype.char != "d"):
            tau = reals(tau, "tau", copy=False)
        motion = self._moving() if self._motion is None else self._motion
        moved = motion.step(tau, steps)
        if moved is None:
            self._stop(motion)
        return moved

    @property
    def q(self) -> Array:
        """The configuration of the interactive motion, (nq,) or (B, nq)."""
        return self._moving().q

    @property
    def v(self) -> Array:
        """The velocity of the interactive motion, (nv,) or (B, nv)."""
        return self._moving().v

    @property
    def t(self) -> float:
        """The time since `reset` [s]."""
        return self._moving().steps * self.dt

    def contacts_now(self, state: int = 0) -> list[Contact]:
        """Return the contacts in the last step of the interactive motion."""
        motion = self._moving()
        assert self.worlds is not None
        rows = takewhile(lambda row: row[0] >= 0.0, motion.touched[state, 0])
        return [contact_of(row, self.worlds.places) for row in rows]

    def prepare(
        self, drive: Drive, q: Any, v: Any, mass_scale: MassScale
    ) -> tuple[_core.World, State, Array]:
        """Return the world, the state and the parameters that a motion starts with, checked."""
        if self.worlds is None:
            raise ValueError("this integrator is for whole smooth runs in free space: use run")
        worlds, world = self.worlds, self.worlds.get(drive)
        size = world.memory_size
        state = plain(self.model, q, v, size) or start(self.model, q, v, size)
        # the core has a quick look; where it does not like what it sees, it is said why
        good = world.may_start(state.q, state.v, worlds.start_depth)
        if not good:
            start(self.model, q, v, 0)
        if not good or worlds.has_loops:
            check_configuration(self.model, state.q)
        if worlds.far is not None:
            check_limits(self.model, state.q, worlds.far)
        if not worlds.solid:
            check_masses(self.model, state.q)
        if not good:
            check_depth(world, state.q, worlds.start_depth, worlds.places)
        return world, state, self._parameters(drive, mass_scale, len(state.q))

    def _parameters(self, drive: Drive, mass_scale: MassScale, states: int) -> Array:
        """Return the parameters of a motion, made once for drives that stay."""
        if mass_scale is not None:
            return parameters(self.model, self.surface, drive, mass_scale, states)
        kept = self._kept
        if kept is not None and kept[0] is drive:
            return kept[1]
        if drive is self._limp and len(self._numbers) == 1:
            return self._numbers
        found = parameters(self.model, self.surface, drive, None, states)
        if isinstance(drive, LawDrive) and len(found) == 1:
            self._kept = drive, read_only(found)
        return found

    def _moving(self) -> _core.Motion:
        if self._motion is None:
            raise RuntimeError("there is no motion yet: call reset(q, v) first")
        return self._motion

    def _stop(self, motion: _core.Motion) -> NoReturn:
        status = motion.status
        which = int(np.flatnonzero(status[:, 0])[0])
        code, step, element = (int(x) for x in status[which])
        cause, body = fault(self.model, code, element)
        raise SimulationError(cause, time=step * self.dt, body=body)
