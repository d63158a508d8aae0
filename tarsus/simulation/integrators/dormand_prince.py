"""Adaptive steps of order five by J. Dormand and P. Prince, "A family of embedded Runge–Kutta
formulae", Journal of Computational and Applied Mathematics 6, 1980, with dense output.

The numbers of q follow their rates, and each step brings quaternions and loops back to where they
belong, which takes away errors of the order of the step's own: E. Hairer, C. Lubich, G. Wanner,
"Geometric numerical integration", section IV.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tarsus.arrays import Array
from tarsus.simulation.errors import FASTEST, SimulationError, diverged
from tarsus.simulation.integrators.adaptive import Adaptive, Parts
from tarsus.simulation.integrators.linkages import LinkageNorm
from tarsus.simulation.integrators.motion import Effort, SmoothMotion


@dataclass(frozen=True)
class DormandPrince(Adaptive):
    """Explicit steps as long as errors of q and v, rtol relative and atol absolute, allow.

    Samples are taken from the dense output, so they do not shorten the steps. No step crosses one
    of the times `tcrit` [s], where forces may jump.
    """

    name: ClassVar[str] = "dormand_prince"

    def solver(self, motion: SmoothMotion, dt: float) -> DormandPrinceSolver:
        """Return what moves one state."""
        return DormandPrinceSolver(motion, self.rtol, self.atol)


class DormandPrinceSolver:
    """The motion of one state under way."""

    def __init__(self, motion: SmoothMotion, rtol: float, atol: float) -> None:
        self.motion, self.rtol, self.atol = motion, rtol, atol
        self._norm = LinkageNorm(motion.model, motion.works)
        self._counts = dict.fromkeys(("steps", "rejected", "rates"), 0)
        self._lengths = {"last_step": 0.0, "next_step": 0.0}

    def between(
        self, t: float, state: Parts, times: Iterable[float], end: float, effort: Effort
    ) -> Iterator[Parts | None]:
        """Yield the states at rising times, from a state at t; None: it goes on."""
        motion = self.motion
        solver = self._made(t, np.concatenate(state), end, effort)
        for time in times:
            while solver.t < time:
                before = solver.nfev
                message = solver.step()
                if solver.status == "failed":
                    raise SimulationError(f"the step became too short: {message}", time=solver.t)
                dense = solver.dense_output()
                solver.y = np.concatenate(motion.on_group(solver.y))
                solver.f = solver.fun(solver.t, solver.y)
                self._count(solver, solver.nfev - before)
                v = motion.split(solver.y)[1]
                if not np.abs(v).max(initial=0.0) < FASTEST:
                    raise diverged(motion.model, v, solver.t)
                yield None
            yield motion.split(solver.y) if time == solver.t else motion.on_group(dense(time))

    @property
    def statistics(self) -> Mapping[str, float]:
        """What was done until now."""
        return {"order": 5, "jacobians": 0, "factorisations": 0, **self._counts, **self._lengths}

    def _made(self, t: float, y: Array, end: float, effort: Effort) -> Any:
        from scipy.integrate import RK45  # slow to import, and only needed here

        norm = self._norm

        class Steps(RK45):  # type: ignore[misc]
            """SciPy's steps with errors by linkages."""

            def _estimate_error_norm(self, stages: Array, h: float, scale: Array) -> float:
                return norm(self._estimate_error(stages, h) / scale)

        first = min(self._lengths["next_step"], end - t) or None
        rates = self.motion.rates_of(effort)
        return Steps(rates, t, y, end, rtol=self.rtol, atol=self.atol, first_step=first)

    def _count(self, solver: Any, calls: int) -> None:
        """Note an accepted step: seven calls and those of each trial before it."""
        self._counts["steps"] += 1
        self._counts["rates"] += calls
        self._counts["rejected"] += calls // 6 - 1
        self._lengths = {
            "last_step": float(solver.step_size),
            "next_step": max(float(solver.h_abs), self._lengths["next_step"])
            if solver.status == "finished"
            else float(solver.h_abs),
        }
