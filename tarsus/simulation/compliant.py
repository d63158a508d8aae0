"""Runs on compliant surfaces: samples, contacts, events and the ledger of a motion in the core.

Each state is integrated at its own pace by Dormand and Prince's method of order 8. Where a gap
comes to zero a step ends: surfaces that meet start to deform from nothing, and what their last
deformation still stored is lost; surfaces that part keep theirs until then.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import count, threads_of
from tarsus._lib.console import Interrupt, Progress, progress_of
from tarsus._lib.files import Array
from tarsus.simulation.compliant_record import CompliantRecord, Rows
from tarsus.simulation.compliant_steps import INTERRUPTED, ROUGH, CompliantSteps, cause_of
from tarsus.simulation.contact.compliant import Compliant
from tarsus.simulation.contact.law import StabilityWarning
from tarsus.simulation.contact_record import NUMBERS, Place
from tarsus.simulation.controllers import restart
from tarsus.simulation.drives import Controller
from tarsus.simulation.ended import NEVER
from tarsus.simulation.errors import SimulationError
from tarsus.simulation.integrators import Integration
from tarsus.simulation.integrators.smooth_motion import SmoothMotion
from tarsus.simulation.part_record import part_rows
from tarsus.simulation.recorder import Record, names_of
from tarsus.simulation.smooth_efforts import SmoothEfforts
from tarsus.simulation.smooth_parts import acting_on, is_held
from tarsus.simulation.starts import Starts
from tarsus.simulation.state import State
from tarsus.simulation.trajectory import Failure, Trajectory
from tarsus.simulation.until import Samples
from tarsus.simulation.watch import Until, Watch

if TYPE_CHECKING:
    from tarsus.simulation.simulation import Simulation

BLOCK = 1.0
"""[s] What the core is asked for at once, where efforts are not held for less."""


@dataclass(frozen=True)
class Located:
    """What integrates: explicit, of order 8, with located events."""

    rtol: float
    atol: float
    name: ClassVar[str] = "dormand_prince_8"


def run_compliant(
    simulation: Simulation,
    q0: ArrayLike | None,
    v0: ArrayLike | None,
    steps: int,
    controller: Controller | None,
    until: Until | None,
    record: Record,
    every: int,
    threads: int,
    progress: bool | None,
) -> Trajectory:
    """Simulate a number of times dt, as `run` does with compliant contact."""
    law, worlds = simulation.contact, simulation.worlds
    assert isinstance(law, Compliant) and worlds is not None
    model = simulation.model
    count(every, "every")
    names, show = names_of(record), progress_of(progress)
    if record is not True:
        for name in ("statistics", "limits"):
            if name in names:
                raise ValueError(f"compliant contact has no {name} to record")
    starts = Starts(model, simulation.surface, worlds, simulation.effort, simulation.dt)
    world, state, parameters = starts.prepare(starts.limp, q0, v0, None)
    acting = acting_on(simulation, state.q)
    if acting is not None and is_held(acting):
        held = [each.name for each in acting.parts.parts if each.statement.law == "rigid"]
        raise ValueError(f"part {held[0]!r} is held, which compliant contact does not know")
    moving = CompliantSteps(
        model,
        law,
        law.element(world, simulation.surface),
        world,
        parameters,
        dt=simulation.dt,
        friction=simulation.joint_friction,
        threads=threads_of(threads),
        acting=acting,
    )
    if moving.rough:
        told = f"contact='compliant' on {model.name!r}: {ROUGH}"
        warnings.warn(told, StabilityWarning, stacklevel=4)
    efforts = SmoothEfforts(
        model, controller, simulation.effort, dt=simulation.dt, batched=state.batched
    )
    watch = None
    if until is not None:
        watch = Watch(until, model, worlds.places, len(state.q), state.batched)
    restart(controller)
    run = CompliantRun(
        *(moving, efforts, state, steps, every, worlds.places), ends=record is False, watch=watch
    ).go(show)
    wanted = {*names, *(["parts"] if "energy" in names else [])}
    return replace(
        run,
        recorded={name: array for name, array in run.recorded.items() if name in wanted},
        touched=run.touched if "contacts" in names else None,
        ground=simulation.ground,
        settings=settings_of(simulation, law, every),
    )


def settings_of(simulation: Simulation, law: Compliant, every: int) -> dict[str, Any]:
    """Return what a run was made with, as plain values."""
    normal, slip = law.laws
    contact = {"name": law.name, "law": normal.name, "slip": slip.name, **law.numbers}
    integrator = {"name": Located.name, "rtol": law.rtol, "atol": law.atol}
    made = {**simulation.settings, "contact": contact, "integrator": integrator}
    return {**made, "every": every}


class CompliantRun:
    """One run: `go` makes its blocks and returns all samples."""

    def __init__(
        self,
        moving: CompliantSteps,
        efforts: SmoothEfforts,
        state: State,
        steps: int,
        every: int,
        places: Sequence[Place],
        *,
        ends: bool,
        watch: Watch | None,
    ) -> None:
        self.moving, self.efforts, self.steps, self.every = moving, efforts, steps, every
        self.watch, self.batched, self.ends = watch, state.batched, ends
        self.q, self.x = state.q, moving.start(state.q, state.v)
        """Where the states are now (B, nq), (B, size)."""
        self.memory: Array | None = None
        """What the core needs to go on within a step (B, n); None: steps start here."""
        self.step, self.count = 0, 0
        """How many dt were made, and how many samples there are."""
        states = len(state.q)
        self.failures: dict[int, Failure] = {}
        self.ended: set[int] = set()
        """States that a condition has ended: they stay where they are."""
        self.counts = np.zeros((states, 2))
        """Steps and rejected ones of each state."""
        samples = 2 if ends else 1 + steps // every
        self.record = CompliantRecord(moving, places, states, samples)

    def go(self, show: bool | None) -> Trajectory:
        """Return the motion; `show` says whether there is a progress bar."""
        dt = self.moving.dt
        self._keep_all()
        with Interrupt() as interrupt, Progress(self.steps * dt, show) as bar:
            while self.step < self.steps and len(self._going()) and not interrupt.pressed:
                self._block()
                if not len(self._going()):
                    self._cut()
                bar.update(self.step * dt)
        if self.ends:
            self._keep_all()
        run = self._trajectory(interrupt.pressed)
        if len(self.failures) == len(self.q):
            worst = max(self.failures.values(), key=lambda failure: failure.time)
            raise SimulationError(worst.cause, time=worst.time, trajectory=run)
        return run

    def _going(self) -> NDArray[np.int64]:
        """Return the states that go on."""
        return np.setdiff1d(np.arange(len(self.q)), [*self.failures, *self.ended])

    def _block(self) -> None:
        """Go on until efforts change, or for a while."""
        going, dt, nv = self._going(), self.moving.dt, self.moving.model.nv
        length = min(self.efforts.period or max(1, round(BLOCK / dt)), self.steps - self.step)
        held = np.zeros((len(self.q), nv))
        function = None
        if self.efforts.period:
            held = self.efforts.all(self.step * dt, self.q, self.x[:, :nv])
        elif self.efforts.any:
            function = self.efforts.tried
        kept = np.flatnonzero(np.arange(self.step + 1, self.step + length + 1) % self.every == 0)
        every = 1
        if self.ends and self.watch is None:  # nobody looks in between
            kept, every = kept[:0], length
        before = self.q, self.x
        self.q, self.x = self.q.copy(), self.x.copy()
        end = self.step + length if self.efforts.period else self.steps
        blocks = self.moving.block(
            *(going, *before, self.memory, self.step, length, end, held, function, every)
        )
        for some, found in blocks:
            self._take(some, found, length // every, kept, held)
        still = np.setdiff1d(np.arange(len(self.q)), going)
        if len(still) and len(kept) and not self.ends:
            self._stand(still, len(kept))
        self.step += length
        self.count += 0 if self.ends else len(kept)

    def _cut(self) -> None:
        """Forget what is after the end of the last state."""
        ends = [math.ceil(each.time / self.moving.dt) for each in self.failures.values()]
        if self.watch is not None:
            ends += self.watch.step.tolist()
        self.step = min(self.step, max(ends))
        if not self.ends:
            self.count = 1 + self.step // self.every

    def _take(
        self,
        some: NDArray[np.int64],
        found: Mapping[str, Array],
        samples: int,
        kept: NDArray[np.int64],
        held: Array,
    ) -> None:
        """Keep what some states did in a block of so many samples, at those that are kept."""
        self._note_failures(some, found)
        q, x = self.moving.samples(found, samples)
        self.q[some], self.x[some] = q[:, -1], x[:, -1]
        if self.memory is None:
            self.memory = np.zeros((len(self.q), found["memory"].shape[1]))
        self.memory[some] = found["memory"]
        until = np.full(len(some), np.inf)
        if not len(kept):
            self.record.happened(some, found, until)
            return
        q, x = q[:, kept], x[:, kept]
        contacts = self.record.contact_rows(some, q, x)
        times: Array = self.moving.dt * (self.step + kept + 1).astype(np.float64)
        last = self._look(some, times, q, x, contacts[0])
        for j in np.flatnonzero(last < len(kept)):
            until[j] = times[last[j]]
            q[j, last[j] :], x[j, last[j] :] = q[j, last[j]], x[j, last[j]]
            self.q[some[j]], self.x[some[j]] = q[j, -1], x[j, -1]
        self.record.happened(some, found, until)
        if self.ends:
            return
        if (last < len(kept)).any():
            contacts = self.record.contact_rows(some, q, x)
        (rows, where), stored = contacts
        for j in np.flatnonzero(np.isin(some, list(self.failures))):
            last[j] = min(last[j], np.count_nonzero(times <= self.failures[int(some[j])].time) - 1)
        stays = where[1] <= last[np.searchsorted(some, where[0])]  # none after a state's end
        contacts = (rows[stays], where[:, stays]), stored
        tau = np.repeat(held[some, None], len(kept), axis=1)
        if self.efforts.any and not self.efforts.period:
            tau = self._efforts(times, q, x)
        self.record.put(some, self.count, q, x, tau, contacts)

    def _note_failures(self, some: NDArray[np.int64], found: Mapping[str, Array]) -> None:
        self.counts[some, 0] = found["memory"][:, 0]
        self.counts[some, 1] += found["status"][:, 2]
        for k, (time, code, *_) in zip(some.tolist(), found["status"], strict=True):
            if code == INTERRUPTED:
                raise KeyboardInterrupt
            if code:
                when = float(time)
                cause = cause_of(int(code), self.moving.rough)
                self.failures[k] = Failure(k, when, None, cause)

    def _look(
        self, some: NDArray[np.int64], times: Array, q: Array, x: Array, contacts: Rows
    ) -> NDArray[np.int64]:
        """Return the samples after which states end (n,); as many as there are for others."""
        none = np.full(len(some), len(times))
        if self.watch is None:
            return none
        rows, where = contacts[0][:, :NUMBERS], contacts[1]
        own = np.stack([np.searchsorted(some, where[0]), where[1]])
        recorded = {"q": q, "v": x[..., : self.moving.layout.nv]}
        seen = Samples(times, recorded, (rows, own), len(some), self.batched)
        first, which = self.watch.look(seen)
        for j in np.flatnonzero(first >= 0):
            tick = round(float(times[first[j]]) / self.moving.dt)
            self.watch.end(some[j : j + 1], tick, which[j : j + 1])
            self.ended.add(int(some[j]))
        return np.where(first >= 0, first, none)

    def _efforts(self, times: Array, q: Array, x: Array) -> Array:
        """Return efforts (n, m, nv) at samples, as the motion had them."""
        v = x[..., : self.moving.layout.nv]
        return np.stack(
            [
                [self.efforts.one(float(t), *at) for t, *at in zip(times, *each, strict=True)]
                for each in zip(q, v, strict=True)
            ]
        )

    def _keep_all(self) -> None:
        """Keep all states as they are now as a sample."""
        q, x = self.q[:, None], self.x[:, None]
        everyone, now = np.arange(len(self.q)), np.array([self.step * self.moving.dt])
        if self.efforts.period:
            tau = self.efforts.all(float(now[0]), self.q, self.x[:, : self.moving.layout.nv])
            tau = tau[:, None]
        else:
            tau = self._efforts(now, q, x)
        found = self.record.contact_rows(everyone, q, x)
        self.record.put(everyone, self.count, q, x, tau, found)
        self.count += 1

    def _stand(self, still: NDArray[np.int64], samples: int) -> None:
        """Keep samples of states that do not go on."""
        q, x = (np.repeat(each[still, None], samples, axis=1) for each in (self.q, self.x))
        (rows, where), stored = self.record.contact_rows(still, q, x)
        tau = np.zeros((len(still), samples, self.moving.layout.nv))
        self.record.put(still, self.count, q, x, tau, ((rows[:0], where[:, :0]), stored))

    def _trajectory(self, interrupted: bool) -> Trajectory:
        moving, acting = self.moving, self.moving.acting
        motion = SmoothMotion(
            moving.model,
            friction=moving.friction,
            threads=moving.threads,
            parts=None if acting is None else acting.parts.core,
            numbers=None if acting is None else acting.numbers,
        )
        recorded = self.record.recorded(self.count, motion)
        if not self.batched:
            recorded = {name: array[0] for name, array in recorded.items()}
        ticks = np.arange(self.count) * self.every
        if self.ends:
            ticks = np.array([0, self.step])
        return Trajectory(
            moving.model,
            moving.dt * ticks.astype(np.float64),
            recorded,
            self.record.contacts(self.count, self.batched),
            interrupted=interrupted,
            failures=tuple(self.failures[k] for k in sorted(self.failures)) if self.batched else (),
            ended=NEVER if self.watch is None else self.watch.ended(moving.dt),
            parts_recorded=() if acting is None else part_rows(acting.parts),
            integration=self._integration(),
            happened=self.record.events(),
        )

    def _integration(self) -> Integration:
        law = self.moving.law
        told = [
            {"order": 8, "steps": steps, "rejected": rejected, "rates": 12 * (steps + rejected)}
            | {"jacobians": 0, "factorisations": 0}
            for steps, rejected in self.counts.tolist()
        ]
        return Integration.of(Located(law.rtol, law.atol), told, self.batched)
