"""Controllers and observers that rest on the structure of the equations of motion.

Each is an object that is made once for a model and then called with states, one or many.
"""

from tarsus.control.adaptive import AdaptiveControl
from tarsus.control.impedance import ImpedanceControl
from tarsus.control.momentum_observer import MomentumObserver
from tarsus.control.operational_space import OperationalSpaceControl
from tarsus.control.passivity import PassivityControl

__all__ = [
    "AdaptiveControl",
    "ImpedanceControl",
    "MomentumObserver",
    "OperationalSpaceControl",
    "PassivityControl",
]
