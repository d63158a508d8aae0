"""Point feet and round soles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus._lib.checks import numbers
from tarsus._lib.files import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.limb_search import Leg, resting
from tarsus.gait.walkers.left_right_map import ALIKE, MIRROR
from tarsus.model.model import Model
from tarsus.parts.part import Where, placement_of, split
from tarsus.spatial import pose

# Where a machine stands: the frames of its two feet, named or found.


Foot = tuple[str, Array]
"""A frame, and where in it a foot stands (4, 4): x ahead, z up."""


def two_feet(
    model: Model, feet: Sequence[Where], stance: str
) -> tuple[tuple[Foot, Foot], tuple[str, ...]]:
    """Return where a model stands, and what should be known of it.

    Without names it is on its soles, or on frames that are called soles where those that were found
    are not images of each other.
    """
    if isinstance(feet, str) or len(feet) not in (0, 2):
        raise ValueError(f"feet are {feet!r}, must be two frames: left and right")
    if len(feet):
        named = [split(foot) for foot in feet]
        for name, _ in named:
            model.frame(name)
        one, other = ((name, placement_of(at, "feet")) for name, at in named)
        return (one, other), ()
    body = Anatomy.from_model(model)
    if len(body.legs) != 2:
        raise ValueError(f"{model.name!r} has {len(body.legs)} legs: name two feet")
    return _found(body, stance)


def _found(body: Anatomy, stance: str) -> tuple[tuple[Foot, Foot], tuple[str, ...]]:
    """Return the feet of two legs."""
    one, other = ((leg.end, leg.sole.placement) for leg in body.legs)
    off = _apart(body.model, one, other)
    if stance != "flat":
        one, other = _level(body, one, other)
    frames = [_sole_frame(body.model, leg) for leg in body.legs]
    if off <= ALIKE or None in frames:
        return (one, other), ()
    first, second = _level(body, *((str(name), np.eye(4)) for name in frames))
    if (rest := _apart(body.model, first, second)) > ALIKE:
        return (one, other), ()
    note = (
        f"soles of {one[0]!r} and {other[0]!r} are {off:.3g} m from images of each other in the "
        f"shapes of {body.model.name!r}: it stands on its frames {first[0]!r} and {second[0]!r}, "
        f"which are so to {rest:.1g} m; name `feet` to stand elsewhere"
    )
    return (first, second), (note,)


def _level(body: Anatomy, one: Foot, other: Foot) -> tuple[Foot, Foot]:
    """Return the places of two feet, turned: at rest the first looks ahead, and up as the world.

    The second is turned as the image of the first is, whatever small differences rest has.
    """
    model, up = body.model, np.array([0.0, 0.0, 1.0])
    axes = np.column_stack([body.ahead, np.cross(up, body.ahead), up])
    turn = np.asarray(model.frame_pose(resting(model), one[0]))[:3, :3].T @ axes
    here, there = (
        np.asarray(model.frame_pose(model.neutral(), name))[:3, :3] for name, _ in (one, other)
    )
    image = there.T @ (MIRROR[:, None] * (here @ turn) * MIRROR)
    return (one[0], pose(one[1][:3, 3], turn)), (other[0], pose(other[1][:3, 3], image))


def _apart(model: Model, one: Foot, other: Foot) -> float:
    """Return how far a foot is from the image of the other, at rest [m]."""
    places = [
        (np.asarray(model.frame_pose(resting(model), name)) @ at)[:3, 3]
        for name, at in (one, other)
    ]
    return float(np.linalg.norm(places[0] - MIRROR * places[1]))


def _sole_frame(model: Model, leg: Leg) -> str | None:
    """Return the frame on a foot that is called a sole, if there is one."""
    frames = [frame.name for frame in model.frames if frame.body == leg.end]
    return next((name for name in frames if "sole" in name.lower()), None)


# Soles that are round and roll: a cylinder across the way in the plane, a ball or an ellipsoid.


@dataclass(frozen=True)
class RoundSole:
    """A sole with half axes [m] along x, y and z of its foot, the lowest point of which is there.

    `in_plane` soles roll ahead alone; others roll to all sides, and spin about where they touch.
    """

    half_axes: tuple[float, float, float]
    in_plane: bool

    @property
    def is_ball(self) -> bool:
        """Whether all half axes are one radius."""
        return len(set(self.half_axes)) == 1

    @property
    def radius(self) -> float:
        """How high the centre is over the lowest point [m]."""
        return self.half_axes[2]

    @property
    def joint(self) -> tuple[str, dict[str, Any]]:
        """The joint at the root, its frame at the centre, and what it states."""
        if self.in_plane:
            return "rolling_cylinder", {"radius": self.radius}
        if self.is_ball:
            return "rolling_ball", {"radius": self.radius}
        return "rolling", {"surface": {"kind": "ellipsoid", "numbers": self.half_axes}}

    @property
    def center(self) -> Array:
        """The centre from the lowest point (4, 4)."""
        return pose((0.0, 0.0, self.radius))

    def lowest(self, foot: Array, normal: Array) -> Array:
        """Return the points (…, 3) of soles at poses (…, 4, 4) that are lowest against a normal."""
        middle, turned = (foot @ self.center)[..., :3, 3], foot[..., :3, :3]
        if self.is_ball:
            return np.asarray(middle - self.radius * normal)
        stretched = np.array(self.half_axes) * (normal @ turned)
        deep = np.array(self.half_axes) * stretched / np.linalg.norm(stretched, axis=-1)[..., None]
        return np.asarray(middle - (turned @ deep[..., None])[..., 0])

    def root(self, foot: Array, at: Array) -> Array:
        """Return where (…, 3) the root of soles at poses (…, 4, 4) is, on a ground at `at` (4, 4).

        A sole in the plane would be upright there; others touch there.
        """
        touching = self.lowest(foot, at[:3, 2])
        if not self.in_plane:
            return touching
        turned = at[:3, :3].T @ foot[..., :3, :3]
        rolled = self.radius * np.arctan2(turned[..., 0, 2], turned[..., 2, 2])
        return np.asarray(touching - rolled[..., None] * at[:3, 0])


def half_axes_of(radius: float | Sequence[float]) -> tuple[float, float, float]:
    """Return the half axes [m] of a round sole, from a radius or from all three of them."""
    given = np.array(radius, float) if np.ndim(radius) else np.full(3, radius, float)
    found = numbers(given, (3,), "radius")
    if not (found > 0.0).all():
        raise ValueError(f"radius is {radius}, must be positive: one, or half axes along x, y, z")
    return float(found[0]), float(found[1]), float(found[2])
