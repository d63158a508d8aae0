"""Constraints at run time, a file each: `nail = sim.add(ts.constraint.Nail("hand"))`.

Places are names of frames ("hand"), points in them ("hand", (x, y, z)), or points of the world.
"""

from __future__ import annotations

from tarsus.parts.motions import BodyMotion, Grab, JointMotion, MoveTo, PointOnPath
from tarsus.parts.rigid_constraints import (
    Distance,
    Joint,
    Nail,
    Orientation,
    PointInPlane,
    PointToPoint,
    Weld,
)

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


CONSTRAINTS = {
    each.kind: each
    for each in (
        *(BodyMotion, Distance, Grab, Joint, JointMotion, MoveTo, Nail, Orientation),
        *(PointInPlane, PointOnPath, PointToPoint, Weld),
    )
}
"""All kinds of constraints by name."""
