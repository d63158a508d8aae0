"""The loop of a run in the core: chunks of steps, samples, checkpoints, Ctrl-C and failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tarsus import _core
from tarsus.geometry import Terrain
from tarsus.model import Model
from tarsus.model.checks import read_only
from tarsus.model.description import Array
from tarsus.simulation import checkpoint
from tarsus.simulation.contacts import Place
from tarsus.simulation.convergence import SOLVED, unsolved_of
from tarsus.simulation.drives import Drive, Stateless
from tarsus.simulation.errors import SimulationError, fault
from tarsus.simulation.interrupt import Interrupt
from tarsus.simulation.progress import Progress
from tarsus.simulation.recorder import Recorder
from tarsus.simulation.state import State
from tarsus.simulation.trajectory import Failure, Trajectory

BRIEF = 1_000
"""Steps of all states that are made in no time."""
CHUNK = 20_000
"""Steps of all states between looks at Ctrl-C and the progress bar."""


@dataclass
class Runner:
    """One run: `go` makes its steps and returns what was recorded."""

    model: Model
    world: _core.World
    ground: Terrain | None
    places: tuple[Place, ...]
    drive: Drive
    state: State
    parameters: Array
    recorder: Recorder
    dt: float
    plan: Mapping[str, Any]
    """What a checkpoint must know: the number of the last step as "steps", settings …"""
    settings: Mapping[str, Any]
    threads: int = 1
    progress: bool | None = None
    checkpoint: str | Path | None = None
    failures: dict[int, Failure] = field(default_factory=dict)
    interrupted: bool = False

    def __post_init__(self) -> None:
        self.first, self.steps = self.state.step, int(self.plan["steps"])
        self.cadence = int(self.plan["cadence"])

    def go(self) -> Trajectory:
        """Make all steps, unless something stops them."""
        try:
            self._start()
            if self._is_brief():
                self._make_steps()
            else:
                progress = Progress(self.steps * self.dt, self.progress)
                with Interrupt() as interrupt, progress as bar:
                    self._make_steps(interrupt, bar)
        except KeyboardInterrupt:
            self.interrupted = True
        except SimulationError as error:
            error.trajectory = error.trajectory or self._trajectory()
            raise
        if self.interrupted and self.checkpoint is not None:
            self._write_checkpoint()
        return self._trajectory()

    def _is_brief(self) -> bool:
        """Whether it is over before anyone looks up; Ctrl-C ends it as it ends anything else."""
        in_core = isinstance(self.drive, Stateless)
        return in_core and self.progress is None and self.steps * len(self.state.q) <= BRIEF

    def _make_steps(self, interrupt: Interrupt | None = None, bar: Progress | None = None) -> None:
        state = self.state
        while state.step < self.steps and not self.interrupted:
            self._advance(self._limit())
            if self.cadence and state.step % self.cadence == 0:
                self._write_checkpoint()
            if bar is not None:
                bar.update(state.step * self.dt)
            if interrupt is not None:
                self.interrupted = interrupt.pressed

    def _start(self) -> None:
        energy = None
        if self.recorder.layout.ledger:
            state = self.state
            energy = self.world.energies(state.q, state.v, state.memory, self.parameters)
        self.recorder.start(self.state, energy)

    def _limit(self) -> int:
        """Return how many steps may be made before something else has to be done."""
        limit = min(self.steps - self.state.step, max(1, CHUNK // len(self.state.q)))
        if self.cadence:
            limit = min(limit, self.cadence - self.state.step % self.cadence)
        return limit

    def _advance(self, limit: int) -> None:
        """Make at most `limit` steps, those for which the commands are known."""
        state, recorder = self.state, self.recorder
        rows = self.drive.rows(state.step, limit, state)
        end = state.step + rows.steps
        for steps, samples in pieces(state.step, end, recorder.every, recorder.layout.most):
            record = recorder.room(samples)
            status = self.world.advance(
                state.q,
                state.v,
                state.memory,
                self.parameters,
                rows.values,
                hold=rows.hold,
                first_step=state.step - rows.first,
                steps=steps,
                every=steps // max(samples, 1),
                threads=self.threads,
                record=record,
                sample=recorder.count,
                ledger=recorder.layout.ledger,
            )
            state.step += steps
            recorder.keep(samples)
            if np.count_nonzero(status):
                self._fail(status, rows.first)

    def _fail(self, status: Array, first: int) -> None:
        """Note states that cannot go on; raise if there is no other."""
        for k in np.flatnonzero(status[:, 0]).tolist():
            if k not in self.failures:
                code, step, element = (int(x) for x in status[k])
                cause, body = fault(self.model, code, element)
                self.failures[k] = Failure(k, (first + step) * self.dt, body, cause)
        if len(self.failures) == len(self.state.q):
            last = max(self.failures.values(), key=lambda failure: failure.time)
            self.state.step = round(last.time / self.dt)
            every = self.recorder.every
            self.recorder.cut(1 + self.state.step // every - self.first // every)
            raise SimulationError(last.cause, time=last.time, body=last.body)

    def _write_checkpoint(self) -> None:
        assert self.checkpoint is not None
        memory = self.drive.get_state()
        saved = checkpoint.Checkpoint(self.state, self.plan, self.parameters, memory)
        checkpoint.write(self.checkpoint, saved)

    def _trajectory(self) -> Trajectory:
        recorder, batched = self.recorder, self.state.batched
        recorder.end(self.state)
        start, every = self.first // recorder.every, recorder.every
        times = moments(start * every, (start + recorder.count) * every, every, self.dt)
        times[0] = self.first * self.dt
        if recorder.only_ends:
            times[1:] = self.state.step * self.dt
        unsolved = unsolved_of(self.world, self.state.memory, batched)
        settings = self.settings
        if unsolved is not SOLVED and unsolved.total:
            warning = unsolved.warning(self.state.step)
            settings = {**settings, "warnings": [*settings["warnings"], warning]}
        return Trajectory(
            self.model,
            times,
            recorder.recorded(batched),
            recorder.contacts(batched, self.places),
            self.ground,
            settings,
            self.interrupted,
            tuple(self.failures[k] for k in sorted(self.failures)) if batched else (),
            unsolved,
        )


def moments(start: int, end: int, step: int, dt: float) -> Array:
    """Return the times of steps from start to end; the first of them are only copied."""
    if end <= BRIEF:
        return first_moments(dt)[start:end:step].copy()
    return np.arange(start, end, step, dtype=np.float64) * dt


@lru_cache(16)
def first_moments(dt: float) -> Array:
    """Return the times of the steps of brief runs."""
    return read_only(np.arange(BRIEF, dtype=np.float64) * dt)


def pieces(step: int, end: int, every: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield (steps, samples) of calls of the core, such that samples fall on multiples of `every`.

    Each call has samples at equal distances, the last at its end, or none.
    """
    while step < end:
        to_next = every - step % every
        if to_next < every or end - step < every:
            steps = min(to_next, end - step)
            yield steps, int(steps == to_next)
        else:
            samples = min((end - step) // every, most)
            steps = samples * every
            yield steps, samples
        step += steps
