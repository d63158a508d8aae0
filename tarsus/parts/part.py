"""The base of all parts, and what they become for the core."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.model.checks import number
from tarsus.model.description import Record, Source
from tarsus.parts.place import Place

Row = tuple[str, int, int]
"""Kind and axes of a row: ("position", i, 0), ("rotation", i, j), ("turn", i, 0)."""

POINT: tuple[Row, ...] = (("position", 0, 0), ("position", 1, 0), ("position", 2, 0))
TURNS: tuple[Row, ...] = (("turn", 0, 0), ("turn", 1, 0), ("turn", 2, 0))


@dataclass(frozen=True, eq=False)
class Statement:
    """A part by numbers: coordinates of frame b seen from frame a, and a law for them.

    `coordinates` is "frame" (its `rows`), "line" (the distance of the origins), "joint" (a sum of
    joint coordinates: `joints` are (name, ratio)), "path" (across the `path` (n, 3) on a), "body"
    (a wrench on b) or "field" (on all bodies). `target` is where frame a is on its body (4, 4) for
    frames, the value from which the coordinate is counted for others, and None for where things
    are when the part is added. `numbers` are those of the law, by name.
    """

    coordinates: str
    law: str
    a: Place | None = None
    b: Place | None = None
    rows: tuple[Row, ...] = ()
    joints: tuple[tuple[str, float], ...] = ()
    path: Array | None = None
    target: Any = None
    numbers: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Part(Record):
    """Something that acts on a mechanism: a constraint or a force, with a `name` of its own.

    `source` is where a file states it.

    Each kind is a file with its numbers, their checks and `statement`, what it is for the core.
    """

    kind: ClassVar[str]
    keeps: ClassVar[tuple[str, ...]] = ()
    """Names of what a state keeps of it, beside what it keeps of all parts."""

    name: str = field(default="", kw_only=True)
    source: Source | None = field(default=None, compare=False, repr=False, kw_only=True)

    def statement(self, model: Model) -> Statement:
        """Return the part by numbers, its names looked up in `model`."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"name is {self.name!r}, must be a word")

    def _check(self, **bounds: float) -> None:
        """Check numbers by name: each must be at least its bound, and finite unless a limit."""
        for name, least in bounds.items():
            value = number(getattr(self, name), name) if not _is_inf(self, name) else math.inf
            if value < least or (value == 0.0 and least > 0.0):
                what = "positive" if least > 0.0 else f"at least {least:g}"
                raise ValueError(f"{name} is {value:g}, must be {what}")

    def __repr__(self) -> str:
        """Return what was stated, without what is as in the defaults."""
        stated = sorted(
            (each for each in fields(self) if each.repr), key=lambda each: bool(each.kw_only)
        )
        values = ((each, getattr(self, each.name)) for each in stated)
        shown = [
            f"{each.name}={value!r}"
            for each, value in values
            if isinstance(value, np.ndarray) or value != each.default
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def _is_inf(part: Part, name: str) -> bool:
    value = getattr(part, name)
    return isinstance(value, float) and value == math.inf and "limit" in name
