"""Copies and mirror images of bodies and parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.description import Body, Coupling, Description, Frame, Joint, Loop, Shape
from tarsus.parts.part import Part, placement_of, split
from tarsus.studio.language import LineError

# Copies of bodies with all that belongs to them, moved or mirrored.
#
# A copy of a machine at poses X is at G X L: G moves or mirrors the world, L is the mirror in the
# axes of each body (one, if nothing is mirrored), so that G X L is a pose again. What is placed on
# a body by P is placed on its copy by L P L. Axes of turning joints are mirrored as such, so that
# the coordinates of copies with one coordinate are those of what was copied.


TURNING = ("revolute", "screw", "universal", "cylindrical", "planar")
MIRRORED = (*TURNING, "prismatic", "spherical", "free", "fixed")
"""Joints that have images here."""
SEVERAL = ("universal", "cylindrical", "planar", "spherical", "free")
STATED = ("lower", "upper", "rest")


@dataclass(frozen=True, eq=False)
class Image:
    """How copies lie to what they are copies of, and what they are called."""

    world: Array
    """G (4, 4)."""
    names: Mapping[str, str]
    """Of bodies, frames, joints, loops and couplings, from old to new."""
    local: Array = field(default_factory=lambda: np.eye(4))
    """L (4, 4)."""

    @property
    def mirrors(self) -> bool:
        """Whether left becomes right."""
        return bool(np.linalg.det(self.local) < 0.0)

    def on_body(self, placement: Array) -> Array:
        """Return where something is on a copy that is at `placement` (4, 4) on a body."""
        return np.asarray(self.local @ placement @ self.local)

    def in_world(self, placement: Array) -> Array:
        """Return where the copy is of what is at `placement` (4, 4) in the world."""
        return np.asarray(self.world @ placement @ self.local)

    def place(self, body: str, placement: Array) -> Array:
        """Return the image of a place on a body or in the world."""
        return self.in_world(placement) if body == WORLD else self.on_body(placement)

    def polar(self, vector: Any) -> Array:
        """Return the image of a direction (3,) on a body."""
        return np.asarray(self.local[:3, :3] @ np.asarray(vector, float))

    def axial(self, vector: Any) -> Array:
        """Return the image of a turn or a torque (3,) on a body."""
        return np.asarray((-1.0 if self.mirrors else 1.0) * self.polar(vector))

    def twist(self, twist: Array) -> Array:
        """Return how the copy moves (6,) of a body that moves so, in axes of its own."""
        return np.concatenate([self.polar(twist[:3]), self.axial(twist[3:])])


def chosen_with_carriers(stated: Description, bodies: Collection[str]) -> set[str]:
    """Return bodies with those without mass that carry them on the axes of joints."""
    masses = {body.name: body.mass for body in stated.bodies}
    carried = {joint.child: joint for joint in stated.joints}
    found = set(bodies)
    for body in bodies:
        joint = carried.get(body)
        if joint is not None and joint.kind == "fixed" and masses.get(joint.parent) == 0.0:
            found.add(joint.parent)
    return found


def linkage_of(stated: Description, body: str) -> set[str]:
    """Return all bodies that hang together with a body by joints and loops, the world aside."""
    ties = [(j.parent, j.child) for j in stated.joints] + [
        (x.body_a, x.body_b) for x in stated.loops
    ]
    found, grew = {body}, True
    while grew:
        new = {b for tie in ties for b in tie if not found.isdisjoint(tie)} - found - {WORLD}
        found, grew = found | new, bool(new)
    return found


def copied(stated: Description, image: Image, loose: Mapping[str, Array]) -> Description:
    """Return the description of the copies alone.

    `loose` has poses (4, 4) of copies of bodies that hung on others: their copies are free.
    """
    names, bodies = image.names, [body for body in stated.bodies if body.name in image.names]
    here = {body.name for body in bodies}
    joints = [
        _joint(joint, image, loose.get(joint.child))
        for joint in stated.joints
        if joint.child in here
    ]
    moving = {joint.name for joint in stated.joints if joint.child in here}
    inside = {*here, WORLD}
    return Description(
        stated.name,
        bodies=[_body(body, image) for body in bodies],
        joints=joints,
        couplings=[
            _coupling(each, names)
            for each in stated.couplings
            if moving >= {*each.leaders, *each.followers}
        ],
        loops=[
            _loop(loop, image)
            for loop in stated.loops
            if inside >= {loop.body_a, loop.body_b} and names.get(loop.name)
        ],
        frames=[
            Frame(names[each.name], names[each.body], image.on_body(each.placement))
            for each in stated.frames
            if each.body in here
        ],
        shapes=[_shape(shape, image) for shape in stated.shapes if shape.body in here],
    )


def _body(body: Body, image: Image) -> Body:
    mirror = image.local[:3, :3]
    inertia = mirror @ body.inertia @ mirror
    return Body(image.names[body.name], body.mass, image.polar(body.com), inertia)


def _joint(joint: Joint, image: Image, loose: Array | None) -> Joint:
    name, child = image.names[joint.name], image.names[joint.child]
    if loose is not None:
        return Joint(name, "free", WORLD, child, loose)
    if image.mirrors:
        _check_image(joint)
    turn = image.axial if joint.kind in TURNING else image.polar
    changed: dict[str, Any] = {
        key: turn(value)
        for key in ("axis", "second_axis")
        if (value := getattr(joint, key)) is not None
    }
    if image.mirrors and joint.kind in ("revolute", "screw") and joint.axis is None:
        changed["axis"] = turn(np.array([0.0, 0.0, 1.0]))
    return replace(
        joint,
        name=name,
        child=child,
        parent=image.names.get(joint.parent, joint.parent),
        placement=image.place(joint.parent, joint.placement),
        pitch=-joint.pitch if image.mirrors else joint.pitch,
        source=None,
        **changed,
    )


def _check_image(joint: Joint) -> None:
    if joint.kind not in MIRRORED:
        raise LineError(f"joint {joint.name} is {joint.kind}, which has no image here", "NAME")
    stated = [key for key in STATED if getattr(joint, key) is not None]
    if joint.kind in SEVERAL and stated:
        raise LineError(f"joint {joint.name} states {stated[0]}, which has no image here", "NAME")


def _loop(loop: Loop, image: Image) -> Loop:
    names = image.names
    independent = loop.independent
    if independent is not None:
        independent = tuple(names[each] for each in independent if each in names)
    return replace(
        loop,
        name=names[loop.name],
        body_a=names.get(loop.body_a, loop.body_a),
        body_b=names.get(loop.body_b, loop.body_b),
        placement_a=image.place(loop.body_a, loop.placement_a),
        placement_b=image.place(loop.body_b, loop.placement_b),
        independent=independent,
        start={names[key]: value for key, value in loop.start.items() if key in names},
        source=None,
    )


def _coupling(each: Coupling, names: Mapping[str, str]) -> Coupling:
    return replace(
        each,
        name=names[each.name],
        leaders=tuple(names[name] for name in each.leaders),
        followers=tuple(names[name] for name in each.followers),
        source=None,
    )


def _shape(shape: Shape, image: Image) -> Shape:
    if image.mirrors and shape.kind == "mesh":
        raise LineError(f"{shape.body} has a mesh, which has no image here", "NAME")
    body = image.names[shape.body]
    name = shape.name.replace(shape.body, body, 1)
    placement = image.on_body(shape.placement)
    return dataclasses.replace(shape, body=body, name=name, placement=placement, source=None)


# Copies of forces and constraints, on copies of what they act on.


IN_WORLD = ("nail", "move_to", "grab")
"""Parts whose targets are places of the world."""
WITH_IMAGES = (
    *("spring", "damper", "string", "rubber", "damping", "drag", "support", "brake", "weight"),
    *("wrench", "distance", "motor", "joint_spring", *IN_WORLD),
)
"""Parts that can be mirrored."""


def copied_part(part: Part, image: Image, name: str, loose: Collection[str]) -> Part | None:
    """Return the copy of a part, None if it acts on something that is not copied.

    `loose` are joints whose copies are free.
    """
    if image.mirrors and part.kind not in WITH_IMAGES:
        return None
    changed: dict[str, Any] = {"name": name, "source": None}
    acts = False
    for attribute in dataclasses.fields(part):
        value = getattr(part, attribute.name)
        if "Where" in str(attribute.type):
            if split(value)[0] not in (WORLD, *image.names):
                return None
            acts = acts or split(value)[0] != WORLD
            changed[attribute.name] = _where(value, image)
        elif attribute.name in ("joint", "joints") and value:
            names = [value] if isinstance(value, str) else list(value)
            if not all(each in image.names and each not in loose for each in names):
                return None
            acts, changed[attribute.name] = True, _joints(value, image)
    if not acts:
        return None
    changed |= _vectors(part, image) | _target(part, image)
    return dataclasses.replace(part, **changed)


def _where(where: Any, image: Image) -> Any:
    name, at = split(where)
    if isinstance(where, str):
        return image.names[name]
    placement = image.place(name, placement_of(at, "where"))
    found = placement if np.ndim(at) == 2 else tuple(placement[:3, 3].tolist())
    return found if name == WORLD else (image.names[name], found)


def _joints(value: Any, image: Image) -> Any:
    if isinstance(value, str):
        return image.names[value]
    if isinstance(value, Mapping):
        return {image.names[name]: each for name, each in value.items()}
    return type(value)(image.names[name] for name in value)


def _vectors(part: Part, image: Image) -> dict[str, Any]:
    """Return forces and torques of a wrench as they are mirrored."""
    if part.kind != "wrench" or not image.mirrors:
        return {}
    force, torque = (np.asarray(getattr(part, name), float) for name in ("force", "torque"))
    return {"force": tuple(image.polar(force)), "torque": tuple(image.axial(torque))}


def _target(part: Part, image: Image) -> dict[str, Any]:
    target = getattr(part, "target", None)
    if part.kind not in IN_WORLD or target is None:
        return {}
    placement = image.in_world(placement_of(target, "target"))
    return {"target": placement if np.ndim(target) == 2 else tuple(placement[:3, 3].tolist())}
