"""A branch of gaits over a number of the walker, with the bifurcations on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.gait.bifurcations import Bifurcation, Gait
from tarsus.gait.cycle import LimitCycle, cycle_of
from tarsus.gait.return_map import FINE, fade
from tarsus.gait.walkers.walker import Walker


@dataclass(eq=False)
class Branch:
    """Gaits as `ts.gait.continuation` finds them, in their order along the branch."""

    walker: Walker
    name: str
    gaits: list[Gait] = field(repr=False)
    ways: list[Array] = field(repr=False)
    bifurcations: list[Bifurcation]
    ended: str
    """Why the branch ends."""
    notes: list[str] = field(default_factory=list)
    """What was seen and not located."""

    def __len__(self) -> int:
        return len(self.gaits)

    @property
    def steps(self) -> int:
        """After how many steps its gaits repeat."""
        return len(self.gaits[0].q)

    @property
    def values(self) -> Array:
        """The number (K,)."""
        return np.array([gait.value for gait in self.gaits])

    @property
    def q(self) -> Array:
        """Configurations after strikes (K, steps, nq)."""
        return np.array([gait.q for gait in self.gaits])

    @property
    def v(self) -> Array:
        """Velocities after strikes (K, steps, nv)."""
        return np.array([gait.v for gait in self.gaits])

    @property
    def times(self) -> Array:
        """How long steps take (K, steps) [s]."""
        return np.array([gait.at.time for gait in self.gaits])

    @property
    def multipliers(self) -> Array:
        """What pushes are multiplied by (K, 2 nv − 1)."""
        return np.array([gait.multipliers for gait in self.gaits])

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Which of the gaits are stable (K,)."""
        return fade(self.multipliers, self.walker.neutral)

    def add(self, found: Bifurcation) -> None:
        """Let a bifurcation be the next gait of the branch."""
        self.bifurcations.append(found)
        self.gaits.append(found.gait)
        self.ways.append(found.way)

    def of(self, kind: str) -> list[Bifurcation]:
        """Return the bifurcations of a kind."""
        return [each for each in self.bifurcations if each.kind == kind]

    def cycle(self, k: int) -> LimitCycle:
        """Return gait k as a limit cycle."""
        gait = self.gaits[k]
        walker = self.walker.but(**{self.name: gait.value})
        return cycle_of(walker, gait.q, gait.v, gait.error, FINE)

    def plot(self, path: str | Path | None = None, *, coordinate: int = 0) -> Any:
        """Return a figure: a coordinate after strikes over the number, unstable gaits dashed."""
        from tarsus.gait.plots import plot_branches

        return plot_branches([self], path, coordinate=coordinate)

    def __repr__(self) -> str:
        low, high = self.values.min(), self.values.max()
        found = ", ".join(map(repr, self.bifurcations)) or "no bifurcations"
        told = "".join(f"; {note}" for note in self.notes)
        return (
            f"<Branch of {self.walker.name}: {len(self)} gaits of {self.steps} steps, {self.name} "
            f"{low:.6g} to {high:.6g}, {found}; ended: {self.ended}{told}>"
        )
