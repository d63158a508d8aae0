"""Base class of parts: where a part is attached, and the coordinates and law that the core gets."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import UnknownNameError, is_triple, number, numbers, pose, read_only
from tarsus._lib.errors import WORLD, Source
from tarsus._lib.files import Array
from tarsus.model.description import Record
from tarsus.model.model import Model

# The base of all parts, and what they become for the core.


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


# Where a part is attached: a frame of the model, a point in it, or a point of the world.


Where: TypeAlias = str | tuple[str, ArrayLike] | ArrayLike
"""A frame ("hand"), a point (x, y, z) or pose (4, 4) in it ("hand", point), or of the world."""

ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Place:
    """A frame at `placement` (4, 4) on moving body number `body`, −1 for the world."""

    body: int
    placement: Array

    def pose(self, poses: Array) -> Array:
        """Return where it is (1 or B, 4, 4), with the bodies at `poses` (B, n, 4, 4)."""
        if self.body < 0:
            return self.placement[None]
        return np.asarray(poses[:, self.body] @ self.placement)


IN_WORLD = Place(-1, read_only(np.eye(4)))
"""The origin of the world."""


def place_of(model: Model, where: Where, what: str) -> Place:
    """Return the place that a user means; `what` names the argument in errors."""
    name, at = split(where)
    if name == WORLD:
        return Place(-1, placement_of(at, what))
    try:
        frame = model.frame(name)
    except UnknownNameError as error:
        raise UnknownNameError(f"{what}: {error}") from None
    body = -1 if frame.body == WORLD else model.body(frame.body).index
    return Place(body, frame.placement @ placement_of(at, what))


def split(where: Where) -> tuple[str, Any]:
    """Return the frame's name and the point or pose in it."""
    if isinstance(where, str):
        return where, ORIGIN
    if isinstance(where, tuple) and len(where) == 2 and isinstance(where[0], str):
        return where[0], where[1]
    return WORLD, where


def pose_of(at: Any, what: str) -> Array:
    """Return a pose (4, 4), where a point would leave out how things are turned."""
    return pose(numbers(at, (4, 4), what), what)


def placement_of(at: Any, what: str) -> Array:
    """Return the placement (4, 4) of a point (3,) or of a pose (4, 4)."""
    if at is ORIGIN:
        return IN_WORLD.placement
    if not is_triple(at):
        return pose(numbers(at, (4, 4), what, accepted="(3,), a point, or (4, 4), a pose"), what)
    placement = IN_WORLD.placement.copy()
    placement[:3, 3] = numbers(at, (3,), what)
    return placement


# Joints that a part acts along.


def one_coordinate(model: Model, name: str, hint: str = "") -> None:
    """Raise unless the model has a joint `name` with one coordinate; `hint` ends the message."""
    joint = model.joint(name)
    if (joint.nq, joint.nv) != (1, 1):
        raise ValueError(f"joint {name!r} is {joint.kind}, must have one coordinate{hint}")
