"""Adams' method of variable order, by VODE of SciPy: P. Brown, G. Byrne, A. Hindmarsh, "VODE: a
variable-coefficient ODE solver", SIAM Journal on Scientific and Statistical Computing 10, 1989.

Its history would be spoiled by moving the state back to unit quaternions and closed loops after
each step. So samples are moved back, and the method restarts from a sample where that moves it by
as much as its errors may be.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.simulation.errors import FASTEST, SimulationError, diverged
from tarsus.simulation.integrators.methods import Adaptive, Parts
from tarsus.simulation.integrators.smooth_motion import Effort, LinkageNorm, SmoothMotion

STEPS_AT_ONCE = 500
"""Steps after which VODE returns, to see whether to go on."""
GO_ON, TIRED = 2, -1
"""ISTATE of VODE: on from the last call; so many steps were made that it stopped."""
COUNTS = ("steps", "rates", "jacobians", "factorisations", "rejected")
"""Statistics that add up over restarts."""
NOT_PAST = 4
"""ITASK of VODE: normal computation, without a step past TCRIT."""
SAME_TIME = 100 * np.finfo(np.float64).eps
"""VODE treats TCRIT as reached within so much of |t| + |step|, and makes no step any more. That of
SciPy 1.17 then returns the time of its last step instead of TCRIT."""


@dataclass(frozen=True)
class Adams(Adaptive):
    """Adams' formulae of orders 1 to 12, for smooth motions that are expensive to evaluate."""

    name: ClassVar[str] = "adams"

    def solver(self, motion: SmoothMotion, dt: float) -> AdamsSolver:
        """Return what moves one state."""
        return AdamsSolver(motion, self)


class AdamsSolver:
    """The motion of one state under way."""

    def __init__(self, motion: SmoothMotion, own: Adams) -> None:
        self.motion, self.rtol, self.atol = motion, own.rtol, own.atol
        self._norm = LinkageNorm(motion.model, motion.works)
        self._counts: dict[str, float] = {}
        self._last: dict[str, float] = {}

    def between(
        self, t: float, state: Parts, times: Iterable[float], end: float, effort: Effort
    ) -> Iterator[Parts | None]:
        """Yield the states at rising times, from a state at t; None: it goes on."""
        from scipy.integrate import ode  # slow to import, and only needed here

        self._rates = self.motion.careful_rates_of(effort)
        weights = self._norm.weights
        solver = ode(self._rates).set_integrator(
            "vode",
            method="adams",
            rtol=self.rtol * weights,
            atol=self.atol * weights,
            nsteps=STEPS_AT_ONCE,
        )
        start = np.concatenate(state)
        self._closed(t, start)
        self._start(solver, t, start, end)
        for time in times:
            y = self._moved(solver, time)
            while not _has_reached(solver, time):
                self._closed(solver.t, y)
                yield None
                y = self._moved(solver, time)
            parts = self._closed(time, y)
            if self._is_far(parts, y) and time < end:
                self._start(solver, time, np.concatenate(parts), end)
            yield parts

    @property
    def statistics(self) -> Mapping[str, float]:
        """What was done until now, also before the last start."""
        return {
            name: self._counts.get(name, 0) + number if name in COUNTS else number
            for name, number in self._last.items()
        }

    def _closed(self, time: float, y: Array) -> Parts:
        """Return y = (q, v, works) with unit quaternions and closed loops."""
        v = self.motion.split(y)[1]
        if not np.abs(v).max(initial=0.0) < FASTEST:
            raise diverged(self.motion.model, v, time)
        return self.motion.on_group(y)

    def _is_far(self, parts: Parts, y: Array) -> bool:
        """Return whether closing moved y by more than its errors may be."""
        moved = (np.concatenate(parts) - y) / (self.atol + self.rtol * np.abs(y))
        return self._norm(moved) > 1.0

    def _moved(self, solver: Any, time: float) -> Array:
        """Return y at a time, or where VODE stopped to be asked again."""
        own, before = solver._integrator, solver.t
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they say is raised
            y = solver.integrate(time)
        self._rates.check()
        self._note(own)
        if own.istate == TIRED and solver.t < time:
            own.success, own.call_args[3] = 1, GO_ON
        elif not solver.successful():
            message = own.messages.get(own.istate, f"istate {own.istate}")
            raise SimulationError(f"vode: {message}", time=solver.t)
        if solver.t <= before and not _has_reached(solver, time):
            raise SimulationError(
                f"vode made no progress from {before!r} s towards {time!r} s; choose another "
                "integrator, such as 'radau', or larger tolerances",
                time=before,
            )
        return np.asarray(y)

    def _start(self, solver: Any, t: float, y: Array, end: float) -> None:
        self._counts = dict(self.statistics)
        self._last = {}
        solver.set_initial_value(y, t)
        own = solver._integrator
        own.call_args[2], own.call_args[4][0] = NOT_PAST, end

    def _note(self, own: Any) -> None:
        """Read what VODE says about itself in its work arrays (optional outputs)."""
        self._last = {
            "order": int(own.iwork[13]),
            "last_step": float(own.rwork[10]),
            "next_step": float(own.rwork[11]),
            "steps": int(own.iwork[10]),
            "rates": int(own.iwork[11]),
            "jacobians": int(own.iwork[12]),
            "factorisations": int(own.iwork[18]),
            "rejected": int(own.iwork[20]) + int(own.iwork[21]),
        }


def _has_reached(solver: Any, time: float) -> bool:
    """Return whether the solver is at a time or past it, by the criterion of VODE."""
    last_step = float(solver._integrator.rwork[10])
    return bool(time - solver.t <= SAME_TIME * (abs(solver.t) + abs(last_step)))
