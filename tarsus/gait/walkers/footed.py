"""A model on its feet: one or several that stand, and one or several that strike next."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.gait.anatomy import Anatomy, Leg
from tarsus.gait.walkers.groups import in_groups
from tarsus.gait.walkers.stance import Foot, Stance, checked_stance
from tarsus.gait.walkers.support import DoubleSupport, Support
from tarsus.model import Model
from tarsus.parts.place import Where, placement_of, split
from tarsus.spatial import pose

Feet = Sequence[Where | list[Where]]
"""Two frames, left and right, or two lists of frames that stand together."""


def footed(
    model: Model, feet: Feet, stance: str, radius: float, slope: float, double_support: bool
) -> Stance | Support:
    """Return a model on its feet, those that its anatomy has if none are named."""
    stands = checked_stance(stance, radius)
    groups = _groups(model, feet, stance)
    several = len(groups[0]) > 1
    if stance == "round" and (several or double_support):
        raise ValueError("stance is 'round': soles that roll stand alone, not with other feet")
    if several and double_support:
        raise ValueError(
            "double_support is for two feet; groups of feet that stand together strike together"
        )
    alone = Stance(model, (groups[0][0], groups[1][0]), *stands, slope)
    if double_support:
        return DoubleSupport(alone, (alone.feet[1],))
    return in_groups(alone, groups[0][1:], groups[1][1:]) if several else alone


def _groups(model: Model, feet: Feet, stance: str) -> tuple[list[Foot], list[Foot]]:
    """Return the frames of two groups of feet, as many in each."""
    if isinstance(feet, str) or len(feet) not in (0, 2):
        raise ValueError(
            f"feet are {feet!r}, must be two frames, left and right, or two lists of frames that "
            "stand together"
        )
    if not feet:
        legs = Anatomy.from_model(model).legs
        if len(legs) != 2:
            raise ValueError(f"{model.name!r} has {len(legs)} legs: name two feet, or two groups")
        return [_sole(model, legs[0], stance)], [_sole(model, legs[1], stance)]
    one, other = ([each] if not isinstance(each, list) else each for each in feet)
    if len(one) != len(other) or not one:
        raise ValueError(
            f"feet are groups of {len(one)} and of {len(other)}, must be as many that stand in turn"
        )
    found = [_foot(model, each) for each in (*one, *other)]
    return found[: len(one)], found[len(one) :]


def _foot(model: Model, where: Where) -> Foot:
    name, at = split(where)
    model.frame(name)
    return name, placement_of(at, "feet")


def _sole(model: Model, leg: Leg, stance: str) -> Foot:
    """Return where a leg stands: on its sole if flat, else level as the world is, neutral."""
    if stance == "flat":
        return leg.end, leg.sole.placement
    turn = np.asarray(model.frame_pose(model.neutral(), leg.end))[:3, :3].T
    return leg.end, pose(leg.sole.placement[:3, 3], turn)
