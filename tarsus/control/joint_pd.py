"""Proportional and derivative control of joints."""

from __future__ import annotations

from tarsus.arrays import Array
from tarsus.control.joint_controller import JointController
from tarsus.control.reference import Setpoint


class PD(JointController):
    """τ = kp e + kd (v_ref − v) + τ_ff, with e the step from q to its reference.

    Without a reference it leads to the neutral configuration, until `sim.step(q)` states others.
    Held over a step, it is a spring that answers late: keep kp dt² and kd dt well below the
    inertia of the joint, or use `ImplicitPD`.
    """

    name = "pd"
    uses_model = False

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return efforts (…, nv) without limits."""
        e, rate = self.errors(q, v, setpoint)
        return self.kp * e + self.kd * rate + setpoint[2]
