"""What a cost is: a function H(q) that velocities shall make smaller where tasks leave them free.

In each step z = −rate W⁻¹ ∇H is what velocities would be without tasks (Liégeois 1977).
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from tarsus.arrays import Array
from tarsus.model import Model


class Cost(ABC):
    """A cost of configurations, made smaller in the null space of all tasks."""

    @abstractmethod
    def bind(self, model: Model) -> Cost:
        """Return this cost, from now on one of `model`; names that it lacks are errors."""

    reacts = False
    """Whether it also answers to velocities, by `reaction`."""

    def reaction(self, q: Array, v: Array) -> Array:
        """Return what is added to the gradient (…, nv) while the tasks ask for velocities v."""
        raise NotImplementedError(f"{type(self).__name__} does not react to velocities")

    @abstractmethod
    def gradient(self, q: Array) -> Array:
        """Return the derivative (…, nv) of the cost along steps of the velocities [1/s]."""
