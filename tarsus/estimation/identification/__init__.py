"""Identification: numbers of machines from their recorded motions, and how well they are known.

found = ts.identify(arm, {"damping": ts.parameters.Damping("elbow")}, t, q, noise=1e-3)
print(found)
"""

from tarsus.estimation.identification.identify import Identification, identify
from tarsus.estimation.identification.inertial import Fitted, InertialFit, fit, identify_inertia
from tarsus.estimation.observability import Estimates

__all__ = [
    "Estimates",
    "Fitted",
    "Identification",
    "InertialFit",
    "fit",
    "identify",
    "identify_inertia",
]
