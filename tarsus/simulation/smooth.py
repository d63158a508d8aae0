"""Runs without contacts, by integrators of higher order: samples, Ctrl-C and progress."""

from __future__ import annotations

import numpy as np

from tarsus.simulation.contacts import NUMBERS, Contacts
from tarsus.simulation.controllers import restart
from tarsus.simulation.energy import FIXED
from tarsus.simulation.errors import SimulationError
from tarsus.simulation.progress import Progress
from tarsus.simulation.recorder import check_size
from tarsus.simulation.smooth_steps import Sample, SmoothSteps
from tarsus.simulation.state import State
from tarsus.simulation.trajectory import Trajectory


class SmoothRun:
    """One run: `go` makes its steps and returns all samples."""

    def __init__(self, steps: SmoothSteps) -> None:
        self.steps = steps
        self.samples: list[Sample] = []
        self.interrupted = False

    def go(self, state: State, steps: int, every: int | None, show: bool | None) -> Trajectory:
        """Return the motion over `steps` times dt, with a sample every `every` of them.

        None keeps the first and the last. `show` says whether there is a progress bar.
        """
        dt, m, states = self.steps.dt, self.steps.model, len(state.q)
        samples = 2 if every is None else 1 + steps // every
        check_size(8 * samples * states * (m.nq + 5 * m.nv + FIXED + m.n_bodies))
        restart(self.steps.controller)
        start = state.q, state.v, np.zeros((states, 3 * m.nv))
        with self.steps.interrupt as interrupt, Progress(steps * dt, show) as bar:
            try:
                for sample in self.steps.moments(start, steps):
                    self._keep(sample, every)
                    bar.update(sample.step * dt)
                    if interrupt.pressed:
                        break
            except KeyboardInterrupt:
                interrupt.pressed = True
            except SimulationError as error:
                error.trajectory = self._trajectory() if self.samples else None
                raise
        self.interrupted = interrupt.pressed
        return self._trajectory()

    def _keep(self, sample: Sample, every: int | None) -> None:
        if every is None and len(self.samples) > 1:
            self.samples.pop()
        if every is None or sample.step % every == 0:
            self.samples.append(sample)

    def _trajectory(self) -> Trajectory:
        own, samples = self.steps, self.samples
        q, v, work = (np.stack([each.parts[k] for each in samples], axis=1) for k in range(3))
        tau = np.stack([each.effort for each in samples], axis=1)
        recorded = {"q": q, "v": v, "tau": tau, "energy": own.motion.ledger(q, v, work)}
        if not own.batched:
            recorded = {name: array[0] for name, array in recorded.items()}
        none = np.zeros(0, np.int64)
        return Trajectory(
            own.model,
            own.dt * np.array([each.step for each in samples], np.float64),
            recorded,
            Contacts(np.zeros((0, NUMBERS)), none, none, recorded["q"].shape[:-1], ()),
            interrupted=self.interrupted,
            failures=tuple(own.failures[k] for k in sorted(own.failures)) if own.batched else (),
        )
