"""The loop of a run in the core: chunks of steps, samples, checkpoints, Ctrl-C and failures."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from tarsus import _core
from tarsus._lib.console import Interrupt, Progress
from tarsus._lib.files import Array
from tarsus.geometry.grounds import Terrain
from tarsus.model import Model
from tarsus.simulation import checkpoint
from tarsus.simulation.acting import steps_until
from tarsus.simulation.contact_record import NUMBERS, Place, touches_of
from tarsus.simulation.controllers import feels
from tarsus.simulation.convergence import SOLVED, ConvergenceWarning, unsolved_of
from tarsus.simulation.drives import Drive, Stateless
from tarsus.simulation.ended import NEVER
from tarsus.simulation.errors import SimulationError, fault
from tarsus.simulation.pacing import FEW, STEPS, chunk_of, moments, pieces
from tarsus.simulation.part_record import part_rows, write_gaps
from tarsus.simulation.part_trouble import contradictions, suspects
from tarsus.simulation.recorder import Recorder
from tarsus.simulation.rewind import Rewind, parts_of
from tarsus.simulation.state import State
from tarsus.simulation.trajectory import Failure, Trajectory
from tarsus.simulation.watch import ENDED, Steps, Watch


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
    watch: Watch | None = None
    """What may end the run, if anything."""
    threads: int = 1
    progress: bool | None = None
    checkpoint: str | Path | None = None
    failures: dict[int, Failure] = field(default_factory=dict)
    unwritten: str = ""
    """What was wrong with the first checkpoint that could not be written."""
    interrupted: bool = False
    over: bool = False
    """Whether all states were ended, or failed."""
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
        in_core = isinstance(self.drive, Stateless) and self.watch is None
        return in_core and self.progress is None and self.steps * len(self.state.q) <= STEPS

    def _make_steps(self, interrupt: Interrupt | None = None, bar: Progress | None = None) -> None:
        state, chunk = self.state, max(1, STEPS // len(self.state.q))
        while state.step < self.steps and not self.interrupted and not self.over:
            first, start = state.step, perf_counter()
            self._advance(self._limit(chunk))
            if state.step < self.steps:
                pace = (perf_counter() - start) / (state.step - first)
                chunk = chunk_of(pace, few=len(self.places) <= FEW)
            if self.cadence and state.step % self.cadence == 0 and not self.over:
                self._write_checkpoint()
            if bar is not None:
                bar.update(state.step * self.dt)
            if interrupt is not None:
                self.interrupted = interrupt.pressed

    def _start(self) -> None:
        energy, state = None, self.state
        if self.recorder.layout.ledger:
            record = self.recorder.parts_at_start()
            given = state.q, state.v, state.memory, self.parameters
            parts = parts_of(state.acting)
            energy = self.world.energies(*given, **parts, record=record)
            if record is not None and state.acting is not None and state.step == 0:
                values, _ = self.world.part_rows(*given, **parts)
                write_gaps(state.acting.parts, values, record)
        self.recorder.start(self.state, energy)
        if self.watch is not None and self.first == 0:
            self._look(np.zeros(1, np.int64), None, None)
            self._close()

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
        feeling = self._feels()
        rows = self.drive.rows(state.step, limit, state)
        end = state.step + rows.steps
        for steps, samples in pieces(state.step, end, recorder.every, recorder.most):
            watched = samples > 0 and self.watch is not None
            before = Rewind.of(self.world, state, self.parameters, rows) if watched else None
            record = recorder.room(samples)
            if feeling and not samples:
                record = {"contacts": self._room}
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
                sample=recorder.place,
                ledger=recorder.layout.ledger,
                **parts_of(state.acting),
            )
            state.step += steps
            recorder.keep(samples)
            if feeling and record is not None and "contacts" in record:
                self._feel(record["contacts"])
            failed = np.count_nonzero(status) > 0
            if before is not None:
                seen = state.step - steps + np.arange(1, samples + 1) * (steps // samples)
                self._look(seen, before, status if failed else None)
            if failed:
                self._fail(status, rows.first)
            if failed or before is not None:
                self._close()
            if self.over:
                return

    def _feels(self) -> bool:
        """Whether the controller wants to know contacts; they are none before the first step."""
        if self.state.felt is None and feels(getattr(self.drive, "controller", None)):
            shape = len(self.state.q), 1, self.world.max_contacts, NUMBERS
            self._room = np.full(shape, -1.0)
            self._feel(self._room)
        return self.state.felt is not None

    def _feel(self, lists: Array) -> None:
        """Keep the contacts of the last of some samples for the controller."""
        rows, (state, _) = self.world.listed(np.ascontiguousarray(lists[:, -1:]), 0)
        lead = (len(self.state.q),) if self.state.batched else ()
        self.state.felt = touches_of(rows, state, lead, self.places)

    def _fail(self, status: Array, first: int) -> None:
        """Note states that cannot go on."""
        for k in np.flatnonzero(status[:, 0] > 0.0).tolist():
            if k not in self.failures:
                code, step, element = (int(x) for x in status[k])
                cause, body = fault(self.model, code, element)
                cause += suspects(self.state.acting, k)
                self.failures[k] = Failure(k, (first + step) * self.dt, body, cause)

    def _look(self, steps: Steps, before: Rewind | None, status: Array | None) -> None:
        """End states for which a condition holds after one of the steps, all of them samples.

        They go back to that sample: the core went on, and conditions are asked about many at once.
        """
        watch, recorder = self.watch, self.recorder
        assert watch is not None
        try:
            first, which = watch.look(
                recorder.last(np.float64(self.dt) * steps, self.state.batched)
            )
        except SimulationError as error:
            self._end_at(round(error.time / self.dt))
            raise
        if not (first >= 0).any():
            return
        ends = np.where(first < 0, -1, steps[first])
        ends[watch.over] = -1
        ends[list(self.failures)] = -1
        if before is not None and status is not None:
            failed = (status[:, 0] > 0.0) & (ends > before.rows.first + status[:, 1])
            ends[failed] = -1
        for end in np.unique(ends[ends >= 0]).tolist():
            states = np.flatnonzero(ends == end)
            if before is not None and end < self.state.step:
                ledger = recorder.layout.ledger
                before.to(end, states, self.state, ledger=ledger, threads=self.threads)
                recorder.hold(states, self._sample(end))
            self.state.memory[states, self.world.failed] = ENDED
            watch.end(states, end, which[states])
            if status is not None:
                status[states] = 0.0

    def _close(self) -> None:
        """End the run if no state goes on; raise if none was ended, but all failed."""
        ended = 0 if self.watch is None else int(self.watch.over.sum())
        if len(self.failures) + ended < len(self.state.q):
            return
        last = max(self.failures.values(), key=lambda failure: failure.time, default=None)
        step = -1 if last is None else round(last.time / self.dt)
        if self.watch is not None:
            step = max(step, int(self.watch.step.max()))
        self._end_at(step)
        self.over = True
        if last is not None and not ended:
            raise SimulationError(last.cause, time=last.time, body=last.body)

    def _end_at(self, step: int) -> None:
        """Forget what was after a step."""
        self.state.step = step
        self.recorder.cut(1 + self._sample(step))

    def _sample(self, step: int) -> int:
        """Return the number of the last sample up to a step."""
        every = self.recorder.every
        return step // every - self.first // every

    def _write_checkpoint(self) -> None:
        """Write one; if that fails the run goes on: it would be a pity to lose it for that."""
        assert self.checkpoint is not None
        try:
            memory = self.drive.get_state()
            watch = self.watch
            ended = None if watch is None else np.stack([watch.step, watch.which])
            saved = checkpoint.Checkpoint(self.state, self.plan, self.parameters, memory, ended)
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
            NEVER if self.watch is None else self.watch.ended(self.dt),
            parts_recorded=() if self.state.acting is None else part_rows(self.state.acting.parts),
        )
