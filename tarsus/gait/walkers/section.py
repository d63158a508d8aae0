"""States just after a strike by numbers of their own, as basins and searches choose them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tarsus.arrays import Array
from tarsus.model import Model

State = tuple[Array, Array]
"""q (nq,) and v (nv,), or many of them."""


@dataclass(frozen=True)
class Section:
    """States just after a strike by numbers of their own: `place` (…, n) → q (…, nq), v (…, nv)."""

    names: tuple[str, ...]
    place: Callable[[Array], State] = field(repr=False)
    read: Callable[[Array, Array], Array] = field(repr=False)
    """And back: states → numbers (…, n)."""


def all_numbers(model: Model, walker: str) -> Section:
    """Return the section that has all coordinates and rates of a model, for a walker of a name."""
    if model.nq != model.nv:
        raise ValueError(
            f"walker {walker!r} has coordinates that are no numbers of their own: state its section"
        )
    names = [
        f"{joint.name} {k}" if joint.nq > 1 else joint.name
        for joint in model.joints
        for k in range(joint.nq)
    ]
    return Section(
        (*names, *(f"{name} rate" for name in names)),
        lambda x: (x[..., : model.nq], x[..., model.nq :]),
        lambda q, v: np.concatenate([q, v], axis=-1),
    )
