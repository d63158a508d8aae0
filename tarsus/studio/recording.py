"""Recording of a session, films, tables and drawings."""

from __future__ import annotations

import bisect
import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.files import Array, replacing
from tarsus.model.model import Model
from tarsus.parts.part import Where
from tarsus.simulation.integrators.methods import Integration
from tarsus.simulation.integrators.multistep import Adams
from tarsus.simulation.named_columns import named_columns
from tarsus.simulation.simulation import Simulation
from tarsus.simulation.trajectory import Trajectory
from tarsus.spatial import quaternion_from_rotation
from tarsus.studio.appearance import LINES
from tarsus.studio.document import Document
from tarsus.studio.language import LineError
from tarsus.studio.live_model import HAND, Machine
from tarsus.studio.quantities import Seen, quantities, values

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


# What has been recorded of a motion: states at moments, to go back and forth, and numbers.


MOST = 36_000
"""Moments that are kept: ten minutes."""


@dataclass(frozen=True, eq=False)
class Moment:
    """A state at a time, of the model that there was, and the numbers that were charted."""

    t: float
    model: Model
    q: Array
    v: Array
    values: dict[str, float] = field(default_factory=dict)
    passing: bool = False
    """Whether the next moment takes its place: so what is kept does not depend on pauses."""


class Recording:
    """Moments in the order of time; what comes after a moment to which one goes back is lost."""

    def __init__(self) -> None:
        self.moments: list[Moment] = []

    def note(
        self, t: float, machine: Machine, *, fresh: bool = False, passing: bool = False
    ) -> None:
        """Keep this moment, in the place of those that are not before it or that were `passing`."""
        last = self.moments[-1] if self.moments else None
        if last is not None and last.t == t and last.model is machine.model and not fresh:
            return
        while self.moments and (self.moments[-1].t >= t or self.moments[-1].passing):
            self.moments.pop()
        numbers = values(machine, machine.document.charts)
        self.moments.append(Moment(t, machine.model, machine.q, machine.v, numbers, passing))
        if len(self.moments) > MOST and not passing:
            del self.moments[1 : MOST // 10]  # the first is where `restart` goes

    def chart(self, machine: Machine, names: Sequence[str]) -> None:
        """Fill in numbers that are charted from now on, as far as moments tell them."""
        for moment in self.moments:
            if moment.model is machine.model:
                new = [name for name in names if name not in moment.values]
                seen = Seen(moment.model, moment.q, moment.v)
                moment.values.update(values(machine, new, seen))

    def at(self, t: float) -> Moment:
        """Return the last moment that is not after t, or the first."""
        place = bisect.bisect_right(self.moments, t + 1e-9, key=lambda moment: moment.t)
        return self.moments[max(place - 1, 0)]

    @property
    def span(self) -> tuple[float, float]:
        """The times of the first and the last moment [s]."""
        return self.moments[0].t, self.moments[-1].t


# The recording of a stage as a run: what films, tables and pages are made from.


@dataclass(frozen=True, eq=False)
class Film:
    """A run, what was charted in it (T,) with units, and lines of springs."""

    run: Trajectory
    charts: dict[str, Array]
    units: dict[str, str]
    lines: tuple[tuple[Where, Where], ...]

    @property
    def span(self) -> str:
        """From when to when it goes."""
        return f"t = {self.run.t[0]:.4g} … {self.run.t[-1]:.4g} s"


def films_of(stage: Stage) -> list[Film]:
    """Return the recording as films, one after the other: where bodies or joints change, one ends.

    The last is that of the machine as it is now. Edits of numbers end none.
    """
    pieces: list[list[Moment]] = []
    for moment in stage.recording.moments:
        if not pieces or looks_of(pieces[-1][-1].model) != looks_of(moment.model):
            pieces.append([])
        pieces[-1].append(moment)
    moved = [piece for piece in pieces[:-1] if len(piece) > 1]
    return [_film(stage, piece) for piece in [*moved, pieces[-1]]]


def picture_of(stage: Stage) -> Film:
    """Return a run of one moment: the one that is looked at, or now."""
    looking = stage.looking
    machine = stage.machine
    if looking is None or looking.model is not machine.model:
        looking = Moment(stage.t, machine.model, machine.q, machine.v)
    return Film(_run(stage.document, machine.model, [looking]), {}, {}, _lines(stage.document))


@lru_cache(maxsize=64)
def looks_of(model: Model) -> tuple[Any, ...]:
    """Return what of a model moments must share to be one film: coordinates, joints, shapes."""
    stated = model.description
    joints = [
        (x.name, x.kind, x.parent, x.child, _plain(x.placement), _plain(x.axis), x.pitch, x.radius)
        for x in stated.joints
    ]
    shapes = [(x.body, x.role, x.kind, _plain(x.size), _plain(x.placement)) for x in stated.shapes]
    places = [(x.name, x.q_slice, x.v_slice) for x in model.joints]
    return str(joints), str(shapes), str(places)


def _plain(numbers: Any) -> Any:
    return None if numbers is None else np.ravel(numbers).tolist()


def _film(stage: Stage, moments: list[Moment]) -> Film:
    """Return a film of moments of one machine, with its springs as they were at its end."""
    model = moments[-1].model
    documents = [edit.document for edit in stage.edits if edit.model is model]
    document = documents[-1] if documents else Document(model.description, ground=None)
    if model is stage.machine.model:
        document = stage.document
    return Film(_run(document, model, moments), *_charts(stage, moments), _lines(document))


def _run(document: Document, model: Model, moments: list[Moment]) -> Trajectory:
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


def _lines(document: Document) -> tuple[tuple[Where, Where], ...]:
    """Return the ends of springs, strings and the like."""
    drawn: list[Any] = [part for part in document.parts.values() if part.kind in LINES]
    return tuple((part.a, part.b) for part in drawn)


# A recording as a table of comma-separated values: a row each moment, names with units above.


def write_table(film: Film, path: Path) -> None:
    """Write times, coordinates, velocities and charted numbers, with all their bits.

    A number is left out where it was not charted.
    """
    columns = named_columns(film.run)
    columns |= {f"{name} [{film.units[name]}]": values for name, values in film.charts.items()}
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in zip(*(values.tolist() for values in columns.values()), strict=True):
            writer.writerow(["" if math.isnan(x) else x for x in row])


# Where frames of `step` go: to pages that look, to a file of poses, or nowhere.


COLUMNS = ("t", "body", "x", "y", "z", "qw", "qx", "qy", "qz")
HEADER = re.compile(rb"t,body,x,y,z,qw,qx,qy,qz\r?\n")
"""The first bytes of a file of poses."""


@dataclass(frozen=True)
class Drawing:
    """A convention for drawing: "bolio" (pages), "corpus" (a file of poses) or "null".

    A file has each n-th frame: n is `every`.
    """

    kind: str = "bolio"
    file: Path | None = None
    every: int = 1

    def begin(self, stage: Stage) -> None:
        """Start a file anew, with its header and the poses as they are now."""
        if self.kind == "corpus" and self.file is not None:
            with (
                stage.guard.writing(self.file, HEADER) as part,
                part.open("w", newline="") as opened,
            ):
                csv.writer(opened).writerow(COLUMNS)
        stage.frames = 0
        self._write(stage, None)

    def draw(self, stage: Stage, moment: Moment | None = None) -> None:
        """Draw a frame: as the machine is now, or as it was at a moment."""
        stage.frames += 1
        if stage.frames % self.every == 0:
            self._write(stage, moment)

    def _write(self, stage: Stage, moment: Moment | None) -> None:
        if self.file is None:
            return
        t, q = (stage.t, stage.machine.q) if moment is None else (moment.t, moment.q)
        with stage.guard.appending(self.file), self.file.open("a", newline="") as opened:
            rows = csv.writer(opened)
            poses = stage.machine.poses(q)
            for body, at in zip(stage.machine.bodies(), poses, strict=True):
                x, y, z, w = quaternion_from_rotation(at[:3, :3]).tolist()
                rows.writerow([t, body.name, *at[:3, 3].tolist(), w, x, y, z])


# Frames: the motion as it is asked for, at even times that are met to the bit of a clock.
#
# Frames are made of whole steps of the world. If an accuracy is set they come from Adams' method
# with steps of its own instead, as in the Virtual Erector Set, and are read where they were asked
# for (P. Schröder, MIT 1990, section 4.4; the thesis read them where the integrator had got to).


SAME = 1e-9
"""Frames that differ from whole steps by less, in parts of a step, are whole."""
MOST_FRAMES = 1_000_000
"""Steps that a frame may have."""


def go_on(stage: Stage, count: int) -> str:
    """Make frames, draw each, and return what had to be changed for it."""
    if stage.document.accuracy is not None:
        accurate(stage, count)
        return ""
    told = fit(stage)
    steps = round(stage.document.frame / stage.document.dt)
    # the line itself is noted, so that a take says frames
    noted = stage.take.mark
    for made in range(count):
        if stage.advance(steps) < steps:
            raise LineError(f"stopped after {made} of {count} frames, which are taken back")
        stage.drawing.draw(stage)
    stage.take.back_to(noted)
    return told


def fit(stage: Stage) -> str:
    """Make steps of the world as long as whole parts of a frame, if they are not."""
    frame, dt = stage.document.frame, stage.document.dt
    count = frame / dt
    whole = max(1, math.ceil(count - SAME))
    if whole > MOST_FRAMES:
        raise LineError(f"a frame of {frame:g} s would have {whole} steps of {dt:g} s")
    if abs(count - round(count)) <= SAME and round(count) >= 1:
        return ""
    stage.become(stage.document.but(dt=frame / whole), "step")
    return f"steps are of {frame / whole:.9g} s now, {whole} in a frame"


def accurate(stage: Stage, count: int) -> None:
    """Make frames by Adams' method, from now as a new beginning."""
    check_smooth(stage)
    machine, document = stage.machine, stage.document
    simulation = _smooth(machine)
    run = simulation.run(machine.q, machine.v, duration=count * document.frame, progress=False)
    if len(run.t) != count + 1:
        raise LineError(f"the integrator stopped at t = {stage.t + run.t[-1]:g} s")
    base, model = stage.t, machine.model
    stage.statistics = run.integration
    for k in range(1, count + 1):
        q, v = run.q[k], run.v[k]
        numbers = values(machine, document.charts, Seen(model, q, v))
        moment = Moment(base + k * document.frame, model, q, v, numbers)
        stage.recording.moments.append(moment)
        stage.drawing.draw(stage, moment)
    stage.begin_at(run.q[-1], run.v[-1], base + count * document.frame)


def report(stage: Stage) -> str:
    """Return what the integrator did: steps, calls, order, accuracy."""
    document = stage.document
    done: Integration | None = stage.statistics
    if document.accuracy is None:
        since = round((stage.t - stage.machine.began_at) / document.dt)
        return (
            f"fixed steps, semi-implicit: last step {document.dt:g} s, next step {document.dt:g} s,"
            f" {since} steps and {since} calls since the restart, order 1, no accuracy goals; "
            "sacc -r X -a X lets step integrate with Adams' method"
        )
    relative, absolute = document.accuracy
    goals = f"absolute accuracy {absolute:g}, relative accuracy {relative:g}"
    if done is None:
        return f"Adams' method, no steps yet; {goals}"
    return (
        f"Adams' method: last step {done.last_step:g} s, next step {done.next_step:g} s, "
        f"{done.steps:.0f} steps and {done.rates:.0f} calls since the restart, "
        f"order {done.order:.0f}; {goals}"
    )


def check_smooth(stage: Stage) -> None:
    """Raise where the world is none for Adams' method, because something may touch or stop."""
    machine, document = stage.machine, stage.document
    if document.ground is not None:
        raise LineError("accuracy is for worlds without ground: set ground -on off")
    if machine.simulation.started().worlds.places:
        raise LineError("accuracy is for worlds where nothing touches: add bodies -touches off")
    if document.controller is not None:
        raise LineError("accuracy is for machines without a controller")
    for joint in machine.model.joints:
        if np.isfinite([*np.ravel(joint.lower), *np.ravel(joint.upper)]).any():
            raise LineError(f"accuracy is for joints without limits, {joint.name} has some")


def _smooth(machine: Machine) -> Simulation:
    """Return a simulation of the machine as it is, whose steps are Adams' own."""
    document = machine.document
    assert document.accuracy is not None
    found = Simulation(
        machine.model, dt=document.frame, integrator=Adams(*document.accuracy), forces=()
    )
    for name, handle in machine.simulation.parts.items():
        part: Any = handle.part
        if name == HAND:
            part = replace(part, target=handle.target[:3])
        found.add(part).on = bool(handle.on)
    return found
