"""The loop of a run in the core: chunks of steps, samples, checkpoints, Ctrl-C and failures."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from tarsus import _core
from tarsus.arrays import Array
from tarsus.geometry import Terrain
from tarsus.model import Model
from tarsus.model.checks import COUNTED, number, read_only
from tarsus.simulation import checkpoint
from tarsus.simulation.acting import steps_until
from tarsus.simulation.contact.numbers import positive
from tarsus.simulation.contact_record import Place
from tarsus.simulation.convergence import SOLVED, ConvergenceWarning, unsolved_of
from tarsus.simulation.drives import Drive, Stateless
from tarsus.simulation.errors import SimulationError, fault
from tarsus.simulation.interrupt import Interrupt
from tarsus.simulation.part_record import part_rows
from tarsus.simulation.part_trouble import contradictions, suspects
from tarsus.simulation.progress import Progress
from tarsus.simulation.recorder import Recorder
from tarsus.simulation.state import State
from tarsus.simulation.trajectory import Failure, Trajectory

BRIEF = 1_000
"""Steps whose times are kept for the next run."""
STEPS, SECONDS = 64, 0.1
"""At most so many steps, or so long, between looks at Ctrl-C and the progress bar."""
FEW, QUICK = 8, 1e-3
"""Where so few places may touch, steps never become much slower than they are: then there are more,
for so long [s], since each look costs microseconds."""


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
    """What the trajectory tells; "warnings" are added to."""
    threads: int = 1
    progress: bool | None = None
    checkpoint: str | Path | None = None
    failures: dict[int, Failure] = field(default_factory=dict)
    unwritten: str = ""
    """What was wrong with the first checkpoint that could not be written."""
    interrupted: bool = False
    whole: bool = True
    """Whether the state is that after all of its steps, so that one can go on from it."""

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
        except KeyboardInterrupt:  # in the middle of something
            self.interrupted, self.whole = True, False
        except SimulationError as error:
            error.trajectory = error.trajectory or self._trajectory()
            raise
        if self.interrupted and self.whole and self.checkpoint is not None:
            self._write_checkpoint()
        return self._trajectory()

    def _is_brief(self) -> bool:
        """Whether it is over before anyone looks up; Ctrl-C ends it as it ends anything else."""
        in_core = isinstance(self.drive, Stateless)
        return in_core and self.progress is None and self.steps * len(self.state.q) <= STEPS

    def _make_steps(self, interrupt: Interrupt | None = None, bar: Progress | None = None) -> None:
        state, chunk = self.state, max(1, STEPS // len(self.state.q))
        while state.step < self.steps and not self.interrupted:
            first, start = state.step, perf_counter()
            self._advance(self._limit(chunk))
            if state.step < self.steps:
                pace = (perf_counter() - start) / (state.step - first)
                chunk = chunk_of(pace, few=len(self.places) <= FEW)
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
            energy = self.world.energies(
                state.q,
                state.v,
                state.memory,
                self.parameters,
                **self._parts(),
                record=self.recorder.parts_at_start(),
            )
        self.recorder.start(self.state, energy)

    def _parts(self) -> dict[str, Any]:
        """Return what the core is told of parts."""
        acting = self.state.acting
        if acting is None:
            return {}
        return {
            "parts": acting.parts.core,
            "part_numbers": acting.numbers,
            "part_memory": acting.memory,
        }

    def _limit(self, chunk: int) -> int:
        """Return how many steps, at most `chunk`, may be made before there is something else."""
        limit = min(self.steps - self.state.step, chunk)
        if self.cadence:
            limit = min(limit, self.cadence - self.state.step % self.cadence)
        acting, state = self.state.acting, self.state
        if acting is not None and acting.plans:
            until = acting.prepare(state.step * self.dt, self.dt, state.q, state.v)
            limit = steps_until(until, state.step, state.step + limit, self.dt)
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
                **self._parts(),
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
                cause += suspects(self.state.acting, k)
                self.failures[k] = Failure(k, (first + step) * self.dt, body, cause)
        if len(self.failures) == len(self.state.q):
            last = max(self.failures.values(), key=lambda failure: failure.time)
            self.state.step = round(last.time / self.dt)
            every = self.recorder.every
            self.recorder.cut(1 + self.state.step // every - self.first // every)
            raise SimulationError(last.cause, time=last.time, body=last.body)

    def _write_checkpoint(self) -> None:
        """Write one; if that fails the run goes on: it would be a pity to lose it for that."""
        assert self.checkpoint is not None
        try:
            memory = self.drive.get_state()
            saved = checkpoint.Checkpoint(self.state, self.plan, self.parameters, memory)
            checkpoint.write(self.checkpoint, saved)
        except Exception as error:  # of the disk, or of a controller's own get_state
            if self.unwritten:
                return
            self.unwritten = (
                f"the checkpoint at t = {self.state.step * self.dt:.6g} s could not be written, "
                f"the run goes on without it: {type(error).__name__}: {error}"
            )
            self.settings["warnings"].append(self.unwritten)
            warnings.warn(self.unwritten, checkpoint.CheckpointWarning, stacklevel=2)

    def _trajectory(self) -> Trajectory:
        recorder, batched = self.recorder, self.state.batched
        recorder.end(self.state)
        start, every = self.first // recorder.every, recorder.every
        times = moments(start * every, (start + recorder.count) * every, every, self.dt)
        times[0] = self.first * self.dt
        if recorder.only_ends:
            times[1:] = self.state.step * self.dt
        unsolved = unsolved_of(self.world, self.state.memory, batched)
        if unsolved is not SOLVED and unsolved.total:
            self.settings["warnings"].append(unsolved.warning(self.state.step))
        if trouble := contradictions(self.state.acting, self.dt):
            self.settings["warnings"].append(trouble)
            warnings.warn(trouble, ConvergenceWarning, stacklevel=5)
        return Trajectory(
            self.model,
            times,
            recorder.recorded(batched),
            recorder.contacts(batched, self.places),
            self.ground,
            self.settings,
            self.interrupted,
            tuple(self.failures[k] for k in sorted(self.failures)) if batched else (),
            unsolved,
            parts_recorded=() if self.state.acting is None else part_rows(self.state.acting.parts),
        )


def cadence_of(path: str | Path | None, every: float | None, duration: float, dt: float) -> int:
    """Return the number of steps from checkpoint to checkpoint, zero if there are none.

    A tenth of the run, unless told. That there is a folder for them is known before it starts.
    """
    if path is None:
        if every is not None:
            raise ValueError(f"checkpoint_every is {every}, but there is no checkpoint to write")
        return 0
    if not isinstance(path, (str, Path)):
        raise TypeError(f"checkpoint is {path!r}, must be the path of a file")
    if Path(path).is_dir() or not Path(path).parent.is_dir():
        raise FileNotFoundError(f"checkpoint {str(path)!r} is not a file in a folder that is there")
    seconds = duration / 10 if every is None else number(every, "checkpoint_every")
    positive(seconds, "checkpoint_every", zero=every is None)
    return max(1, round(min(seconds / dt, COUNTED)))


def chunk_of(pace: float, *, few: bool) -> int:
    """Return after how many steps of `pace` [s] to look up."""
    pace = max(pace, 1e-9)
    steps = min(STEPS, int(SECONDS / pace))
    if few:
        steps = max(steps, int(QUICK / pace))
    return max(steps, 1)


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
