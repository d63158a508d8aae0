"""The recording of a stage as a run: what films, tables and pages are made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.parts import Where
from tarsus.simulation import Trajectory
from tarsus.studio.document import Document
from tarsus.studio.looks import LINES
from tarsus.studio.quantities import quantities
from tarsus.studio.recording import Moment

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage


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
