"""Adaptive steps of order five by J. Dormand and P. Prince, "A family of embedded Runge–Kutta
formulae", Journal of Computational and Applied Mathematics 6, 1980, with dense output.

The numbers of q follow their rates, and each step brings quaternions and loops back to where they
belong, which takes away errors of the order of the step's own: E. Hairer, C. Lubich, G. Wanner,
"Geometric numerical integration", section IV.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus.model.description import Array
from tarsus.simulation.contact.numbers import positive
from tarsus.simulation.errors import FASTEST, SimulationError, diverged
from tarsus.simulation.integrators.motion import Effort, SmoothMotion


@dataclass(frozen=True)
class DormandPrince:
    """Steps as long as errors of q and v, rtol relative and atol absolute, allow.

    Samples are taken from the dense output, so they do not shorten the steps.
    """

    name: ClassVar[str] = "dormand_prince"

    rtol: float = 1e-9
    atol: float = 1e-10

    def __post_init__(self) -> None:
        positive(self.rtol, "rtol")
        positive(self.atol, "atol")

    def samples(
        self,
        motion: SmoothMotion,
        state: tuple[Array, Array, Array],
        ticks: range,
        dt: float,
        effort: Effort,
    ) -> Iterator[tuple[Array, Array, Array] | None]:
        """Yield q (nq,), v (nv,) and works at all ticks of dt [s] but the first, the start's.

        None after each step says that it goes on: steps may be far shorter than dt.
        """
        m = motion.model
        parts = np.cumsum([m.nq, m.nv])

        def rates(t: float, y: Array) -> Array:
            q, v, _ = np.split(y, parts)
            a, power = motion.rates(t, q, v, effort)
            return np.concatenate([np.asarray(m.configuration_rate(q, v)), a, power])

        def on_group(y: Array) -> tuple[Array, Array, Array]:
            q, v, work = np.split(y, parts)
            return np.asarray(m.integrate(q, np.zeros(m.nv))), v, work

        from scipy.integrate import RK45  # slow to import, and only needed here

        solver = RK45(
            rates,
            ticks[0] * dt,
            np.concatenate(state),
            ticks[-1] * dt,
            rtol=self.rtol,
            atol=self.atol,
        )
        following = 1
        while following < len(ticks):
            if solver.status == "running":
                message = solver.step()
                if solver.status == "failed":
                    raise SimulationError(f"the step became too short: {message}", time=solver.t)
                dense = solver.dense_output()
                solver.y = np.concatenate(on_group(solver.y))
                solver.f = rates(solver.t, solver.y)
                v = solver.y[parts[0] : parts[1]]
                if not np.abs(v).max(initial=0.0) < FASTEST:
                    raise diverged(m, v, solver.t)
                yield None
            while following < len(ticks) and ticks[following] * dt <= solver.t:
                yield on_group(dense(ticks[following] * dt))
                following += 1
