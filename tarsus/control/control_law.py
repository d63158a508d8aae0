"""What all controllers have in common: one way to call them, a reference, limits and a rate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.control.arguments import checked_period, vectors
from tarsus.control.joint_gains import Gains, effort_limits
from tarsus.control.reference import Reference, Setpoint, Source
from tarsus.model import Model
from tarsus.model.checks import expect


class ControlLaw(ABC):
    """A law that leads a model along a reference: tau = controller(t, q, v).

    `reference` is what shall be followed, at rest or as a function of time; its value at a time is
    a setpoint. `effort` (nv,) limits the output, the model's limits unless stated, and nothing
    acts on the base then. The output is held over `period` [s], one step of the simulation
    unless stated. Laws that `remember` change with each call, until `reset`.
    """

    name: ClassVar[str] = ""
    """What the core calls the law, if it knows it."""
    remembers: ClassVar[bool] = False
    """Whether a call depends on those before: then `get_state` and `set_state` are there, too."""

    def __init__(
        self,
        model: Model,
        reference: Source,
        *,
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        expect(model, Model, "model")
        self.model = model
        self.effort = effort_limits(effort, model, "effort")
        self._unstated = self.effort.copy() if effort is None else None
        self.reference = Reference(reference, self.setpoint)
        self.period = checked_period(period)

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None) -> Array:
        """Return efforts (…, nv) at the time t [s], for states q (…, nq) and v (…, nv).

        A `reference` given here replaces that of the controller for this call: a setpoint, not a
        function. As the inner loop of a `Cascade` it is given what the outer one returns.
        """
        return self.within(self.effort, t, q, v, reference)

    def within(
        self, limits: Array, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None
    ) -> Array:
        """Return efforts (…, nv) within limits (nv,) instead of those of the controller."""
        state = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        tau = self.law(t, *state, self.reference.at(t, reference))
        return np.clip(tau, -limits, limits)

    def reset(self) -> None:  # noqa: B027 (most laws remember nothing)
        """Forget what was, before a new motion; simulations do so at the start of each."""

    @property
    def own_limits(self) -> bool:
        """Whether `effort` was stated, here or later; if not, the limits of a simulation hold."""
        return self._unstated is None or not np.array_equal(self.effort, self._unstated)

    uses_model: ClassVar[bool] = True
    """Whether efforts depend on the dynamics of `model`; those of plain gains do not."""

    @property
    def core_gains(self) -> tuple[Array, Array, Array] | None:
        """Three gains (nv,) or (B, nv) for the same law in the core; None: call this object."""
        return None

    @abstractmethod
    def setpoint(self, value: Any) -> Setpoint:
        """Return the value of a reference, checked: where to be, how fast, and what is added."""

    @abstractmethod
    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits."""

    def __repr__(self) -> str:
        rate = "every step" if self.period is None else f"every {self.period:g} s"
        return f"<tarsus.control.{type(self).__name__} of {self.model.name!r}, {rate}>"
