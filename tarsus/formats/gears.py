"""Joints that follow others linearly, and rotors that turn with a joint."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tarsus.model.description import Array, Body, Coupling, Joint, ModelError, Source

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


def geared(
    joint: Joint,
    ratio: float,
    rotor: str,
    *,
    name: str | None = None,
    mount: str | None = None,
    placement: Array | None = None,
    axis: Array | None = None,
    motor: bool = True,
    source: Source | None = None,
) -> tuple[Joint, Coupling]:
    """The joint of the body `rotor`, which turns `ratio` times as fast as `joint`.

    The rotor turns on the body `mount`, by default the one that carries `joint`, there about
    the axis of `joint` unless a `placement` (4, 4) and an `axis` (3,) are given.
    """
    what = f"rotor '{rotor}'"
    if joint.kind not in ONE_COORDINATE:
        raise ModelError(f"{what} turns with joint '{joint.name}', which is {joint.kind}", source)
    if (mount not in (None, joint.parent) or axis is not None) and placement is None:
        raise ModelError(
            f"{what} is not coaxial with joint '{joint.name}': it needs a place", source
        )
    if placement is not None and axis is None:
        raise ModelError(f"{what} has a place of its own and needs an axis", source)
    if placement is None:
        placement, axis = joint.placement, axis_of(joint)
    carrier = Joint(name or f"{rotor}_joint", "revolute", mount or joint.parent, rotor)
    carrier.placement, carrier.axis, carrier.source = np.array(placement), axis, source
    return carrier, follow(carrier.name, {joint.name: ratio}, motor=motor, source=source)


def axis_of(joint: Joint) -> Array:
    """The axis (3,) of a joint, z if it states none."""
    return np.array([0.0, 0.0, 1.0] if joint.axis is None else joint.axis)


def thin_disc(name: str, inertia: float, axis: Array, source: Source | None = None) -> Body:
    """A rotor of which only the inertia about its axis is known [kg m²]: a disc without mass.

    Half of it about the other axes is the least that a body can have. The mass of the rotor is
    taken to be stated with the link that carries it.
    """
    tensor = inertia / 2 * (np.eye(3) + np.outer(axis, axis))
    return Body(name, inertia=tensor, source=source)
