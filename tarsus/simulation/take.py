"""Takes: inputs of an interactive motion with their times, to do them again to the same bits."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from tarsus._lib.checks import flag, reals
from tarsus._lib.files import Array
from tarsus.simulation.drives import Controller
from tarsus.simulation.errors import SimulationError
from tarsus.simulation.motion import Motion
from tarsus.simulation.part_set import Fitted, PartSet
from tarsus.simulation.snapshot import Snapshot

if TYPE_CHECKING:
    from tarsus.simulation.interactive import Interactive


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

    def __init__(self, simulation: Interactive | None) -> None:
        self.inputs: list[Input] = []
        self.end: tuple[Array, Array] | None = None
        """q and v at the end, None while it is recorded."""
        self._simulation = simulation
        self._known: dict[str, tuple[Fitted, Array]] = {}
        """The parts as they were noted last, with their numbers (1 or B, n)."""

    def stop(self) -> None:
        """End the recording."""
        simulation = self._simulation
        if simulation is None:
            return
        vars(simulation)["_take"] = self._simulation = None
        if self.inputs:
            simulation.moving().notes = None
        self.end = (simulation.q, simulation.v) if self.inputs else (np.zeros(0), np.zeros(0))

    def replay(
        self, simulation: Interactive, controller: Controller | None = None, *, exact: bool = True
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
        """Note steps that are made inside, unless they are refused before anything has changed.

        Of steps that Ctrl-C ends, those are noted that were made.
        """
        given, t, before = copied_command(command), motion.t, motion.changes()
        self._note_parts(motion)
        noted, failed = operator.index(steps), True
        try:
            yield
            failed = False
        except KeyboardInterrupt:
            made = motion.changes()[0] - before[0]
            if made:
                noted, failed = made, False
            raise
        finally:
            if not failed or motion.changes() != before:
                what = {"command": given, "steps": noted}
                self.inputs.append(Input(t, "step", what, failed))

    def note_start(self, snapshot: Snapshot) -> None:
        """Note that the motion goes on from a snapshot, or from a start."""
        self.inputs.append(Input(snapshot.t, "restore", {"snapshot": snapshot}))
        parts, numbers = snapshot.kept.fitted, snapshot.kept.numbers
        self._known = {} if parts is None or numbers is None else rows_of(parts, numbers)

    def _note_parts(self, motion: Motion) -> None:
        """Note what has become of parts since the last steps: by whom, does not matter."""
        acting, before, t = motion.acting, self._known, motion.t
        now = {} if acting is None else rows_of(acting.parts, acting.numbers)
        for name, (fitted, _) in before.items():
            if name not in now or now[name][0] is not fitted:
                self.inputs.append(Input(t, "remove", {"part": name}))
        for name, (fitted, rows) in now.items():
            known = before.get(name)
            if known is None or known[0] is not fitted:
                self.inputs.append(Input(t, "add", {"part": replace(fitted.part, name=name)}))
                known = None
            if known is None or not np.array_equal(known[1], rows):
                self.inputs.append(Input(t, "numbers", {"part": name, "rows": rows}))
        self._known = now

    def _redo(self, simulation: Interactive, each: Input, controller: Controller | None) -> None:
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


def rows_of(parts: PartSet, numbers: Array) -> dict[str, tuple[Fitted, Array]]:
    """Return parts by name, each with copies of its numbers (1 or B, n)."""
    each = enumerate(parts.parts)
    return {fitted.name: (fitted, numbers[:, parts.span(k)].copy()) for k, fitted in each}


def copied_command(command: Any) -> Any:
    """Return a command as numbers, arrays, tuples and mappings that nobody changes later.

    A `TypeError` if it is anything else, which no file could hold.
    """
    if command is None or isinstance(command, (bool, str)):
        return command
    if isinstance(command, Mapping):
        return {str(name): copied_command(each) for name, each in command.items()}
    if isinstance(command, tuple):
        return tuple(copied_command(each) for each in command)
    found = reals(command, "a command")
    return found if found.ndim else float(found)


def _restore(
    simulation: Interactive, what: Mapping[str, Any], controller: Controller | None
) -> None:
    snapshot: Snapshot = what["snapshot"]
    # what plans did to numbers is noted, too: they must not do it again
    snapshot = replace(snapshot, kept=replace(snapshot.kept, plans={}))
    simulation.restore(snapshot, controller if snapshot.driven else None)


def _step(simulation: Interactive, what: Mapping[str, Any], controller: Controller | None) -> None:
    simulation.step(what["command"], what["steps"])


def _add(simulation: Interactive, what: Mapping[str, Any], controller: Controller | None) -> None:
    simulation.add(what["part"])


def _remove(
    simulation: Interactive, what: Mapping[str, Any], controller: Controller | None
) -> None:
    simulation.remove(what["part"])


def _numbers(
    simulation: Interactive, what: Mapping[str, Any], controller: Controller | None
) -> None:
    simulation.board.write(what["part"], what["rows"])


ACTIONS = {
    "restore": _restore,
    "step": _step,
    "add": _add,
    "remove": _remove,
    "numbers": _numbers,
}
"""What can be done to a motion."""
