"""Numbers of a walker by names of its joints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.walkers import Walker
from tarsus.model import Model
from tarsus.model.checks import find


def check_joints(walker: Walker, names: Iterable[str], what: str) -> None:
    """Raise ValueError for a name that no phase of the walker has, with those that there are."""
    there = {name: name for phase in walker.phases for name in phase.model.joint_names}
    for name in names:
        find(there, name, "joint", f"which {what} names")


def by_joints(model: Model, given: Mapping[str, Any], otherwise: float) -> Array:
    """Return numbers (nv,) of a model's coordinates; joints that it does not have are no matter."""
    found = np.full(model.nv, otherwise)
    for name in set(given) & set(model.joint_names):
        found[model.joint(name).v_slice] = given[name]
    return found
