"""States just after a strike by numbers of their own, as basins and searches choose them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tarsus.arrays import Array
from tarsus.events.planted import Planted
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


def all_numbers(model: Model, start: Array) -> Section:
    """Return the section that has all coordinates and rates of a model, but for spots of feet.

    Coordinates that are no numbers of their own, such as quaternions, are steps from the start.
    """
    if isinstance(model, Planted):
        return _with_spots(model, all_numbers(model.original, start[: model.original.nq]))
    names = [
        f"{joint.name} {k}" if len(joint.own_velocities) > 1 else joint.name
        for joint in model.joints
        for k in range(len(joint.own_velocities))
    ]
    both = (*names, *(f"{name} rate" for name in names))
    if model.nq == model.nv:
        return Section(
            both,
            lambda x: (x[..., : model.nq], x[..., model.nq :]),
            lambda q, v: np.concatenate([q, v], axis=-1),
        )

    def place(x: Array) -> State:
        begin = np.broadcast_to(start, (*x.shape[:-1], model.nq))
        return np.asarray(model.integrate(begin, x[..., : model.nv])), x[..., model.nv :]

    def read(q: Array, v: Array) -> Array:
        steps = model.difference(np.broadcast_to(start, q.shape), q)
        return np.concatenate([steps, v], axis=-1)

    return Section(both, place, read)


def _with_spots(model: Planted, section: Section) -> Section:
    """Return the section of a machine for the same on spots, which are where its feet are."""

    def place(x: Array) -> State:
        return model.strike(*section.place(x))[:2]

    return Section(section.names, place, lambda q, v: section.read(*model.lift(q, v)))
