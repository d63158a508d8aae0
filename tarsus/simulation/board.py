"""The parts of a simulation on which users work: added, removed and changed while it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.checks import read_only
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.model.name_references import Force
from tarsus.parts.part import Part
from tarsus.simulation.acting import Acting, Plan, appended
from tarsus.simulation.part_handle import PartHandle
from tarsus.simulation.part_set import PartSet, bodies_of

if TYPE_CHECKING:
    from tarsus.simulation.motion import Motion


class Board:
    """Which parts there are, their numbers at the start of runs, and those of the motion.

    A target that is not a number stands for where things are when a run starts.
    """

    def __init__(self, model: Model, forces: Iterable[Force] | None = None) -> None:
        self.parts = PartSet.of(model, model.forces if forces is None else ())
        self.numbers = np.concatenate([np.zeros(0), *(each.row for each in self.parts.parts)])[None]
        """(1, n), or (B, n) once a state has numbers of its own."""
        self.plans: dict[str, Plan] = {}
        self.motion: Motion | None = None
        self._named: dict[str, int] = {}
        """How many parts of each kind have been given a name."""
        for k, force in enumerate(stated_forces(forces)):
            try:
                self.add(force)
            except (TypeError, ValueError) as error:
                raise type(error)(f"forces[{k}]: {error}") from None

    @property
    def acting(self) -> Acting | None:
        """The parts of the interactive motion, if there is one."""
        return None if self.motion is None else self.motion.acting

    @property
    def batched(self) -> bool:
        """Whether the interactive motion has a batch of states."""
        return self.motion is not None and self.motion.batched

    def add(self, part: Part) -> PartHandle:
        """Put a part on, and return its handle."""
        parts = self.parts.added(part, self._fresh_name(getattr(part, "kind", "")))
        refuse_idle(parts)
        numbers = appended(self.numbers, parts.parts[-1].row[None])
        if self.motion is not None:
            q = np.atleast_2d(self.motion.core.q)
            if self.motion.acting is None:
                self.motion.take(Acting.on(parts, numbers, q, self.plans))
            else:
                self.motion.acting.added(parts, q)
                self.motion.take(self.motion.acting)
        self.parts, self.numbers = parts, numbers
        return PartHandle(self, parts.parts[-1].name)

    def _fresh_name(self, kind: str) -> str:
        """Return a name that no part has had, so that handles of those that are gone stay so."""
        number = self._named.get(kind, 0) + 1
        while (name := f"{kind}{number}") in self.parts.index:
            number += 1
        self._named[kind] = number
        return name

    def remove(self, handle: PartHandle | str) -> None:
        """Take a part off."""
        if not isinstance(handle, (PartHandle, str)):
            raise TypeError(f"part is {handle!r}, must be a handle that add returned, or a name")
        name = handle if isinstance(handle, str) else handle.name
        if isinstance(handle, PartHandle) and handle._board is not self:
            raise ValueError(f"the handle of {name!r} is of another simulation; see sim.parts here")
        gone = self.parts.span(self.parts.number(name))
        self.parts = self.parts.without(name)
        self.numbers = np.delete(self.numbers, gone, axis=1)
        self.plans.pop(name, None)
        if self.motion is not None and self.motion.acting is not None:
            self.motion.acting.removed(name, self.parts)
            self.motion.take(self.motion.acting)

    def write(self, name: str, rows: Array) -> None:
        """Set all numbers (1 or B, n) of a part of the motion, as the core has them."""
        at = self.parts.span(self.parts.number(name))
        if self.motion is None or self.acting is None:
            raise RuntimeError("there is no motion yet: call reset(q, v) first")
        if rows.shape not in ((1, at.stop - at.start), (self.motion.states, at.stop - at.start)):
            raise ValueError(f"part {name!r} has no numbers of shape {rows.shape}")
        if np.isnan(rows).any():
            raise ValueError(f"part {name!r} has numbers that are none")
        if len(rows) > len(self.acting.numbers):
            self.widen()
        self.acting.numbers[:, at] = rows

    def kept(self, motion: Motion) -> Kept:
        """Return the parts as they are now, on a motion."""
        acting = motion.acting
        numbers = None if acting is None else read_only(acting.numbers.copy())
        memory = None if acting is None else read_only(acting.memory.copy())
        plans = MappingProxyType(dict(self.plans))
        return Kept(read_only(self.numbers.copy()), numbers, memory, plans, self.parts)

    def put_back(self, kept: Kept, motion: Motion) -> None:
        """Have the parts again that there were, and let a motion go on with them."""
        parts, states = kept.on(self.parts.model), motion.states
        runs, numbers, memory = kept.runs.copy(), kept.numbers, kept.memory
        if runs.shape not in ((1, parts.starts[-1]), (states, parts.starts[-1])):
            raise ValueError(f"parts cannot have numbers of shape {runs.shape}")
        if numbers is not None and memory is not None:
            motion.take(Acting(parts, numbers.copy(), memory.copy(), dict(kept.plans)))
        elif parts.parts or numbers is not None or memory is not None:
            raise ValueError("parts need numbers and a memory")
        self.parts, self.numbers, self.plans = parts, runs, dict(kept.plans)

    def handle(self, name: str) -> PartHandle:
        """Return the handle of a part by its name."""
        self.parts.number(name)
        return PartHandle(self, name)

    def on(self, q: Array) -> Acting | None:
        """Return the parts put on states q (B, nq), None if there are none."""
        return Acting.on(self.parts, self.numbers, q, self.plans) if self.parts.parts else None

    def rows(self, each: bool) -> Array:
        """Return the numbers of runs; `each`: with a row for each state of the motion."""
        if each and len(self.numbers) == 1 and self.motion is not None:
            self.numbers = np.repeat(self.numbers, self.motion.states, axis=0)
        return self.numbers

    def widen(self) -> None:
        """Give each state of the motion numbers of its own."""
        assert self.motion is not None and self.motion.acting is not None
        self.motion.acting.widen()
        self.motion.take(self.motion.acting)

    def replan(self) -> None:
        """Let the motion follow the plans as they are now."""
        if self.acting is not None:
            self.widen()
            self.acting.plans = dict(self.plans)


@dataclass(frozen=True, eq=False)
class Kept:
    """The parts of a board at a moment, and what they were on the motion."""

    runs: Array
    """Their numbers in runs that start later (1 or B, n)."""
    numbers: Array | None
    memory: Array | None
    """Those of the motion (1 or B, n) and (B, m), if it has parts."""
    plans: Mapping[str, Plan] = field(default_factory=dict)
    fitted: PartSet | None = None
    stated: tuple[Part, ...] = ()
    """What a file says that there were."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts, with their names."""
        if self.fitted is None:
            return self.stated
        return tuple(replace(each.part, name=each.name) for each in self.fitted.parts)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "plans": dict(self.plans)}

    def on(self, model: Model) -> PartSet:
        """Return the parts for a model."""
        if self.fitted is not None and self.fitted.model is model:
            return self.fitted
        return PartSet.of(model, self.parts)


def stated_forces(forces: Any) -> list[Any]:
    """Return what a simulation is made with as a list."""
    try:
        return list(() if forces is None else forces)
    except TypeError:
        raise TypeError(f"forces is {forces!r}, must be a list of parts of ts.forces") from None


def refuse_idle(parts: PartSet) -> None:
    """Raise unless the last part may move something."""
    last = parts.parts[-1]
    on = bodies_of(parts.model, last.statement)
    if on and len(set(on)) == 1 and (len(on) == 2 or on[0] == WORLD):
        where = "the world" if on[0] == WORLD else f"body {on[0]!r}"
        raise ValueError(
            f"part {last.name!r} has nothing to move: all of it is on {where}; a place on another "
            'body is the name of a frame, or ("name", point)'
        )


def content(board: Board) -> list[Any]:
    """Return what a run depends on of the parts, for its hash."""
    found: list[Any] = [board.numbers, sorted(board.plans)]
    for each in board.parts.parts:
        found += [each.name, {name: str(value) for name, value in each.core.items()}]
    return found
