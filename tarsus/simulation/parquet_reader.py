"""Runs from Parquet files, which may come from anywhere: all must fit the model that they hold."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.checks import numbers, suggestion
from tarsus._lib.errors import ModelError, Source
from tarsus.formats.native import from_data
from tarsus.formats.native_elements import mapping
from tarsus.formats.readers import build
from tarsus.formats.text import parse_json
from tarsus.geometry.grounds import KINDS, Ground, SmoothGround, Space, Terrain
from tarsus.geometry.height_field import HeightField, Profile, Steps
from tarsus.geometry.surfaces.graphs import Graph
from tarsus.model import Model
from tarsus.sensors.recorded import Recorded
from tarsus.simulation.contact_record import NUMBERS, STATES, Contacts, Place
from tarsus.simulation.convergence import Unsolved
from tarsus.simulation.ended import Ended
from tarsus.simulation.energy import FIXED
from tarsus.simulation.errors import RunFileError
from tarsus.simulation.exports import DEFORMATION, SENSOR, VECTORS, VERSION
from tarsus.simulation.parquet_columns import CONTACTS, EVENTS, Columns
from tarsus.simulation.parquet_events import event_fields, read_events
from tarsus.simulation.part_record import SIZE
from tarsus.simulation.trajectory import ARRAYS, PARTS, Failure, Trajectory

MAX_BYTES = 2 * 1024**3
"""Of all numbers of a run, unless the caller allows more."""

GROUNDS: dict[str, type[Terrain]] = {
    kind.__name__: kind for kind in (Ground, HeightField, Profile, SmoothGround, Space, Steps)
}
"""What a file may name as its ground."""

WIDTHS: dict[str, Callable[[Model], int]] = {
    "q": lambda m: m.nq,
    "v": lambda m: m.nv,
    "tau": lambda m: m.nv,
    "limits": lambda m: m.nv,
    "energy": lambda m: FIXED + 3 * m.nv + len(m.bodies),
    "statistics": lambda m: 5,
}
"""How many numbers each sample of a recording has."""

NAMES = ("state", "t", *ARRAYS, PARTS, CONTACTS, EVENTS)
"""Columns that a run may have: one with a name that was damaged must not go unseen."""

METADATA: dict[str, tuple[type, ...]] = {
    "version": (int,),
    "model": (dict,),
    "ground": (dict, type(None)),
    "settings": (dict,),
    "batch": (int, type(None)),
    "samples": (int,),
    "interrupted": (bool,),
    "failures": (list,),
    "places": (list,),
}
"""What the metadata must have, and of which types."""

FAILURE = {"state": (int,), "time": (float, int), "body": (str, type(None)), "cause": (str,)}


def read_parquet(
    path: Path,
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    max_bytes: int = MAX_BYTES,
) -> Trajectory:
    """Read what `write_parquet` wrote; a `RunFileError` if something in it does not fit."""
    columns, source = Columns(path), Source(str(path))
    try:
        data = _metadata(columns.metadata, source)
        model = build(from_data(data["model"], str(path), package_dirs), str(path))
        return _trajectory(columns, data, model, max_bytes)
    except ModelError as error:
        text = str(error) if error.source else f"{path}: {error}"
        raise RunFileError(text) from None


def _trajectory(columns: Columns, data: dict[str, Any], model: Model, max_bytes: int) -> Trajectory:
    batch, samples = data["batch"], data["samples"]
    shape = (samples,) if batch is None else (batch, samples)
    sensors = _sensors(data.get("sensors", {}))
    read = {SENSOR + name: sensor for name, sensor in sensors.items()}
    valid = (*NAMES, *read)
    for name in columns.names:
        if name not in valid:
            raise ModelError(f"it has the column {name!r}{suggestion(name, valid)}")
    widths = {name: WIDTHS[name](model) for name in ARRAYS if name in columns.names}
    if "energy" in widths and columns.width("energy") == widths["energy"] + 1:
        widths["energy"] += 1  # with what compliant contacts store
    parts = _parts(data.get("parts", []))
    if parts and PARTS in columns.names:
        widths[PARTS] = SIZE * len(parts)
    told = {name: sensor.size for name, sensor in read.items() if name in columns.names}
    _check(columns, samples * (batch or 1), widths | told)
    known = {CONTACTS: contact_fields, EVENTS: event_fields}
    fields = {name: known[name](columns) for name in known if name in columns.names}
    columns.load(("t", *widths, *told), fields, max_bytes)
    places = _places(data["places"])
    return Trajectory(
        model,
        columns.numbers("t")[:samples, 0],
        {name: columns.numbers(name, n).reshape(*shape, n) for name, n in widths.items()},
        _contacts(columns, shape, places) if CONTACTS in fields else None,
        _ground(data["ground"]),
        data["settings"],
        data["interrupted"],
        tuple(_failure(failure) for failure in data["failures"]),
        _unsolved(data.get("unsolved"), batch),
        ended=_ended(data.get("ended"), batch),
        parts_recorded=parts,
        happened=read_events(columns, data, places) if EVENTS in fields else None,
        sensed={
            name.removeprefix(SENSOR): columns.numbers(name, n).reshape(*shape, n)
            for name, n in told.items()
        },
        sensing=sensors,
    )


def _sensors(data: Any) -> dict[str, Recorded]:
    """Return what a file tells of sensors: names of their numbers, and units."""
    if not isinstance(data, dict):
        raise ModelError("sensors must be names with parts and units")
    for name, stated in data.items():
        fits = isinstance(stated, dict) and set(stated) == {"parts", "unit"}
        words = [*stated["parts"], stated["unit"]] if fits and type(stated["parts"]) is list else []
        if len(words) < 2 or {*map(type, words)} != {str}:
            raise ModelError(f"sensor {name!r} is {stated!r}, must have parts and a unit")
    return {name: Recorded(tuple(each["parts"]), each["unit"]) for name, each in data.items()}


def _parts(data: Any) -> tuple[tuple[str, int], ...]:
    """Return names of parts and how many coordinates each has."""
    if not isinstance(data, list):
        raise ModelError("parts must be a list of names and numbers")
    for part in data:
        fits = isinstance(part, list) and [type(x) for x in part] == [str, int]
        if not fits or not 0 <= part[1] <= 6:
            raise ModelError(f"a part is {part!r}, must be its name and how many rows it has")
    return tuple((name, rows) for name, rows in data)


def _metadata(known: bytes | None, source: Source) -> dict[str, Any]:
    if known is None:
        raise ModelError("the file was not written by tarsus", source)
    stated = parse_json(known.decode(errors="replace"), source, finite=False)
    data = mapping(stated, stated, tuple(METADATA), "the metadata", source)
    for key, types in METADATA.items():
        if type(data[key]) not in types:
            wanted = " or ".join(kind.__name__ for kind in types)
            raise ModelError(f"{key} of the metadata must be {wanted}", source)
    if data["version"] != VERSION:
        found = f"the file has version {data['version']}"
        raise ModelError(f"{found}, this is version {VERSION}", source)
    for key in ("batch", "samples"):
        if data[key] is not None and data[key] < 1:
            raise ModelError(f"{key} of the metadata is {data[key]}, must be above zero", source)
    return data


def _check(columns: Columns, rows: int, widths: dict[str, int]) -> None:
    """Raise unless there are as many rows as samples, and lists that fit the model in them."""
    if columns.rows != rows:
        raise ModelError(f"the file has {columns.rows} rows, must have one for {rows} samples")
    for name, width in widths.items():
        if (found := columns.width(name)) != width:
            raise ModelError(f"{name} has lists of {found} numbers, its model needs {width}")


def _places(stated: list[Any]) -> list[Place]:
    for place in stated:
        if not isinstance(place, list) or [type(name) for name in place] != [str] * 3:
            raise ModelError(f"a place is {place!r}, must be names of a body, another and a link")
    return [Place(*place) for place in stated]


def contact_fields(columns: Columns) -> tuple[str, ...]:
    """Return what is read of contacts: surfaces that deform have one field more."""
    more = (DEFORMATION,) if columns.has_field(CONTACTS, DEFORMATION) else ()
    return ("candidate", *VECTORS, "gap", "state", "work", *more)


def _contacts(columns: Columns, shape: tuple[int, ...], places: list[Place]) -> Contacts:
    counts = columns.counts(CONTACTS)
    sample = np.repeat(np.arange(len(counts)), counts)
    rows = np.empty((len(sample), NUMBERS))
    with columns.reading():
        rows[:, :1], rows[:, 10:11] = (columns.field(CONTACTS, x) for x in ("candidate", "gap"))
        for name, part in VECTORS.items():
            rows[:, part] = columns.field(CONTACTS, name, 3)
        rows[:, 11] = columns.words(CONTACTS, STATES)
        rows[:, 12:] = columns.field(CONTACTS, "work")
        deforms = columns.has_field(CONTACTS, DEFORMATION)
        deformed = columns.field(CONTACTS, DEFORMATION, 4) if deforms else None
    beyond = (rows[:, 0] < 0) | (rows[:, 0] >= len(places))
    if beyond.any():
        raise ModelError(f"a contact has candidate {rows[beyond, 0][0]:g}, of {len(places)} places")
    batched = sample // shape[-1], sample % shape[-1]
    return Contacts(rows, *batched, shape, places, deformed)


def _ground(data: dict[str, Any] | None) -> Terrain | None:
    if data is None:
        return None
    kind, values = data.get("kind"), data.get("values")
    if kind not in list(GROUNDS):
        raise ModelError(f"there is no ground {kind!r}{suggestion(kind, GROUNDS)}")
    try:
        if kind == SmoothGround.__name__:
            values = {**values, "surface": _surface(values["surface"])}  # type: ignore[dict-item, index]
        return GROUNDS[kind](**values)  # type: ignore[arg-type]
    except (TypeError, ValueError, KeyError) as error:
        raise ModelError(f"the ground {kind} cannot be made: {error}") from None


def _surface(data: Any) -> Graph:
    """Return the surface that a smooth ground was made of."""
    known = {kind.__name__: kind for kind in KINDS}
    if not isinstance(data, dict) or set(data) != {"kind", "numbers"} or data["kind"] not in known:
        raise ValueError(f"its surface is {data!r}, must be one of {', '.join(known)}")
    return known[data["kind"]](*data["numbers"])


def _failure(data: Any) -> Failure:
    fits = isinstance(data, dict) and set(data) == set(FAILURE)
    if not fits or any(type(data[key]) not in types for key, types in FAILURE.items()):
        raise ModelError(f"a failure is {data!r}, must have {', '.join(FAILURE)}")
    return Failure(**data)


def _ended(data: Any, batch: int | None) -> Ended:
    if data is None:  # written before runs could be ended
        return Ended()
    if not isinstance(data, list) or len(data) != 2:
        raise ModelError("ended must be the times and the reasons")
    one = isinstance(data[1], str)
    time = numbers(data[0], () if one else (batch or 1,), "times of ended")
    words = [data[1]] if one else data[1]
    if type(words) is not list or len(words) != time.size or {*map(type, words)} != {str}:
        raise ModelError("ended has reasons that are not one word for each state")
    return Ended(np.where(time < 0.0, np.inf, time), words[0] if one else tuple(words))


def _unsolved(data: Any, batch: int | None) -> Unsolved:
    if data is None:  # written before there was such a count
        return Unsolved()
    if not isinstance(data, list) or len(data) != 2:
        raise ModelError("unsolved must be the counts and the largest violations")
    shape = () if batch is None or np.isscalar(data[0]) else (batch,)
    count = numbers(data[0], shape, "counts of unsolved steps")
    worst = numbers(data[1], shape, "violations of unsolved steps", infinite=True)
    return Unsolved(count.astype(np.int64), worst)
