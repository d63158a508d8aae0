"""CVODE of SUNDIALS, through scikit-sundae: A. Hindmarsh and others, "SUNDIALS: suite of nonlinear
and differential/algebraic equation solvers", ACM Transactions on Mathematical Software 31, 2005.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus._lib.files import Array
from tarsus.simulation.errors import SimulationError
from tarsus.simulation.integrators.adaptive import Adaptive, Parts
from tarsus.simulation.integrators.drift import Drift
from tarsus.simulation.integrators.motion import Effort, SmoothMotion

METHODS = {"bdf": "BDF", "adams": "Adams"}


@dataclass(frozen=True)
class Cvode(Adaptive):
    """Backward differences ("bdf", for stiff motions) or Adams' formulae ("adams") of SUNDIALS."""

    name: ClassVar[str] = "cvode"

    method: str = "bdf"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method not in METHODS:
            raise ValueError(f"unknown method {self.method!r}{suggestion(self.method, METHODS)}")
        _solvers()

    def solver(self, motion: SmoothMotion, dt: float) -> CvodeSolver:
        """Return what moves one state."""
        return CvodeSolver(motion, self)


class CvodeSolver:
    """The motion of one state under way."""

    def __init__(self, motion: SmoothMotion, own: Cvode) -> None:
        self.motion = motion
        self._drift = Drift(motion, own.rtol, own.atol)
        # relative tolerances are one number, so that of the strictest linkage
        self._options = {
            "method": METHODS[own.method],
            "rtol": float(own.rtol * self._drift.weights.min(initial=1.0)),
            "atol": own.atol * self._drift.weights,
        }
        self._counts = dict.fromkeys(("steps", "rates", "jacobians"), 0)
        self._last_step = np.nan

    def between(
        self, t: float, state: Parts, times: Iterable[float], end: float, effort: Effort
    ) -> Iterator[Parts | None]:
        """Yield the states at rising times, from a state at t; None: it goes on."""
        solver = self._made(t, np.concatenate(state), effort)
        at, before, stalled = t, (0, 0), False
        for time in times:
            while at < time:  # steps of its own, none past the end
                found = solver.step(end, method="onestep", tstop=end)
                self._check(found)
                self._counts["rates"] += found.nfev - before[0]
                self._counts["jacobians"] += found.njev - before[1]
                before = found.nfev, found.njev
                reached = float(np.ravel(found.t)[-1])
                # after a time within a step it first returns to the step's end
                if reached <= at and stalled:
                    raise SimulationError(
                        f"cvode made no progress from {at!r} s towards {time!r} s; choose another "
                        "integrator, such as 'radau', or larger tolerances",
                        time=at,
                    )
                stalled = reached <= at
                if reached > at:
                    self._counts["steps"] += 1
                    self._last_step, at = reached - at, reached
                yield None
            found = solver.step(time, method="normal", tstop=end)  # read within the last step
            self._check(found)
            parts = self._drift.checked(time, np.array(found.y, np.float64).reshape(-1))
            if self._drift.restarts and time < end:
                solver, at, before = self._made(time, np.concatenate(parts), effort), time, (0, 0)
            yield parts

    @property
    def statistics(self) -> Mapping[str, float]:
        """What was done until now."""
        return {**self._counts, "last_step": self._last_step}

    def _made(self, t: float, y: Array, effort: Effort) -> Any:
        self._rates = rates = self.motion.careful_rates_of(effort)

        def right_hand_side(t: float, y: Array, out: Array) -> None:
            out[:] = rates(t, y)

        solver = _solvers()(right_hand_side, max_num_steps=10**8, **self._options)
        solver.init_step(t, y)
        return solver

    def _check(self, found: Any) -> None:
        self._rates.check()
        if not found.success:
            time = float(np.ravel(found.t)[-1])
            raise SimulationError(f"cvode: {found.message}", time=time)


def _solvers() -> Any:
    """Return the class of SUNDIALS' solver."""
    try:
        from sksundae.cvode import CVODE
    except ImportError:
        raise ImportError(
            "integrator 'cvode' needs scikit-sundae: pip install 'tarsus[ode]', or scikit-sundae"
        ) from None
    return CVODE
