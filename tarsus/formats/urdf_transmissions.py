"""Actuators of a URDF: `<transmission>`, and what `<ros2_control>` has of them and of joints.

A transmission with one joint is an actuator. It has a rotor if it states the inertia of one:
`<rotorInertia>` or `<motorInertia>` [kg m²], or `<drake:rotor_inertia value="…"/>`, with the gear
ratio in `<mechanicalReduction>` or `<drake:gear_ratio value="…"/>`. The rotor turns about the axis
of the joint, on the link that carries the joint, and feels the torque; without one the joint feels
it, times the gear ratio. A DifferentialTransmission has two actuators that share two joints. Others
are only kept as metadata. Joints of `<ros2_control>` that take efforts are motors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tarsus.formats.context import listing
from tarsus.formats.gears import ONE_COORDINATE, add_rotor, thin_disc
from tarsus.formats.urdf_couplings import Joints
from tarsus.formats.xml import Element
from tarsus.model.checks import suggestion, unused
from tarsus.model.defaults import filled
from tarsus.model.description import Actuator, Description

INERTIA_TAGS = ("rotorinertia", "motorinertia")
RATIO_TAGS = ("gearratio", "mechanicalreduction")
CONTROL = "ros2_control"
DIFFERENTIAL = "DifferentialTransmission"


def read_transmissions(robot: Element, description: Description) -> None:
    """Add the actuators of transmissions, with a rotor if they state its inertia."""
    joints = {joint.name: joint for joint in description.joints}
    others: dict[str, Any] = {}
    for index, element in enumerate(_transmissions(robot)):
        # PR2's own format has its type and no name
        name = element.attributes.get("name") or f"transmission{index}"
        stated = [joint.attributes.get("name", "") for joint in element.all("joint")]
        inertia, ratio = _value(element, INERTIA_TAGS), _value(element, RATIO_TAGS)
        driven = all(each in joints and joints[each].kind in ONE_COORDINATE for each in stated)
        if inertia is not None:
            _add_rotor(element, description, joints, stated, inertia, ratio)
            _add_actuator(element, description, name, {f"{stated[0]}_rotor_joint": 1.0})
        elif driven and len(stated) == 1 and ratio != 0.0:
            _add_actuator(element, description, name, {stated[0]: 1.0 if ratio is None else ratio})
        elif not (driven and _add_differential(element, description)):
            others[name] = {"joints": stated} | ({} if ratio is None else {"ratio": ratio})
    if others:
        description.metadata["transmissions"] = others
        names = listing(others, limit=5)
        description.warnings.append(
            f"transmissions ({len(others)}) are of kinds that are not read, and kept as metadata "
            f"only: {names}"
        )


def read_interfaces(robot: Element, description: Description) -> None:
    """Add a motor for each joint of `<ros2_control>` that takes efforts and has none yet."""
    moved = {name for actuator in description.actuators for name in actuator.joints}
    known = {joint.name for joint in description.joints}
    without: list[str] = []
    for element in (joint for place in robot.all(CONTROL) for joint in place.all("joint")):
        name = element.string("name")
        interfaces = {each.string("name"): each for each in element.all("command_interface")}
        if not interfaces or name in moved or name not in known:
            continue
        if "effort" not in interfaces:
            without.append(name)
            continue
        bounds = {
            each.string("name"): float(each.text_vector(1)[0])
            for each in interfaces["effort"].all("param")
            if each.string("name") in ("min", "max")
        }
        motor = Actuator(name, {name: 1.0}, source=element.source)
        if bounds:
            limits = bounds.get("min", -np.inf), bounds.get("max", np.inf)
            motor.control_range = np.array(limits)
        description.actuators.append(motor)
    if without:
        description.warnings.append(
            f"joints ({len(without)}) of <{CONTROL}> take no efforts, and gains of servos are not "
            f"stated: they have no actuators: {listing(dict.fromkeys(without), limit=5)}"
        )


def _transmissions(robot: Element) -> Iterator[Element]:
    for place in (robot, *robot.all(CONTROL)):
        yield from place.all("transmission")


def _add_actuator(
    element: Element, description: Description, name: str, gears: dict[str, float]
) -> None:
    """Append a motor, called as the one <actuator> of its transmission or as that itself."""
    stated = [each.attributes.get("name") for each in element.all("actuator")]
    taken = {actuator.name for actuator in description.actuators}
    called = stated[0] if len(stated) == 1 and stated[0] else name
    motor = Actuator(unused(called, taken), gears, source=element.source)
    description.actuators.append(motor)


def _add_differential(element: Element, description: Description) -> bool:
    """Append two motors a and b, whose sum moves joint 1 and whose difference joint 2.

    x_a = n_a (n_1 q_1 + n_2 q_2), x_b = n_b (n_1 q_1 - n_2 q_2); efforts go the other way
    (ros_control's transmission_interface).
    """
    kind = element.find("type") or element.find("plugin")
    ends = [_by_role(element, tag) for tag in ("actuator", "joint")]
    if kind is None or kind.text.strip().rpartition("/")[2] != DIFFERENTIAL or None in ends:
        return False
    motors, joints = (end for end in ends if end is not None)
    reductions = [_reduction(joint) for joint in joints]
    names = [joint.string("name") for joint in joints]
    taken = {actuator.name for actuator in description.actuators}
    for motor, sign in zip(motors, (1.0, -1.0), strict=True):
        first, second = (_reduction(motor) * each for each in reductions)
        gears = {names[0]: first, names[1]: sign * second}
        called = unused(motor.string("name"), taken)
        description.actuators.append(Actuator(called, gears, source=element.source))
        taken.add(called)
    return True


def _by_role(element: Element, tag: str) -> list[Element] | None:
    """Return the two elements with this tag in the order of their roles, None unless two."""
    found = list(element.all(tag))
    if len(found) != 2 or not all(each.attributes.get("name") for each in found):
        return None
    return sorted(found, key=_role)


def _role(element: Element) -> str:
    child = element.find("role")
    return element.attributes.get("role", "") if child is None else child.text.strip()


def _reduction(element: Element) -> float:
    ratio = _value(element, RATIO_TAGS)
    return 1.0 if ratio is None else ratio


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
