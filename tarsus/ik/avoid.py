"""Keeping apart: how links of a machine, and obstacles, are kept from each other.

As limits of a programme, distances d may fall no faster than they vanish,

    ∇d · v ≥ −min(rate, 1/dt) (d − margin),

so that they do not get below the margin, but for the second order of a step, and rise where they
are: with rates above 1/dt a step would go through it (B. Faverjon, P. Tournassoud, "A local based
approach for path planning of manipulators with a high number of degrees of freedom", ICRA 1987).
As a cost in the null space of tasks, pairs push each other apart with −∂H/∂d = g,

    g = s (1 − 2 d / (a (1 + t)))            d < t a
    g = s (a − d)² / (a² (1 − t²))           t a ≤ d < a,      0 beyond,

a the distance at which it begins: linear near contact, and without a kink at a (Schwienbacher 2013,
section 5.3; velocities go along −∇H, so H must fall with d).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry import Distances
from tarsus.ik.arguments import positive
from tarsus.ik.costs.cost import Cost
from tarsus.model import Model, ModelError
from tarsus.model.checks import number


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
