"""Run files: all that a run recorded, with its model and ground, in one compressed .npz file.

Numbers of samples, contacts, events and sensors are arrays that `numpy.load` reads: t, q, v, tau,
energy, contact_rows, sensor_0 … The array `metadata` is a text in JSON with the rest: model,
ground, settings, names. A file may come from anywhere: everything in it is checked against the
model that it states before a run is made of it.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import suggestion
from tarsus._lib.data import decode, encode
from tarsus._lib.errors import ModelError, Source
from tarsus.formats.native import from_data, to_data
from tarsus.formats.native_elements import mapping
from tarsus.formats.readers import build
from tarsus.formats.text import parse_json
from tarsus.geometry.grounds import KINDS as SURFACES
from tarsus.geometry.grounds import Ground, SmoothGround, Space, Terrain
from tarsus.geometry.height_field import HeightField, Profile, Steps
from tarsus.model import Model
from tarsus.sensors.recorded import Recorded
from tarsus.simulation import contact_record, events
from tarsus.simulation.array_file import read_arrays, write_arrays
from tarsus.simulation.contact_record import STATES, Contacts, Place
from tarsus.simulation.convergence import Unsolved
from tarsus.simulation.ended import Ended
from tarsus.simulation.energy import FIXED
from tarsus.simulation.errors import RunFileError
from tarsus.simulation.events import Events
from tarsus.simulation.integrators.methods import COUNTED, Integration
from tarsus.simulation.part_record import SIZE
from tarsus.simulation.trajectory import ARRAYS, PARTS, Failure, Trajectory

FORMAT, VERSION = "tarsus run", 1
METADATA = "metadata"
WHAT = "a saved run"

MAX_BYTES = 2 * 1024**3
"""Of all numbers of a run, unless the caller allows more."""

GROUNDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (Ground, HeightField, Profile, SmoothGround, Space, Steps, *SURFACES)
}
"""What a file may name as its ground, and surfaces of smooth grounds."""

WIDTHS: dict[str, Callable[[Model], tuple[int, ...]]] = {
    "q": lambda m: (m.nq,),
    "v": lambda m: (m.nv,),
    "tau": lambda m: (m.nv,),
    "limits": lambda m: (m.nv,),
    # one more with what compliant contacts store
    "energy": lambda m: (FIXED + 3 * m.nv + len(m.bodies), FIXED + 3 * m.nv + len(m.bodies) + 1),
    "statistics": lambda m: (5,),
}
"""How many numbers each sample of a recording may have."""

STATED: dict[str, tuple[type, ...]] = {
    "format": (str,),
    "version": (int,),
    "arrays": (list,),
    "model": (dict,),
    "ground": (dict, type(None)),
    "settings": (dict,),
    "batch": (int, type(None)),
    "samples": (int,),
    "interrupted": (bool,),
    "failures": (list,),
    "unsolved": (list,),
    "ended": (list,),
    "parts": (list,),
    "places": (list,),
    "event_places": (list,),
    "limits": (list,),
    "frictions": (list,),
    "sensors": (list,),
    "integration": (dict, type(None)),
}
"""What the metadata must have, and of which types."""

FAILURE = {"state": (int,), "time": (float, int), "body": (str, type(None)), "cause": (str,)}


def write_run(run: Trajectory, path: Path) -> None:
    """Write a run to a .npz file."""
    arrays: dict[str, NDArray[Any]] = {"t": run.t, **run.recorded}
    arrays |= {f"sensor_{k}": readings for k, readings in enumerate(run.sensed.values())}
    if run.touched is not None:
        arrays["contact_rows"] = run.touched.rows
        arrays["contact_state"] = run.touched.state_index
        arrays["contact_sample"] = run.touched.sample
        if run.touched.deforms:
            arrays["contact_deformation"] = run.touched.deformation
    if run.happened is not None:
        arrays["event_rows"] = run.happened.rows
        arrays["event_state"] = run.happened.state_index
    data = {"format": FORMAT, "version": VERSION, "arrays": list(arrays), **_metadata(run)}
    text = np.frombuffer(json.dumps(data).encode("ascii"), np.uint8)
    write_arrays(path, {METADATA: text, **arrays}, compressed=True)


def _metadata(run: Trajectory) -> dict[str, Any]:
    happened = run.happened
    return {
        "model": to_data(run.model.description),
        "ground": encode(run.ground, "the ground", GROUNDS),
        "settings": encode(run.settings, "settings"),
        "batch": run.batch,
        "samples": len(run),
        "interrupted": run.interrupted,
        "failures": [encode(dataclasses.asdict(failure)) for failure in run.failures],
        "unsolved": [encode(run.unsolved.count), encode(run.unsolved.worst)],
        "ended": [encode(np.asarray(run.ended.time)), encode(run.ended.why)],
        "parts": [list(part) for part in run.parts_recorded],
        "places": [] if run.touched is None else [list(place) for place in run.touched.places],
        "event_places": [] if happened is None else [list(place) for place in happened.places],
        "limits": [] if happened is None else list(happened.limits),
        "frictions": [] if happened is None else list(happened.frictions),
        "sensors": [
            {"name": name, "parts": list(run.sensing[name].parts), "unit": run.sensing[name].unit}
            for name in run.sensed
        ],
        "integration": encode(run.integration, "integration", {"Integration": Integration}),
    }


def read_run(
    path: Path,
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    max_bytes: int = MAX_BYTES,
) -> Trajectory:
    """Read what `write_run` wrote; a `RunFileError` if something in it does not fit."""
    arrays, source = read_arrays(path, WHAT, max_bytes), Source(str(path))
    try:
        data = _stated(arrays.pop(METADATA, None), source)
        if sorted(arrays) != sorted(map(str, data["arrays"])):
            raise ModelError(f"it has the arrays {', '.join(arrays)}, states {data['arrays']}")
        model = build(from_data(data["model"], str(path), package_dirs), str(path))
        return _Reader(arrays, data, model).run()
    except ModelError as error:
        raise RunFileError(str(error) if error.source else f"{path}: {error}") from None
    except (ValueError, TypeError) as error:
        raise RunFileError(f"{path}: {error}") from None


def _stated(text: NDArray[Any] | None, source: Source) -> dict[str, Any]:
    """Return the metadata."""
    if text is None or text.dtype != np.uint8 or text.ndim != 1:
        raise ModelError("the file is no run that was saved by tarsus", source)
    stated = parse_json(text.tobytes().decode("ascii", "replace"), source, finite=False)
    data = mapping(stated, tuple(STATED), tuple(STATED), "the metadata", source)
    for key, types in STATED.items():
        if type(data[key]) not in types:
            valid = " or ".join(kind.__name__ for kind in types)
            raise ModelError(f"{key} of the metadata must be {valid}", source)
    if data["format"] != FORMAT or data["version"] != VERSION:
        found = f"format {data['format']!r}, version {data['version']}"
        raise ModelError(f"the file has {found}, must have {FORMAT!r}, {VERSION}", source)
    for key in ("batch", "samples"):
        if data[key] is not None and data[key] < 1:
            raise ModelError(f"{key} of the metadata is {data[key]}, must be above zero", source)
    return data


class _Reader:
    """Makes a run of arrays and metadata; each part is checked when it is taken."""

    def __init__(
        self, arrays: dict[str, NDArray[Any]], data: Mapping[str, Any], model: Model
    ) -> None:
        self.arrays, self.data, self.model = arrays, data, model
        self.batch: int | None = data["batch"]
        samples: int = data["samples"]
        self.shape = (samples,) if self.batch is None else (self.batch, samples)

    def run(self) -> Trajectory:
        """Return the run; what is left of the arrays then is an error."""
        data, model = self.data, self.model
        parts = _parts(data["parts"])
        widths = {name: find(model) for name, find in WIDTHS.items() if name in self.arrays}
        if PARTS in self.arrays:
            widths[PARTS] = (SIZE * len(parts),)
        sensors = _sensors(data["sensors"])
        made = Trajectory(
            model,
            self._numbers("t", (self.shape[-1],)),
            {
                name: self._samples(name, widths[name])
                for name in (*ARRAYS, PARTS)
                if name in widths
            },
            self._contacts() if "contact_rows" in self.arrays else None,
            self._ground(),
            self._settings(),
            data["interrupted"],
            tuple(_failure(failure, self.batch) for failure in data["failures"]),
            self._unsolved(),
            ended=self._ended(),
            parts_recorded=parts,
            happened=self._events() if "event_rows" in self.arrays else None,
            sensed={
                name: self._samples(f"sensor_{k}", (sensor.size,))
                for k, (name, sensor) in enumerate(sensors.items())
            },
            sensing=sensors,
            integration=self._integration(),
        )
        if self.arrays:
            raise ModelError(f"it has arrays that no run has: {', '.join(self.arrays)}")
        if not made.recorded and made.touched is None:
            raise ModelError("it has neither states nor contacts")
        return made

    def _samples(self, name: str, widths: tuple[int, ...]) -> NDArray[Any]:
        """Take numbers of all samples, as many for each as one of the widths."""
        array = self.arrays.get(name)
        last = None if array is None else array.shape[-1:]
        width = next((n for n in widths if last == (n,)), widths[0])
        return self._numbers(name, (*self.shape, width))

    def _numbers(
        self, name: str, shape: tuple[int, ...], kind: type[Any] = np.float64
    ) -> NDArray[Any]:
        """Take an array of that shape; −1 stands for any number of rows."""
        if name not in self.arrays:
            raise ModelError(f"it has no array {name!r}{suggestion(name, self.arrays)}")
        array = self.arrays.pop(name)
        fits = len(array.shape) == len(shape) and all(
            m in (-1, n) for n, m in zip(array.shape, shape, strict=True)
        )
        if array.dtype != kind or not fits:
            valid = f"{np.dtype(kind)} of shape {shape}".replace("-1", "n")
            raise ModelError(f"{name} is {array.dtype} of shape {array.shape}, must be {valid}")
        return array

    def _index(self, name: str, rows: int, limit: int) -> NDArray[np.int64]:
        """Take integers from 0 to below a limit, one for each row."""
        index = self._numbers(name, (rows,), np.int64)
        _check_indices(index, limit, name)
        return index

    def _contacts(self) -> Contacts:
        places = _places(self.data["places"])
        rows = self._numbers("contact_rows", (-1, contact_record.NUMBERS))
        _check_indices(rows[:, 0], len(places), "the candidate of a contact")
        _check_indices(rows[:, 11], len(STATES), "the state of a contact")
        deformation = None
        if "contact_deformation" in self.arrays:
            deformation = self._numbers("contact_deformation", (len(rows), 4))
        return Contacts(
            rows,
            self._index("contact_state", len(rows), self.batch or 1),
            self._index("contact_sample", len(rows), self.shape[-1]),
            self.shape,
            places,
            deformation,
        )

    def _events(self) -> Events:
        known = {name: _names(self.data[name], name) for name in ("limits", "frictions")}
        places = _places(self.data["event_places"])
        more = self.arrays["event_rows"].shape[-1:] == (events.NUMBERS + 2,)
        rows = self._numbers("event_rows", (-1, events.NUMBERS + 2 * more))
        _check_indices(rows[:, 1], len(events.KINDS), "the kind of an event")
        for k, kind in enumerate(events.KINDS):
            of = {"limit": "limits", "joint": "frictions"}.get(kind.split("_")[0], "places")
            limit = len(known[of]) if of in known else len(places)
            _check_indices(rows[rows[:, 1] == k, 2], limit, f"the index of an event in {of}")
        state = self._index("event_state", len(rows), self.batch or 1)
        return Events(rows, state, places, known["limits"], known["frictions"])

    def _ground(self) -> Terrain | None:
        ground = decode(self.data["ground"], "the ground", GROUNDS)
        if ground is not None and not isinstance(ground, Terrain):
            raise ModelError(f"the ground is {self.data['ground']!r}, must be a ground")
        return ground

    def _settings(self) -> dict[str, Any]:
        settings = decode(self.data["settings"], "settings")
        if not isinstance(settings, dict):
            raise ModelError("settings of the metadata must be values by name")
        return settings

    def _unsolved(self) -> Unsolved:
        count, worst = _pair(self.data["unsolved"], "unsolved")
        return Unsolved(
            self._of_states(count, np.int64, "counts of unsolved steps"),
            self._of_states(worst, np.float64, "violations of unsolved steps"),
        )

    def _ended(self) -> Ended:
        time, why = _pair(self.data["ended"], "ended")
        time = self._of_states(time, np.float64, "times of ended")
        words = [why] if isinstance(why, str) else why
        if (time.ndim == 0) != isinstance(why, str) or not (
            isinstance(words, (tuple, list)) and len(words) == time.size
        ):
            raise ModelError("ended has reasons that are not one word for each state")
        _names(list(words), "reasons of ended")
        return Ended(time, why if isinstance(why, str) else tuple(why))

    def _of_states(self, array: Any, kind: type[Any], what: str) -> NDArray[Any]:
        """Return one number, or one for each state."""
        shapes = ((), (self.batch,))
        if not isinstance(array, np.ndarray) or array.dtype != kind or array.shape not in shapes:
            raise ModelError(f"{what} are {array!r}, must be {np.dtype(kind)} of each state")
        return array

    def _integration(self) -> Integration | None:
        found = decode(self.data["integration"], "integration", {"Integration": Integration})
        if found is None:
            return None
        if not isinstance(found, Integration) or not isinstance(found.name, str):
            raise ModelError("integration must be the statistics of an integrator")
        for name in ("rtol", "atol", *COUNTED):
            value = np.asarray(getattr(found, name))
            if value.dtype.kind not in "iuf" or value.shape not in ((), (self.batch,)):
                raise ModelError(f"{name} of integration is {value!r}, must be a number per state")
        return found


def _pair(data: list[Any], what: str) -> tuple[Any, Any]:
    if len(data) != 2:
        raise ModelError(f"{what} of the metadata must be two values")
    return decode(data[0], what), decode(data[1], what)


def _check_indices(values: NDArray[Any], limit: int, what: str) -> None:
    """Raise unless all values are whole numbers from 0 to below the limit."""
    good = (values >= 0) & (values < limit) & (values == np.floor(values))
    if not good.all():
        raise ModelError(f"{what} is {values[~good][0]:g}, must be an index of {limit}")


def _sensors(data: list[Any]) -> dict[str, Recorded]:
    """Return what a file tells of sensors: names of their numbers, and units."""
    found = {}
    for each in data:
        fits = isinstance(each, dict) and set(each) == {"name", "parts", "unit"}
        if not fits or not _names(each["parts"], "parts of a sensor") or each["name"] in found:
            raise ModelError(f"a sensor is {each!r}, must have a name, parts and a unit")
        name, unit = _names([each["name"], each["unit"]], "the name and the unit of a sensor")
        found[name] = Recorded(tuple(each["parts"]), unit)
    return found


def _parts(data: list[Any]) -> tuple[tuple[str, int], ...]:
    """Return names of parts and how many coordinates each has."""
    for part in data:
        fits = isinstance(part, list) and [type(x) for x in part] == [str, int]
        if not fits or not 0 <= part[1] <= 6:
            raise ModelError(f"a part is {part!r}, must be its name and how many rows it has")
    return tuple((name, rows) for name, rows in data)


def _places(stated: list[Any]) -> list[Place]:
    for place in stated:
        if not isinstance(place, list) or [type(name) for name in place] != [str] * 3:
            raise ModelError(f"a place is {place!r}, must be names of a body, another and a link")
    return [Place(*place) for place in stated]


def _names(stated: Any, what: str) -> list[str]:
    if not isinstance(stated, list) or any(type(name) is not str for name in stated):
        raise ModelError(f"{what} must be a list of names")
    return stated


def _failure(data: Any, batch: int | None) -> Failure:
    fits = isinstance(data, dict) and set(data) == set(FAILURE)
    values = {key: decode(each) for key, each in data.items()} if fits else {}
    if not fits or any(type(values[key]) not in types for key, types in FAILURE.items()):
        raise ModelError(f"a failure is {data!r}, must have {', '.join(FAILURE)}")
    if batch is not None:  # a state of a batch, taken out of it, keeps its number
        _check_indices(np.array([values["state"]]), batch, "the state of a failure")
    return Failure(**values)
