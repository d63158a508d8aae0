"""Avoidance of collisions between links: distance limits and repulsion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import number, positive
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.geometry.distances import Distances
from tarsus.ik.costs import Cost
from tarsus.ik.limits import Constraints
from tarsus.ik.methods import Bounds, programme
from tarsus.ik.priorities import level_of
from tarsus.ik.tasks.task import Task
from tarsus.ik.track import move
from tarsus.model.model import Model

if TYPE_CHECKING:
    from tarsus.ik.pose import Search


# Keeping apart: how links of a machine, and obstacles, are kept from each other.
#
# As limits of a programme, distances d may fall no faster than they vanish,
#
#     ∇d · v ≥ −min(rate, 1/dt) (d − margin),
#
# so that they do not get below the margin, but for the second order of a step, and rise where they
# are: with rates above 1/dt a step would go through it (B. Faverjon, P. Tournassoud, "A local based
# approach for path planning of manipulators with a high number of degrees of freedom", ICRA 1987).
# As a cost in the null space of tasks, pairs push each other apart with −∂H/∂d = g,
#
#     g = s (1 − 2 d / (a (1 + t)))            d < t a
#     g = s (a − d)² / (a² (1 − t²))           t a ≤ d < a,      0 beyond,
#
# a the distance at which it begins: linear near contact, and without a kink at a (Schwienbacher
# 2013, section 5.3; velocities go along −∇H, so H must fall with d).


@dataclass(frozen=True)
class Avoid:
    """What shall stay apart, and how.

    `distances` knows the pairs; its `activation` is where avoidance begins. `margin` [m] is how
    near they may come and `rate` [1/s] how fast they may approach, for programmes; in steps of dt
    no rate above 1/dt is taken, which leads to the margin at once. `strength` [m/s] and `blend`,
    from 0 (quadratic) to below 1 (linear), are those of the push in null spaces, which needs a
    finite activation.
    """

    distances: Distances
    margin: float = 0.01
    rate: float = 10.0
    strength: float = 1.0
    blend: float = 0.5

    def __post_init__(self) -> None:
        if not isinstance(self.distances, Distances):
            kind = type(self.distances).__name__
            raise TypeError(f"distances is of type {kind}, must be tarsus.geometry.Distances")
        activation = self.distances.activation
        if not 0.0 <= number(self.margin, "margin") < activation:
            raise ValueError(f"margin is {self.margin}, must be from 0 to below {activation} m")
        positive(self.rate, "rate")
        positive(self.strength, "strength")
        if not 0.0 <= number(self.blend, "blend") < 1.0:
            raise ValueError(f"blend is {self.blend}, must be from 0 to below 1")

    def check(self, model: Model) -> None:
        """Raise unless the distances are those of this model."""
        if self.distances.model is not model and self.distances.model != model:
            own = self.distances.model.name
            raise ModelError(f"avoid has distances of {own!r}, not of {model.name!r}")

    def rows(self, q: Array, dt: float) -> tuple[Array, Array]:
        """Return rows (…, k, nv) of the pairs that are near in some state, and least values.

        They are those of a step of dt [s].
        """
        found = self.distances.nearest(q, gradient=True)
        assert found.gradient is not None
        near = np.isfinite(found.distance)
        some = np.flatnonzero(near.reshape(-1, near.shape[-1]).any(axis=0))
        apart = found.distance[..., some]
        rate = min(self.rate, 1.0 / dt)
        low = np.where(np.isfinite(apart), -rate * (apart - self.margin), -np.inf)
        return found.gradient[..., some, :], low


class Repulsion(Cost):
    """Pushes pairs apart that are near each other, in the null space of tasks."""

    def __init__(self, avoid: Avoid) -> None:
        if not np.isfinite(avoid.distances.activation):
            raise ValueError(
                f"activation of the distances is {avoid.distances.activation}, must be finite: "
                "pushes in null spaces begin there; or use method='qp'"
            )
        self.avoid = avoid

    def bind(self, model: Model) -> Cost:
        """Return this cost, which is of the model of its distances."""
        self.avoid.check(model)
        return self

    def gradient(self, q: Array) -> Array:
        """Return the derivative (…, nv) of the cost along steps of the velocities."""
        found = self.avoid.distances.nearest(q, gradient=True)
        assert found.gradient is not None
        push = repulsion(
            found.distance, self.avoid.distances.activation, self.avoid.strength, self.avoid.blend
        )
        return np.asarray(-(push[..., None, :] @ found.gradient)[..., 0, :])


def repulsion(distance: Array, activation: float, strength: float, blend: float) -> Array:
    """Return how strongly pairs at a distance (…) are pushed apart, zero beyond the activation."""
    d = np.where(np.isfinite(distance), distance, activation)
    linear = strength - 2.0 * strength * d / (activation * (1.0 + blend))
    curved = strength * (activation - d) ** 2 / (activation**2 * (1.0 - blend**2))
    near = np.where(d < blend * activation, linear, curved)
    return np.asarray(np.where(d < activation, near, 0.0))


def avoid_of(model: Model, value: Avoid | Distances | None) -> Avoid | None:
    """Return what `avoid=` of a solver states; distances alone have the usual numbers."""
    if value is None:
        return None
    found = Avoid(value) if isinstance(value, Distances) else value
    if not isinstance(found, Avoid):
        raise TypeError(f"avoid is {value!r}, must be tarsus.ik.Avoid or tarsus.geometry.Distances")
    found.check(model)
    own = found.distances
    if own.model is model:
        return found
    same = Distances(model, own.volumes, own.pairs, own.activation)  # of an equal model
    return replace(found, distances=same)


# Out of what may not be: from poses that do the tasks, but in which links are too near.
#
# From there steps d of the quadratic programme make ½ |J d + e|² + ½ λ |d|² smallest, as the search
# before did, now with all that must be kept as rows: distances come back to their margin, joints
# that follow others to their ranges, goals to their bounds, and the tasks move what these leave.


LONGEST = 0.2
"""No joint goes further in one step [rad, m]: distances are straight lines only near by."""

FLOOR = 1e-9
"""Of λ, where errors have vanished."""

PATIENCE = 8
"""After so many steps in which what is missed most fell by less than a tenth it is given up."""


class Push:
    """Steps out of collision, of states (k, nq) of one machine."""

    def __init__(
        self, model: Model, tasks: Sequence[Task], kept: Constraints, search: Search
    ) -> None:
        self.model, self.tasks, self.kept, self.search = model, list(tasks), kept, search

    def run(self, q: Array) -> tuple[Array, NDArray[np.bool_], NDArray[np.int64]]:
        """Return where states (k, nq) end, whether nothing is missed there, and steps (k,)."""
        states = len(q)
        least, idle = np.full(states, np.inf), np.zeros(states, np.int64)
        steps, going = np.zeros(states, np.int64), np.ones(states, bool)
        done = np.zeros(states, bool)
        for _ in range(self.search.iterations):
            missed = self._missed(q)
            done |= going & (missed < self.search.tolerance)
            idle = np.where(missed < 0.9 * least, 0, idle + 1)
            least = np.minimum(missed, least)
            going &= ~done & (idle <= PATIENCE)
            if not going.any():
                break
            step = np.where(going[:, None], self._step(q), 0.0)
            q, _, _ = move(self.model, q, step, 1.0, np.zeros(states, np.int64))
            steps += going
        return q, done, steps

    def _missed(self, q: Array) -> Array:
        """Return the largest of all errors (k,), of tasks and of what must be kept."""
        errors = [
            np.abs(task.error(q)[..., task.weight > 0.0]).max(axis=-1, initial=0.0)
            for task in self.tasks
        ]
        return np.asarray(np.maximum.reduce([*errors, self.kept.beyond(q), self.kept.too_near(q)]))

    def _step(self, q: Array) -> Array:
        """Return the next steps (k, nv)."""

        def asked(task: Task) -> tuple[Array, Array]:
            scale = np.broadcast_to(task.lengths, (task.size,))
            return scale[:, None] * task.jacobian(q), -scale * task.error(q)

        level = level_of(self.tasks, q.shape[:-1], asked)
        square = (level.weight * level.rate**2).sum(axis=-1)
        damping = np.repeat((0.5 * square + FLOOR)[:, None], self.model.nv, axis=1)
        bounds = self.kept.at(q, 1.0, None)
        free = Bounds.free(self.model.nv) if bounds is None else bounds
        near = Bounds(
            np.clip(free.low, -LONGEST, LONGEST),
            np.clip(free.high, -LONGEST, LONGEST),
            free.rows,
            free.rows_low,
            free.rows_high,
        )
        return programme([level], damping, np.zeros((len(q), self.model.nv)), near, None).v
