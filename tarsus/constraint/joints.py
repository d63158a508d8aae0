"""Joints at run time: two places meet as a joint of any kind would have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.constraint.rigid import Rigid
from tarsus.model import Model
from tarsus.model.checks import flag, suggestion
from tarsus.model.loops import ALIGNED, EQUATIONS
from tarsus.parts import Statement, Where, place_of
from tarsus.parts.part import TURNS, Row

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
