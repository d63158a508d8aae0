"""Rigid constraints at run time: nails, distances, orientations, planes, joints and welds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import flag, numbers, suggestion
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.loops import ALIGNED, EQUATIONS
from tarsus.model.model import Model
from tarsus.parts.part import (
    IN_WORLD,
    POINT,
    TURNS,
    Part,
    Row,
    Statement,
    Where,
    place_of,
    placement_of,
    pose_of,
)

# What all constraints have in common: a time constant, and a limit of force.
#
# A gap C that is open closes as C̈ + 2 Ċ/τ + C/τ² = 0, critically damped, in the metric of the
# masses (Schröder 1990, section 5.2); without a time constant it closes in a few steps. What has
# closed stays so whatever pulls, up to `limit`.


@dataclass(frozen=True, eq=False, repr=False)
class Rigid(Part):
    """A constraint with a `time_constant` τ [s] (zero: at once) and a `limit` of force [N, N m]."""

    time_constant: float = field(default=0.0, kw_only=True)
    limit: float = field(default=float("inf"), kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(time_constant=0.0, limit=0.0)

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers of the law, by name."""
        return {"time_constant": self.time_constant, "limit": self.limit}


# A nail: a point of a body stays where it is in the world, or its whole pose does.


@dataclass(frozen=True, eq=False, repr=False)
class Nail(Rigid):
    """Holds the point `where` at `target`, (3,) or (4, 4) in the world, or where it is.

    With `pose` it holds the orientation, too, and a target is a pose (4, 4). The handle's `target`
    may be moved.
    """

    kind: ClassVar[str] = "nail"

    where: Where
    target: ArrayLike | None = None
    pose: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        flag(self.pose, "pose")

    def statement(self, model: Model) -> Statement:
        """Return three or six coordinates of the place in the world, held."""
        target = self.target
        if target is not None:
            target = (pose_of if self.pose else placement_of)(target, "target")
        return Statement(
            "frame",
            "rigid",
            IN_WORLD,
            place_of(model, self.where, "where"),
            rows=(*POINT, *TURNS) if self.pose else POINT,
            target=target,
            numbers=self.numbers,
        )


# Two points keep their distance, as by a rod with ball joints.


@dataclass(frozen=True, eq=False, repr=False)
class Distance(Rigid):
    """Holds the distance of the points `a` and `b` at `length` [m], or as it is when added."""

    kind: ClassVar[str] = "distance"

    a: Where
    b: Where
    length: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length is not None:
            self._check(length=1e-9)

    def statement(self, model: Model) -> Statement:
        """Return the line between the points, held."""
        return Statement(
            "line",
            "rigid",
            place_of(model, self.a, "a"),
            place_of(model, self.b, "b"),
            target=self.length,
            numbers=self.numbers,
        )


# A body keeps its orientation, in the world or as seen from another body.


@dataclass(frozen=True, eq=False, repr=False)
class Orientation(Rigid):
    """Holds the orientation of `where` seen from `of`: `target` (4, 4) there, or as it is."""

    kind: ClassVar[str] = "orientation"

    where: Where
    target: ArrayLike | None = None
    of: Where = WORLD

    def statement(self, model: Model) -> Statement:
        """Return the three turns of the frame, held."""
        a = place_of(model, self.of, "of")
        target = None if self.target is None else a.placement @ pose_of(self.target, "target")
        return Statement(
            "frame",
            "rigid",
            a,
            place_of(model, self.where, "where"),
            rows=TURNS,
            target=target,
            numbers=self.numbers,
        )


# A point stays in a plane, of the world or of a body.


@dataclass(frozen=True, eq=False, repr=False)
class PointInPlane(Rigid):
    """Holds the point `where` in the plane with `normal` (3,) through `point` (3,), both in `of`.

    Without a `point` the plane goes through where it is when it is added.
    """

    kind: ClassVar[str] = "point_in_plane"

    where: Where
    normal: ArrayLike = (0.0, 0.0, 1.0)
    point: ArrayLike | None = None
    of: Where = WORLD

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.linalg.norm(numbers(self.normal, (3,), "normal")) > 0.0:
            raise ValueError("normal is zero, must have a direction")

    def statement(self, model: Model) -> Statement:
        """Return the coordinate along the normal, held."""
        a = place_of(model, self.of, "of")
        axes = a.placement.copy()
        axes[:3, :3] = a.placement[:3, :3] @ along(numbers(self.normal, (3,), "normal"))
        target = None
        if self.point is not None:
            target = axes.copy()
            target[:3, 3] += a.placement[:3, :3] @ numbers(self.point, (3,), "point")
        return Statement(
            "frame",
            "rigid",
            type(a)(a.body, axes),
            place_of(model, self.where, "where"),
            rows=(("position", 2, 0),),
            target=target,
            numbers=self.numbers,
        )


def along(direction: Array) -> Array:
    """Return a rotation (3, 3) whose z is along `direction`."""
    z = direction / np.linalg.norm(direction)
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


# Joints at run time: two places meet as a joint of any kind would have it.


JOINTS = tuple(EQUATIONS)
"""Kinds of joints that can be made at run time."""


@dataclass(frozen=True, eq=False, repr=False)
class Joint(Rigid):
    """Joins place `b` to place `a` by a joint of the `joint` kind, about or along z of both.

    Kinds are weld, revolute, prismatic, universal, cylindrical, spherical, planar, point_on_line.
    `where_they_are` takes frame a to be where frame b is when the joint is added.
    """

    kind: ClassVar[str] = "joint"

    joint: str
    a: Where
    b: Where
    where_they_are: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.joint not in JOINTS:
            raise ValueError(f"unknown joint {self.joint!r}{suggestion(self.joint, JOINTS)}")
        flag(self.where_they_are, "where_they_are")

    def statement(self, model: Model) -> Statement:
        """Return the coordinates that vanish in such a joint, held."""
        return meeting(self, model, rows_of(self.joint), self.where_they_are)


@dataclass(frozen=True, eq=False, repr=False)
class Weld(Rigid):
    """Holds place `b` on place `a` as they are when it is added, or as their frames are stated."""

    kind: ClassVar[str] = "weld"

    a: Where
    b: Where
    where_they_are: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        flag(self.where_they_are, "where_they_are")

    def statement(self, model: Model) -> Statement:
        """Return all six coordinates, held."""
        return meeting(self, model, rows_of("weld"), self.where_they_are)


@dataclass(frozen=True, eq=False, repr=False)
class PointToPoint(Rigid):
    """Brings the points `a` and `b` together and holds them so, as a ball joint does."""

    kind: ClassVar[str] = "point_to_point"

    a: Where
    b: Where

    def statement(self, model: Model) -> Statement:
        """Return the three coordinates of b as seen from a, held."""
        return meeting(self, model, rows_of("spherical"), where_they_are=False)


def meeting(
    part: Joint | Weld | PointToPoint, model: Model, rows: tuple[Row, ...], where_they_are: bool
) -> Statement:
    """Return these rows of place b seen from place a, held where they are or at zero."""
    a = place_of(model, part.a, "a")
    return Statement(
        "frame",
        "rigid",
        a,
        place_of(model, part.b, "b"),
        rows=rows,
        target=None if where_they_are else a.placement,
        numbers=part.numbers,
    )


def rows_of(joint: str) -> tuple[Row, ...]:
    """Return the rows that vanish in a joint; what is aligned is measured by its turn."""
    positions, axes = EQUATIONS[joint]
    turns: tuple[Row, ...] = tuple(("rotation", i, j) for i, j in axes)
    return (*(("position", i, 0) for i in positions), *(TURNS if axes == ALIGNED else turns))
