"""Checks of a description, element by element, with errors that name what is wrong and where.

Records cannot change: what has been checked is not checked again. `checked` returns a copy whose
arrays are float64 and of the right length, so that everything that comes after can rely on them.
What concerns the tree as a whole is checked where it is built (`tarsus.model.tree`), inertias in
`tarsus.model.inertia`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from tarsus._lib.checks import (
    ORTHONORMALITY,
    check_body_name,
    check_name,
    number,
    numbers,
    pose,
    suggestion,
    surface_number,
)
from tarsus._lib.errors import WORLD, ModelError, Source
from tarsus._lib.files import Array
from tarsus.model.actuators import checked_actuator
from tarsus.model.couplings import checked_coupling, in_order
from tarsus.model.description import (
    COORDINATE_FIELDS,
    KINDS,
    LIMIT_FIELDS,
    NON_NEGATIVE_FIELDS,
    POSITION_FIELDS,
    QUATERNION,
    SIZES,
    SURFACE_NUMBERS,
    WITHOUT_SPRINGS,
    Actuator,
    Body,
    Coupling,
    Description,
    Frame,
    Joint,
    Loop,
    Shape,
)
from tarsus.model.keyframes import check_poses
from tarsus.model.loops import checked_loop
from tarsus.model.name_references import check_unique, checked_force
from tarsus.model.rolling import checked_rolling

ROLES = ("visual", "collision")
SHAPE_SIZES = {
    "box": 3,
    "sphere": 1,
    "cylinder": 2,
    "capsule": 2,
    "ellipsoid": 3,
    "torus": 2,
    "mesh": 3,
}


def checked_body(body: Body) -> Body:
    """Return a checked copy of `body`; whether its inertia is physical is checked elsewhere."""
    if body.is_checked:
        return body
    check_name(body.name, "a body", body.source)
    what, source = f"body {body.name!r}", body.source
    if body.name == WORLD:
        raise ModelError(f"{what}: this name is reserved for the inertial frame", source)
    mass = number(body.mass, f"{what}: mass", source)
    if mass < 0.0:
        raise ModelError(f"{what}: mass is {mass}, must not be negative", source)
    com = numbers(body.com, (3,), f"{what}: com", source)
    inertia = numbers(body.inertia, (3, 3), f"{what}: inertia", source)
    if (inertia != inertia.T).any() and (
        np.abs(inertia - inertia.T).max() > 1e-9 * np.abs(inertia).max()
    ):
        raise ModelError(f"{what}: inertia is not symmetric: {inertia.tolist()}", source)
    return Body(body.name, mass, com, inertia, source).as_checked()


def checked_joint(joint: Joint) -> Joint:
    """Return a checked copy of `joint`."""
    if joint.is_checked:
        return joint
    check_name(joint.name, "a joint", joint.source)
    what, source = f"joint {joint.name!r}", joint.source
    if joint.kind not in KINDS:
        raise ModelError(
            f"{what}: unknown kind {joint.kind!r}{suggestion(joint.kind, KINDS)}", source
        )
    nq, nv = KINDS[joint.kind]
    values: dict[str, Any] = {
        "placement": pose(joint.placement, what, source),
        **{key: number(getattr(joint, key), f"{what}: {key}", source) for key in SIZES},
        "axis": _axis(joint.axis, f"{what}: axis", source),
        "second_axis": _axis(joint.second_axis, f"{what}: second_axis", source),
    }
    for key in COORDINATE_FIELDS:
        value = getattr(joint, key)
        if value is not None:
            shape = (nq,) if key in POSITION_FIELDS else (nv,)
            infinite = key in LIMIT_FIELDS
            value = numbers(value, shape, f"{what}: {key}", source, infinite=infinite)
            if key in NON_NEGATIVE_FIELDS and (value < 0.0).any():
                raise ModelError(f"{what}: {key} is negative: {value.tolist()}", source)
        values[key] = value
    result = checked_rolling(dataclasses.replace(joint, **values), what)
    _check_axes(result, what)
    _check_sizes(result, what)
    _check_range(result, what)
    _check_spring(result, what)
    return result.as_checked()


def checked_frame(frame: Frame) -> Frame:
    """Return a checked copy of `frame`."""
    if frame.is_checked:
        return frame
    check_name(frame.name, "a frame", frame.source)
    if frame.name == WORLD:
        raise ModelError(f"frame {WORLD!r}: this name is reserved", frame.source)
    placement = pose(frame.placement, f"frame {frame.name!r}", frame.source)
    return dataclasses.replace(frame, placement=placement).as_checked()


def checked_shape(shape: Shape) -> Shape:
    """Return a checked copy of `shape`."""
    if shape.is_checked:
        return shape
    what, source = f"shape {shape.name!r} of body {shape.body!r}", shape.source
    if shape.role not in ROLES:
        raise ModelError(
            f"{what}: unknown role {shape.role!r}{suggestion(shape.role, ROLES)}", source
        )
    if shape.kind not in SHAPE_SIZES:
        valid = suggestion(shape.kind, SHAPE_SIZES)
        raise ModelError(f"{what}: unknown kind {shape.kind!r}{valid}", source)
    if shape.kind == "mesh" and not shape.file:
        raise ModelError(f"{what}: a mesh needs a file", source)
    size = numbers(shape.size, (SHAPE_SIZES[shape.kind],), f"{what}: size", source)
    if shape.kind != "mesh" and (size < 0.0).any():
        raise ModelError(f"{what}: size is negative: {size.tolist()}", source)
    if shape.kind == "torus" and not size[0] > size[1]:
        raise ModelError(f"{what}: the tube of a torus is wider than its hole: {size}", source)
    color = shape.color
    if color is not None:
        red, green, blue, alpha = numbers(color, (4,), f"{what}: color", source).tolist()
        color = (red, green, blue, alpha)
    placement = pose(shape.placement, what, source)
    surface: dict[str, Any] = {
        name: surface_number(name, value, f"{what}: {name}", source)
        for name in SURFACE_NUMBERS
        if (value := getattr(shape, name)) is not None
    }
    return dataclasses.replace(
        shape, size=tuple(size.tolist()), color=color, placement=placement, **surface
    ).as_checked()


def checked(description: Description) -> Description:
    """Return a checked copy of `description`."""
    if description.is_checked:
        return description
    check_name(description.name, "the mechanism", None)
    bodies = [checked_body(body) for body in description.bodies]
    joints = [checked_joint(joint) for joint in description.joints]
    frames = [checked_frame(frame) for frame in description.frames]
    shapes = [checked_shape(shape) for shape in description.shapes]
    _check_unique(joints, "joint")
    _check_unique([*bodies, *frames], "body or frame")
    by_name = {joint.name: joint for joint in joints}
    couplings = [checked_coupling(coupling, by_name) for coupling in description.couplings]
    _check_unique(couplings, "coupling")
    in_order(couplings)
    known = dict.fromkeys([WORLD, *(body.name for body in bodies)])  # ordered, for messages
    for joint in joints:
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            check_body_name(name, known, f"joint {joint.name!r}", role, joint.source)
    placed: list[Frame | Shape] = [*frames, *shapes]
    for element in placed:
        kind = type(element).__name__.lower()
        check_body_name(element.body, known, f"{kind} {element.name!r}", "body", element.source)
    loops = [checked_loop(loop, known, by_name) for loop in description.loops]
    _check_unique(loops, "loop")
    forces = [checked_force(force) for force in description.forces]
    check_unique(forces)
    actuators = [checked_actuator(actuator, by_name) for actuator in description.actuators]
    _check_unique(actuators, "actuator")
    check_poses(description.metadata, by_name)
    return dataclasses.replace(
        description,
        bodies=bodies,
        joints=joints,
        couplings=couplings,
        loops=loops,
        frames=frames,
        shapes=shapes,
        forces=forces,
        actuators=actuators,
        gravity=numbers(description.gravity, (3,), "gravity", None),
    ).as_checked()


def _check_unique(
    elements: Iterable[Body | Joint | Coupling | Loop | Frame | Actuator], what: str
) -> None:
    first: dict[str, Source | None] = {}
    for element in elements:
        if element.name in first:
            where = first[element.name]
            also = f" (first at {where})" if where else ""
            message = f"the {what} name {element.name!r} is used twice{also}"
            raise ModelError(message, element.source)
        first[element.name] = element.source


def _axis(value: Any, what: str, source: Source | None) -> Array | None:
    if value is None:
        return None
    axis = numbers(value, (3,), what, source)
    if not axis @ axis > 0.0:
        raise ModelError(f"{what} is zero, it must have a direction", source)
    return axis


def _check_axes(joint: Joint, what: str) -> None:
    if joint.second_axis is None:
        return
    if joint.kind != "universal":
        raise ModelError(f"{what}: second_axis is for universal joints only", joint.source)
    first = joint.axis if joint.axis is not None else np.array([1.0, 0.0, 0.0])
    cosine = first @ joint.second_axis / np.linalg.norm(first) / np.linalg.norm(joint.second_axis)
    if abs(cosine) > ORTHONORMALITY:
        raise ModelError(
            f"{what}: axis and second_axis are not perpendicular (cosine {cosine:.1e})",
            joint.source,
        )


def _check_sizes(joint: Joint, what: str) -> None:
    for key, kinds in SIZES.items():
        value = getattr(joint, key)
        if joint.kind not in kinds and value != 0.0:
            message = f"{key} is for {', '.join(kinds)} joints only"
            raise ModelError(f"{what}: {message}", joint.source)
        if joint.kind in kinds and (value == 0.0 or (key != "pitch" and value < 0.0)):
            unit, bound = ("m/rad", "other than") if key == "pitch" else ("m", "above")
            message = f"a {joint.kind} needs a {key} [{unit}] {bound} zero"
            raise ModelError(f"{what}: {message}", joint.source)


def _check_range(joint: Joint, what: str) -> None:
    lower, upper = joint.lower, joint.upper
    if lower is not None and (lower == np.inf).any():
        raise ModelError(f"{what}: lower is infinite", joint.source)
    if upper is not None and (upper == -np.inf).any():
        raise ModelError(f"{what}: upper is minus infinite", joint.source)
    if lower is not None and upper is not None and (lower > upper).any():
        raise ModelError(
            f"{what}: lower {lower.tolist()} is above upper {upper.tolist()}", joint.source
        )
    if joint.rest is not None and joint.kind in QUATERNION:
        norm = np.linalg.norm(joint.rest[QUATERNION[joint.kind]])
        if abs(norm - 1.0) > 1e-6:
            raise ModelError(f"{what}: the quaternion of rest has norm {norm}", joint.source)


def _check_spring(joint: Joint, what: str) -> None:
    """A spring must have an energy; on a turning twist only some springs -k·step have one."""
    if joint.stiffness is None or not joint.stiffness.any():
        return
    if joint.kind in WITHOUT_SPRINGS:
        raise ModelError(
            f"{what}: stiffness is not for {joint.kind} joints; use joints whose coordinates "
            "are displacements and angles",
            joint.source,
        )
    if joint.kind == "spherical" and (joint.stiffness != joint.stiffness[0]).any():
        raise ModelError(
            f"{what}: a spherical joint has one stiffness about all axes, "
            f"got {joint.stiffness.tolist()}",
            joint.source,
        )
