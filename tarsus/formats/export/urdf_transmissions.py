"""Actuators of a URDF that is written: transmissions of motors, plugins of Gazebo for servos."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from tarsus.formats.export.left_out import LeftOuts
from tarsus.formats.export.plugins import add_plugin
from tarsus.formats.export.xml_text import add, numbers
from tarsus.formats.urdf_transmissions import DIFFERENTIAL
from tarsus.model.actuators import RANGE_FIELDS
from tarsus.model.description import Actuator

SAME = 1e-12
"""How near products of gears must be to come from one differential."""


def add_transmissions(robot: Element, actuators: Sequence[Actuator], left_out: LeftOuts) -> None:
    """Append all actuators that URDF can say, and tell of the others.

    A gain of a motor is part of its reduction. Motors of two joints that follow each other are a
    differential if the one moves them together and the other against each other.
    """
    waiting = list(actuators)
    while waiting:
        actuator, *waiting = waiting
        if actuator.kind != "motor":
            gazebo = Element("gazebo")
            add_plugin(gazebo, actuator, left_out)
            robot.extend([gazebo] if len(gazebo) else [])
        elif len(actuator.joints) == 1:
            _add_simple(robot, actuator, left_out)
        elif waiting and _is_differential(actuator, waiting[0]):
            _add_differential(robot, actuator, waiting.pop(0), left_out)
        else:
            reason = "moves several joints, URDF has motors of one joint and differentials only"
            left_out.add("actuator", actuator.name, reason)


def _add_simple(robot: Element, actuator: Actuator, left_out: LeftOuts) -> None:
    ((joint, gear),) = actuator.joints.items()
    _tell_ranges(actuator, left_out)
    element = _add_transmission(robot, actuator.name, "SimpleTransmission")
    _add_joint(element, joint)
    motor = add(element, "actuator", name=actuator.name)
    add(motor, "mechanicalReduction", numbers(gear * float(actuator.gain[0])))


def _is_differential(one: Actuator, other: Actuator) -> bool:
    """Whether x = n_1 q_1 + n_2 q_2 and x = n_1 q_1 - n_2 q_2, each times a number."""
    if other.kind != "motor" or len(one.joints) != 2 or set(one.joints) != set(other.joints):
        return False
    (first, a), (second, b) = one.joints.items()
    c, d = other.joints[first], other.joints[second]
    return a * c != 0.0 and math.isclose(a * d, -b * c, rel_tol=SAME)


def _add_differential(robot: Element, one: Actuator, other: Actuator, left_out: LeftOuts) -> None:
    (first, a), (second, b) = one.joints.items()
    reductions = ((one, a), (other, other.joints[first]))
    element = _add_transmission(robot, f"{one.name}_{other.name}", DIFFERENTIAL)
    for number, (actuator, reduction) in enumerate(reductions, 1):
        _tell_ranges(actuator, left_out)
        motor = add(element, "actuator", name=actuator.name)
        add(motor, "role", f"actuator{number}")
        add(motor, "mechanicalReduction", numbers(reduction * float(actuator.gain[0])))
    for number, (joint, ratio) in enumerate(((first, 1.0), (second, b / a)), 1):
        end = _add_joint(element, joint)
        add(end, "role", f"joint{number}")
        add(end, "mechanicalReduction", numbers(ratio))


def _add_transmission(robot: Element, name: str, kind: str) -> Element:
    element = add(robot, "transmission", name=name)
    add(element, "type", f"transmission_interface/{kind}")
    return element


def _add_joint(transmission: Element, name: str) -> Element:
    joint = add(transmission, "joint", name=name)
    add(joint, "hardwareInterface", "hardware_interface/EffortJointInterface")
    return joint


def _tell_ranges(actuator: Actuator, left_out: LeftOuts) -> None:
    for key in RANGE_FIELDS:
        if getattr(actuator, key) is not None:
            left_out.add(f"{key} of actuator", actuator.name, "URDF has none")
