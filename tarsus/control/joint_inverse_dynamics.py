"""Inverse dynamics control, also called computed torque."""

from __future__ import annotations

import numpy as np

from tarsus.control.joint_controller import JointController
from tarsus.control.reference import Setpoint
from tarsus.model.description import Array


class InverseDynamics(JointController):
    """τ = H (a_ref + kp e + kd (v_ref − v)) + bias forces.

    The errors then obey ë + kd ė + kp e = 0, with kp [1/s²] and kd [1/s]; where the base has
    no drive, its rows are left out. Joint springs and friction are not compensated.
    """

    name = "inverse_dynamics"
    adds = "acceleration"

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits."""
        e, rate = self.errors(q, v, setpoint)
        a = setpoint[2] + self.kp * e + self.kd * rate
        return np.asarray(self.model.inverse_dynamics(q, v, a))
