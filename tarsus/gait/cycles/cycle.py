"""A gait: the states after its strikes, what small pushes become, its speed and its cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from tarsus.arrays import Array
from tarsus.events.report import Flowed
from tarsus.gait.cycles.families import fade
from tarsus.gait.cycles.footing import Footing
from tarsus.gait.cycles.footings import footings
from tarsus.gait.cycles.ledger import GaitEnergy, ledger
from tarsus.gait.cycles.return_map import (
    Tolerances,
    multipliers_of,
    on_root,
    residual,
    take_step,
)
from tarsus.gait.walkers.walker import Walker
from tarsus.model.checks import count, number
from tarsus.model.content import content_hash
from tarsus.simulation import RunFileError, Trajectory
from tarsus.simulation.array_file import read_arrays

SAMPLES = 400
"""States that are kept of a period."""


@dataclass(frozen=True, eq=False)
class LimitCycle:
    """A motion that repeats after `steps` steps, as `ts.gait.limit_cycle` finds it."""

    walker: Walker
    q: Array
    """Configurations after each strike (steps, nq)."""
    v: Array
    error: float
    """How far a state is from where its step leads, at most."""
    times: Array
    """How long each step takes (steps,) [s]."""
    slopes: Array = field(repr=False)
    """Derivatives of the return map at each node (steps, 2 nv, 2 nv)."""
    tolerances: Tolerances = field(repr=False)

    @property
    def steps(self) -> int:
        """After how many steps it repeats."""
        return len(self.q)

    @property
    def state(self) -> tuple[Array, Array]:
        """The state after the first strike."""
        return self.q[0], self.v[0]

    @property
    def period(self) -> float:
        """How long all steps take [s]."""
        return float(self.times.sum())

    @cached_property
    def flowed(self) -> Flowed:
        """One period, as `ts.flow` has it: events, and samples over time."""
        every = self.period / SAMPLES
        return self.walker.steps(*self.state, self.steps, sample=every, **self.tolerances._asdict())

    @property
    def step_length(self) -> float:
        """How long a step is in the mean [m]."""
        strikes = list(self.flowed.events)[self.walker.events - 1 :: self.walker.events]
        return float(np.mean([self.walker.ahead(event.q) for event in strikes]))

    @property
    def speed(self) -> float:
        """How fast it walks [m/s]."""
        return self.step_length * self.steps / self.period

    @cached_property
    def multipliers(self) -> Array:
        """What small pushes are multiplied by in a period (2 nv − 1,), the largest first.

        Eigenvalues of the derivative of the return map; the one along the motion, zero, is left out
        (A. Floquet, 1883), and that of the heading, where that is free (`walker.heading`).
        """
        return multipliers_of(self.slopes, self.walker.heading)

    @property
    def stable(self) -> bool:
        """Whether all small pushes fade, but for those to other gaits of a family.

        Of these the walker says how many there are: `walker.neutral`.
        """
        return bool(fade(self.multipliers, self.walker.neutral))

    @cached_property
    def energy(self) -> GaitEnergy:
        """Where the energy of a period comes from and where it goes."""
        return ledger(self.walker, self.flowed, self.step_length * self.steps)

    @property
    def cost_of_transport(self) -> float:
        """Energy that is spent for each unit of weight and of way."""
        return self.energy.spent / (self.walker.weight * self.step_length * self.steps)

    @cached_property
    def footings(self) -> list[Footing]:
        """Forces of the ground and clearance over each step; none without a machine."""
        return footings(self.walker, self.flowed)

    @property
    def violations(self) -> tuple[str, ...]:
        """What of it no real foot would do: lift or slip where it stands, scuff where it swings."""
        if not self.footings:
            return ("feet were not looked at: nothing says where they are in all phases",)
        return tuple(line for each in self.footings for line in each.violations())

    @cached_property
    def shortest(self) -> int:
        """After how many steps it repeats already, to 1e-6."""
        for n in range(1, self.steps):
            if self.steps % n == 0:
                shifted = np.roll(self.q, -n, 0), np.roll(self.v, -n, 0)
                if np.abs(residual(self.walker, self.q, self.v, *shifted)).max() < 1e-6:
                    return n
        return self.steps

    def fingerprint(self) -> str:
        """Return what tells it from other gaits and walkers: a hash of the walker and states."""
        return content_hash(self.walker, self.q, self.v)

    def save(self, path: str | Path) -> None:
        """Write the gait to a file of NumPy: states, times, slopes and numbers of the walker."""
        numbers = self.walker.numbers
        np.savez(
            path,
            q=self.q,
            v=self.v,
            times=self.times,
            slopes=self.slopes,
            walker=self.walker.name,
            names=np.array(list(numbers)),
            values=np.array(list(numbers.values()), float),
        )

    @classmethod
    def load(cls, path: str | Path, walker: Walker) -> Self:
        """Return the gait that `save` wrote, of a walker with the same numbers."""
        file = read_arrays(Path(path), "a limit cycle")
        missing = {"names", "values", "q", "v", "times", "slopes"} - file.keys()
        if missing:
            raise RunFileError(
                f"{path} is not a limit cycle: it has no {', '.join(sorted(missing))}"
            )
        told = dict(zip(file["names"].tolist(), file["values"].tolist(), strict=True))
        q, v, times, slopes = (file[key] for key in ("q", "v", "times", "slopes"))
        if told != dict(walker.numbers):
            raise ValueError(
                f"{path} is a gait of a walker with {told}, not {dict(walker.numbers)}"
            )
        at = take_step(walker, q, v)
        away = residual(walker, np.roll(q, -1, 0), np.roll(v, -1, 0), at.q, at.v)
        error = float(np.abs(away).max())
        if not at.walked.all() or error > 1e-6:
            raise ValueError(f"{path} is no gait of {walker.name!r}: a step leads {error:.1e} away")
        return cls(walker, q, v, error, times, slopes, Tolerances())

    def run(self, steps: int = 6, *, every: float = 0.01) -> Trajectory:
        """Return so many steps as a run of the machine, to look at: `run.film(…)`, `run.plot()`."""
        from tarsus.gait.cycles.cycle_run import run_of

        count(steps, "steps")
        return run_of(self, steps, number(every, "every"))

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure: angles and speeds over a period, its closed curves, its multipliers."""
        from tarsus.gait.cycles.cycle_plot import plot_cycle

        return plot_cycle(self, path)

    def __repr__(self) -> str:
        word = "stable" if self.stable else "unstable"
        many = "" if self.steps == 1 else f"of {self.steps} steps, "
        return (
            f"<LimitCycle of {self.walker.name}: {many}{word}, {self.period:.5f} s, "
            f"{self.speed:.4f} m/s, largest multiplier {np.abs(self.multipliers).max():.4f}>"
        )


def cycle_of(
    walker: Walker, q: Array, v: Array, error: float, tolerances: Tolerances
) -> LimitCycle:
    """Return the gait through nodes (n, nq), (n, nv) that return to each other."""
    q = on_root(walker, q)
    at = take_step(walker, q, v, tolerances, derivatives=True)
    assert at.slopes is not None
    return LimitCycle(walker, q, v, error, at.time, at.slopes, tolerances)
