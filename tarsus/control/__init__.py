"""Controllers and observers, each an object that is made once for a model.

Those whose names end with Control or Observer rest on the structure of the equations of motion
and are called with states, one or many. Joint controllers (`PD`, `ImplicitPD`, `PID`,
`InverseDynamics`, and what `PassivityControl.along` returns) are called with a time and a state,
tau = controller(t, q, v), and run inside the core of a `Simulation`.
"""

from tarsus.control.adaptive import AdaptiveControl
from tarsus.control.cascade import Cascade
from tarsus.control.impedance import ImpedanceControl
from tarsus.control.joint_controller import JointController
from tarsus.control.joint_implicit_pd import ImplicitPD
from tarsus.control.joint_inverse_dynamics import InverseDynamics
from tarsus.control.joint_pd import PD
from tarsus.control.joint_pid import PID
from tarsus.control.joint_reference import Table
from tarsus.control.momentum_observer import MomentumObserver
from tarsus.control.operational_space import OperationalSpaceControl
from tarsus.control.passivity import PassivityControl

__all__ = [
    "PD",
    "PID",
    "AdaptiveControl",
    "Cascade",
    "ImpedanceControl",
    "ImplicitPD",
    "InverseDynamics",
    "JointController",
    "MomentumObserver",
    "OperationalSpaceControl",
    "PassivityControl",
    "Table",
]
