"""The recording of a stage as a run: what films, tables and pages are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.parts import Where
from tarsus.simulation import Trajectory
from tarsus.studio.looks import LINES
from tarsus.studio.quantities import quantities
from tarsus.studio.recording import Moment

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage


@dataclass(frozen=True, eq=False)
class Film:
    """A run, what was charted in it (T,) with units, lines of springs, and what was left out."""

    run: Trajectory
    charts: dict[str, Array]
    units: dict[str, str]
    lines: tuple[tuple[Where, Where], ...]
    left_out: str = ""


def film_of(stage: Stage) -> Film:
    """Return the recording since the machine was last changed, up to its end."""
    moments = stage.recording.moments
    model = stage.machine.model
    first = len(moments)
    while first > 0 and moments[first - 1].model is model:
        first -= 1
    shown = moments[first:]
    left_out = ""
    if first:
        begin, end = moments[0].t, moments[first - 1].t
        left_out = f"from {begin:.4g} to {end:.4g} s it was another machine, which is left out"
    return Film(_run(stage, shown), *_charts(stage, shown), _lines(stage), left_out)


def picture_of(stage: Stage) -> Film:
    """Return a run of one moment: the one that is looked at, or now."""
    looking = stage.looking
    machine = stage.machine
    if looking is None or looking.model is not machine.model:
        looking = Moment(stage.t, machine.model, machine.q, machine.v)
    return Film(_run(stage, [looking]), {}, {}, _lines(stage))


def _run(stage: Stage, moments: list[Moment]) -> Trajectory:
    document, model = stage.document, stage.machine.model
    states = {
        "q": np.array([moment.q for moment in moments]).reshape(-1, model.nq),
        "v": np.array([moment.v for moment in moments]).reshape(-1, model.nv),
    }
    settings: dict[str, Any] = {"dt": document.dt, "contact": str(document.contact)}
    t = np.array([moment.t for moment in moments])
    return Trajectory(model, t, states, ground=document.ground, settings=settings)


def _charts(stage: Stage, moments: list[Moment]) -> tuple[dict[str, Array], dict[str, str]]:
    """Return what is charted at moments (T,), NaN where it was not, and the units."""
    known = quantities(stage.machine)
    names = [name for name in stage.document.charts if name in known]
    found = {name: np.array([m.values.get(name, np.nan) for m in moments]) for name in names}
    return found, {name: known[name].unit for name in names}


def _lines(stage: Stage) -> tuple[tuple[Where, Where], ...]:
    """Return the ends of springs, strings and the like."""
    drawn: list[Any] = [part for part in stage.document.parts.values() if part.kind in LINES]
    return tuple((part.a, part.b) for part in drawn)
