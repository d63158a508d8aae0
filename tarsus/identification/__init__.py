"""Identification: numbers of machines from their recorded motions, and how well they are known.

found = ts.identify(arm, {"damping": ts.parameters.Damping("elbow")}, t, q, noise=1e-3)
print(found)
"""

from tarsus.identification.estimates import Estimates
from tarsus.identification.fit import Fitted, fit
from tarsus.identification.found import Identification
from tarsus.identification.identify import identify
from tarsus.identification.inertial import InertialFit, identify_inertia

__all__ = [
    "Estimates",
    "Fitted",
    "Identification",
    "InertialFit",
    "fit",
    "identify",
    "identify_inertia",
]
