"""Gaits on the stage: found, told, and played; a push shows whether the machine comes back.

A walker's motion goes from strike to strike by `tarsus.flow`, not by the steps of the clock: it is
computed as a whole, becomes the recording, and is played from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tarsus.arrays import Array
from tarsus.gait import limit_cycle
from tarsus.gait.cycles.cycle import LimitCycle
from tarsus.gait.cycles.cycle_run import walked
from tarsus.gait.walkers import Walker
from tarsus.geometry import Ground
from tarsus.studio.language import LineError
from tarsus.studio.quantities import Seen, values
from tarsus.studio.recording import Moment

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

EVERY = 1.0 / 60.0


@dataclass(frozen=True, eq=False)
class Gait:
    """A gait that was found, and the return map on the way: `returns` (steps, n) after strikes."""

    cycle: LimitCycle
    returns: Array

    def report(self) -> dict[str, object]:
        """Return its numbers as plain data."""
        cycle = self.cycle
        multipliers = np.asarray(cycle.multipliers)
        return {
            "walker": cycle.walker.name,
            "period": cycle.period,
            "speed": cycle.speed,
            "step_length": cycle.step_length,
            "stable": bool(cycle.stable),
            "multipliers": [[float(x.real), float(x.imag)] for x in multipliers],
            "cost_of_transport": float(cycle.cost_of_transport),
            "violations": list(cycle.violations),
            "returns": self.returns.tolist(),
        }

    def __str__(self) -> str:
        cycle = self.cycle
        sizes = ", ".join(f"{abs(x):.4g}" for x in cycle.multipliers)
        kind = "stable" if cycle.stable else "unstable"
        return (
            f"a {kind} gait: {cycle.speed:.4g} m/s, {cycle.period:.4g} s a step of "
            f"{cycle.step_length:.4g} m; sizes of multipliers {sizes}"
        )


def find_gait(stage: Stage, *, slope: float | None, steps: int, push: float) -> str:
    """Find a gait of the stage's walker, play it from a push, and say what it is."""
    walker = stage.document.walker
    if not isinstance(walker, Walker):
        raise LineError("nothing says how this machine walks: open compass or round_feet first")
    if slope is not None:
        walker = walker.but(slope=slope)
    cycle = limit_cycle(walker)
    q, v = cycle.state
    run, flowed = walked(walker, q, v * (1.0 + push), steps, EVERY, cycle.tolerances)
    returns = np.array([np.concatenate([event.q, event.v]) for event in flowed.events])
    document = stage.document.but(walker=walker, ground=Ground(slope=walker.slope))
    stage.become(document, "gait", start=(run.q[0], run.v[0]))
    machine, base = stage.machine, stage.t
    model = machine.model
    stage.recording.moments[:] = [
        Moment(base + t, model, q, v, values(machine, document.charts, Seen(model, q, v)))
        for t, q, v in zip(run.t, run.q, run.v, strict=True)
    ]
    stage.looking, stage.film = stage.recording.moments[0], True
    stage.gait = Gait(cycle, returns.reshape(len(flowed.events), -1))
    fell = "" if len(flowed.events) == steps else f"; it fell after {len(flowed.events)} steps"
    return f"{stage.gait}{fell}"
