"""Recorded lines of a session, and parts as statements."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus.geometry.grounds import Ground, SmoothGround, Space
from tarsus.geometry.height_field import HeightField, Profile, Steps
from tarsus.geometry.surfaces.graphs import Paraboloid, Plane, Sinusoid
from tarsus.simulation.contact.compliant import NORMAL_LAWS, SLIP_LAWS
from tarsus.simulation.contact.law import LAWS
from tarsus.simulation.integrators.integrator import INTEGRATORS

# A take: all lines that were said, with the steps between them. It is a script.


class Take:
    """Lines in order; steps that follow each other are one line."""

    def __init__(self, lines: Iterable[str] = (), steps: int = 0) -> None:
        self.lines = list(lines)
        self._steps = steps

    def note(self, line: str) -> None:
        """Note a line that changes something."""
        if self._steps:
            self.lines.append(f"advance {self._steps}")
            self._steps = 0
        self.lines.append(line)

    def note_steps(self, count: int) -> None:
        """Note that the motion went on."""
        self._steps += count

    def script(self) -> str:
        """Return the take as a script, a line each."""
        last = [f"advance {self._steps}"] if self._steps else []
        return "".join(f"{line}\n" for line in [*self.lines, *last])

    @property
    def mark(self) -> tuple[int, int]:
        """Where the take is now, for `back_to`."""
        return len(self.lines), self._steps

    def back_to(self, mark: tuple[int, int]) -> None:
        """Forget what was noted since a mark."""
        if len(self.lines) > mark[0]:
            del self.lines[mark[0] :]
        self._steps = mark[1]


# Settings of a world as plain data and back: grounds, laws of contact, integrators, numbers.
#
# A file may come from anywhere: it states kinds that are listed here and their numbers, nothing
# that runs. Numbers keep their bits; those that JSON does not know are `{"number": "inf"}`.


KINDS: Mapping[str, type[Any]] = {
    each.__name__: each
    for each in (
        *(Ground, Space, Profile, Steps, HeightField, SmoothGround, Plane, Paraboloid, Sinusoid),
        *LAWS.values(),
        *NORMAL_LAWS.values(),
        *SLIP_LAWS.values(),
        *INTEGRATORS.values(),
    )
}
"""All that a file may state, by name."""
NUMBERS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def plain(value: Any, what: str) -> Any:
    """Return a value as data for JSON; a `TypeError` with `what` if no file can keep it."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else {"number": str(float(value))}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {"array": plain(value.tolist(), what)}
    if isinstance(value, tuple):
        return {"tuple": [plain(each, what) for each in value]}
    if isinstance(value, list):
        return [plain(each, what) for each in value]
    if isinstance(value, Mapping):
        return {"map": {str(name): plain(each, what) for name, each in value.items()}}
    if KINDS.get(type(value).__name__) is type(value):
        stated = {name: plain(getattr(value, name), f"{what}: {name}") for name in _stated(value)}
        return {"kind": type(value).__name__, **stated}
    raise TypeError(f"{what} is of type {type(value).__name__}, which no file can keep")


def unplain(data: Any, what: str) -> Any:
    """Return the value that `plain` made `data` from; a `ValueError` if it is none."""
    if isinstance(data, list):
        return [unplain(each, what) for each in data]
    if not isinstance(data, dict):
        return data
    if "kind" in data:
        return _made(data, what)
    if len(data) == 1:
        (key, inner), *_ = data.items()
        if key == "number" and inner in list(NUMBERS):
            return NUMBERS[inner]
        if key == "array" and isinstance(inner, list):
            return _array(unplain(inner, what), what)
        if key == "tuple" and isinstance(inner, list):
            return tuple(unplain(each, what) for each in inner)
        if key == "map" and isinstance(inner, dict):
            return {name: unplain(each, f"{what}: {name}") for name, each in inner.items()}
    raise ValueError(f"{what} has {', '.join(map(str, data)) or 'nothing'}, which is no value")


def _stated(value: Any) -> list[str]:
    """Return the names of what a statement is made with."""
    return [field.name for field in dataclasses.fields(value) if field.init]


def _made(data: dict[str, Any], what: str) -> Any:
    kind = data["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"{what}: there is no kind {kind!r}{suggestion(kind, KINDS)}")
    names = _stated(KINDS[kind])
    values = {key: unplain(each, f"{what}: {key}") for key, each in data.items() if key != "kind"}
    for name in values:
        if name not in names:
            raise ValueError(f"{what}: a {kind} has no {name!r}{suggestion(name, names)}")
    try:
        return KINDS[kind](**values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what}: {error}") from None


def _array(nested: list[Any], what: str) -> Any:
    try:
        found = np.array(nested)
    except ValueError:  # lists of different lengths
        found = np.array([""])
    if found.dtype.kind not in "biuf":
        raise ValueError(f"{what} must be an array of numbers")
    return found
