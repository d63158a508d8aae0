"""What became of motions that flowed: where they ended and why, their events, their samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.errors import TarsusError
from tarsus._lib.files import Array
from tarsus.events.phase import Phase
from tarsus.model.model import Model

TIME, EXIT, EVENTS, TOO_SHORT, NOT_FINITE, DIVERGED, FOREVER, STEPS, INTERRUPTED = range(9)
ENDS = {
    TIME: "lasted as long as it should",
    EXIT: "left by an exit",
    EVENTS: "had as many events as it may have",
    TOO_SHORT: "needs steps that are too short: forces jump, or grow without bound",
    NOT_FINITE: "came where rates, guards or resets have no finite value",
    DIVERGED: "became faster than anything can be",
    FOREVER: "has events that follow each other without time in between",
    STEPS: "took as many steps as it may take",
    INTERRUPTED: "was interrupted",
}
"""Why a motion ended, as the core counts it."""
FAILED = np.isin(range(9), (TOO_SHORT, NOT_FINITE, DIVERGED, FOREVER, STEPS))
"""Which of them are failures."""


class FlowError(TarsusError, ArithmeticError):
    """A motion that could not go on; `flowed` has what was before."""

    def __init__(self, message: str, flowed: Flowed) -> None:
        super().__init__(message)
        self.flowed = flowed


@dataclass(frozen=True, eq=False)
class FlowEvent:
    """An event of motion number `motion` at time t [s]: states before and after it."""

    motion: int
    t: float
    phase: str
    exit: int
    name: str
    q: Array
    v: Array
    next_q: Array
    next_v: Array


class Flowed:
    """Motions that flowed; arrays are (B, …), or without B for one.

    `t` [s], `q` and `v` are where each ended, in the `phase` (a name) where it was then; `ended`
    says why. States of phases with fewer coordinates than others are filled up with zeros.
    """

    def __init__(
        self, phases: Sequence[Phase], found: Mapping[str, Array], batch: int | None
    ) -> None:
        self.phases = tuple(phases)
        self._found, self._batch = found, batch
        status = found["status"]
        self.failed: NDArray[np.bool_] = FAILED[status[:, 2].astype(int)]
        self.unarmed = status[:, 6].astype(int)
        """The exit whose guard was past its zero at the start (B,), −1 for none: it counts from
        the other side only."""

    @property
    def t(self) -> Array:
        """Times at the end [s]."""
        return self._of(self._found["status"][:, 0])

    @property
    def q(self) -> Array:
        """Positions at the end."""
        return self._of(self._states("q", "nq"))

    @property
    def v(self) -> Array:
        """Velocities at the end."""
        return self._of(self._states("v", "nv"))

    @property
    def phase(self) -> list[str] | str:
        """Names of the phases at the end."""
        names = [self.phases[int(k)].name for k in self._found["status"][:, 1]]
        return names[0] if self._batch is None else names

    @property
    def ended(self) -> list[str] | str:
        """Why each motion ended."""
        words = [ENDS[int(k)] for k in self._found["status"][:, 2]]
        return words[0] if self._batch is None else words

    @property
    def n_events(self) -> Array:
        """How many events there were."""
        return self._of(self._found["status"][:, 3].astype(int))

    @property
    def steps(self) -> Array:
        """How many steps were made, without those that were rejected or landed elsewhere."""
        return self._of(self._found["status"][:, 4].astype(int))

    @property
    def derivatives(self) -> Array:
        """How states at the end depend on the start and on parameters: (B, 2 nv', 2 nv + p).

        Rows are steps of q and changes of v at the end, columns steps of q and changes of v at the
        start, then parameters; steps are those of `Model.integrate`. After an event that ended the
        motion it is the state just behind that event, whenever it comes; else that at the time of
        the end. Not a number for a motion that failed, not finite where it only grazed a guard.
        """
        columns, width = self._columns()
        ends = self._found["status"][:, 1].astype(int)
        most = max(self._model(k).nv for k in set(ends.tolist()))
        found = np.zeros((len(self), 2, most, width))
        for k, row in enumerate(columns):
            nv = self._model(int(ends[k])).nv
            found[k, :, :nv] = row[: 2 * nv * width].reshape(2, nv, width)
        found[self.failed] = np.nan
        return self._of(found.reshape(len(self), 2 * most, width))

    @property
    def time_derivatives(self) -> Array:
        """How the time of the last event depends on the start and on parameters (B, 2 nv + p) [s].

        Zero for motions without events.
        """
        self._columns()
        return self._of(self._found["time"])

    def _columns(self) -> tuple[Array, int]:
        if "columns" not in self._found:
            raise ValueError("there are no derivatives: ask for them with derivatives=True")
        return self._found["columns"], self._found["time"].shape[1]

    @property
    def events(self) -> list[FlowEvent]:
        """All events, motion by motion."""
        return list(self._each_event())

    @property
    def samples(self) -> tuple[Array, Array, Array]:
        """Times (T,), q (T, nq) and v (T, nv) of the samples of one motion."""
        if self._batch is not None:
            raise ValueError("samples are of one motion: use samples_of(k)")
        return self.samples_of(0)

    def samples_of(self, motion: int) -> tuple[Array, Array, Array]:
        """Return times (T,), q (T, nq) and v (T, nv) of the samples of one motion."""
        rows = self._found["samples"][:, 0] == motion
        return (
            self._found["samples"][rows, 1],
            self._found["sample_q"][rows],
            self._found["sample_v"][rows],
        )

    def _of(self, array: Array) -> Array:
        return array[0] if self._batch is None else array

    def _states(self, name: str, size: str) -> Array:
        used = {int(k) for k in self._found["status"][:, 1]}
        return self._found[name][:, : max(getattr(self._model(k), size) for k in used)]

    def _model(self, phase: int) -> Model:
        return self.phases[phase].model

    def _each_event(self) -> Iterator[FlowEvent]:
        f = self._found
        for k, (motion, t, phase, exit) in enumerate(f["events"]):
            at = self.phases[int(phase)]
            taken = at.exits[int(exit)]  # type: ignore[index]
            after = at.model if taken.to is None else self._named(taken.to)
            yield FlowEvent(
                *(int(motion), float(t), at.name, int(exit), taken.name),
                f["before_q"][k, : at.model.nq],
                f["before_v"][k, : at.model.nv],
                f["after_q"][k, : after.nq],
                f["after_v"][k, : after.nv],
            )

    def _named(self, name: str) -> Model:
        return next(phase.model for phase in self.phases if phase.name == name)

    def __len__(self) -> int:
        return len(self._found["status"])

    def __repr__(self) -> str:
        n, events = len(self), len(self._found["events"])
        return f"<tarsus.Flowed: {n} motion{'s' if n > 1 else ''}, {events} events>"
