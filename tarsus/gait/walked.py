"""A walk in simulation: who walked, along which plan, and the run with its report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tarsus.arrays import Array
from tarsus.gait.biped import Biped
from tarsus.gait.plans.footsteps import Footsteps
from tarsus.gait.walk_report import WalkReport, report_of
from tarsus.gait.walking import Walking
from tarsus.simulation import Trajectory


@dataclass(frozen=True, eq=False)
class Walked:
    """A walk in simulation: the machine, its plan, its controller with its notes, and the run."""

    walker: Biped
    plan: Footsteps
    control: Walking
    run: Trajectory
    friction: Array
    """That of the ground, a number or one for each walker (B,)."""
    index: int = 0
    """Which walker of a batch this is; its controller has notes of all."""

    @property
    def fell(self) -> bool:
        """Whether it ended before its time, or its simulation failed; one of a batch is enough."""
        return bool(self.run.ended) or bool(self.run.failures)

    @cached_property
    def report(self) -> WalkReport:
        """Numbers of the walk, and what gave way; of a batch, choose a walker: `walked[0]`."""
        if self.run.batch is not None:
            raise ValueError(f"these are {self.run.batch} walkers: choose one, walked[0].report")
        return report_of(self)

    def __getitem__(self, index: int) -> Walked:
        """Return one walker of a batch."""
        plan = self.plan
        if plan.position.ndim > 2:
            own = (plan.position[index], plan.yaw[index], plan.normal[index])
            plan = Footsteps(plan.side, *own)
        rubs = self.friction[index] if self.friction.ndim else self.friction
        return replace(self, run=self.run[index], plan=plan, friction=rubs, index=index)

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the walk; `path` writes it to a file."""
        from tarsus.gait.walk_plot import plot_walk  # figures need Matplotlib

        return plot_walk(self, path)

    def __repr__(self) -> str:
        if self.run.batch is not None:
            return f"<tarsus.gait.Walked {self.run.model.name!r}: {self.run.batch} walkers>"
        first = str(self.report).splitlines()[0]
        return f"<tarsus.gait.Walked {self.run.model.name!r}: {first}>"
