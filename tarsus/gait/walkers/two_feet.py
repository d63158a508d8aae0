"""The two feet of a model that a walker stands on, by name or by the anatomy of the machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.gait.anatomy import Anatomy
from tarsus.gait.body_parts import Leg
from tarsus.gait.walkers.stance import Foot
from tarsus.model import Model
from tarsus.parts.place import Where, placement_of, split
from tarsus.spatial import pose


def two_feet(model: Model, feet: Sequence[Where], stance: str) -> tuple[Foot, Foot]:
    """Return the frames of two feet, those that the anatomy of the model has if none are named."""
    if isinstance(feet, str) or len(feet) not in (0, 2):
        raise ValueError(f"feet are {feet!r}, must be two frames: left and right")
    if not feet:
        legs = Anatomy.from_model(model).legs
        if len(legs) != 2:
            raise ValueError(f"{model.name!r} has {len(legs)} legs: name two feet")
        return tuple(_sole(model, leg, stance) for leg in legs)  # type: ignore[return-value]
    named = [split(foot) for foot in feet]
    for name, _ in named:
        model.frame(name)
    return tuple((name, placement_of(at, "feet")) for name, at in named)  # type: ignore[return-value]


def _sole(model: Model, leg: Leg, stance: str) -> Foot:
    """Return where a leg stands: on its sole if flat, else level as the world is, neutral."""
    if stance == "flat":
        return leg.end, leg.sole.placement
    turn = np.asarray(model.frame_pose(model.neutral(), leg.end))[:3, :3].T
    return leg.end, pose(leg.sole.placement[:3, 3], turn)
