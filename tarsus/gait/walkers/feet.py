"""Where a machine stands: the frames of its two feet, named or found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.body_parts import Leg
from tarsus.gait.limbs import resting
from tarsus.gait.walkers.joint_images import ALIKE
from tarsus.gait.walkers.sides import MIRROR
from tarsus.model import Model
from tarsus.parts.place import Where, placement_of, split
from tarsus.spatial import pose

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
