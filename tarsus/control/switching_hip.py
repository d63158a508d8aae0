"""A hip that swings whichever leg is free ahead: V. Duindam, "Port-Based Modeling and Control for
Efficient Bipedal Walking Robots", University of Twente 2006, (5.29).

The current of a motor between the legs is

    i = kp (± q_set − q) − kd q̇,

whose sign changes with the foot that stands. Energy that the hip puts into the swing leg is what
strikes take: the machine walks on level ground.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.control.arguments import not_negative, vectors
from tarsus.control.control_law import ControlLaw
from tarsus.control.current_motor import RE40_GP42C, CurrentMotor
from tarsus.control.joint_gains import Gains
from tarsus.control.reference import Setpoint, Source
from tarsus.model import Model
from tarsus.model.checks import expect, reals

Side: TypeAlias = Callable[[float, Array, Array], ArrayLike]
"""(t, q, v) → 1 or −1 (…): the leg that the joint carries swings, or the other one does."""


class SwitchingHip(ControlLaw):
    """A motor on one joint that is led to one of two angles: tau = control(t, q, v).

    `kp` [A/rad] and `kd` [A s/rad] are gains of its current, `reference` [rad] the angle to which
    the swing leg is led, a number or a function of time. `side` tells from (t, q, v) which leg
    stands, for machines in which legs keep their names; without one the same leg always swings,
    as in walkers whose legs exchange names at a strike. All other joints are free.
    """

    uses_model = False

    def __init__(
        self,
        model: Model,
        kp: float,
        kd: float = 0.0,
        reference: Source = 0.3,
        *,
        joint: str = "hip",
        motor: CurrentMotor = RE40_GP42C,
        side: Side | None = None,
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        expect(model, Model, "model")
        expect(motor, CurrentMotor, "motor")
        at = model.joint(joint)
        if (at.nq, at.nv) != (1, 1) or len(at.own_velocities) != 1:
            raise ValueError(f"joint {joint!r} is {at.kind}, must have one coordinate of its own")
        self.joint, self.motor, self.side = joint, motor, side
        self._q, self._v = at.q_slice.start, at.v_slice.start
        self.kp, self.kd = not_negative(kp, "kp"), not_negative(kd, "kd")
        super().__init__(model, reference, effort=effort, period=period)

    def setpoint(self, value: Any) -> Setpoint:
        """Return an angle [rad], () or (…), checked."""
        given = value[0] if isinstance(value, tuple) else value
        angle = reals(given, "reference")
        if not np.isfinite(angle).all():
            raise ValueError(f"reference is {given!r}, must be finite angles [rad]")
        return angle, np.zeros(()), np.zeros(())

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits but that of the current."""
        current = self._current(t, q, v, setpoint[0])
        tau = np.zeros((*current.shape, self.model.nv))
        tau[..., self._v] = self.motor.torque(current)
        return tau

    def current(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        """Return the current of the motor (…) [A]."""
        state = vectors(q, self.model.nq, "q"), vectors(v, self.model.nv, "v")
        return self._current(t, *state, self.reference(t)[0])

    def power(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        """Return the electrical power of the motor (…) [W]."""
        rate = vectors(v, self.model.nv, "v")[..., self._v]
        return self.motor.power(self.current(t, q, v), rate)

    def _current(self, t: float, q: Array, v: Array, angle: Array) -> Array:
        side = 1.0 if self.side is None else np.asarray(self.side(t, q, v))
        wanted = self.kp * (side * angle - q[..., self._q]) - self.kd * v[..., self._v]
        return np.asarray(np.clip(wanted, -self.motor.limit, self.motor.limit))
