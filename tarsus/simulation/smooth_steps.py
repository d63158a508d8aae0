"""Steps of states without contacts, by integrators of higher order; those that fail stay behind."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, repeat
from typing import NamedTuple

import numpy as np

from tarsus._lib.console import Interrupt
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.simulation.acting import Acting
from tarsus.simulation.drives import Controller
from tarsus.simulation.errors import SimulationError
from tarsus.simulation.integrators import RK4, Integration
from tarsus.simulation.integrators.methods import CoreSolver, Paced, samples
from tarsus.simulation.integrators.smooth_motion import Effort, SmoothMotion
from tarsus.simulation.smooth_efforts import SmoothEfforts
from tarsus.simulation.trajectory import Failure

CHUNK = 64
"""Steps that a thread makes of one state, or of a group of states, at once."""
GROUP = 64
"""States that move together, so that all their numbers stay in a processor's cache."""
AHEAD = 32768
"""Steps of all states together that threads may be ahead."""

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
        integrator: Paced,
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
        self.together = isinstance(integrator, RK4)
        """Whether states of a group move together, as rows."""
        alike = acting is None or len(acting.numbers) == 1
        self.whole = self.together and alike and self.efforts.any and not self.period
        """Whether all states are one group, whose controller is asked for all of them at once."""
        self.groups: list[int] | list[slice] = list(range(states))
        """The states of each solver."""
        if self.together:
            shared = states if self.whole else -(-states // threads)
            size = (max(GROUP, shared) if self.efforts.any else GROUP) if alike else 1
            self.groups = [slice(k, min(k + size, states)) for k in range(0, states, size)]
            self.chunk = max(1, min(CHUNK, AHEAD // states))
        self.solvers = [
            integrator.solver(motion.of_state(own.start if isinstance(own, slice) else own), dt)
            for own in self.groups
        ]
        self.failures: dict[int, Failure] = {}
        self.ended: set[int] = set()
        """States that someone has ended: they stay where they are."""
        self.made: dict[int, int] = {}
        """Steps of states that go on no more."""
        self.interrupt = Interrupt()
        """Whether to stop, for steps that take long."""

    def look_at_each_step(self) -> None:
        """Make no steps beyond a sample before someone has seen it, who may end states there."""
        self.chunk = 1
        for solver in self.solvers if self.together else ():
            assert isinstance(solver, CoreSolver)
            solver.ahead = 1

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
        ticks = range(first, last + 1)
        groups = [self._group(k, now, ticks, held) for k in range(len(self.groups))]
        for parts in self._all(groups, last - first):
            each = zip(*parts, strict=True)
            q, v, work = map(np.concatenate, each) if self.together else map(np.stack, each)
            yield q, v, work

    def _all(self, groups: list[Iterator[Parts]], steps: int) -> Iterator[tuple[Parts, ...]]:
        """Yield all groups after each step; threads take groups, some steps of each at a time."""
        if self.threads == 1 or len(groups) == 1:
            yield from zip(*groups, strict=True)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            for _ in range(0, steps, self.chunk):
                some = pool.map(lambda group: list(islice(group, self.chunk)), groups)
                yield from zip(*some, strict=True)

    # --- a group: one state at its own pace, or several together --------------------------------

    def _group(self, number: int, now: Parts, ticks: range, held: Array | None) -> Iterator[Parts]:
        """Yield a group of states at all ticks but the first."""
        own, step, last = self.groups[number], ticks[0], ticks[-1]
        state = now[0][own], now[1][own], now[2][own]
        names = range(self.states)[own] if isinstance(own, slice) else (own,)
        tau = None if held is None else held[own]
        while step < last:
            stopped = self.stopped
            rows = [row for row, k in enumerate(names) if k not in stopped]
            going = {names[row] for row in rows}
            if not rows:
                break
            try:
                for found in self._moved(number, state, rows, range(step, last + 1), tau):
                    state, step = found, step + 1
                    yield state
                    if self.ended and not self.ended.isdisjoint(going):
                        self.made.update(dict.fromkeys(self.ended & going, step))
                        break
            except (SimulationError, ArithmeticError) as error:
                self._isolate(number, state, rows, step, tau, error)
                if going.isdisjoint(self.failures):
                    raise  # together they cannot go on, but each of them can
        yield from repeat(state, last - step)

    def _moved(
        self, number: int, state: Parts, rows: list[int], ticks: range, tau: Array | None
    ) -> Iterator[Parts]:
        """Yield a group at all ticks but the first, whose other rows stay as they are."""
        effort = self._effort(state, rows, tau)
        tcrit = getattr(self.integrator, "tcrit", ())
        every = not self.together or len(rows) == len(state[0])
        some = state if every else (state[0][rows], state[1][rows], state[2][rows])
        for found in samples(self.solvers[number], some, ticks, self.dt, effort, tcrit):
            if found is None:
                if self.interrupt.pressed:
                    raise KeyboardInterrupt
            elif every:
                yield found
            else:
                state = state[0].copy(), state[1].copy(), state[2].copy()
                for part, new in zip(state, found, strict=True):
                    part[rows] = new
                yield state

    def _isolate(
        self,
        number: int,
        state: Parts,
        rows: list[int],
        step: int,
        tau: Array | None,
        error: SimulationError | ArithmeticError,
    ) -> None:
        """Note which states of a group cannot make a step that its rows could not make together."""
        if not isinstance(error, SimulationError) and type(error) is not ArithmeticError:
            raise error  # a controller's own, such as a division by zero
        if len(rows) == 1:
            own = self.groups[number]
            self._fail(own.start + rows[0] if isinstance(own, slice) else own, step + 1, error)
            return
        middle = len(rows) // 2
        for half in (rows[:middle], rows[middle:]):
            try:
                for _ in self._moved(number, state, half, range(step, step + 2), tau):
                    pass
            except (SimulationError, ArithmeticError) as found:
                self._isolate(number, state, half, step, tau, found)

    def _effort(self, state: Parts, rows: list[int], tau: Array | None) -> Effort:
        """Return the efforts of some rows of a group, held or as a function of these rows."""
        if not self.together:
            if tau is None and self.efforts.any:
                return self.efforts.one
            return np.zeros(self.model.nv) if tau is None else tau
        if tau is not None:
            return tau if len(rows) == len(tau) else tau[rows]
        if not self.efforts.any:
            return np.zeros((len(rows), self.model.nv))
        if not self.whole:
            return lambda t, q, v: self.efforts.one(t, q[0], v[0])[None]
        if len(rows) == len(state[0]):
            return self.efforts.all

        def effort(t: float, q: Array, v: Array) -> Array:
            """Ask for all states, of which the others are where they were."""
            all_q, all_v = state[0].copy(), state[1].copy()
            all_q[rows], all_v[rows] = q, v
            return self.efforts.all(t, all_q, all_v)[rows]

        return effort

    def integration(self, steps: int) -> Integration:
        """Return what the integrator did in so many steps of dt."""
        if not self.together:
            counts = [solver.statistics for solver in self.solvers]
            return Integration.of(self.integrator, counts, self.batched)
        made = [min(steps, self.made.get(k, steps)) for k in range(self.states)]
        lengths = {"last_step": self.dt, "next_step": self.dt}
        nothing = dict.fromkeys(("rejected", "jacobians", "factorisations"), 0)
        counts = [{"order": 4, "steps": n, "rates": 4 * n, **nothing, **lengths} for n in made]
        return Integration.of(self.integrator, counts, self.batched)

    # --- efforts and failures -------------------------------------------------------------------

    def _driving(self, step: int, now: Parts, held: Array | None) -> Array:
        """Return the efforts (B, nv) that a sample shows."""
        if held is not None:
            return held
        if self.whole or not self.efforts.any:
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
        self.made[state] = step - 1
        self.failures[state] = Failure(state, step * self.dt, body, cause)
