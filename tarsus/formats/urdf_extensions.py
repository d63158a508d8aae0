"""Extensions of URDF: loops, transmissions and ros2_control."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tarsus._lib.checks import listing, suggestion, unused
from tarsus._lib.files import Array
from tarsus.formats.couplings import ONE_COORDINATE, Joints, add_rotor, follow, thin_disc
from tarsus.formats.urdf_elements import read_body, read_direction, read_origin
from tarsus.formats.xml import XmlElement
from tarsus.model.defaults import filled
from tarsus.model.description import Actuator, Coupling, DescriptionDraft, Joint, Loop
from tarsus.spatial import pose, rotation_along

# Elements that a URDF may have beyond the standard: loops, couplings and rotors.
#
# Loops and couplings are those of URDF+ (Chignoli, Slotine, Wensing and Kim, "URDF+: An Enhanced
# URDF for Robots with Kinematic Loops", 2024):
#
#     <loop name="closure" type="revolute">
#       <predecessor link="rod"> <origin xyz="1 0 0"/> </predecessor>
#       <successor link="rocker"> <origin xyz="0 1 0"/> </successor>
#       <axis xyz="0 0 1"/>
#     </loop>
#     <coupling name="belt">
#       <predecessor link="wheel"/> <successor link="pulley"/> <ratio value="6"/>
#     </coupling>
#
# A loop joins the two origins by a joint of its type about the axis in these frames (x if none is
# stated; a universal joint also has `<axis2>`, one of constant distance an attribute `length`).
# In a coupling the angles of the joints from the nearest common ancestor to the successor add up
# to the ratio times those to the predecessor; `motor="true"` marks a follower that is a rotor.
# A `<joint>` may say `independent="true"` or `"false"`: whether its coordinate stays.
#
# A rotor is our own addition. Without `<origin>` and `<axis>` (a place on the link `<mount>`) it
# turns about the axis of its joint, on the link that carries the joint:
#
#     <rotor name="hip_rotor" joint="hip" ratio="6">
#       <mount link="base"/> <origin xyz="0 0 0.1"/> <axis xyz="0 0 1"/> <inertial>…</inertial>
#     </rotor>


ELEMENTS = ("loop", "coupling", "rotor")
OTHER_NAMES = {"continuous": "revolute", "fixed": "weld", "ball": "spherical"}
KINDS = ["revolute", "prismatic", "universal", "cylindrical", "spherical", "planar", "weld"]
KINDS += ["point_on_line", "distance", "knife_edge"]
LOOP_KINDS = {kind: kind for kind in KINDS} | OTHER_NAMES


def read_plus(robot: XmlElement, description: DescriptionDraft) -> None:
    """Add the rotors, loops and couplings of a file."""
    choice = {
        element.string("name"): _flag(element, "independent")
        for element in robot.all("joint")
        if "independent" in element.attributes
    }
    for element in robot.all("rotor"):
        _read_rotor(element, description)
    tree = _Tree(description.joints)
    for element in robot.all("loop"):
        description.loops.append(_read_loop(element, description, tree, choice))
    for element in robot.all("coupling"):
        description.couplings.append(_read_coupling(element, description, tree, choice))


def _read_rotor(element: XmlElement, description: DescriptionDraft) -> None:
    mount, rotor = element.find("mount"), read_body(element)
    add_rotor(
        description,
        element.string("joint"),
        element.number("ratio"),
        rotor,
        mount=None if mount is None else _link(mount, description),
        placement=None if element.find("origin") is None else read_origin(element),
        axis=None if element.find("axis") is None else read_direction(element, "axis"),
        source=element.source,
    )
    description.bodies.append(rotor)


def _read_loop(
    element: XmlElement, description: DescriptionDraft, tree: _Tree, choice: dict[str, bool]
) -> Loop:
    kind = element.string("type")
    if kind not in LOOP_KINDS:
        raise element.error(f"has the unknown type '{kind}'{suggestion(kind, LOOP_KINDS)}")
    first, second = element.require("predecessor"), element.require("successor")
    frame = pose(rotation=_read_axes(element, LOOP_KINDS[kind]))
    body_a, body_b = _link(first, description), _link(second, description)
    around = [joint.name for path in tree.between(body_a, body_b) for joint in path]
    return Loop(
        element.string("name"),
        LOOP_KINDS[kind],
        body_a,
        body_b,
        read_origin(first) @ frame,
        read_origin(second) @ frame,
        length=element.number("length", 0.0),
        independent=_staying(around, choice),
        source=element.source,
    )


def _staying(joints: list[str], choice: dict[str, bool]) -> tuple[str, ...] | None:
    """The joints that say that their coordinates stay, or else those that do not deny it."""
    stated = tuple(name for name in joints if choice.get(name))
    if stated or not any(name in choice for name in joints):
        return stated or None
    return tuple(name for name in joints if name not in choice)


def _read_axes(element: XmlElement, kind: str) -> Array:
    """The rotation (3, 3) whose z is the axis of the loop, for a universal one with x the other."""
    axis = read_direction(element, "axis")
    if kind != "universal" or element.find("axis2") is None:
        return rotation_along(axis)
    other = read_direction(element, "axis2")
    if abs(axis @ other) > 1e-9:
        raise element.error("has an <axis2> that is not perpendicular to its <axis>")
    return rotation_along(axis, other)


def _read_coupling(
    element: XmlElement, description: DescriptionDraft, tree: _Tree, choice: dict[str, bool]
) -> Coupling:
    first, second = element.require("predecessor"), element.require("successor")
    before, after = tree.between(_link(first, description), _link(second, description))
    ratio = element.require("ratio").number("value")
    weights = {joint.name: ratio for joint in before} | {joint.name: -1.0 for joint in after}
    for joint in (*before, *after):
        if joint.kind not in ONE_COORDINATE:
            raise element.error(f"has joint '{joint.name}' on its way, which is {joint.kind}")
    follower = _choose_follower(element, weights, description, choice)
    own = weights.pop(follower)
    return follow(
        follower,
        {name: -weight / own for name, weight in weights.items()},
        name=element.string("name"),
        motor=_flag(element, "motor"),
        source=element.source,
    )


def _choose_follower(
    element: XmlElement,
    weights: dict[str, float],
    description: DescriptionDraft,
    choice: dict[str, bool],
) -> str:
    """The joint that follows the others: one that may, by preference nearest to the successor."""
    taken = {name for coupling in description.couplings for name in coupling.followers}
    able = [name for name, weight in weights.items() if weight and name not in taken]
    wanted = [name for name in able if not choice.get(name, True)]
    if len(weights) < 2 or not able:
        raise element.error("has no joint that could follow others")
    return (wanted or able)[-1]


class _Tree:
    """Which joint carries a link, to find the way from one link to another."""

    def __init__(self, joints: Iterable[Joint]) -> None:
        self.carrier = {joint.child: joint for joint in joints}

    def between(self, first: str, second: str) -> tuple[list[Joint], list[Joint]]:
        """The moving joints from the nearest common ancestor to the one link and to the other."""
        ways = self._way(first), self._way(second)
        common = 0
        while common < min(map(len, ways)) and ways[0][common] is ways[1][common]:
            common += 1
        moving = [[joint for joint in way[common:] if joint.kind != "fixed"] for way in ways]
        return moving[0], moving[1]

    def _way(self, link: str) -> list[Joint]:
        """The joints from the root to a link; a circle, an error elsewhere, ends it."""
        way: dict[str, Joint] = {}
        while link in self.carrier and link not in way:
            way[link] = self.carrier[link]
            link = way[link].parent
        return list(way.values())[::-1]


def _link(element: XmlElement, description: DescriptionDraft) -> str:
    names = [body.name for body in description.bodies]
    name = element.string("link")
    if name not in names:
        raise element.error(f"names the unknown link '{name}'{suggestion(name, names)}")
    return name


def _flag(element: XmlElement, attribute: str) -> bool:
    word = element.attributes.get(attribute, "false").strip().lower()
    if word not in ("true", "false", "1", "0"):
        raise element.error(f"attribute '{attribute}' must be true or false, not '{word}'")
    return word in ("true", "1")


# Actuators of a URDF: `<transmission>`, and what `<ros2_control>` has of them and of joints.
#
# A transmission with one joint is an actuator. It has a rotor if it states the inertia of one:
# `<rotorInertia>` or `<motorInertia>` [kg m²], or `<drake:rotor_inertia value="…"/>`, with the gear
# ratio in `<mechanicalReduction>` or `<drake:gear_ratio value="…"/>`. The rotor turns about the
# axis of the joint, on the link that carries the joint, and feels the torque; without one the joint
# feels it, times the gear ratio. A DifferentialTransmission has two actuators that share two
# joints. Others are only kept as metadata. Joints of `<ros2_control>` that take efforts are motors.


INERTIA_TAGS = ("rotorinertia", "motorinertia")
RATIO_TAGS = ("gearratio", "mechanicalreduction")
CONTROL = "ros2_control"
DIFFERENTIAL = "DifferentialTransmission"


def read_transmissions(robot: XmlElement, description: DescriptionDraft) -> None:
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


def read_interfaces(robot: XmlElement, description: DescriptionDraft) -> None:
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
        limits = bounds.get("min", -np.inf), bounds.get("max", np.inf)
        control = np.array(limits) if bounds else None
        motor = Actuator(name, {name: 1.0}, control_range=control, source=element.source)
        description.actuators.append(motor)
    if without:
        description.warnings.append(
            f"joints ({len(without)}) of <{CONTROL}> take no efforts, and gains of servos are not "
            f"stated: they have no actuators: {listing(dict.fromkeys(without), limit=5)}"
        )


def _transmissions(robot: XmlElement) -> Iterator[XmlElement]:
    for place in (robot, *robot.all(CONTROL)):
        yield from place.all("transmission")


def _add_actuator(
    element: XmlElement, description: DescriptionDraft, name: str, gears: dict[str, float]
) -> None:
    """Append a motor, called as the one <actuator> of its transmission or as that itself."""
    stated = [each.attributes.get("name") for each in element.all("actuator")]
    taken = {actuator.name for actuator in description.actuators}
    called = stated[0] if len(stated) == 1 and stated[0] else name
    motor = Actuator(unused(called, taken), gears, source=element.source)
    description.actuators.append(motor)


def _add_differential(element: XmlElement, description: DescriptionDraft) -> bool:
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


def _by_role(element: XmlElement, tag: str) -> list[XmlElement] | None:
    """Return the two elements with this tag in the order of their roles, None unless two."""
    found = list(element.all(tag))
    if len(found) != 2 or not all(each.attributes.get("name") for each in found):
        return None
    return sorted(found, key=_role)


def _role(element: XmlElement) -> str:
    child = element.find("role")
    return element.attributes.get("role", "") if child is None else child.text.strip()


def _reduction(element: XmlElement) -> float:
    ratio = _value(element, RATIO_TAGS)
    return 1.0 if ratio is None else ratio


def _add_rotor(
    element: XmlElement,
    description: DescriptionDraft,
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


def _value(transmission: XmlElement, tags: tuple[str, ...]) -> float | None:
    """The number in the first element with one of the tags, in an attribute or as text."""
    for element in transmission.walk():
        tag = element.tag.rpartition(":")[2].replace("_", "").lower()
        if tag in tags:
            if "value" in element.attributes:
                return element.number("value")
            return float(element.text_vector(1)[0])
    return None
