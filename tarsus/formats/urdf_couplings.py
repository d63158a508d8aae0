"""Joints of a URDF that move together: `<mimic>`, and rotors of `<transmission>`.

A transmission is a rotor if it states the inertia of one: `<rotorInertia>` or `<motorInertia>`
[kg m²], or `<drake:rotor_inertia value="…"/>`, with the gear ratio in `<mechanicalReduction>`
or `<drake:gear_ratio value="…"/>`. The rotor turns about the axis of the joint, on the link
that carries the joint. A transmission with one joint is an actuator, whose torque its rotor or, by
the gear ratio, its joint feels; others without a rotor are only kept as metadata.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus.formats.context import listing
from tarsus.formats.gears import ONE_COORDINATE, add_rotor, follow, thin_disc
from tarsus.formats.xml import Element
from tarsus.model.checks import suggestion, unused
from tarsus.model.defaults import filled
from tarsus.model.description import Actuator, Coupling, Description, Joint, ModelError
from tarsus.model.kinds import KINDS

INERTIA_TAGS = ("rotorinertia", "motorinertia")
RATIO_TAGS = ("gearratio", "mechanicalreduction")
Joints = dict[str, Joint]


def read_mimics(robot: Element, description: Description, mode: str) -> None:
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


def _mimic(mimic: Element, follower: str) -> Coupling:
    factors = {mimic.string("joint"): mimic.number("multiplier", 1.0)}
    return follow(follower, factors, mimic.number("offset", 0.0), source=mimic.source)


def _check_mimic(element: Element, coupling: Coupling, joints: Joints) -> None:
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


def _note_mimics(couplings: dict[str, Coupling], description: Description) -> None:
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


def read_transmissions(robot: Element, description: Description) -> None:
    """Add an actuator for each transmission of one joint, with a rotor if it states its inertia."""
    joints = {joint.name: joint for joint in description.joints}
    others: dict[str, Any] = {}
    for index, element in enumerate(robot.all("transmission")):
        # PR2's own format has its type and no name
        name = element.attributes.get("name") or f"transmission{index}"
        stated = [joint.attributes.get("name", "") for joint in element.all("joint")]
        inertia, ratio = _value(element, INERTIA_TAGS), _value(element, RATIO_TAGS)
        driven = joints.get(stated[0]) if len(stated) == 1 else None
        if inertia is None and driven is not None and KINDS[driven.kind] == (1, 1) and ratio != 0.0:
            gear = 1.0 if ratio is None else ratio
            _add_actuator(element, description, name, {stated[0]: gear})
        elif inertia is None:
            others[name] = {"joints": stated} | ({} if ratio is None else {"ratio": ratio})
        else:
            _add_rotor(element, description, joints, stated, inertia, ratio)
            _add_actuator(element, description, name, {f"{stated[0]}_rotor_joint": 1.0})
    if others:
        description.metadata["transmissions"] = others
        description.warnings.append(
            f"transmissions ({len(others)}) drive no joint alone: kept as metadata only"
        )


def _add_actuator(
    element: Element, description: Description, name: str, gears: dict[str, float]
) -> None:
    """Append a motor, called as the one <actuator> of its transmission or as that itself."""
    stated = [each.attributes.get("name") for each in element.all("actuator")]
    taken = {actuator.name for actuator in description.actuators}
    called = stated[0] if len(stated) == 1 and stated[0] else name
    motor = Actuator(unused(called, taken), gears, source=element.source)
    description.actuators.append(motor)


def _add_rotor(
    element: Element,
    description: Description,
    joints: Joints,
    stated: list[str],
    inertia: float,
    ratio: float | None,
) -> None:
    if len(stated) != 1:
        raise element.error("has a rotor and must have one <joint>")
    if stated[0] not in joints:
        raise element.error(f"has the unknown joint '{stated[0]}'{suggestion(stated[0], joints)}")
    axis = np.asarray(filled(joints[stated[0]]).axis)
    rotor = thin_disc(f"{stated[0]}_rotor", inertia, axis, element.source)
    add_rotor(description, stated[0], 1.0 if ratio is None else ratio, rotor, source=element.source)
    description.bodies.append(rotor)


def _value(transmission: Element, tags: tuple[str, ...]) -> float | None:
    """The number in the first element with one of the tags, in an attribute or as text."""
    for element in transmission.walk():
        tag = element.tag.rpartition(":")[2].replace("_", "").lower()
        if tag in tags:
            if "value" in element.attributes:
                return element.number("value")
            return float(element.text_vector(1)[0])
    return None
