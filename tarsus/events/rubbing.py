"""How joints with dry friction turn in a phase, so that what brakes them is constant there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from tarsus.arrays import Array
from tarsus.model import Model

Rubbing: TypeAlias = Mapping[str, int]
"""Ways of joints by their names: 1, −1, or 0 for one that stands."""

AS_IT_TURNS = 2
"""The way of a joint whose friction is against whatever it does."""


def standing(model: Model) -> Rubbing:
    """Return that all joints stand: friction has no part in what happens at once."""
    return dict.fromkeys(model.joint_names, 0)


def ways(model: Model, rubbing: Rubbing) -> list[int]:
    """Return how all velocities of the joints turn, as the core counts them."""
    slices = {name: model.joint(name).velocity_slice for name in model.joint_names}
    found = [AS_IT_TURNS] * max((each.stop for each in slices.values()), default=0)
    for name, way in rubbing.items():
        at = slices[name]
        found[at] = [way] * (at.stop - at.start)
    return found


def check_start(model: Model, rubbing: Rubbing, v: Array) -> None:
    """Raise if joints turn the other way in velocities (B, nv): friction would push them."""
    for name, way in rubbing.items():
        own = v[:, model.joint(name).v_slice]
        wrong = np.flatnonzero((way * own < 0.0).any(axis=1))
        if len(wrong):
            raise ValueError(
                f"joint {name!r} turns with {own[wrong[0]].tolist()} in state {wrong[0]} of v0, "
                f"rubbing of the first phase says {way}"
            )


def check_rubbing(model: Model, rubbing: Rubbing) -> None:
    """Raise if a name is unknown or a way is none."""
    if not isinstance(rubbing, Mapping):
        raise TypeError(f"rubbing is {rubbing!r}, must be ways by names of joints: {{'knee': 1}}")
    for name, way in rubbing.items():
        model.joint(name)
        if isinstance(way, bool) or way not in (-1, 0, 1):
            raise ValueError(f"rubbing[{name!r}] is {way!r}, must be 1, −1 or 0")
