"""Runs without contacts, by integrators of higher order, on the batched functions of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tarsus.control import ControlLaw
from tarsus.model import Model
from tarsus.model.description import Array
from tarsus.simulation.contacts import NUMBERS, Contacts
from tarsus.simulation.controllers import checked_effort, remembers, restart, steps_of
from tarsus.simulation.drives import Controller
from tarsus.simulation.errors import CAUSES, DIVERGED, SimulationError
from tarsus.simulation.integrators import RK4, DormandPrince
from tarsus.simulation.integrators.motion import Effort, SmoothMotion
from tarsus.simulation.interrupt import Interrupt
from tarsus.simulation.state import State
from tarsus.simulation.trajectory import Trajectory

Parts = tuple[Array, Array, Array]
"""q, v and works."""
Sample = tuple[Array, Array, Array, Array]
"""q, v, works and efforts."""

FASTEST = 1e8
"""Velocities beyond this count as diverged, as in the core."""


class SmoothRun:
    """One run: `go` makes its steps and returns all samples.

    A controller acts at every moment, unless it has a period or a memory: then its
    efforts are held, over one dt if it states no period.
    """

    def __init__(
        self,
        model: Model,
        integrator: RK4 | DormandPrince,
        controller: Controller | None,
        effort: Array,
        *,
        dt: float,
        friction: bool,
    ) -> None:
        self.model, self.integrator, self.controller = model, integrator, controller
        self.dt = dt
        self.motion = SmoothMotion(model, friction=friction)
        if isinstance(controller, ControlLaw):
            effort = np.minimum(effort, controller.effort)
        self.effort = effort
        held = getattr(controller, "period", None) is not None or remembers(controller)
        self.period = steps_of(controller, dt) if held else 0

    def go(self, state: State, steps: int, every: int) -> Trajectory:
        """Return the motion over `steps` times dt, with a sample every `every` of them."""
        found: list[list[Sample]] = []
        restart(self.controller)
        work = np.zeros((len(state.q), 3 * self.model.nv))
        with Interrupt() as interrupt:
            try:
                for parts in self._parts(state, work):
                    found.append([])
                    for k, (now, effort) in enumerate(self._states(parts, steps)):
                        if not np.abs(now[1]).max(initial=0.0) < FASTEST:
                            raise SimulationError(CAUSES[DIVERGED], time=k * self.dt)
                        if k % every == 0:
                            found[-1].append((*now, effort(k * self.dt, now[0], now[1])))
                        if interrupt.pressed:
                            break
            except KeyboardInterrupt:
                interrupt.pressed = True
            except (SimulationError, ArithmeticError) as error:
                known = self._trajectory(state, found, every) if all(found) else None
                if isinstance(error, SimulationError):
                    error.trajectory = known
                    raise
                time = self.dt * every * len(found[-1])
                cause = f"the motion diverged, the step is too long: {error}"
                raise SimulationError(cause, time=time, trajectory=known) from None
        return replace(self._trajectory(state, found, every), interrupted=interrupt.pressed)

    def _parts(self, state: State, work: Array) -> Iterator[Parts]:
        """Yield what is integrated together: all states, or each by itself if steps adapt."""
        if isinstance(self.integrator, RK4):
            yield (state.q, state.v, work) if state.batched else (state.q[0], state.v[0], work[0])
        else:
            yield from zip(state.q, state.v, work, strict=True)

    def _states(self, now: Parts, steps: int) -> Iterator[tuple[Parts, Effort]]:
        """Yield what there is at 0, dt, 2 dt …, and what drove the motion until then."""
        block = self.period or (1 if isinstance(self.integrator, RK4) else max(steps, 1))
        for first in range(0, max(steps, 1), block):
            effort = self._held(first * self.dt, now) if self.period else self._output
            if first == 0:
                yield now, effort
            times = self.dt * np.arange(first, min(first + block, steps) + 1, dtype=np.float64)
            for following in self._following(now, times, effort):
                now = following
                yield now, effort

    def _following(self, now: Parts, times: Array, effort: Effort) -> Iterator[Parts]:
        """Yield what there is at all times (n,) but the first."""
        if isinstance(self.integrator, DormandPrince):
            yield from self.integrator.samples(self.motion, now, times, effort)
            return
        for t in times[:-1]:
            now = self.integrator.step(self.motion, float(t), now, self.dt, effort)
            yield now

    def _output(self, t: float, q: Array, v: Array) -> Array:
        """Return the efforts of the controller, within their limits."""
        if self.controller is None:
            return np.zeros(v.shape)
        tau = checked_effort(self.controller(t, q, v), self.model, v.shape[:-1], t)
        return np.clip(np.broadcast_to(tau, v.shape), -self.effort, self.effort)

    def _held(self, t: float, now: Parts) -> Effort:
        tau = self._output(t, now[0], now[1])
        return lambda t, q, v: tau

    def _trajectory(self, state: State, found: list[list[Sample]], every: int) -> Trajectory:
        count = min(len(samples) for samples in found)
        parts = [
            np.stack(
                [np.stack([each[k] for each in samples[:count]], axis=-2) for samples in found]
            )
            for k in range(4)
        ]
        # RK4 has all states in one part, with its own batch dimension
        if len(found) == 1 and (isinstance(self.integrator, RK4) or not state.batched):
            parts = [part[0] for part in parts]
        q, v, work, tau = parts
        t = self.dt * every * np.arange(count, dtype=np.float64)
        recorded = {"q": q, "v": v, "tau": tau}
        recorded["energy"] = self.motion.ledger(q, v, work)
        none = np.zeros(0, np.int64)
        contacts = Contacts(np.zeros((0, NUMBERS)), none, none, q.shape[:-1], ())
        return Trajectory(self.model, t, recorded, contacts)
