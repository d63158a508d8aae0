"""What joint controllers have in common: gains, a reference, limits and a rate.

Each law is a file with one class that names itself as the core knows it and has one function,
`law`. The simulation runs these laws in the core, for whole batches; called from Python they do
the same, tau = controller(t, q, v).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.control.arguments import vectors
from tarsus.control.joint_gains import Gains, effort_limits, gains
from tarsus.control.joint_reference import Reference, Setpoint, Target, setpoint
from tarsus.model import Model
from tarsus.model.checks import expect, number
from tarsus.model.description import Array


class JointController:
    """A law that leads the joints of a model along a reference.

    `kp`, `kd` and `ki` are numbers (for all coordinates with a drive: all but free joints),
    mappings from names of joints to numbers, or arrays (nv,) or (B, nv). `q_ref` is a
    configuration (nq,) or (B, nq), or a function of time that returns q, (q, v) or (q, v, added);
    `Table` is such a function. `effort` (nv,) limits the output, the model's limits unless
    stated. The output is held over `period` [s], one step of the simulation unless stated.
    """

    name: ClassVar[str]
    """What the core calls the law."""
    adds: ClassVar[str] = "effort"
    """What the third part of a reference is: an "effort" or an "acceleration"."""

    def __init__(
        self,
        model: Model,
        kp: Gains,
        kd: Gains,
        q_ref: Target | None = None,
        *,
        ki: Gains = 0.0,
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        expect(model, Model, "model")
        self.model = model
        self.kp, self.kd = gains(kp, model, "kp"), gains(kd, model, "kd")
        self.ki = gains(ki, model, "ki")
        self.reference = Reference(model, q_ref)
        self.effort = effort_limits(effort, model, "effort")
        self._unstated = self.effort.copy() if effort is None else None
        self.period = checked_period(period)

    def __call__(
        self, t: float, q: ArrayLike, v: ArrayLike, q_ref: ArrayLike | Setpoint | None = None
    ) -> Array:
        """Return efforts (…, nv) at the time t [s]; `q_ref` replaces the reference.

        As the inner loop of a `Cascade` it is given what the outer one returns.
        """
        target = self.reference(t) if q_ref is None else setpoint(self.model, q_ref)
        state = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        return np.clip(self.law(*state, target), -self.effort, self.effort)

    @property
    def in_core(self) -> bool:
        """Whether the core computes the same law; if not, simulations call this object."""
        return True

    @property
    def own_limits(self) -> bool:
        """Whether `effort` was stated, here or later; if not, the limits of a simulation hold."""
        return self._unstated is None or not np.array_equal(self.effort, self._unstated)

    def law(self, q: Array, v: Array, target: Setpoint) -> Array:
        """Return efforts (…, nv) without limits, for the setpoint `target`."""
        raise NotImplementedError

    def errors(self, q: Array, v: Array, target: Setpoint) -> tuple[Array, Array]:
        """Return the step from q to its target, and what is missing of the velocity (…, nv)."""
        return np.asarray(self.model.difference(q, target[0])), target[1] - v

    def __repr__(self) -> str:
        rate = "every step" if self.period is None else f"every {self.period:g} s"
        return f"<tarsus.control.{type(self).__name__} of {self.model.name!r}, {rate}>"


def checked_period(value: float | None) -> float | None:
    """Return a period [s], or None for as often as the simulation steps."""
    if value is None:
        return None
    period = number(value, "period")
    if period <= 0.0:
        raise ValueError(f"period is {period}, must be positive")
    return period
