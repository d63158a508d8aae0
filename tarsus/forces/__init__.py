"""Forces on a mechanism, a file each: `ts.forces.Spring(…)`, for `Simulation(forces=[…])`.

Places are names of frames ("hand"), points in them ("hand", (x, y, z)), or points of the world.
"""

from tarsus.forces.brake import Brake
from tarsus.forces.damper import Damper
from tarsus.forces.damping import Damping
from tarsus.forces.drag import Drag
from tarsus.forces.gravity import GravityField
from tarsus.forces.joint_spring import JointSpring
from tarsus.forces.motor import Motor
from tarsus.forces.rubber import Rubber
from tarsus.forces.spring import Spring
from tarsus.forces.string import String
from tarsus.forces.support import Support
from tarsus.forces.weight import Weight
from tarsus.forces.wrench import Wrench

FORCES = {
    each.kind: each
    for each in (
        *(Brake, Damper, Damping, Drag, GravityField, JointSpring),
        *(Motor, Rubber, Spring, String, Support, Weight, Wrench),
    )
}
"""All kinds of forces by name."""

__all__ = [
    "FORCES",
    "Brake",
    "Damper",
    "Damping",
    "Drag",
    "GravityField",
    "JointSpring",
    "Motor",
    "Rubber",
    "Spring",
    "String",
    "Support",
    "Weight",
    "Wrench",
]
