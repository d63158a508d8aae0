"""Gears and couplings between joints of model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tarsus._lib.checks import listing
from tarsus._lib.errors import ModelError, Source
from tarsus._lib.files import Array
from tarsus.formats.xml import XmlElement
from tarsus.model.couplings import gear
from tarsus.model.description import Body, Coupling, DescriptionDraft, Joint

# Joints that follow others linearly, and rotors of which only an inertia is known.


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
    description: DescriptionDraft, joint: str, ratio: float, rotor: Body, **options: Any
) -> None:
    """Add the joint of a rotor; the options are those of `tarsus.model.couplings.gear`."""
    joints = {joint.name: joint for joint in description.joints}
    carrier, coupling, armature = gear(joints, joint, ratio, rotor, **options)
    description.change(joints[joint], armature=armature)
    description.joints.append(carrier)
    if coupling is not None:
        description.couplings.append(coupling)


# Joints of a URDF that move together: `<mimic>`.


Joints = dict[str, Joint]


def read_mimics(robot: XmlElement, description: DescriptionDraft, mode: str) -> None:
    """Couple joints that mimic others; with the mode "independent" only note them."""
    joints = {joint.name: joint for joint in description.joints}
    couplings: dict[str, Coupling] = {}
    for element in robot.all("joint"):
        mimic, name = element.find("mimic"), element.string("name")
        if mimic is None or joints[name].kind == "fixed":
            continue
        if mode == "coupled" and (leader := mimic.string("joint")) not in joints:
            # published robots have this, such as hands that were renamed for left and right
            description.warnings.append(
                f"joint '{name}' mimics joint '{leader}', which does not exist: it moves on its own"
            )
            continue
        couplings[name] = _mimic(mimic, name)
        if mode == "coupled":
            _check_mimic(element, couplings[name], joints)
    if mode == "coupled":
        _check_circles(couplings)
        description.couplings += couplings.values()
    elif couplings:
        _note_mimics(couplings, description)


def _mimic(mimic: XmlElement, follower: str) -> Coupling:
    factors = {mimic.string("joint"): mimic.number("multiplier", 1.0)}
    return follow(follower, factors, mimic.number("offset", 0.0), source=mimic.source)


def _check_mimic(element: XmlElement, coupling: Coupling, joints: Joints) -> None:
    leader, follower = coupling.leaders[0], coupling.followers[0]
    if leader == follower:
        raise element.error("mimics itself")
    for name in (follower, leader):
        if (kind := joints[name].kind) not in ONE_COORDINATE:
            which = f"joint '{name}'" if name == leader else "it"
            raise element.error(
                f"mimics joint '{leader}', but {which} is {kind} and has not one coordinate"
            )


def _check_circles(couplings: dict[str, Coupling]) -> None:
    """Raise if joints mimic each other in a circle."""
    checked: set[str] = set()
    for name in couplings:
        path: list[str] = []
        while name in couplings and name not in checked:
            checked.add(name)
            path.append(name)
            name = couplings[name].leaders[0]
        if name in path:
            circle = " -> ".join([*path[path.index(name) :], name])
            raise ModelError(f"joint '{name}' mimics itself: {circle}", couplings[name].source)


def _note_mimics(couplings: dict[str, Coupling], description: DescriptionDraft) -> None:
    stated: dict[str, dict[str, str | float]] = {}
    for name, coupling in couplings.items():
        assert coupling.matrix is not None
        stated[name] = {
            "joint": coupling.leaders[0],
            "multiplier": float(coupling.matrix[0, 0]),
            "offset": 0.0 if coupling.offset is None else float(coupling.offset[0]),
        }
    description.metadata["mimic"] = stated
    description.warnings.append(
        f"mimic joints ({len(stated)}) are read as independent joints: {listing(stated)}"
    )
