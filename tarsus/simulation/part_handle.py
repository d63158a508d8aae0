"""What `Simulation.add` returns: a part at work, whose numbers may be changed and read."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus import _core
from tarsus._lib.checks import reals
from tarsus._lib.files import Array
from tarsus.parts.part import Part
from tarsus.simulation.acting import Acting
from tarsus.simulation.target_plan import TargetPlan, halt, write_target

if TYPE_CHECKING:
    from tarsus.simulation.board import Board

MEMORY = _core.PART_MEMORY


class PartHandle:
    """A part of a simulation: `on`, `target`, the numbers of its law; `force`, `gap`, `missed`.

    Numbers are of the interactive motion if there is one, and of the runs and motions that start
    later. In a batch they are one for all or one a state, and what is read is (B, …).
    """

    def __init__(self, board: Board, name: str) -> None:
        self._board, self._name = board, name

    @property
    def name(self) -> str:
        """Its name among the parts of the simulation."""
        return self._name

    @property
    def part(self) -> Part:
        """What was added."""
        parts = self._board.parts
        return parts.parts[parts.number(self._name)].part

    @property
    def on(self) -> Any:
        """Whether it acts, a bool or (B,)."""
        return self._seen("on") > 0.0

    @on.setter
    def on(self, value: Any) -> None:
        wanted = np.asarray(value)
        if wanted.dtype != np.bool_:
            raise TypeError(f"on of {self._name!r} is {value!r}, must be True or False")
        self._write("on", wanted.astype(float))

    @property
    def target(self) -> Any:
        """Where it wants things to be: a point and quaternion (7,), a length, a position.

        It is set to a point (3,) or a pose (4, 4), or to a number; not a number is where things
        will be when a motion starts.
        """
        found = self._seen("target")
        return found[..., :7] if found.shape[-1] > 2 else _scalar(found[..., 0])

    @target.setter
    def target(self, value: Any) -> None:
        at, count = self._slot("target")
        for numbers in self._rows(np.ndim(value) > (0 if count == 2 else 1)):
            write_target(numbers[:, at : at + count], value, self._name)

    def follow(self, plan: Any) -> None:
        """Move the target by a plan: a function of time [s], or (times, targets).

        None stops it where it is.
        """
        plans, acting = self._board.plans, self._board.acting
        (at, count), start = self._slot("target"), self._board.parts.starts[self._index]
        if plan is None:
            plans.pop(self._name, None)
            if acting is not None and self._board.motion is not None:
                halt(acting.numbers[:, at : at + count], self._board.motion.dt)
        else:
            plans[self._name] = TargetPlan(plan, (at - start, count), self._name)
        self._board.replan()

    @property
    def force(self) -> Array:
        """What it pushed b with in the last step of the motion (…, 3) [N], in axes of the world.

        For joints the effort along their sum, in the first place. That of a `Wrench` may be set.
        """
        return self._memory("push", 3)

    @force.setter
    def force(self, value: Any) -> None:
        self._set("force", value)

    @property
    def torque(self) -> Array:
        """The moment that goes with the force, about the point of b (…, 3) [N m]."""
        return self._memory("push", 6)[..., 3:]

    @torque.setter
    def torque(self, value: Any) -> None:
        self._set("torque", value)

    @property
    def gap(self) -> Array:
        """How far its coordinates are from where they should be now (…, rows) [m, rad]."""
        self._acting()
        assert self._board.motion is not None
        core, k = self._board.parts.core, self._index
        first = sum(core.n_rows(each) for each in range(k))
        return self._one(self._board.motion.gaps()[:, first : first + core.n_rows(k)]).copy()

    @property
    def missed(self) -> Any:
        """By what velocity it was not held, because others contradict it (…) [m/s, rad/s]."""
        return _scalar(self._memory("missed", 1)[..., 0])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        keeps = self.part.keeps
        if name in keeps:
            return self._memory("own", len(keeps))[..., keeps.index(name)]
        return self._seen(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or isinstance(getattr(type(self), name, None), property):
            super().__setattr__(name, value)
            return
        self._set(name, value)

    def __dir__(self) -> list[str]:
        """Return its names, those of its numbers among them."""
        slots = self._board.parts.parts[self._index].slots
        gone = set() if "target" in slots else {"target", "follow"}
        return sorted({*super().__dir__(), *slots, *self.part.keeps} - gone)

    @property
    def _index(self) -> int:
        return self._board.parts.number(self._name)

    def _slot(self, name: str) -> tuple[int, int]:
        return self._board.parts.slot(self._index, name)

    def _rows(self, each: bool) -> list[Array]:
        """Return the rows that a change goes to; `each`: there is one for each state."""
        acting = self._board.acting
        if acting is not None and len(acting.numbers) == 1 != len(acting.memory) and each:
            self._board.widen()
        rows = [self._board.rows(each)]
        return rows if acting is None else [*rows, acting.numbers]

    def _set(self, name: str, value: Any) -> None:
        _, count = self._slot(name)
        what = f"{name} of {self._name!r}"
        given = reals(value, what)
        if name in {each.name for each in fields(self.part)} and count == 1:
            self._check(name, given)
        elif not np.isfinite(given).all():
            raise ValueError(f"{what} is not finite: {given.tolist()}")
        elif count == 1 and (given < 0.0).any():
            raise ValueError(f"{what} is {given.tolist()}, must not be negative")
        self._write(name, given)

    def _check(self, name: str, given: Array) -> None:
        """Raise unless the part could have been stated with these numbers."""
        for value in np.unique(given).tolist():
            try:
                replace(self.part, **{name: value})
            except ValueError as error:
                reason = str(error).removeprefix(name)
                raise ValueError(f"{name} of {self._name!r}{reason}") from None

    def _write(self, name: str, value: Array) -> None:
        at, count = self._slot(name)
        one = (count,) if count > 1 else ()
        each = value.ndim > len(one)
        rows = self._rows(each)
        if value.shape not in (one, (len(rows[-1]), *one)):
            raise ValueError(
                f"{name} of {self._name!r} has shape {value.shape}, must be {one}, or "
                f"{(len(rows[-1]), *one)} with one for each state"
            )
        for numbers in rows:
            numbers[:, at : at + count] = value if count > 1 else value.reshape(-1, 1)

    def _seen(self, name: str) -> Any:
        at, count = self._slot(name)
        acting = self._board.acting
        if acting is None:
            numbers = self._board.rows(False)
            found = numbers[:, at : at + count]
            found = found[0] if len(found) == 1 else found
        else:
            found = acting.numbers[:, at : at + count]
            found = self._one(np.broadcast_to(found, (len(acting.memory), count)))
        return found.copy() if count > 1 else _scalar(found[..., 0])

    def _memory(self, name: str, count: int) -> Array:
        acting = self._acting()
        at = acting.parts.core.memory(self._index) + MEMORY[name]
        return self._one(acting.memory[:, at : at + count]).copy()

    def _one(self, rows: Array) -> Array:
        return rows if self._board.batched else rows[0]

    def _acting(self) -> Acting:
        acting = self._board.acting
        if acting is None:
            raise RuntimeError("there is no motion yet: call reset(q, v) first")
        return acting

    def __repr__(self) -> str:
        if self._name not in self._board.parts.index:
            return f"<tarsus part {self._name!r}, which was removed>"
        return f"<tarsus part {self._name!r}: {self.part!r}>"


def _scalar(values: Array) -> Any:
    """Return a number for one state, an array (B,) for a batch."""
    return values.item() if values.ndim == 0 else values.copy()
