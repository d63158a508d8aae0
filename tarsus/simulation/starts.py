"""How runs and motions of a simulation start: with a drive, a state and parameters, all checked."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from tarsus import _core
from tarsus._lib.checks import read_only
from tarsus._lib.files import Array
from tarsus.geometry.grounds import Terrain
from tarsus.model import Model
from tarsus.model.description_builder import warn_of_scalar_first
from tarsus.simulation.drives import Controller, Drive, LawDrive, drive_of, torques
from tarsus.simulation.parameters import MassScale, parameters
from tarsus.simulation.state import (
    State,
    check_configuration,
    check_depth,
    check_limits,
    check_masses,
    plain,
    start,
    stray,
    warn_of_limits,
)
from tarsus.simulation.worlds import Worlds


class Starts:
    """Makes what a run or a motion starts with, and keeps what the next one often has, too."""

    def __init__(
        self, model: Model, surface: Terrain, worlds: Worlds, effort: Array, dt: float
    ) -> None:
        self.model, self.surface, self.worlds = model, surface, worlds
        self.effort, self.dt = effort, dt
        self.kept: tuple[LawDrive, Array] | None = None
        """The last law in the core and its parameters."""

    @cached_property
    def limp(self) -> Drive:
        """What acts when nothing is said about efforts."""
        return torques(self.model, self.effort)

    @cached_property
    def _numbers(self) -> Array:
        """The parameters of limp motions of the model as it is."""
        states = len(self.surface.parameters)
        return parameters(self.model, self.surface, self.limp, None, states)

    def drive(self, controller: Controller | None) -> Drive:
        """Return how the efforts of a controller come about."""
        if controller is None:
            return self.limp
        kept = self.kept  # read once: another thread may start another run
        if kept is not None and kept[0].is_of(controller):
            return kept[0]
        return drive_of(self.model, controller, self.dt, self.effort)

    def prepare(
        self, drive: Drive, q: Any, v: Any, mass_scale: MassScale
    ) -> tuple[_core.World, State, Array]:
        """Return the world, the state and the parameters that a motion starts with, checked."""
        worlds, world = self.worlds, self.worlds.get(drive)
        size = world.memory_size
        state = plain(self.model, q, v, size) or start(self.model, q, v, size)
        # the core has a quick look; where it does not like what it sees, it is said why
        good = world.may_start(state.q, state.v, worlds.start_depth)
        if not good:
            start(self.model, q, v, 0)
        if not good or worlds.has_loops:
            check_configuration(self.model, state.q)
        if self.surface.kind != "none":
            warn_of_scalar_first(self.model, state.q)
        far = worlds.far if worlds.far is not None and stray(state.q, worlds.near) else None
        if far is not None:
            check_limits(self.model, state.q, far)
        if not worlds.solid:
            check_masses(self.model, state.q)
        if not good:
            check_depth(self.model, world, state.q, worlds.start_depth, worlds.places)
        if far is not None:
            warn_of_limits(self.model, state.q, worlds.near)
        return world, state, self._parameters(drive, mass_scale, len(state.q))

    def _parameters(self, drive: Drive, mass_scale: MassScale, states: int) -> Array:
        """Return the parameters of a motion, made once for drives that stay."""
        if mass_scale is not None:
            return parameters(self.model, self.surface, drive, mass_scale, states)
        kept = self.kept
        if kept is not None and kept[0] is drive:
            return kept[1]
        if drive is self.limp and len(self._numbers) == 1:
            return self._numbers
        found = parameters(self.model, self.surface, drive, None, states)
        if isinstance(drive, LawDrive) and len(found) == 1:
            self.kept = drive, read_only(found)
        return found
