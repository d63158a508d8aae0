"""Runs without contacts, by integrators of higher order: samples, Ctrl-C and progress."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import count, threads_of
from tarsus._lib.console import Progress, progress_of
from tarsus._lib.files import Array
from tarsus.simulation.contact_record import NUMBERS, Contacts
from tarsus.simulation.controllers import restart
from tarsus.simulation.drives import Controller
from tarsus.simulation.ended import NEVER
from tarsus.simulation.energy import FIXED
from tarsus.simulation.errors import SimulationError
from tarsus.simulation.integrators import SMOOTH, refuse
from tarsus.simulation.integrators.smooth_motion import SmoothMotion
from tarsus.simulation.part_record import part_rows
from tarsus.simulation.recorder import Record, check_recording, names_of
from tarsus.simulation.smooth_parts import acting_on, closed, is_held
from tarsus.simulation.smooth_steps import Sample, SmoothSteps
from tarsus.simulation.state import State, check_configuration, check_masses, start
from tarsus.simulation.trajectory import Trajectory
from tarsus.simulation.until import Samples
from tarsus.simulation.watch import Until, Watch

if TYPE_CHECKING:
    from tarsus.simulation.simulation import Simulation

SAMPLE_BYTES = 1200
"""Memory of a `Sample` and its arrays beside their numbers, until the run is over."""


def run_smooth(
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
    """Simulate a number of times dt without contacts, as `run` does for smooth integrators."""
    model, integrator = simulation.model, simulation.integrator
    assert isinstance(integrator, SMOOTH)
    count(every, "every")
    names, show = names_of(record), progress_of(progress)
    if record is not True:
        refuse(integrator, statistics="statistics" in names, limits="limits" in names)
    state = start(model, q0, v0, 0)
    check_configuration(model, state.q)
    check_masses(model, state.q)
    acting = acting_on(simulation, state.q)
    held = acting is not None and is_held(acting)
    motion = SmoothMotion(
        model,
        friction=simulation.joint_friction,
        threads=threads_of(threads),
        parts=None if acting is None else acting.parts.core,
        numbers=None if acting is None else acting.numbers,
        held=held,
    )
    steps_of_all = SmoothSteps(
        model,
        integrator,
        controller,
        simulation.effort,
        dt=simulation.dt,
        motion=motion,
        threads=threads,
        batched=state.batched,
        states=len(state.q),
        acting=acting,
    )
    if acting is not None and held:
        state = closed(motion, acting, state)
    watch = None
    if until is not None:
        watch = Watch(until, model, (), len(state.q), state.batched)
    made = SmoothRun(steps_of_all, every, ends=record is False, watch=watch)
    run = made.go(state, steps, show)
    wanted = {*names, *(["parts"] if "energy" in names else [])}
    kept = {name: array for name, array in run.recorded.items() if name in wanted}
    return replace(run, recorded=kept, settings={**simulation.settings, "every": every})


class SmoothRun:
    """One run: `go` makes its steps and returns all samples."""

    def __init__(self, steps: SmoothSteps, every: int, *, ends: bool, watch: Watch | None) -> None:
        self.steps, self.every, self.ends, self.watch = steps, every, ends, watch
        if watch is not None:
            steps.look_at_each_step()  # a state that is ended makes no step more
        self.samples: list[Sample] = []
        self.interrupted = False

    def go(self, state: State, steps: int, show: bool | None) -> Trajectory:
        """Return the motion over `steps` times dt, with a sample every `every` of them.

        Of these only the first and the last are kept if only `ends` are asked for. `show` says
        whether there is a progress bar.
        """
        dt, m, states = self.steps.dt, self.steps.model, len(state.q)
        samples = 2 if self.ends else 1 + steps // self.every
        numbers = m.nq + 5 * m.nv + FIXED + m.n_bodies
        check_recording(samples * (SAMPLE_BYTES + 8 * states * numbers))
        restart(self.steps.controller)
        start = state.q, state.v, np.zeros((states, self.steps.motion.works))
        with self.steps.interrupt as interrupt, Progress(steps * dt, show) as bar:
            try:
                for sample in self.steps.moments(start, steps):
                    self._keep(sample)
                    bar.update(sample.step * dt)
                    if interrupt.pressed or self._is_over(sample):
                        break
            except KeyboardInterrupt:
                if not self.samples:
                    raise  # there is nothing to return yet
                interrupt.pressed = True
            except SimulationError as error:
                error.trajectory = self._trajectory() if self.samples else None
                raise
        self.interrupted = interrupt.pressed
        return self._trajectory()

    def _keep(self, sample: Sample) -> None:
        if self.ends and len(self.samples) > 1:
            self.samples.pop()
        if self.ends or sample.step % self.every == 0:
            self.samples.append(sample)

    def _is_over(self, sample: Sample) -> bool:
        """End states for which a condition holds; return whether none goes on."""
        watch, own = self.watch, self.steps
        if watch is None or sample.step % self.every:
            return False
        q, v, _ = (part[:, None] for part in sample.parts)
        t = np.array([sample.step * own.dt])
        touched = self._touched(sample.step)
        first, which = watch.look(Samples(t, {"q": q, "v": v}, touched, len(q), own.batched))
        first[list(own.stopped)] = -1
        states = np.flatnonzero(first == 0)
        watch.end(states, sample.step, which[states])
        own.ended.update(states.tolist())
        return len(own.stopped) == len(q)

    def _touched(self, step: int) -> tuple[Array, NDArray[np.int64]] | None:
        """Return rows of contacts after a step, with the state and the sample of each."""
        return None

    def _trajectory(self) -> Trajectory:
        own, samples = self.steps, self.samples
        q, v, work = (np.stack([each.parts[k] for each in samples], axis=1) for k in range(3))
        tau = np.stack([each.effort for each in samples], axis=1)
        recorded = {"q": q, "v": v, "tau": tau, "energy": own.motion.ledger(q, v, work)}
        if own.acting is not None:
            recorded["parts"] = own.motion.part_records(q, v, tau, work)
        if not own.batched:
            recorded = {name: array[0] for name, array in recorded.items()}
        none = np.zeros(0, np.int64)
        return Trajectory(
            own.model,
            own.dt * np.array([each.step for each in samples], np.float64),
            recorded,
            Contacts(np.zeros((0, NUMBERS)), none, none, recorded["q"].shape[:-1], ()),
            interrupted=self.interrupted,
            parts_recorded=() if own.acting is None else part_rows(own.acting.parts),
            integration=own.integration(samples[-1].step),
            failures=tuple(own.failures[k] for k in sorted(own.failures)) if own.batched else (),
            ended=NEVER if self.watch is None else self.watch.ended(own.dt),
        )
