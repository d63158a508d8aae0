"""Constraints at run time, a file each: `nail = sim.add(ts.constraint.Nail("hand"))`.

Places are names of frames ("hand"), points in them ("hand", (x, y, z)), or points of the world.
"""

from tarsus.constraint.distance import Distance
from tarsus.constraint.grab import Grab
from tarsus.constraint.joints import Joint, PointToPoint, Weld
from tarsus.constraint.motion import BodyMotion, JointMotion
from tarsus.constraint.move_to import MoveTo
from tarsus.constraint.nail import Nail
from tarsus.constraint.orientation import Orientation
from tarsus.constraint.path import PointOnPath
from tarsus.constraint.plane import PointInPlane

CONSTRAINTS = {
    each.kind: each
    for each in (
        *(BodyMotion, Distance, Grab, Joint, JointMotion, MoveTo, Nail, Orientation),
        *(PointInPlane, PointOnPath, PointToPoint, Weld),
    )
}
"""All kinds of constraints by name."""

__all__ = [
    "CONSTRAINTS",
    "BodyMotion",
    "Distance",
    "Grab",
    "Joint",
    "JointMotion",
    "MoveTo",
    "Nail",
    "Orientation",
    "PointInPlane",
    "PointOnPath",
    "PointToPoint",
    "Weld",
]
