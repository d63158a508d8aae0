"""The part of the builder that states a tree: bodies, joints, frames and shapes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from tarsus.model import inertia as inertias
from tarsus.model.checks import check_body_name, is_triple, numbers
from tarsus.model.description import (
    WORLD,
    Body,
    Description,
    Frame,
    Joint,
    ModelError,
    Shape,
)
from tarsus.model.kinds import COORDINATE_FIELDS
from tarsus.model.stating import Axis, Numbers, axis_of, placement_of, spread
from tarsus.model.validation import (
    checked,
    checked_body,
    checked_frame,
    checked_joint,
    checked_shape,
)


class TreeBuilder:
    """State bodies, joints, frames and shapes.

    Each call is checked at once and returns the builder, so that calls can be chained.
    Everything has a place: `position` [m] with `rotation`, a 3×3 matrix or roll, pitch and yaw
    [rad], or both at once as `placement` (4, 4).
    """

    def __init__(self, name: str, gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        self._description = Description(name, gravity=numbers(gravity, (3,), "gravity"))
        checked(self._description)
        self._bodies = {WORLD: Body(WORLD)}
        self._carried: set[str] = set()  # bodies that hang on joints
        self._names: set[str] = set()
        self._joints: dict[str, Joint] = {}

    def body(
        self,
        name: str,
        mass: float = 0.0,
        com: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike = (0.0, 0.0, 0.0),
        *,
        inertia_at: str = "com",
    ) -> Self:
        """Add a body: mass [kg], centre of mass (3,) [m], inertia (3,) or (3, 3) [kg m²].

        The inertia is in body axes about the centre of mass, or about the origin of the body
        with `inertia_at="origin"`; three numbers are its diagonal.
        """
        if inertia_at not in ("com", "origin"):
            raise ModelError(f"inertia_at is {inertia_at!r}, must be 'com' or 'origin'")
        what = f"body {name!r}: inertia"
        if is_triple(inertia):
            tensor = np.diag(numbers(inertia, (3,), what))
        else:
            tensor = numbers(inertia, (3, 3), what, accepted="(3,), the diagonal, or (3, 3)")
        body = checked_body(Body(name, mass, numbers(com, (3,), f"body {name!r}: com"), tensor))
        if inertia_at == "origin":
            body.inertia = inertias.at_center(body.mass, body.com, body.inertia)
        if not inertias.is_plain(body):
            inertias.check_parts([body], strict=True)
        self._claim(name)
        self._bodies[name] = body
        self._description.bodies.append(body)
        return self

    def joint(
        self,
        name: str,
        kind: str,
        parent: str,
        child: str,
        *,
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        placement: ArrayLike | None = None,
        axis: Axis | None = None,
        second_axis: Axis | None = None,
        pitch: float = 0.0,
        radius: float = 0.0,
        track: float = 0.0,
        lower: Numbers | None = None,
        upper: Numbers | None = None,
        velocity_limit: Numbers | None = None,
        effort_limit: Numbers | None = None,
        damping: Numbers | None = None,
        friction: Numbers | None = None,
        armature: Numbers | None = None,
        stiffness: Numbers | None = None,
        rest: Numbers | None = None,
    ) -> Self:
        """Add a joint of `kind` that carries the body `child` on `parent` (or on "world").

        The place is in the parent's frame. Axes are in the joint's frame, which is the child's
        in the neutral configuration; an axis may be "x", "y" or "z". `pitch` [m/rad] is for
        screws, `radius` [m] for joints that roll and `track` [m] for bases on two wheels, which
        need them. A single number for a limit or parameter holds for all
        coordinates of the joint; `lower`, `upper` and `rest` of a spherical or free joint,
        which have a quaternion among them, need all nq numbers. `armature` is the reflected
        inertia of a motor, `friction` the dry friction, `stiffness` that of a spring relaxed at
        `rest`; SI units.
        """
        stated = locals()  # the parameters by name, so that they are listed once only
        what = f"joint {name!r}"
        joint = Joint(
            name,
            kind,
            parent,
            child,
            placement=placement_of(what, position, rotation, placement),
            axis=axis_of(what, axis),
            second_axis=axis_of(what, second_axis),
            pitch=pitch,
            radius=radius,
            track=track,
            **{key: spread(stated[key], kind, key) for key in COORDINATE_FIELDS},
        )
        return self._add_joint(joint)

    def frame(
        self,
        name: str,
        body: str,
        *,
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        placement: ArrayLike | None = None,
    ) -> Self:
        """Add a frame that is fixed to `body` (or to "world")."""
        what = f"frame {name!r}"
        check_body_name(body, self._bodies, what, "body")
        frame = checked_frame(Frame(name, body, placement_of(what, position, rotation, placement)))
        self._claim(name)
        self._description.frames.append(frame)
        return self

    def shape(
        self,
        body: str,
        kind: str,
        size: Sequence[float] = (1.0, 1.0, 1.0),
        *,
        role: str = "visual",
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        placement: ArrayLike | None = None,
        file: str | Path | None = None,
        color: tuple[float, float, float, float] | None = None,
        name: str = "",
    ) -> Self:
        """Add a shape to `body`, to look at (`role="visual"`) or to touch ("collision").

        `size` [m] by kind: box (x, y, z), sphere (radius,), cylinder and capsule (radius,
        length), ellipsoid (half axes x, y, z), mesh (scale x, y, z) of a `file`.
        """
        what = f"shape {name!r}"
        check_body_name(body, self._bodies, what, "body")
        place = placement_of(what, position, rotation, placement)
        path = None if file is None else str(file)
        shape = Shape(body, role, kind, tuple(size), place, path, color, name)
        self._description.shapes.append(checked_shape(shape))
        return self

    def description(self) -> Description:
        """Return a copy of what has been stated so far."""
        return checked(self._description)

    def _add_joint(self, joint: Joint) -> Self:
        what, child = f"joint {joint.name!r}", joint.child
        for role, body in (("parent", joint.parent), ("child", child)):
            check_body_name(body, self._bodies, what, role)
        if child in self._carried or child in (WORLD, joint.parent):
            reason = "already hangs on a joint" if child in self._carried else "cannot be the child"
            raise ModelError(f"{what}: body {child!r} {reason}")
        joint = checked_joint(joint)
        if joint.name in self._joints:
            raise ModelError(f"the joint name {joint.name!r} is used twice")
        self._joints[joint.name] = joint
        self._carried.add(child)
        self._description.joints.append(joint)
        return self

    def _claim(self, name: str) -> None:
        if name in self._names:
            raise ModelError(f"the body or frame name {name!r} is used twice")
        self._names.add(name)
