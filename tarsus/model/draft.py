"""A description in the making: every element is checked against those before it, then kept."""

from __future__ import annotations

import itertools
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model import inertia as inertias
from tarsus.model.actuators import checked_actuator
from tarsus.model.checks import (
    check_body_name,
    check_name,
    find,
    is_triple,
    numbers,
    suggestion,
)
from tarsus.model.couplings import check_follows, checked_coupling
from tarsus.model.description import (
    WORLD,
    Actuator,
    Body,
    Coupling,
    Description,
    Frame,
    Joint,
    Loop,
    ModelError,
    Shape,
)
from tarsus.model.forces import Force, check_unique, checked_force
from tarsus.model.loops import checked_loop
from tarsus.model.poses import INITIAL, check_poses
from tarsus.model.references import SENSOR_FRAMES, SENSOR_JOINTS, SENSORS, places_of
from tarsus.model.stating import placement_of
from tarsus.model.validation import checked, checked_frame, checked_joint, checked_shape


class Draft:
    """What has been stated so far, by name."""

    def __init__(self, name: str, gravity: ArrayLike) -> None:
        self.description = Description(name, gravity=numbers(gravity, (3,), "gravity"))
        checked(self.description)
        self.bodies = {WORLD: Body(WORLD)}
        self.joints: dict[str, Joint] = {}
        self.couplings: dict[str, Coupling] = {}
        self.loops: dict[str, Loop] = {}
        self.forces: dict[str, Force] = {}
        self.actuators: dict[str, Actuator] = {}
        self._names: set[str] = set()  # of bodies and frames
        self._carried: set[str] = set()  # bodies that hang on joints
        self._follows: dict[str, Coupling] = {}
        self.strict = True

    @classmethod
    def of(cls, description: Description, *, strict: bool) -> Self:
        """Return a draft that begins with what was stated; `strict` as for `tarsus.Model`."""
        stated = checked(description)
        draft = cls(stated.name, stated.gravity)
        draft.description, draft.strict = stated, strict
        draft.bodies |= {body.name: body for body in stated.bodies}
        draft.joints = {joint.name: joint for joint in stated.joints}
        draft.couplings = {coupling.name: coupling for coupling in stated.couplings}
        draft.loops = {loop.name: loop for loop in stated.loops}
        draft.forces = {force.name: force for force in stated.forces}
        draft.actuators = {actuator.name: actuator for actuator in stated.actuators}
        draft._names = {b.name for b in stated.bodies} | {f.name for f in stated.frames}
        draft._carried = {joint.child for joint in stated.joints}
        draft._follows = {name: c for c in stated.couplings for name in c.followers}
        return draft

    def add_body(self, body: Body) -> None:
        """Add a checked body whose inertia is physical."""
        if not inertias.is_plain(body):
            inertias.check_parts([body], strict=True)
        self._claim(body.name)
        self.bodies[body.name] = body
        self.description.bodies.append(body)

    def add_joint(self, joint: Joint) -> None:
        """Add a joint between bodies that are there; its child hangs on no other."""
        what, child = f"joint {joint.name!r}", joint.child
        for role, body in (("parent", joint.parent), ("child", child)):
            check_body_name(body, self.bodies, what, role)
        if child in self._carried or child in (WORLD, joint.parent):
            reason = "already hangs on a joint" if child in self._carried else "cannot be the child"
            raise ModelError(f"{what}: body {child!r} {reason}")
        joint = checked_joint(joint)
        if joint.name in self.joints:
            raise ModelError(f"the joint name {joint.name!r} is used twice")
        self.joints[joint.name] = joint
        self._carried.add(child)
        self.description.joints.append(joint)

    def add_coupling(self, coupling: Coupling) -> None:
        """Add a coupling of joints that are there; each follows once."""
        coupling = checked_coupling(coupling, self.joints)
        if coupling.name in self.couplings:
            raise ModelError(f"the coupling name {coupling.name!r} is used twice")
        check_follows(coupling, self._follows)
        self._follows.update(dict.fromkeys(coupling.followers, coupling))
        self.couplings[coupling.name] = coupling
        self.description.couplings.append(coupling)

    def add_loop(self, loop: Loop) -> None:
        """Add a loop between bodies that are there."""
        loop = checked_loop(loop, self.bodies, self.joints)
        if loop.name in self.loops:
            raise ModelError(f"the loop name {loop.name!r} is used twice")
        self.loops[loop.name] = loop
        self.description.loops.append(loop)

    def add_frame(self, frame: Frame) -> None:
        """Add a frame on a body that is there."""
        check_body_name(frame.body, self.bodies, f"frame {frame.name!r}", "body")
        frame = checked_frame(frame)
        self._claim(frame.name)
        self.description.frames.append(frame)

    def add_shape(self, shape: Shape) -> None:
        """Add a shape on a body that is there."""
        check_body_name(shape.body, self.bodies, f"shape {shape.name!r}", "body")
        self.description.shapes.append(checked_shape(shape))

    def add_force(self, force: Force) -> None:
        """Add a force; its places and joints may come later."""
        force = checked_force(force)
        check_unique([self.forces.get(force.name, force), force])
        self.forces[force.name] = force
        self.description.forces.append(force)

    def add_actuator(self, actuator: Actuator) -> None:
        """Add an actuator of joints that are there."""
        actuator = checked_actuator(actuator, self.joints)
        if actuator.name in self.actuators:
            raise ModelError(f"the actuator name {actuator.name!r} is used twice")
        self.actuators[actuator.name] = actuator
        self.description.actuators.append(actuator)

    def add_poses(self, key: str, value: dict[str, Any]) -> None:
        """Add positions of joints that are there, or keyframes, to the metadata."""
        keys = [] if key == INITIAL else value.values()
        for joints in [each[part] for each in keys for part in "qv" if part in each] or [value]:
            for name in joints:
                find(self.joints, name, "joint")
        check_poses({key: value}, self.joints)
        metadata = self.description.metadata
        metadata[key] = {**metadata.get(key, {}), **value}

    def add_sensor(self, name: str, stated: dict[str, Any]) -> None:
        """Add a sensor, which sits on frames and joints that are there, to the metadata."""
        check_name(name, "a sensor", None)
        sensors = self.description.metadata.setdefault(SENSORS, {})
        if name in sensors:
            raise ModelError(f"there is a sensor {name!r} already")
        frames = {**self.bodies, **{frame.name: frame for frame in self.description.frames}}
        for frame in places_of(stated, SENSOR_FRAMES):
            find(frames, frame, "frame")
        for joint in places_of(stated, SENSOR_JOINTS):
            find(self.joints, joint, "joint")
        sensors[name] = stated

    def end_of_loop(self, what: str, body: str, frame: str | ArrayLike, end: str) -> Array:
        """Return the placement (4, 4) on its body of an end of a loop, "a" or "b"."""
        check_body_name(body, self.bodies, what, f"body_{end}")
        if isinstance(frame, str):
            there = {f.name: f.placement for f in self.description.frames if f.body == body}
            if frame not in there and frame != body:
                hint = suggestion(frame, [body, *there])
                raise ModelError(f"{what}: body {body!r} has no frame {frame!r}{hint}")
            return there.get(frame, np.eye(4))
        if is_triple(frame):
            return placement_of(f"{what}, frame {end}", frame, None, None)
        accepted = "(3,), a position, or (4, 4), a placement"
        return numbers(frame, (4, 4), f"{what}: frame_{end}", accepted=accepted)

    def loop_name(self, name: str) -> str:
        """Return a name that no loop has: `name`, or else the first of name_2, name_3, …"""
        others = (f"{name}_{i}" for i in itertools.count(2))
        return next(free for free in itertools.chain([name], others) if free not in self.loops)

    def _claim(self, name: str) -> None:
        if name in self._names:
            raise ModelError(f"the body or frame name {name!r} is used twice")
        self._names.add(name)
