"""Joints that follow others linearly, and rotors of which only an inertia is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.model.description import Body, Coupling, Description, Source
from tarsus.model.gears import gear

ONE_COORDINATE = ("revolute", "prismatic", "screw")
"""Kinds of joints that can lead and follow in a coupling."""


def follow(
    follower: str,
    factors: Mapping[str, float],
    offset: float = 0.0,
    *,
    name: str | None = None,
    motor: bool = False,
    source: Source | None = None,
) -> Coupling:
    """The coupling follower = Σ factor · leader + offset, with a factor for each leader."""
    return Coupling(
        name or follower,
        "linear",
        leaders=tuple(factors),
        followers=(follower,),
        matrix=np.array([list(factors.values())]),
        offset=np.array([offset]) if offset else None,
        motor=motor,
        source=source,
    )


def thin_disc(name: str, inertia: float, axis: Array, source: Source | None = None) -> Body:
    """A rotor of which only the inertia about its axis is known [kg m²]: a disc without mass.

    Half of it about the other axes is the least that a body can have. The mass of the rotor is
    taken to be stated with the link that carries it.
    """
    tensor = inertia / 2 * (np.eye(3) + np.outer(axis, axis))
    return Body(name, inertia=tensor, source=source)


def add_rotor(
    description: Description, joint: str, ratio: float, rotor: Body, **options: Any
) -> None:
    """Add the joint of a rotor; the options are those of `tarsus.model.gears.gear`."""
    joints = {joint.name: joint for joint in description.joints}
    carrier, coupling, armature = gear(joints, joint, ratio, rotor, **options)
    joints[joint].armature = armature
    description.joints.append(carrier)
    if coupling is not None:
        description.couplings.append(coupling)
