"""Takes: inputs of an interactive motion with their times, to do them again to the same bits."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from tarsus.arrays import Array
from tarsus.model.checks import flag, reals
from tarsus.simulation.drives import Controller
from tarsus.simulation.errors import SimulationError
from tarsus.simulation.motion import Motion
from tarsus.simulation.snapshot import Snapshot

if TYPE_CHECKING:
    from tarsus.simulation.simulation import Simulation


class Input(NamedTuple):
    """Something that was done to a motion, as plain data."""

    t: float
    """When [s]."""
    do: str
    """Which of `ACTIONS`."""
    what: Mapping[str, Any]
    failed: bool = False
    """Whether it ended with an error, as it will when it is done again."""


class Take:
    """What was done to the motion of a simulation since `Simulation.record`, in order.

    It begins with a snapshot of the motion, or with the first `reset`. `stop` ends the recording,
    and so does leaving a `with` block, or `replay`.
    """

    def __init__(self, simulation: Simulation | None) -> None:
        self.inputs: list[Input] = []
        self.end: tuple[Array, Array] | None = None
        """q and v at the end, None while it is recorded."""
        self._simulation = simulation

    def stop(self) -> None:
        """End the recording."""
        simulation = self._simulation
        if simulation is None:
            return
        vars(simulation)["_take"] = self._simulation = None
        self.end = (simulation.q, simulation.v) if self.inputs else (np.zeros(0), np.zeros(0))

    def replay(
        self, simulation: Simulation, controller: Controller | None = None, *, exact: bool = True
    ) -> tuple[Array, Array]:
        """Do all inputs again, in this simulation or in an equal one, and return the last q and v.

        A take with a controller that was read from a file needs the same `controller` again. If the
        motion ends at other bits, that is a `SimulationError`, unless `exact` is False: another
        instruction set rounds differently, and a Python function may compute something else.
        """
        flag(exact, "exact")
        self.stop()
        if not self.inputs:
            raise ValueError("the take is empty: nothing was done while it was recorded")
        for each in self.inputs:
            self._redo(simulation, each, controller)
        q, v = simulation.q, simulation.v
        assert self.end is not None
        if exact and (q.tobytes(), v.tobytes()) != tuple(x.tobytes() for x in self.end):
            raise SimulationError(
                "the replay ended at other bits than the take: on another instruction set, or with "
                "a controller that computes something else; exact=False lets it pass",
                time=simulation.t,
            )
        return q, v

    def save(self, path: str | Path) -> None:
        """Write the take to a .json file, which `ts.load_take` reads."""
        from tarsus.simulation.take_file import write_take

        self.stop()
        write_take(self, path)

    @contextmanager
    def noting_step(self, motion: Motion, command: Any, steps: int) -> Iterator[None]:
        """Note steps that are made inside, unless they are refused before anything has changed."""
        given, t, before = plain(command), motion.t, motion.changes()
        failed = True
        try:
            yield
            failed = False
        finally:
            if not failed or motion.changes() != before:
                what = {"command": given, "steps": operator.index(steps)}
                self.inputs.append(Input(t, "step", what, failed))

    def note_start(self, snapshot: Snapshot) -> None:
        """Note that the motion goes on from a snapshot, or from a start."""
        self.inputs.append(Input(snapshot.t, "restore", {"snapshot": snapshot}))

    def _redo(self, simulation: Simulation, each: Input, controller: Controller | None) -> None:
        try:
            ACTIONS[each.do](simulation, each.what, controller)
        except Exception:
            if not each.failed:
                raise
        else:
            if each.failed:
                raise SimulationError("the take failed here, the replay did not", time=each.t)

    def __len__(self) -> int:
        """Return the number of inputs."""
        return len(self.inputs)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        state = "recording" if self._simulation is not None else "ended"
        last = self.inputs[-1].t if self.inputs else 0.0
        return f"<tarsus.Take: {len(self)} inputs, the last at {last:.6g} s, {state}>"


def plain(command: Any) -> Any:
    """Return a command as plain data: numbers, lists of them, and tuples as mappings."""
    if isinstance(command, tuple):
        return {"tuple": [plain(each) for each in command]}
    return None if command is None else reals(command, "command").tolist()


def command_of(data: Any) -> Any:
    """Return the command that `plain` made plain."""
    if isinstance(data, dict):
        parts = data.get("tuple")
        if not isinstance(parts, list):
            raise TypeError("a command is a mapping, must be numbers or a tuple of them")
        return tuple(command_of(each) for each in parts)
    return None if data is None else reals(data, "command")


def _restore(
    simulation: Simulation, what: Mapping[str, Any], controller: Controller | None
) -> None:
    snapshot: Snapshot = what["snapshot"]
    simulation.restore(snapshot, controller if snapshot.driven else None)


def _step(simulation: Simulation, what: Mapping[str, Any], controller: Controller | None) -> None:
    simulation.step(command_of(what["command"]), what["steps"])


ACTIONS = {"restore": _restore, "step": _step}
"""What can be done to a motion."""
