"""Assembly of a description from the arguments of `Builder`, with checks and hints."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import check_body_name, check_name, find, is_triple, numbers, suggestion
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.model import inertia as inertias
from tarsus.model.actuators import checked_actuator
from tarsus.model.couplings import check_follows, checked_coupling
from tarsus.model.description import (
    KINDS,
    POSITION_FIELDS,
    QUATERNION,
    Actuator,
    Body,
    Coupling,
    Description,
    DescriptionDraft,
    Frame,
    Joint,
    Loop,
    Shape,
)
from tarsus.model.keyframes import INITIAL, check_poses
from tarsus.model.loops import checked_loop
from tarsus.model.model import Model
from tarsus.model.name_references import (
    SENSOR_FRAMES,
    SENSOR_JOINTS,
    SENSORS,
    Force,
    check_unique,
    checked_force,
    places_of,
)
from tarsus.model.validation import checked, checked_frame, checked_joint, checked_shape
from tarsus.spatial import rotation_from_rpy

# A description in the making: every element is checked against those before it, then kept.


class Draft:
    """What has been stated so far, by name."""

    def __init__(self, name: str, gravity: ArrayLike) -> None:
        self.elements = DescriptionDraft(name, gravity=numbers(gravity, (3,), "gravity", None))
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
        draft.elements, draft.strict = DescriptionDraft.of(stated), strict
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

    @property
    def description(self) -> Description:
        """What has been stated so far."""
        return self.elements.build()

    def add_body(self, body: Body) -> None:
        """Add a checked body whose inertia is physical."""
        if not inertias.is_plain(body):
            inertias.check_parts([body], strict=True)
        self._claim(body.name)
        self.bodies[body.name] = body
        self.elements.bodies.append(body)

    def add_joint(self, joint: Joint) -> None:
        """Add a joint between bodies that are there; its child hangs on no other."""
        what, child = f"joint {joint.name!r}", joint.child
        for role, body in (("parent", joint.parent), ("child", child)):
            check_body_name(body, self.bodies, what, role, None)
        if child in self._carried or child in (WORLD, joint.parent):
            reason = "already hangs on a joint" if child in self._carried else "cannot be the child"
            raise ModelError(f"{what}: body {child!r} {reason}")
        joint = checked_joint(joint)
        if joint.name in self.joints:
            raise ModelError(f"the joint name {joint.name!r} is used twice")
        self.joints[joint.name] = joint
        self._carried.add(child)
        self.elements.joints.append(joint)

    def set_armature(self, name: str, armature: Array | None) -> None:
        """Change the reflected inertia of a joint that is there."""
        self.joints[name] = self.elements.change(self.joints[name], armature=armature)

    def add_coupling(self, coupling: Coupling) -> None:
        """Add a coupling of joints that are there; each follows once."""
        coupling = checked_coupling(coupling, self.joints)
        if coupling.name in self.couplings:
            raise ModelError(f"the coupling name {coupling.name!r} is used twice")
        check_follows(coupling, self._follows)
        self._follows.update(dict.fromkeys(coupling.followers, coupling))
        self.couplings[coupling.name] = coupling
        self.elements.couplings.append(coupling)

    def add_loop(self, loop: Loop) -> None:
        """Add a loop between bodies that are there."""
        loop = checked_loop(loop, self.bodies, self.joints)
        if loop.name in self.loops:
            raise ModelError(f"the loop name {loop.name!r} is used twice")
        self.loops[loop.name] = loop
        self.elements.loops.append(loop)

    def add_frame(self, frame: Frame) -> None:
        """Add a frame on a body that is there."""
        check_body_name(frame.body, self.bodies, f"frame {frame.name!r}", "body", None)
        frame = checked_frame(frame)
        self._claim(frame.name)
        self.elements.frames.append(frame)

    def add_shape(self, shape: Shape) -> None:
        """Add a shape on a body that is there."""
        check_body_name(shape.body, self.bodies, f"shape {shape.name!r}", "body", None)
        self.elements.shapes.append(checked_shape(shape))

    def add_force(self, force: Force) -> None:
        """Add a force; its places and joints may come later."""
        force = checked_force(force)
        check_unique([self.forces.get(force.name, force), force])
        self.forces[force.name] = force
        self.elements.forces.append(force)

    def add_actuator(self, actuator: Actuator) -> None:
        """Add an actuator of joints that are there."""
        actuator = checked_actuator(actuator, self.joints)
        if actuator.name in self.actuators:
            raise ModelError(f"the actuator name {actuator.name!r} is used twice")
        self.actuators[actuator.name] = actuator
        self.elements.actuators.append(actuator)

    def add_poses(self, key: str, value: dict[str, Any]) -> None:
        """Add positions of joints that are there, or keyframes, to the metadata."""
        keys = [] if key == INITIAL else value.values()
        for joints in [each[part] for each in keys for part in "qv" if part in each] or [value]:
            for name in joints:
                find(self.joints, name, "joint")
        check_poses({key: value}, self.joints)
        metadata = self.elements.metadata
        metadata[key] = {**metadata.get(key, {}), **value}

    def add_sensor(self, name: str, stated: dict[str, Any]) -> None:
        """Add a sensor, which sits on frames and joints that are there, to the metadata."""
        check_name(name, "a sensor", None)
        sensors = self.elements.metadata.get(SENSORS, {})
        if name in sensors:
            raise ModelError(f"there is a sensor {name!r} already")
        frames = {**self.bodies, **{frame.name: frame for frame in self.elements.frames}}
        for frame in places_of(stated, SENSOR_FRAMES):
            find(frames, frame, "frame")
        for joint in places_of(stated, SENSOR_JOINTS):
            find(self.joints, joint, "joint")
        self.elements.metadata[SENSORS] = {**sensors, name: stated}

    def end_of_loop(self, what: str, body: str, frame: str | ArrayLike, end: str) -> Array:
        """Return the placement (4, 4) on its body of an end of a loop, "a" or "b"."""
        check_body_name(body, self.bodies, what, f"body_{end}", None)
        if isinstance(frame, str):
            there = {f.name: f.placement for f in self.elements.frames if f.body == body}
            if frame not in there and frame != body:
                hint = suggestion(frame, [body, *there])
                raise ModelError(f"{what}: body {body!r} has no frame {frame!r}{hint}")
            return there.get(frame, np.eye(4))
        if is_triple(frame):
            return placement_of(f"{what}, frame {end}", frame, None, None)
        accepted = "(3,), a position, or (4, 4), a placement"
        return numbers(frame, (4, 4), f"{what}: frame_{end}", accepted=accepted, source=None)

    def loop_name(self, name: str) -> str:
        """Return a name that no loop has: `name`, or else the first of name_2, name_3, …"""
        others = (f"{name}_{i}" for i in itertools.count(2))
        return next(free for free in itertools.chain([name], others) if free not in self.loops)

    def _claim(self, name: str) -> None:
        if name in self._names:
            raise ModelError(f"the body or frame name {name!r} is used twice")
        self._names.add(name)


# Ways in which a caller of the builder may state rotations, axes, numbers and matrices.


Numbers: TypeAlias = float | ArrayLike
Axis: TypeAlias = str | ArrayLike
Function: TypeAlias = Callable[[Array], tuple[Array, ...]]

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def rotation_matrix(rotation: ArrayLike, what: str = "rotation") -> Array:
    """Return a rotation (3, 3) from a matrix, or from roll, pitch and yaw [rad]: Rz Ry Rx."""
    if not is_triple(rotation):
        accepted = "(3,), roll, pitch and yaw, or (3, 3), a matrix"
        return numbers(rotation, (3, 3), what, accepted=accepted, source=None)
    return rotation_from_rpy(numbers(rotation, (3,), what, None))


def placement_of(
    what: str,
    position: ArrayLike | None,
    rotation: ArrayLike | None,
    placement: ArrayLike | None,
) -> Array:
    """Return a placement (4, 4) from one of the ways to state it."""
    if placement is not None:
        if position is not None or rotation is not None:
            raise ModelError(f"{what}: give placement, or position and rotation, not both")
        return np.asarray(placement)
    matrix = np.eye(4)
    if position is not None:
        matrix[:3, 3] = numbers(position, (3,), f"{what}: position", None)
    if rotation is not None:
        matrix[:3, :3] = rotation_matrix(rotation, f"{what}: rotation")
    return matrix


def axis_of(what: str, axis: Axis | None) -> Array | None:
    """Return an axis (3,) from three numbers or a letter."""
    if isinstance(axis, str):
        if axis not in AXES:
            raise ModelError(f"{what}: axis is {axis!r}, must be 'x', 'y', 'z' or three numbers")
        axis = AXES[axis]
    return None if axis is None else np.asarray(axis)


def spread(value: Numbers | None, kind: str, key: str) -> Any:
    """Repeat a single number for all coordinates; a quaternion must be spelled out."""
    if value is None or np.ndim(value) > 0 or kind not in KINDS:
        return value
    if key in POSITION_FIELDS and kind in QUATERNION:
        return value
    nq, nv = KINDS[kind]
    return np.full(nq if key in POSITION_FIELDS else nv, value)


def linear_coupling(
    joints: Sequence[str],
    matrix: ArrayLike,
    offset: ArrayLike | None,
    name: str | None,
    *,
    motor: bool,
) -> Coupling:
    """Return the coupling joints = matrix @ leaders + offset: unit rows are those of leaders."""
    if isinstance(joints, str) or not all(isinstance(joint, str) for joint in joints):
        raise ModelError(f"coupling: joints is {joints!r}, must be names of joints")
    what = f"coupling of {', '.join(joints)}" if name is None else f"coupling {name!r}"
    try:
        shape = (len(joints), np.shape(matrix)[1])
    except (IndexError, ValueError):  # no matrix, or rows of different lengths
        shape = (len(joints), 1)
    accepted = f"({len(joints)}, number of leaders)"
    rows = numbers(matrix, shape, f"{what}: matrix", accepted=accepted, source=None)
    shift = np.zeros(len(joints))
    if offset is not None:
        shift = numbers(offset, (len(joints),), f"{what}: offset", None)
    leaders: list[int] = []
    for k, unit in enumerate(np.eye(shape[1])):
        found = np.flatnonzero((rows == unit).all(axis=1) & (shift == 0.0)).tolist()
        if not found:
            reason = f"no joint leads column {k}: it has a one there, zeros elsewhere, no offset"
            raise ModelError(f"{what}: {reason}")
        leaders.append(found[0])
    followers = [i for i in range(len(joints)) if i not in leaders]
    if not followers:
        raise ModelError(f"{what}: all joints lead, none follows")
    return Coupling(
        joints[followers[0]] if name is None else name,
        "linear",
        tuple(joints[i] for i in leaders),
        tuple(joints[i] for i in followers),
        rows[followers],
        shift[followers] if shift[followers].any() else None,
        motor=motor,
    )


# What messages add where users often mean something else: fixed roots, quaternions [w x y z].


def root_hint(model: Model) -> str:
    """Return what to say where a root that is fixed to the world may have been forgotten."""
    if model.base is not None and model.base.kind == "free":
        return ""
    fixed = f"the root of {model.name!r} is fixed to the world"
    return f'; {fixed}: base="free" of ts.load lets it move'


def warn_of_scalar_first(model: Model, q: Array, what: str = "q0") -> None:
    """Warn if the base in q (…, nq) is upside down by [1 0 0 0], which [w x y z] has upright."""
    base = model.base
    if base is None or base.kind != "free":
        return
    quaternion = np.asarray(q)[..., base.q_slice][..., 3:]
    if (np.abs(quaternion) == (1.0, 0.0, 0.0, 0.0)).all(axis=-1).any():
        warnings.warn(
            f"the base of {model.name!r} is upside down in {what}, with the quaternion [1 0 0 0]: "
            "here quaternions are [x y z w], and no turn is [0 0 0 1]; ts.spatial.scalar_last "
            "turns [w x y z] round",
            stacklevel=4,
        )
