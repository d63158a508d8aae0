"""Events of runs from Parquet files, which may come from anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus._lib.errors import ModelError
from tarsus.simulation.contact_record import Place
from tarsus.simulation.events import KINDS, NUMBERS, Events
from tarsus.simulation.exports import EVENT_NUMBERS, EVENT_VECTORS, OF_SURFACES
from tarsus.simulation.parquet_columns import EVENTS, Columns


def event_fields(columns: Columns) -> tuple[str, ...]:
    """Return what is read of events: surfaces that deform have two fields more."""
    return ("kind", *EVENT_NUMBERS, *EVENT_VECTORS, *_more(columns))


def _more(columns: Columns) -> tuple[str, ...]:
    return OF_SURFACES if columns.has_field(EVENTS, OF_SURFACES[0]) else ()


def read_events(columns: Columns, data: dict[str, Any], places: list[Place]) -> Events:
    """Return the events, which must be of places and joints that the metadata names."""
    counts, more = columns.counts(EVENTS), _more(columns)
    with columns.reading():
        rows = np.empty((int(counts.sum()), NUMBERS + len(more)))
        rows[:, 1] = columns.words(EVENTS, KINDS)
        for name, k in EVENT_NUMBERS.items():
            rows[:, k] = columns.field(EVENTS, name)[:, 0]
        for name, part in EVENT_VECTORS.items():
            rows[:, part] = columns.field(EVENTS, name, 3)
        for k, name in enumerate(more):
            rows[:, NUMBERS + k] = columns.field(EVENTS, name)[:, 0]
    joints = {name: _names(data.get(name), name) for name in ("limits", "frictions")}
    _check(rows[:, 1:3], {**joints, "places": places})
    state = np.repeat(np.arange(len(counts)), counts) // data["samples"]
    return Events(rows, state, places, joints["limits"], joints["frictions"])


def _names(stated: Any, what: str) -> list[str]:
    if not isinstance(stated, list) or any(type(name) is not str for name in stated):
        raise ModelError(f"{what} must be a list of names of joints")
    return stated


def _check(kinds: Any, known: dict[str, list[Any]]) -> None:
    """Raise if an event is of something that is not there."""
    for kind, index in kinds.astype(np.int64):
        word = KINDS[kind].split("_")
        of = {"limit": "limits", "joint": "frictions"}.get(word[0], "places")
        if not 0 <= index < len(known[of]):
            raise ModelError(f"an event has the index {index}, of {len(known[of])} {of}")
