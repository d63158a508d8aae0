"""Steps of states without contacts, by integrators of higher order; those that fail stay behind."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.console import Interrupt
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.simulation.acting import Acting
from tarsus.simulation.drives import Controller
from tarsus.simulation.errors import FASTEST, SimulationError, diverged
from tarsus.simulation.integrators import RK4, Integration
from tarsus.simulation.integrators.adaptive import Paced, samples
from tarsus.simulation.integrators.motion import Effort, SmoothMotion
from tarsus.simulation.smooth_efforts import SmoothEfforts
from tarsus.simulation.trajectory import Failure

CHUNK = 64
"""Steps that a thread makes of one state at once."""

THREADED = ("rk4", "dormand_prince", "radau", "gauss", "event")
"""Those whose states threads can share."""

Parts = tuple[Array, Array, Array]
"""q (B, nq), v (B, nv) and works (B, n), or those of one state."""


class Sample(NamedTuple):
    """What there is after so many dt, and what drove it, for all states."""

    step: int
    parts: Parts
    effort: Array


class SmoothSteps:
    """The steps of a run: `moments` yields them, `failures` has the states that cannot go on."""

    def __init__(
        self,
        model: Model,
        integrator: RK4 | Paced,
        controller: Controller | None,
        effort: Array,
        *,
        dt: float,
        motion: SmoothMotion,
        threads: int,
        batched: bool,
        states: int,
        acting: Acting | None,
    ) -> None:
        if threads > 1 and integrator.name not in THREADED:
            raise ValueError(
                f"threads is {threads}, must be 1: {integrator.name!r} takes each state at its own "
                "pace, in Python"
            )
        self.efforts = SmoothEfforts(model, controller, effort, dt=dt, batched=batched)
        self.model, self.integrator, self.controller = model, integrator, controller
        self.dt, self.batched, self.states, self.acting = dt, batched, states, acting
        self.motion = motion
        self.period = self.efforts.period
        self.threads, self.chunk = threads, CHUNK
        """How many steps a thread makes of one state before it takes another."""
        self.solvers = (
            []
            if isinstance(integrator, RK4)
            else [integrator.solver(self.motion.of_state(k), dt) for k in range(states)]
        )
        self.failures: dict[int, Failure] = {}
        self.ended: set[int] = set()
        """States that someone has ended: they stay where they are."""
        self.interrupt = Interrupt()
        """Whether to stop, for steps that take long."""

    @property
    def stopped(self) -> set[int]:
        """States that do not go on."""
        return self.ended.union(self.failures)

    def moments(self, now: Parts, steps: int) -> Iterator[Sample]:
        """Yield what there is at 0, dt, 2 dt …, and what drove the motion until then."""
        block = self.period or max(steps, 1)
        for first in range(0, max(steps, 1), block):
            held = self._output(first * self.dt, now) if self.period else None
            if first == 0:
                yield Sample(0, now, self._driving(0, now, held))
            last = min(first + block, steps)
            for step, following in enumerate(self._following(now, first, last, held), first + 1):
                now = following
                if len(self.failures) == len(now[0]):
                    worst = max(self.failures.values(), key=lambda failure: failure.time)
                    raise SimulationError(worst.cause, time=worst.time, body=worst.body)
                yield Sample(step, now, self._driving(step, now, held))

    def _following(self, now: Parts, first: int, last: int, held: Array | None) -> Iterator[Parts]:
        """Yield what there is after each of the steps from number `first` to `last`."""
        if isinstance(self.integrator, RK4):
            for step in range(first, last):
                now = self._step(step, now, held)
                yield now
            return
        ticks = range(first, last + 1)
        states = [self._alone(k, now, ticks, held) for k in range(len(now[0]))]
        for parts in self._together(states, last - first):
            q, v, work = map(np.stack, zip(*parts, strict=True))
            yield q, v, work

    def _together(self, states: list[Iterator[Parts]], steps: int) -> Iterator[tuple[Parts, ...]]:
        """Yield all states after each step; threads take states, some steps of each at a time."""
        if self.threads == 1:
            yield from zip(*states, strict=True)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            for _ in range(0, steps, self.chunk):
                some = pool.map(lambda state: list(islice(state, self.chunk)), states)
                yield from zip(*some, strict=True)

    # --- RK4: all states together -------------------------------------------------------------

    def _step(self, step: int, now: Parts, held: Array | None) -> Parts:
        """Return what there is one step later."""
        states = np.arange(len(now[0]))
        if self.failures or self.ended:
            states = np.delete(states, list(self.stopped))
            now = now[0].copy(), now[1].copy(), now[2].copy()
            if not len(states):
                return now
        found = self._step_of(states, step, now, held)
        if len(states) == len(now[0]):
            return found
        for part, new in zip(now, found, strict=True):
            part[states] = new
        return now

    def _step_of(
        self, states: NDArray[np.int64], step: int, now: Parts, held: Array | None
    ) -> Parts:
        """Return some states one step later. Where that is not possible for all, try the halves."""
        assert isinstance(self.integrator, RK4)
        whole = len(states) == len(now[0])
        old = now if whole else (now[0][states], now[1][states], now[2][states])
        effort = self._effort_of(states, now, held)
        try:
            new = self.integrator.step(self.motion, step * self.dt, old, self.dt, effort)
        except ArithmeticError as error:
            if len(states) == 1:
                self._fail(int(states[0]), step + 1, error)
                return old
            halves = np.array_split(states, 2)
            parts = [self._step_of(half, step, now, held) for half in halves]
            q, v, work = map(np.concatenate, zip(*parts, strict=True))
            return q, v, work
        if self.model.constraints or self.motion.held:
            new = self._closed(new)
        slow = np.abs(new[1]) < FASTEST
        for k in [] if slow.all() else np.flatnonzero(~slow.all(axis=1)).tolist():
            self._fail(int(states[k]), step + 1, diverged(self.model, new[1][k]))
            for part, kept in zip(new, old, strict=True):
                part[k] = kept[k]
        return new

    def _closed(self, parts: Parts) -> Parts:
        """Return states with loops and parts closed."""
        found = [self.motion.on_group(np.concatenate(state)) for state in zip(*parts, strict=True)]
        q, v, work = map(np.stack, zip(*found, strict=True))
        return q, v, work

    def _effort_of(self, states: NDArray[np.int64], now: Parts, held: Array | None) -> Effort:
        """Return the efforts of some states as a function of these; the others stay as they are."""
        if held is not None:
            tau = held[states]
            return lambda t, q, v: tau

        def effort(t: float, q: Array, v: Array) -> Array:
            if len(q) == len(now[0]):
                return self._output(t, (q, v, now[2]))
            whole = now[0].copy(), now[1].copy(), now[2]
            whole[0][states], whole[1][states] = q, v
            return self._output(t, whole)[states]

        return effort

    # --- the others: each state at its own pace -------------------------------------------------

    def _alone(self, k: int, now: Parts, ticks: range, held: Array | None) -> Iterator[Parts]:
        """Yield state number k at all ticks but the first."""
        state, step = (now[0][k], now[1][k], now[2][k]), ticks[0]
        if k not in self.stopped:
            tcrit = getattr(self.integrator, "tcrit", ())
            effort: Effort = self.efforts.one
            if held is not None or not self.efforts.any:
                effort = np.zeros(self.model.nv) if held is None else held[k]
            try:
                for found in samples(self.solvers[k], state, ticks, self.dt, effort, tcrit):
                    if found is not None:
                        state, step = found, step + 1
                        yield state
                        if k in self.ended:
                            break
                    elif self.interrupt.pressed:
                        raise KeyboardInterrupt
            except (SimulationError, ArithmeticError) as error:
                self._fail(k, step + 1, error)
        yield from repeat(state, ticks[-1] - step)

    def integration(self, steps: int) -> Integration:
        """Return what the integrator did in so many steps of dt."""
        counts = [solver.statistics for solver in self.solvers] or [
            {"order": 4, "steps": steps, "rejected": 0, "rates": 4 * steps, "jacobians": 0}
            | {"factorisations": 0, "last_step": self.dt, "next_step": self.dt}
        ] * self.states
        return Integration.of(self.integrator, counts, self.batched)

    # --- efforts and failures -------------------------------------------------------------------

    def _driving(self, step: int, now: Parts, held: Array | None) -> Array:
        """Return the efforts (B, nv) that a sample shows."""
        if held is not None:
            return held
        if isinstance(self.integrator, RK4):
            return self._output(step * self.dt, now)
        return np.stack(
            [self.efforts.one(step * self.dt, *each) for each in zip(*now[:2], strict=True)]
        )

    def _output(self, t: float, now: Parts) -> Array:
        """Return the efforts of the controller for all states, (B, nv)."""
        return self.efforts.all(t, now[0], now[1])

    def _fail(self, state: int, step: int, error: SimulationError | ArithmeticError) -> None:
        """Note why a state cannot go on."""
        cause, body = f"the motion diverged, the step is too long: {error}", None
        if isinstance(error, SimulationError):
            cause, body = error.cause, error.body
        elif type(error) is not ArithmeticError:  # a controller's own, such as a division by zero
            raise error
        self.failures[state] = Failure(state, step * self.dt, body, cause)
