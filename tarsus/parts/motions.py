"""Constraints that move bodies: prescribed motions, targets, paths and grabs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import flag, number, reals
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.parts.part import (
    IN_WORLD,
    POINT,
    TURNS,
    Part,
    Statement,
    Where,
    one_coordinate,
    place_of,
    placement_of,
    pose_of,
)
from tarsus.parts.rigid_constraints import Rigid

# Prescribed motion of a joint or of a body: it goes as the target goes, whatever that takes.


@dataclass(frozen=True, eq=False, repr=False)
class JointMotion(Rigid):
    """Moves a joint of one coordinate to its `target` [rad or m], or holds it where it is.

    Targets that change while it runs, by the handle or a plan, are followed from step to step.
    """

    kind: ClassVar[str] = "joint_motion"

    joint: str
    target: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target is not None:
            number(self.target, "target")

    def statement(self, model: Model) -> Statement:
        """Return the joint's coordinate, held."""
        one_coordinate(model, self.joint, "; use BodyMotion")
        return Statement(
            "joint",
            "rigid",
            joints=((self.joint, 1.0),),
            target=self.target,
            numbers=self.numbers,
        )


@dataclass(frozen=True, eq=False, repr=False)
class BodyMotion(Rigid):
    """Moves the frame `where` to its `target` pose (4, 4) of the world, or holds it where it is."""

    kind: ClassVar[str] = "body_motion"

    where: Where
    target: ArrayLike | None = None

    def statement(self, model: Model) -> Statement:
        """Return all six coordinates of the frame in the world, held."""
        return Statement(
            "frame",
            "rigid",
            IN_WORLD,
            place_of(model, self.where, "where"),
            rows=(*POINT, *TURNS),
            target=None if self.target is None else pose_of(self.target, "target"),
            numbers=self.numbers,
        )


# Move-to-point: a point comes to a target, critically damped (Schröder 1990, section 5.5.1).


@dataclass(frozen=True, eq=False, repr=False)
class MoveTo(Rigid):
    """Brings the place `where` to `target`, a point (3,) or a pose (4, 4) of the world.

    It goes as (1 + t/τ) exp(−t/τ) of the way by the `time_constant` τ [s].
    """

    kind: ClassVar[str] = "move_to"

    where: Where
    target: ArrayLike

    def statement(self, model: Model) -> Statement:
        """Return three or six coordinates of the place in the world, brought to zero."""
        return Statement(
            "frame",
            "rigid",
            IN_WORLD,
            place_of(model, self.where, "where"),
            rows=(*POINT, *TURNS) if np.ndim(self.target) == 2 else POINT,
            target=placement_of(self.target, "target"),
            numbers=self.numbers,
        )


# A point stays on a path: a bead on a wire, a car on its spline.
#
# The path goes smoothly through its points (a cubic spline). A path with a kink, where a bead would
# have to stop, is refused.


@dataclass(frozen=True, eq=False, repr=False)
class PointOnPath(Rigid):
    """Holds the point `where` on a path through points (n, 3) of `of`; `closed` joins its ends."""

    kind: ClassVar[str] = "point_on_path"

    where: Where
    path: ArrayLike
    closed: bool = False
    of: Where = WORLD

    def __post_init__(self) -> None:
        super().__post_init__()
        flag(self.closed, "closed")
        self._points()

    def _points(self) -> Array:
        points = reals(self.path, "path")
        if points.ndim != 2 or points.shape[1:] != (3,) or len(points) < 3:
            raise ValueError(f"path has shape {points.shape}, must be (n, 3), n at least 3")
        if not np.isfinite(points).all():
            raise ValueError("path must be finite")
        steps = np.diff(np.vstack([points, points[:1]]) if self.closed else points, axis=0)
        lengths = np.linalg.norm(steps, axis=1)
        if not (lengths > 0.0).all():
            raise ValueError(f"path: points {int(np.argmin(lengths))} and the next are the same")
        units = steps / lengths[:, None]
        turns = np.sum(units * np.roll(units, -1, axis=0), axis=1)[: None if self.closed else -1]
        if turns.min(initial=1.0) < 0.0:
            raise ValueError(
                f"path has a kink at point {int(np.argmin(turns)) + 1}: it turns by more than a "
                "right angle there; give more points, or two paths"
            )
        return points

    def statement(self, model: Model) -> Statement:
        """Return the two coordinates across the path, held."""
        points = self._points()
        return Statement(
            "path",
            "rigid",
            place_of(model, self.of, "of"),
            place_of(model, self.where, "where"),
            path=np.vstack([points, points[:1]]) if self.closed else points,
            target=1.0 if self.closed else 0.0,
            numbers=self.numbers,
        )


# A grip that pulls a point to a target through a spring with a damper: the hand of the user.


@dataclass(frozen=True, eq=False, repr=False)
class Grab(Part):
    """Pulls the point `where` to `target` (3,) of the world, with at most `limit` [N].

    Stiffness [N/m]; the damping [N s/m] is critical for the mass of the whole model unless stated.
    The handle's `target` follows the hand, its `force` is what the hand feels.
    """

    kind: ClassVar[str] = "grab"

    where: Where
    target: ArrayLike | None = None
    stiffness: float = 1000.0
    damping: float | None = None
    limit: float = float("inf")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(stiffness=0.0, limit=0.0)
        if self.damping is not None:
            self._check(damping=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the three coordinates of the point in the world with the law of a spring."""
        damping = self.damping
        if damping is None:
            damping = 2.0 * float(np.sqrt(self.stiffness * model.total_mass))
        return Statement(
            "frame",
            "spring",
            IN_WORLD,
            place_of(model, self.where, "where"),
            rows=POINT,
            target=None if self.target is None else placement_of(self.target, "target"),
            numbers={"stiffness": self.stiffness, "damping": damping, "limit": self.limit},
        )
