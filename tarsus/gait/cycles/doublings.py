"""Period after period doubled: the way into chaos, and Feigenbaum's ratio."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.cycles.bifurcations import Bifurcation
from tarsus.gait.cycles.branch import Branch
from tarsus.gait.cycles.continuation import continuation
from tarsus.gait.cycles.cycle import LimitCycle
from tarsus.gait.walkers.walker import Walker
from tarsus.model.checks import count


@dataclass(frozen=True, eq=False)
class Doublings:
    """Branches of 1, 2, 4, … steps, each from the flip of the one before."""

    branches: list[Branch]

    def plot(
        self,
        path: str | Path | None = None,
        *,
        coordinate: int = 0,
        attractor: tuple[Array, Array] | None = None,
    ) -> Any:
        """Return a figure of all branches, over the points that `ts.gait.attractor` finds."""
        from tarsus.gait.cycles.branch_plot import plot_branches

        return plot_branches(self.branches, path, coordinate=coordinate, attractor=attractor)

    def __repr__(self) -> str:
        values = ", ".join(f"{x:.8g}" for x in self.values)
        ratios = ", ".join(f"{x:.4f}" for x in self.ratios) or "none yet"
        return f"<Doublings of {self.branches[0].name} at {values}; ratios {ratios}>"

    @property
    def values(self) -> Array:
        """The numbers at which periods double."""
        flips = [branch.of("flip") for branch in self.branches]
        return np.array([found[0].value for found in flips if found])

    @property
    def ratios(self) -> Array:
        """How much shorter each interval is than the one before: 4.669… in the limit.

        M. J. Feigenbaum, "Quantitative universality for a class of nonlinear transformations",
        1978.
        """
        gaps = np.diff(self.values)
        return np.asarray(gaps[:-1] / gaps[1:])


def doublings(
    walker: Walker,
    name: str,
    start: LimitCycle | None = None,
    *,
    to: float,
    doubled: int = 4,
    step: float = 0.02,
) -> Doublings:
    """Follow a gait to its flip, the gait of twice its period to its own, and so on."""
    count(doubled, "doubled")
    branches: list[Branch] = []
    beginning: LimitCycle | Bifurcation | None = start
    for k in range(doubled + 1):
        branch = continuation(
            *(walker, name, beginning),
            to=to,
            step=step / 4.0**k,
            kinds=("flip",),
            until="flip",
        )
        branches.append(branch)
        if not branch.of("flip"):
            break
        beginning = branch.of("flip")[0]
    return Doublings(branches)
