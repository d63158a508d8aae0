"""Controllers, each an object that is made once for a model.

All controllers are called alike, tau = controller(t, q, v), with one state or many. They run in
`Simulation.run(controller=…)` and `Simulation.reset(q, controller=…)`, for one state or a batch,
and forget what was with `reset()`. Where the core knows the law (`PD`, `ImplicitPD`, `PID`,
`InverseDynamics`, mostly `PassivityControl`, and a `Cascade` onto one of them) simulations run it
there, without Python in the loop. The words are the same everywhere::

    model         what is controlled
    reference     what is followed: a setpoint, or a function of time that returns setpoints;
                  as the fourth argument of a call, a setpoint instead
    setpoint      where to be, also with how fast to move and what is added: x, (x, v), (x, v, a)
    kp, kd, ki    gains of the error, of its velocity, of its integral, as `PID(model, kp, ki, kd)`
    bandwidth     a rate [1/s] at which an error fades
    effort        the largest output; nothing drives a base that floats unless it says so
    period        the time [s] over which an output is held

A law that speaks to the actuators of a model returns controls u (nu,) instead of efforts (nv,):
`Actuated(model, law)` is the controller with that law.

`CurveTracking` follows fields of directions without a clock, `VirtualConstraints` bind joints to a
phase of the motion, `SwitchingHip` swings legs ahead. A `JointController` follows configurations, a
`FrameController` the pose or position of a frame, and `WholeBody` tasks of inverse kinematics,
while the robot pushes against each `Contact`.
"""

from tarsus.control.adaptive import AdaptiveControl, PassivityControl
from tarsus.control.contact_patch import Contact
from tarsus.control.controller import Cascade, ControlLaw, Table
from tarsus.control.current_motor import RE40_GP42C, CurrentMotor
from tarsus.control.curve_field import CurveField
from tarsus.control.curve_tracking import CurveEfforts, CurveTracking, IntegralCurveTracking
from tarsus.control.frame_control import FrameController, ImpedanceControl, OperationalSpaceControl
from tarsus.control.joint_control import (
    PD,
    PID,
    Actuated,
    ImplicitPD,
    InverseDynamics,
    JointController,
)
from tarsus.control.virtual_constraints import SwitchingHip, VirtualConstraints
from tarsus.control.whole_body import WholeBody

__all__ = [
    "PD",
    "PID",
    "RE40_GP42C",
    "Actuated",
    "AdaptiveControl",
    "Cascade",
    "Contact",
    "ControlLaw",
    "CurrentMotor",
    "CurveEfforts",
    "CurveField",
    "CurveTracking",
    "FrameController",
    "ImpedanceControl",
    "ImplicitPD",
    "IntegralCurveTracking",
    "InverseDynamics",
    "JointController",
    "OperationalSpaceControl",
    "PassivityControl",
    "SwitchingHip",
    "Table",
    "VirtualConstraints",
    "WholeBody",
]
