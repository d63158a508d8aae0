"""Actuators of an SDF file: Gazebo's plugins that push joints, and Drake's elements of joints.

SDF itself has no drives: `<limit><effort>` bounds whatever acts on a joint. The laws are those of
gz-sim's systems, with their defaults; what has a memory (integral gains) and what sets velocities
instead of forces has no place in an `Actuator`, and is told.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus._lib.checks import listing, suggestion, unused
from tarsus._lib.files import Array
from tarsus.formats.couplings import ONE_COORDINATE, add_rotor, thin_disc
from tarsus.formats.sdf_elements import flag, number
from tarsus.formats.xml import Context, XmlElement
from tarsus.model.defaults import filled
from tarsus.model.description import Actuator, DescriptionDraft, Joint

ROTOR, RATIO, GAINS = "drake:rotor_inertia", "drake:gear_ratio", "drake:controller_gains"
DRAKE = (ROTOR, RATIO, GAINS)
"""Elements of joints by which Drake knows actuators."""
MOST = 1000.0
"""Forces of Gazebo's controllers are cut there unless they state it [N or N·m]."""


def read_actuators(model: XmlElement, description: DescriptionDraft, context: Context) -> None:
    """Append the actuators of a model; each is called as its joint."""
    reader = _Reader(description, context)
    for element in model.all("joint"):
        reader.read_joint(element)
    read_plugins(list(model.all("plugin")), description, context)


def read_plugins(
    plugins: list[XmlElement], description: DescriptionDraft, context: Context
) -> None:
    """Append the actuators that plugins are, and name those that are none."""
    reader = _Reader(description, context)
    others: list[str] = []
    for plugin in plugins:
        name = plugin.attributes.get("name", "").rpartition("::")[2]
        if name in PLUGINS:
            PLUGINS[name](reader, plugin)
        else:
            others.append(name or plugin.attributes.get("filename", "?"))
    if others:
        names = listing(dict.fromkeys(others))
        context.warnings.append(f"plugins ({len(others)}) are not taken over: {names}")


class _Reader:
    """Appends actuators to a description, and tells what of them is left out."""

    def __init__(self, description: DescriptionDraft, context: Context) -> None:
        self.description, self.context = description, context
        self.joints = {joint.name: joint for joint in description.joints}

    def read_joint(self, element: XmlElement) -> None:
        """Drake's actuator of a joint: its rotor is felt, its gear ratio multiplies no effort."""
        name = element.string("name")
        if all(element.find(tag) is None for tag in DRAKE):
            return
        inertia, ratio = number(element, ROTOR, 0.0), number(element, RATIO, 1.0)
        joint, gains = self._joint(name, element), element.find(GAINS)
        if joint is None:
            return
        if inertia and ratio:
            rotor = thin_disc(
                f"{name}_rotor", inertia, np.asarray(filled(joint).axis), element.source
            )
            add_rotor(self.description, name, ratio, rotor, source=element.source)
            self.description.bodies.append(rotor)
        if gains is None:
            self.add(element, joint)
        else:
            self.add(element, joint, gains.number("p", 0.0), gains.number("d", 0.0))

    def read_force(self, plugin: XmlElement) -> None:
        """ApplyJointForce: the control is the effort."""
        for joint in self._joints(plugin):
            self.add(plugin, joint)

    def read_position(self, plugin: XmlElement) -> None:
        """JointPositionController: a servo, whose control is a position."""
        if self._sets_velocities(plugin, flag(plugin, "use_velocity_commands")):
            return
        stiff, damp = number(plugin, "p_gain", 1.0), number(plugin, "d_gain", 0.01)
        self._tell(plugin, integral=number(plugin, "i_gain", 0.1))
        for joint in self._joints(plugin):
            self.add(plugin, joint, stiff, damp, *self._output(plugin))

    def read_velocity(self, plugin: XmlElement) -> None:
        """JointController: with forces a servo whose control is a velocity."""
        if self._sets_velocities(plugin, not flag(plugin, "use_force_commands")):
            return
        gain = number(plugin, "p_gain", 1.0)
        self._tell(
            plugin, integral=number(plugin, "i_gain", 0.0), derivative=number(plugin, "d_gain", 0.0)
        )
        for joint in self._joints(plugin):
            self.add(plugin, joint, None, gain, *self._output(plugin))

    def read_trajectory(self, plugin: XmlElement) -> None:
        """JointTrajectoryController: a servo for each joint, with gains in their order."""
        names = _names(plugin)
        if not names:
            names = [joint.name for joint in self.joints.values() if joint.kind in ONE_COORDINATE]

        def each(tag: str, usual: float) -> list[float]:
            stated = [float(found.text_vector(1)[0]) for found in plugin.all(f"position_{tag}")]
            return (stated + [usual] * len(names))[: len(names)]

        self._tell(plugin, integral=max(map(abs, each("i_gain", 0.0)), default=0.0))
        usual = {"p_gain": 0.0, "d_gain": 0.0, "cmd_min": 0.0, "cmd_max": -1.0, "cmd_offset": 0.0}
        numbers = zip(*(each(tag, value) for tag, value in usual.items()), strict=True)
        for name, law in zip(names, numbers, strict=True):
            if (joint := self._joint(name, plugin)) is not None:
                self.add(plugin, joint, *law)

    def add(
        self,
        source: XmlElement,
        joint: Joint,
        stiffness: float | None = None,
        damping: float | None = None,
        low: float = 0.0,
        high: float = -1.0,
        offset: float = 0.0,
    ) -> None:
        """Append a motor, or a servo with these gains; limits that do not rise are none."""
        taken = {actuator.name for actuator in self.description.actuators}
        law: dict[str, Array] = {}
        if damping is not None:
            first = damping if stiffness is None else stiffness
            law["gain"] = np.array([first, 0.0, 0.0])
            law["bias"] = np.array([offset, -(stiffness or 0.0), -damping])
        if low <= high:
            law["force_range"] = np.array([low, high])
        name = unused(joint.name, taken)
        drive = Actuator(name, {joint.name: 1.0}, **law, source=source.source)
        self.description.actuators.append(drive)

    def _output(self, plugin: XmlElement) -> tuple[float, float, float]:
        usual = {"cmd_min": -MOST, "cmd_max": MOST, "cmd_offset": 0.0}
        low, high, offset = (number(plugin, tag, value) for tag, value in usual.items())
        return low, high, offset

    def _joints(self, plugin: XmlElement) -> list[Joint]:
        """Return the joints that a plugin names, as far as they have one coordinate."""
        names = _names(plugin)
        if not names:
            self.context.warnings.append(f"left out: {plugin.label} names no joint")
        found = [self._joint(name, plugin) for name in names]
        return [joint for joint in found if joint is not None]

    def _joint(self, name: str, source: XmlElement) -> Joint | None:
        joint = self.joints.get(name)
        if joint is not None and joint.kind in ONE_COORDINATE:
            return joint
        if joint is None and name not in {loop.name for loop in self.description.loops}:
            hint = suggestion(name, self.joints)
            self.context.warnings.append(f"{source.label} drives no joint: '{name}'{hint}")
        else:
            reason = "closes a loop" if joint is None else f"is {joint.kind}"
            self.context.warnings.append(
                f"left out: the actuator of joint '{name}', which {reason}"
            )
        return None

    def _sets_velocities(self, plugin: XmlElement, so: bool) -> bool:
        if so:
            of = listing(dict.fromkeys(_names(plugin)))
            reason = "it sets velocities and not forces"
            self.context.warnings.append(f"left out: {plugin.label} of {of}: {reason}")
        return so

    def _tell(self, plugin: XmlElement, **gains: float) -> None:
        of = listing(dict.fromkeys(_names(plugin)))
        for what, gain in gains.items():
            if gain and of:
                self.context.warnings.append(f"left out: the {what} gain {gain:g} of {of}")


def _names(plugin: XmlElement) -> list[str]:
    """Return the names of the joints that a plugin states."""
    return [element.text_string() for element in plugin.all("joint_name")]


PLUGINS: dict[str, Callable[[_Reader, XmlElement], None]] = {
    "ApplyJointForce": _Reader.read_force,
    "JointPositionController": _Reader.read_position,
    "JointController": _Reader.read_velocity,
    "JointTrajectoryController": _Reader.read_trajectory,
}
"""The last word of a plugin's class -> what it does to joints."""
