"""Parameters of mechanisms by which `tarsus.flow` differentiates motions, a kind a file.

They add up, and are multiplied by numbers: one that changes several is their sum.

    Mass("left leg") + Mass("right leg")
"""

from tarsus.events.parameters.center_of_mass import CenterOfMass
from tarsus.events.parameters.damping import Damping
from tarsus.events.parameters.friction import Friction
from tarsus.events.parameters.gravity import Gravity
from tarsus.events.parameters.inertia import Inertia
from tarsus.events.parameters.length import Length
from tarsus.events.parameters.mass import Mass
from tarsus.events.parameters.parameter import Parameter
from tarsus.events.parameters.rest import Rest
from tarsus.events.parameters.slope import Slope
from tarsus.events.parameters.stiffness import Stiffness

__all__ = [
    "CenterOfMass",
    "Damping",
    "Friction",
    "Gravity",
    "Inertia",
    "Length",
    "Mass",
    "Parameter",
    "Rest",
    "Slope",
    "Stiffness",
]
