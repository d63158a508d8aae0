"""All that velocities must keep to: limits of joints and followers, distances, bounds of goals."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.ik.followers import FollowerBounds
from tarsus.ik.limits import JointBounds, Limits
from tarsus.ik.qp import Bounds
from tarsus.ik.within import Within
from tarsus.model import Model

if TYPE_CHECKING:
    from tarsus.ik.avoid import Avoid


class Constraints:
    """What of a machine's limits, distances and goals holds; evaluated at states."""

    def __init__(
        self,
        model: Model,
        limits: Limits | bool | None,
        avoid: Avoid | None,
        within: Sequence[Within] = (),
    ) -> None:
        stated = _stated(limits)
        self.joints = None if stated is None else JointBounds(model, stated)
        followers = None if stated is None else FollowerBounds(model, stated)
        self.followers = followers if followers is not None and followers.count else None
        self.avoid = avoid
        self.within = tuple(each.bind(model) for each in within)
        self._model, self._nv = model, model.nv

    @property
    def remembers(self) -> bool:
        """Whether the bounds depend on the velocities of the last step."""
        return self.joints is not None and self.joints.limits.acceleration is not None

    def at(self, q: Array, dt: float, last: Array | None) -> Bounds | None:
        """Return the bounds for a step of dt from q (…, nq), with velocities `last` before it."""
        if self.joints is None and self.avoid is None and not self.within:
            return None
        shape = (*q.shape[:-1], self._nv)
        if self.joints is None:
            low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
        else:
            low, high = self.joints(q, dt, last)
        rows = [np.zeros((*q.shape[:-1], 0, self._nv))]
        least, most = [np.zeros((*q.shape[:-1], 0))], [np.zeros((*q.shape[:-1], 0))]
        if self.followers is not None:
            row, lowest, highest = self.followers(q, dt)
            rows.append(row)
            least.append(lowest)
            most.append(highest)
        if self.avoid is not None:
            row, lowest = self.avoid.rows(q, dt)
            rows.append(row)
            least.append(lowest)
            most.append(np.full_like(lowest, np.inf))
        for each in self.within:
            row, lowest, highest = each.rows(q, dt)
            rows.append(row)
            least.append(lowest)
            most.append(highest)
        parts = (np.concatenate(each, axis=-1) for each in (least, most))
        return Bounds(low, high, np.concatenate(rows, axis=-2), *parts)

    def of_states(self, lead: tuple[int, ...], rows: NDArray[np.intp]) -> Constraints:
        """Return those of some `rows` of states with leading dimensions `lead`, in a line."""
        found = copy(self)
        found.within = tuple(each.of_states(lead, rows) for each in self.within)
        return found

    def of_places(self) -> Constraints:
        """Return what of them is a matter of places, for steps of one second: not how fast."""
        found = copy(self)
        if self.joints is not None:
            still = replace(self.joints.limits, velocity=False, acceleration=None, share=1.0)
            limited = Constraints(self._model, still, None)
            found.joints, found.followers = limited.joints, limited.followers
        if self.avoid is not None:
            found.avoid = replace(self.avoid, rate=1.0)
        return found

    def too_near(self, q: Array) -> Array:
        """Return by how much (…) links are nearer than they may be at most [m]."""
        if self.avoid is None:
            return np.zeros(q.shape[:-1])
        least = self.avoid.distances.distance(q).min(axis=-1, initial=np.inf)
        return np.asarray(np.maximum(self.avoid.margin - least, 0.0))

    def reach(self, q: Array) -> tuple[Array, Array]:
        """Return the longest steps down and up (…, nv) that limits of positions permit."""
        if self.joints is None:
            free = np.full((*q.shape[:-1], self._nv), np.inf)
            return -free, free
        return self.joints.reach(q)

    def beyond(self, q: Array) -> Array:
        """Return how far (…) joints, those that follow, too, and goals are beyond their bounds."""
        low, high = self.reach(q)
        own = np.asarray(np.maximum(low, -high).max(axis=-1, initial=0.0))
        others = [] if self.followers is None else [self.followers.beyond(q)]
        others += [each.beyond(q) for each in self.within]
        return np.asarray(np.maximum.reduce(np.broadcast_arrays(own, *others)))


def _stated(value: Limits | bool | None) -> Limits | None:
    """Return the limits for `limits=` of a solver: True for all that the model states."""
    if value is None or value is False:
        return None
    if value is True:
        return Limits()
    if not isinstance(value, Limits):
        raise TypeError(f"limits is {value!r}, must be True, False or tarsus.ik.Limits")
    return value
