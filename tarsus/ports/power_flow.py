"""Who gives power, who takes it, and where it is stored: a run's ledger as a table in watts.

    print(ts.ports.power_flow(run))

The ledger of `ts.Simulation`, and that of a motion of ports, count energies since the start; here
their changes between two times are divided by the time: stored = given − taken + residual.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.checks import number
from tarsus._lib.files import Array
from tarsus.ports.motion import Motion
from tarsus.simulation import Trajectory
from tarsus.simulation.energy import BY_JOINT, COUNTED, STORED

WORDS = {"supplied": "drive", "damping": "damping", "joint_friction": "friction"}

SMALL = 0.01
"""Below this share of the strongest a power is told together with others."""


@dataclass(frozen=True, eq=False)
class PowerFlow:
    """Mean powers between two times [W]."""

    name: str
    span: tuple[float, float]
    """From when to when [s]."""
    works: Mapping[str, float]
    """What each gives to the machine; what it takes is negative."""
    stored: Mapping[str, float]
    """What each store takes up."""

    @property
    def gives(self) -> dict[str, float]:
        """Who gives, the strongest first [W]."""
        return _ranked({name: watts for name, watts in self.works.items() if watts > 0.0})

    @property
    def takes(self) -> dict[str, float]:
        """Who takes, the strongest first [W]."""
        return _ranked({name: -watts for name, watts in self.works.items() if watts < 0.0})

    @property
    def residual(self) -> float:
        """What came from nowhere (positive) or was lost by the integration [W]."""
        return sum(self.stored.values()) - sum(self.works.values())

    def table(self) -> str:
        """Return all of it as text."""
        start, end = self.span
        lines = [f"{self.name}, {start:g} … {end:g} s"]
        groups = (("gives", self.gives), ("takes", self.takes), ("stores", _ranked(self.stored)))
        for title, group in groups:
            lines.append(f"{title:8}{'':30}{sum(group.values()):12.5g} W")
            lines += [f"{'':8}{name:30} {watts:11.5g} W" for name, watts in _main(group).items()]
        lines.append(f"{'residual':8}{'':30}{self.residual:12.5g} W")
        return "\n".join(lines)

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw who gives to whom as a graph, lines as wide as the power; `path` writes it."""
        from tarsus.ports.plots import draw_power_flow as draw

        return draw(self, path)

    def __str__(self) -> str:
        return self.table()


def power_flow(
    run: Trajectory | Motion, start: float | None = None, end: float | None = None
) -> PowerFlow:
    """Return mean powers of a run, or of a motion of ports, between two times [s].

    Drives, damping and friction are told joint by joint, forces and constraints by their names.
    """
    if isinstance(run, Motion):
        name, works, stored = _of_motion(run)
    elif isinstance(run, Trajectory):
        name, works, stored = _of_run(run)
    else:
        raise TypeError(f"run is of type {type(run).__name__}, must be a Trajectory or a Motion")
    first, last = (
        int(np.searchsorted(run.t, number(value, key) - 1e-12)) if value is not None else default
        for value, key, default in ((start, "start", 0), (end, "end", len(run.t) - 1))
    )
    if not 0 <= first < last < len(run.t):
        raise ValueError(
            f"start and end must be two samples of {run.t[0]:g} … {run.t[-1]:g} s, "
            f"the second after the first, not {start} and {end}"
        )
    span = float(run.t[first]), float(run.t[last])

    def mean(values: Mapping[str, Array]) -> dict[str, float]:
        seconds = span[1] - span[0]
        means = {key: float(x[last] - x[first]) / seconds for key, x in values.items()}
        return {key: watts for key, watts in means.items() if watts != 0.0}

    return PowerFlow(name, span, mean(works), mean(stored))


def _of_motion(motion: Motion) -> tuple[str, dict[str, Array], dict[str, Array]]:
    ledger = motion.ledger
    works = dict(ledger.supplied) | {f"losses of {k}": -x for k, x in ledger.lost.items()}
    return motion.system.name, works, dict(ledger.stores)


def _of_run(run: Trajectory) -> tuple[str, dict[str, Array], dict[str, Array]]:
    if run.batch is not None:
        raise ValueError(f"this run has {run.batch} states: choose one, as in power_flow(run[0])")
    ledger = run.energy
    works = {
        f"{WORDS[kind]} {joint}": work
        for kind in BY_JOINT
        for joint, work in ledger.by_joint(kind).items()
    }
    works |= {name.replace("_", " "): ledger.work(name) for name in COUNTED}
    stored = {name: getattr(ledger, name) for name in STORED if name != "in_parts"}
    for name, (energy, work) in ledger.by_part().items():
        stored[name], works[name] = energy, work
    return run.model.name, works, stored


def _main(group: Mapping[str, float]) -> dict[str, float]:
    """Return those that matter, and the sum of the rest."""
    least = SMALL * max(map(abs, group.values()), default=0.0)
    large = {name: watts for name, watts in group.items() if abs(watts) >= least}
    rest = [watts for watts in group.values() if abs(watts) < least]
    return large | ({f"{len(rest)} others": sum(rest)} if rest else {})


def _ranked(values: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(values.items(), key=lambda each: -abs(each[1])))
