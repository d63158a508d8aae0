"""Multistep methods of variable order that SciPy has: LSODA, which changes between stiff and
non-stiff formulae by itself, and the two of VODE.

L. Petzold, "Automatic selection of methods for solving stiff and nonstiff systems", SIAM Journal on
Scientific and Statistical Computing 4, 1983; P. Brown, G. Byrne, A. Hindmarsh, "VODE: a
variable-coefficient ODE solver", the same 10, 1989.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.simulation.errors import SimulationError
from tarsus.simulation.integrators.adaptive import Adaptive, Parts
from tarsus.simulation.integrators.drift import Drift
from tarsus.simulation.integrators.motion import Effort, SmoothMotion

STEPS_AT_ONCE = 500
"""After so many it is seen whether to go on."""
GO_ON, TIRED = 2, -1
"""ISTATE of both: on from the last call; so many steps were made that it stopped."""
COUNTS = ("steps", "rates", "jacobians", "factorisations", "rejected")
"""What adds up over restarts."""
NOT_PAST = 4
"""ITASK of both: normal computation, without a step past TCRIT."""
SAME_TIME = 100 * np.finfo(np.float64).eps
"""Both treat TCRIT as reached within so much of |t| + |step|, and make no step any more. VODE of
SciPy 1.17 then returns the time of its last step instead of TCRIT."""


@dataclass(frozen=True)
class Lsoda(Adaptive):
    """Adams' formulae, or backward differences while the motion is stiff."""

    name: ClassVar[str] = "lsoda"

    def solver(self, motion: SmoothMotion, dt: float) -> MultistepSolver:
        """Return what moves one state."""
        return MultistepSolver(motion, self, "lsoda", {})


@dataclass(frozen=True)
class Adams(Adaptive):
    """Adams' formulae of orders 1 to 12, for smooth motions that are expensive to evaluate."""

    name: ClassVar[str] = "adams"

    def solver(self, motion: SmoothMotion, dt: float) -> MultistepSolver:
        """Return what moves one state."""
        return MultistepSolver(motion, self, "vode", {"method": "adams"})


@dataclass(frozen=True)
class Bdf(Adaptive):
    """Backward differences of orders 1 to 5, for stiff motions."""

    name: ClassVar[str] = "bdf"

    def solver(self, motion: SmoothMotion, dt: float) -> MultistepSolver:
        """Return what moves one state."""
        options = {"method": "bdf", "with_jacobian": True, "order": 5}
        return MultistepSolver(motion, self, "vode", options)


class MultistepSolver:
    """The motion of one state under way."""

    def __init__(
        self, motion: SmoothMotion, own: Adaptive, method: str, options: Mapping[str, Any]
    ) -> None:
        self.motion = motion
        self._drift = Drift(motion, own.rtol, own.atol)
        self._method = method
        # LSODA takes the largest of all errors: no linkage loosens another
        weights = np.ones(motion.n_numbers) if method == "lsoda" else self._drift.weights
        self._options = {
            "rtol": own.rtol * weights,
            "atol": own.atol * weights,
            "nsteps": STEPS_AT_ONCE,
            **options,
        }
        self._counts: dict[str, float] = {}
        self._last: dict[str, float] = {}

    def between(
        self, t: float, state: Parts, times: Iterable[float], end: float, effort: Effort
    ) -> Iterator[Parts | None]:
        """Yield the states at rising times, from a state at t."""
        from scipy.integrate import ode  # slow to import, and only needed here

        self._rates = self.motion.careful_rates_of(effort)
        solver = ode(self._rates).set_integrator(self._method, **self._options)
        self._drift.checked(t, np.concatenate(state))
        self._start(solver, t, np.concatenate(state), end)
        for time in times:
            y = self._moved(solver, time)
            while not _has_reached(solver, time):
                self._drift.checked(solver.t, y)
                yield None
                y = self._moved(solver, time)
            parts = self._drift.checked(time, y)
            if self._drift.restarts and time < end:
                self._start(solver, time, np.concatenate(parts), end)
            yield parts

    def _moved(self, solver: Any, time: float) -> Array:
        """Return y at a time, or where the method stopped to be asked again."""
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
            raise SimulationError(f"{self._method}: {message}", time=solver.t)
        if solver.t <= before and not _has_reached(solver, time):
            raise SimulationError(
                f"{self._method} made no progress from {before!r} s towards {time!r} s; choose "
                "another integrator, such as 'radau', or larger tolerances",
                time=before,
            )
        return np.asarray(y)

    @property
    def statistics(self) -> Mapping[str, float]:
        """What was done until now, also before the last start."""
        return {
            name: self._counts.get(name, 0) + number if name in COUNTS else number
            for name, number in self._last.items()
        }

    def _start(self, solver: Any, t: float, y: Array, end: float) -> None:
        self._counts = dict(self.statistics)
        self._last = {}
        solver.set_initial_value(y, t)
        own = solver._integrator
        own.call_args[2], own.call_args[4][0] = NOT_PAST, end

    def _note(self, own: Any) -> None:
        """Read what the method says about itself in its work arrays (optional outputs)."""
        vode = self._method == "vode"
        self._last = {
            "order": int(own.iwork[13]),
            "last_step": float(own.rwork[10]),
            "next_step": float(own.rwork[11]),
            "steps": int(own.iwork[10]),
            "rates": int(own.iwork[11]),
            "jacobians": int(own.iwork[12]),
        }
        if vode:
            self._last["factorisations"] = int(own.iwork[18])
            self._last["rejected"] = int(own.iwork[20]) + int(own.iwork[21])


def _has_reached(solver: Any, time: float) -> bool:
    """Return whether the solver is at a time or past it, by the criterion of VODE and LSODA."""
    last_step = float(solver._integrator.rwork[10])
    return bool(time - solver.t <= SAME_TIME * (abs(solver.t) + abs(last_step)))
