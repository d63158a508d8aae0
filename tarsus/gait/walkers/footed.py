"""A model on its feet: one or several that stand, and one or several that strike next."""

from __future__ import annotations

from collections.abc import Sequence

from tarsus.gait.walkers.feet import Foot, two_feet
from tarsus.gait.walkers.groups import in_groups
from tarsus.gait.walkers.stance import Radius, Stance, checked_stance
from tarsus.gait.walkers.support import DoubleSupport, Support
from tarsus.model import Model
from tarsus.parts.place import Where, placement_of, split

Feet = Sequence[Where | list[Where]]
"""Two frames, left and right, or two lists of frames that stand together."""


def footed(
    model: Model, feet: Feet, stance: str, radius: Radius, slope: float, double_support: bool
) -> tuple[Stance | Support, tuple[str, ...]]:
    """Return a model on its feet, those that its anatomy has if none are named, and notes."""
    stands = checked_stance(stance, radius, model)
    several = any(isinstance(each, list) for each in feet)
    if stance == "round" and (several or double_support):
        raise ValueError("stance is 'round': soles that roll stand alone, not with other feet")
    if several and double_support:
        raise ValueError(
            "double_support is for two feet; groups of feet that stand together strike together"
        )
    if several:
        one, other = _groups(model, feet)
        alone = Stance(model, (one[0], other[0]), *stands, slope)
        return in_groups(alone, one[1:], other[1:]), ()
    where, told = two_feet(model, feet, stance)  # type: ignore[arg-type]
    alone = Stance(model, where, *stands, slope)
    return DoubleSupport(alone, (where[1],)) if double_support else alone, told


def _groups(model: Model, feet: Feet) -> tuple[list[Foot], list[Foot]]:
    """Return the frames of two groups of feet, as many in each."""
    listed = [each for each in feet if isinstance(each, list)]
    if len(feet) != 2 or len(listed) != 2:
        raise ValueError(f"feet are {feet!r}, must be two lists of frames that stand together")
    one, other = ([_foot(model, each) for each in group] for group in listed)
    if len(one) != len(other) or len(one) < 2:
        raise ValueError(
            f"feet are groups of {len(one)} and of {len(other)}, must be as many, two or more"
        )
    return one, other


def _foot(model: Model, where: Where) -> Foot:
    name, at = split(where)
    model.frame(name)
    return name, placement_of(at, "feet")
