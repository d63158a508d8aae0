"""Dry friction of joints and parts that act in a phase."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from tarsus import _core
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.simulation.part_set import PartSet
from tarsus.simulation.smooth_parts import unknown_of

# How joints with dry friction turn in a phase, so that what brakes them is constant there.


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


# The forces of a model in its flows.


def acting(model: Model) -> tuple[_core.Parts | None, Array | None]:
    """Return the forces of a model as the core knows them, and their numbers (n,)."""
    if not model.forces:
        return None, None
    parts = PartSet.of(model, model.forces)
    rows = []
    for each in parts.parts:
        row = each.row
        if each.statement.law == "drag":  # it is the same wherever it starts
            row = each.filled(model, np.asarray(model.neutral())[None], row[None])[0]
        what = unknown_of(each, row[None], planned=False)
        if not what and np.isnan(row).any():
            what = "rests where things are at the start: state its length or its target"
        if what:
            raise ValueError(f"force {each.name!r} {what}, which flows do not know")
        rows.append(row)
    return parts.core, np.concatenate(rows)
