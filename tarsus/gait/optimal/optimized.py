"""What a search for an efficient gait returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.events.mapped import mapped, resets_of
from tarsus.gait.optimal.bases import Basis
from tarsus.gait.optimal.collocation import Efforts, Grid
from tarsus.gait.optimal.drives import Motors, cost_of_transport, drives
from tarsus.gait.walkers import Walker

SAMPLES = 2001
"""Of a phase for its energies."""


@dataclass(frozen=True, eq=False)
class OptimizedGait:
    """A gait of least efforts: motions of its phases, what they need, and what they miss.

    Times begin just after a strike, and end at the next one; `q`, `v` and `tau` are functions of
    them. `success` is whether the search converged and nothing is violated between its nodes.
    """

    walker: Walker
    """With the design that was found."""
    basis: Basis = field(repr=False)
    coefficients: tuple[Array, ...] = field(repr=False)
    """Of each phase's motion (functions, nv)."""
    durations: Array
    """How long each phase takes [s]."""
    design: Mapping[str, float]
    """Numbers of the mechanics that were free."""
    cost: float
    """What was made small: ∫ τᵀ Q τ dt of a step, or with motors their cost of transport."""
    power: float
    """Mean mechanical power of the efforts [W]: what strikes and dampers take, less gravity's."""
    peak_efforts: Mapping[str, float]
    """Largest effort of each joint [N m or N], by its name."""
    violations: Mapping[str, float]
    """What is missed between the nodes of the search, too, and by how much; empty for nothing."""
    status: str
    """"converged", or what was in the way."""
    iterations: int
    """Of the search that found it."""

    @property
    def success(self) -> bool:
        """Whether it is a gait that keeps everything."""
        return self.status == "converged" and not self.violations

    @property
    def duration(self) -> float:
        """How long a step takes [s]."""
        return float(self.durations.sum())

    @property
    def step_length(self) -> float:
        """How far a step leads [m]."""
        return float(self.walker.ahead(self._ends(-1)[0]))

    @property
    def speed(self) -> float:
        """Mean speed [m/s]."""
        return self.step_length / self.duration

    @property
    def cost_of_transport(self) -> float:
        """Energy that is spent for each unit of weight and of way, as that of a `LimitCycle`.

        The slope's work and the positive work of motors are: what brakes is not given back.
        """
        return self.cost_with_motors({})

    @property
    def net_cost_of_transport(self) -> float:
        """Mean mechanical power over weight and speed: work that motors take counts as gained."""
        return self.power / (self.walker.weight * self.speed)

    def cost_with_motors(self, motors: Motors) -> float:
        """Return the cost of transport by the electrical power of motors, which get warm.

        `motors` are `ts.control.CurrentMotor` by names of joints, or one for all. Joints without
        one lose nothing. What a motor feeds back is lost, joint by joint.
        """
        parts = []
        for p, duration in enumerate(self.durations):
            t = np.linspace(0.0, float(duration), SAMPLES)
            parts.append((t, self.v(t, p), self.tau(t, p)))
        phases = drives(self.walker, motors, complete=False)
        return cost_of_transport(self.walker, self.walker.weight, self.step_length, phases, parts)

    @property
    def state(self) -> tuple[Array, Array]:
        """q and v just after a strike: where `ts.gait.limit_cycle` may begin."""
        # what the strike does, not the sum of functions: a knee that it locks is at zero exactly,
        # and no rounding makes it strike at once
        return mapped(resets_of(self.walker.phases[-1]), *self._ends(-1))

    def q(self, t: ArrayLike, phase: int = 0) -> Array:
        """Return positions (…, nq) of a phase at times from its begin [s]."""
        return self._motion(t, phase)[0]

    def v(self, t: ArrayLike, phase: int = 0) -> Array:
        """Return velocities (…, nv)."""
        return self._motion(t, phase)[1]

    def a(self, t: ArrayLike, phase: int = 0) -> Array:
        """Return accelerations (…, nv)."""
        return self._motion(t, phase)[2]

    def tau(self, t: ArrayLike, phase: int = 0) -> Array:
        """Return efforts of the motors (…, nv) [N m or N]."""
        return Efforts(self.walker.phases[phase].model).values(*self._motion(t, phase))

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of positions and efforts over a step; `path` writes it to a file."""
        from tarsus.gait.optimal.plot import plot  # needs matplotlib

        return plot(self, path)

    def _motion(self, t: ArrayLike, phase: int) -> tuple[Array, Array, Array]:
        times = np.asarray(t, float)
        duration = float(self.durations[phase])
        s = times.ravel() / duration
        if np.any(s < -1e-9) or np.any(s > 1.0 + 1e-9):
            raise ValueError(
                f"t goes from {times.min():g} to {times.max():g} s, phase {phase} lasts "
                f"{duration:g} s from 0 on"
            )
        parts = Grid.of(self.basis, s).motion(self.coefficients[phase], duration)
        return tuple(each.reshape(*times.shape, -1) for each in parts)  # type: ignore[return-value]

    def _ends(self, phase: int) -> tuple[Array, Array]:
        grid = Grid.of(self.basis, np.ones(1))
        q, v, _ = grid.motion(self.coefficients[phase], float(self.durations[phase]))
        return q[0], v[0]

    def __repr__(self) -> str:
        missed = f", misses {', '.join(self.violations)}" if self.violations else ""
        return (
            f"<tarsus.OptimizedGait of {self.walker.name!r}: {self.status}, cost {self.cost:.4g}, "
            f"{self.speed:.3g} m/s, {self.duration:.3g} s a step{missed}>"
        )
