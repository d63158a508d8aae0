"""Proportional and derivative control of joints."""

from __future__ import annotations

from tarsus.control.joint_controller import JointController
from tarsus.control.joint_reference import Setpoint
from tarsus.model.description import Array


class PD(JointController):
    """τ = kp e + kd (v_ref − v) + τ_ff, with e the step from q to q_ref.

    Held over a step, it is a spring that answers late: keep kp dt² and kd dt well below the
    inertia of the joint, or use `ImplicitPD`.
    """

    name = "pd"

    def law(self, q: Array, v: Array, target: Setpoint) -> Array:
        """Return efforts (…, nv) without limits."""
        e, rate = self.errors(q, v, target)
        return self.kp * e + self.kd * rate + target[2]
