"""Identification: numbers of machines from their recorded motions, and how well they are known.

found = ts.identify(arm, {"damping": ts.parameters.Damping("elbow")}, t, q, noise=1e-3)
print(found)
"""

from tarsus.identification.found import Identification
from tarsus.identification.identify import identify
from tarsus.identification.inertial import InertialFit, identify_inertia

__all__ = ["Identification", "InertialFit", "identify", "identify_inertia"]
