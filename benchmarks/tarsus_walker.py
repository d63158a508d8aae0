"""Robots on a floor in Tarsus: `Simulation.run` with exact contact, as any user would call it."""

from __future__ import annotations

from typing import Any

import numpy as np
from motions import Situation
from tarsus_lab.bench.timing import Contender
from walkers import DT, FRICTION, controller_of

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.simulation import Trajectory


class TarsusWalker:
    """The states of a situation, at first at its start."""

    name = "tarsus"

    def __init__(self, situation: Situation) -> None:
        self.situation, walker = situation, situation.walker
        self.simulation = ts.Simulation(
            situation.model,
            ground=ts.Ground(friction=FRICTION),
            dt=DT,
            joint_friction=walker.dry_friction,
            max_contacts=len(situation.spheres),
        )
        self.q, self.v = situation.q.copy(), situation.v.copy()
        self.step = 0
        self._repeated = np.arange(len(self.q))
        """Which state of the situation each one was."""

    def settle(self, states: int) -> str:
        """Go on to where time is taken; then repeat the states until there are so many.

        Returns what went wrong. States that have sunk into the floor so far that no run can start
        from them are left out.
        """
        self.follow(self.situation.lead)
        collision, deep = self.simulation.collision, self.simulation.contact.start_depth
        heights = ts.height_over_ground(self.situation.model, self.q, collision=collision)
        fit = heights >= -deep(self.situation.model)
        failure = ""
        if not fit.all():
            failure = (
                f"{np.sum(~fit)} of {len(fit)} states have sunk into the floor, by up to "
                f"{-1e3 * heights.min():.2g} mm"
            )
        if not fit.any():
            raise RuntimeError(failure)
        self._repeated = np.resize(np.flatnonzero(fit), states)
        self.q, self.v = self.q[self._repeated], self.v[self._repeated]
        return failure

    def follow(self, steps: int, record: Any = False) -> Trajectory:
        """Make steps with all states; a state that cannot go on is an error."""
        run = self.simulation.run(self.q, self.v, **self._options(steps, record))
        if run.failures:
            first = run.failures[0]
            raise RuntimeError(
                f"{self.situation.title}: {len(run.failures)} of {len(self.q)} states stop, "
                f"number {first.state} after {first.time:g} s: {first.cause}"
            )
        if record is False:
            self.q, self.v = run.q[:, -1].copy(), run.v[:, -1].copy()
            self.step += steps
        return run

    def one(self, steps: int) -> Contender:
        """Return `Simulation.run` for the first state, many steps a call, nothing recorded."""
        q, v, options = self.q[0], self.v[0], self._options(steps, False, states=1)
        return self._contender(q, v, options, steps)

    def batch(self, steps: int) -> Contender:
        """Return `Simulation.run` for all states on one thread, states recorded."""
        options = self._options(steps, ("q", "v"))
        return self._contender(self.q, self.v, options, steps * len(self.q))

    def statistics(self, steps: int) -> dict[str, float]:
        """Return what the solver does in the steps that are timed: means, and the worst."""
        found = self.follow(steps, ("statistics",)).statistics
        return {
            "contacts": round(float(found.active[:, 1:].mean()), 1),
            "iterations": round(float(found.iterations[:, 1:].mean()), 1),
            "most_iterations": float(found.iterations[:, 1:].max()),
            "residual": float(found.residual[:, 1:].max()),
        }

    def efforts(self, steps: int) -> Array:
        """Return the efforts (steps, nv) of the controller on the first state."""
        return np.asarray(self.follow(steps, ("tau",)).tau[0, 1:])

    def load(self) -> float:
        """Return the sum of the normal forces on the first state [N], in the next step."""
        run = self.simulation.run(self.q[0], self.v[0], **self._options(1, ("contacts",), states=1))
        return float(run.contacts.ground_force()[-1, 2])

    def _options(self, steps: int, record: Any, states: int | None = None) -> dict[str, Any]:
        situation = self.situation
        reference = situation.references(self.step, steps)
        if reference is not None:
            reference = reference[self._repeated[:states]]
        return {
            "duration": steps * DT,
            "controller": controller_of(situation.walker, situation.model, reference),
            "record": record,
            "progress": False,
        }

    def _contender(self, q: Array, v: Array, options: dict[str, Any], units: int) -> Contender:
        names = {"run": self.simulation.run, "q": q.copy(), "v": v.copy(), "options": options}
        return Contender("run(q, v, **options)", names, units=units)
