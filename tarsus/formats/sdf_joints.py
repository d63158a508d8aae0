"""Joints of an SDF model as joints of the tree, as loops, and as couplings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus._lib.files import Array
from tarsus.formats.couplings import follow
from tarsus.formats.sdf_elements import Axis, Connection, number
from tarsus.model.description import Body, DescriptionDraft, Joint, Loop
from tarsus.spatial import inverse, pose, rotation_along

Poses = Mapping[str, Array]
"""The pose (4, 4) of each body in the frame of the model."""

LOOP_KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "universal": "universal",
    "revolute2": "universal",
    "ball": "spherical",
    "fixed": "weld",
}
KINDS = {"continuous": "revolute", "ball": "spherical", "revolute2": "universal"}
PERPENDICULAR = 1e-9
NEAR = 1e-12


def add_joint(
    description: DescriptionDraft, poses: Poses, connection: Connection, child: str
) -> None:
    """Append what carries the body `child`, one of the two that are connected.

    The frame of our joint is that of its child. Where SDF has the joint elsewhere, a body
    without mass stands there, to which the child is fixed; so it does between two axes that
    are not perpendicular.
    """
    source, name = connection.source, connection.name
    upward = child == connection.parent
    parent = connection.child if upward else connection.parent
    rotation = poses[child][:3, :3]
    offset = rotation.T @ (poses[child][:3, 3] - connection.pose[:3, 3])
    stages = _stages(connection, upward)
    matters = stages[0][0] not in ("prismatic", "fixed") and np.linalg.norm(offset) > NEAR
    start = poses[child] @ pose(-offset if matters else np.zeros(3))
    placement = inverse(poses[parent]) @ start
    for index, (kind, axes) in enumerate(stages):
        last = index + 1 == len(stages)
        end = child if last and not matters else f"{child}.{name}{'' if last else '_1'}"
        stated = _stated(axes, rotation)
        if connection.ball_damping:
            stated["damping"] = np.full(3, connection.ball_damping)
        called = name if last else f"{name}_1"
        description.joints.append(
            Joint(
                *(called, kind, parent, end, placement),
                pitch=connection.pitch,
                **stated,
                source=source,
            )
        )
        if end != child:
            description.bodies.append(Body(end, source=source))
        parent, placement = end, np.eye(4)
    if matters:
        fixed = Joint(f"{name}_fixed", "fixed", parent, child, pose(offset), source=source)
        description.joints.append(fixed)


def add_loop(description: DescriptionDraft, poses: Poses, connection: Connection) -> list[str]:
    """Append the loop that a joint closes; return what of the joint is left out.

    A joint with a spring, a damper or friction, and one that no kind of loop is like, keeps
    all that: it carries a body without mass, which a weld closes.
    """
    source, name, axes = connection.source, connection.name, connection.axes
    frame = connection.pose @ pose(rotation=_loop_axes(connection))
    forces = any(axis.damping or axis.friction or axis.stiffness for axis in axes)
    if not forces and _has_loop_kind(connection):
        ends = connection.parent, connection.child
        at_a, at_b = (inverse(poses[end]) @ frame for end in ends)
        loop = Loop(name, LOOP_KINDS[connection.type], *ends, at_a, at_b, source=source)
        description.loops.append(loop)
        limited = any(math.isfinite(axis.lower) or math.isfinite(axis.upper) for axis in axes)
        lost = {"the limits": limited, "the damping": bool(connection.ball_damping)}
        return [f"{what} of joint '{name}', which closes a loop" for what in lost if lost[what]]
    end = f"{connection.child}.{name}_end"
    description.bodies.append(Body(end, source=source))
    carried = Connection(**(vars(connection) | {"child": end}))
    add_joint(description, {**poses, end: connection.pose}, carried, end)
    place = inverse(poses[connection.child]) @ connection.pose
    loop = Loop(f"{name}_loop", "weld", end, connection.child, np.eye(4), place, source=source)
    description.loops.append(loop)
    return []


def _stages(connection: Connection, upward: bool) -> list[tuple[str, list[Axis]]]:
    """The joints in series that do what the one of SDF does, from parent to child of the tree."""
    axes = connection.axes
    if upward:
        axes = [axis.flipped() for axis in reversed(axes)]
    if len(axes) == 2 and not _has_loop_kind(connection):
        return [("revolute", [axis]) for axis in axes]
    return [(KINDS.get(connection.type, connection.type), axes)]


def _has_loop_kind(connection: Connection) -> bool:
    """Whether our own joints and loops have this kind: not a screw, axes perpendicular."""
    if len(connection.axes) == 2:
        first, second = (axis.direction for axis in connection.axes)
        return bool(abs(first @ second) <= PERPENDICULAR)
    return connection.type in LOOP_KINDS


def _loop_axes(connection: Connection) -> Array:
    """The axes of a loop in the joint's frame: z along the first axis, x along the second."""
    if not connection.axes or not _has_loop_kind(connection):
        return np.eye(3)
    directions = [connection.pose[:3, :3].T @ axis.direction for axis in connection.axes]
    return rotation_along(*directions)


def _stated(axes: list[Axis], rotation: Array) -> dict[str, Any]:
    """Return the axes, in the frame of the child, and what they state, as fields of a joint."""
    found: dict[str, Any] = {
        key: rotation.T @ axis.direction
        for key, axis in zip(("axis", "second_axis"), axes, strict=False)
    }

    def values(key: str) -> Array:
        return np.array([getattr(axis, key) for axis in axes])

    if any(math.isfinite(axis.lower) or math.isfinite(axis.upper) for axis in axes):
        found |= {key: values(key) for key in ("lower", "upper")}
    for key in ("velocity_limit", "effort_limit"):
        if np.isfinite(values(key)).any():
            found[key] = values(key)
    for key in ("damping", "friction", "stiffness"):
        if values(key).any():
            found[key] = values(key)
    if "stiffness" in found:
        found["rest"] = values("rest")
    return found


class Gearing:
    """The couplings of a model: every joint follows at most once, and none follows itself."""

    def __init__(self, description: DescriptionDraft, carrier: Mapping[str, Connection]) -> None:
        self.couplings = description.couplings
        self.carrier = {connection.name: connection for connection in carrier.values()}
        self.leaders: dict[str, str] = {}

    def add_gearbox(self, gearbox: Connection) -> None:
        """The angle of the child is minus the ratio times that of the parent.

        Both are angles from the reference body, about the axes of the gearbox. The joint on the
        side of the parent, where the motor is, follows the other, unless it does so already.
        """
        element = gearbox.element
        reference = element.require("gearbox_reference_body").text_string()
        ratio = number(element, "gearbox_ratio", 1.0)
        if not ratio:
            raise element.error("has a <gearbox_ratio> of zero")
        (inner, sign), (outer, other) = (
            self._angle(gearbox, reference, link, axis)
            for link, axis in zip((gearbox.parent, gearbox.child), gearbox.axes, strict=True)
        )
        # other · outer = −ratio · sign · inner
        follower, leader, factor = inner, outer, -other / (ratio * sign)
        if follower in self.leaders or self._leads(follower, leader):
            follower, leader, factor = leader, follower, 1.0 / factor
        self._couple(gearbox, leader, follower, factor, 0.0, motor=follower == inner)

    def add_mimic(self, connection: Connection) -> None:
        """A joint whose axis mimics that of another (SDF 1.11)."""
        axis = connection.element.find("axis")
        mimic = None if axis is None else axis.find("mimic")
        if mimic is None:
            return
        leader = mimic.string("joint")
        if leader not in self.carrier:
            raise mimic.error(f"refers to joint '{leader}'{suggestion(leader, self.carrier)}")
        for name in (leader, connection.name):
            if name not in self.carrier or len(self.carrier[name].axes) != 1:
                raise mimic.error(f"couples joint '{name}', which has not one axis in the tree")
        factor = number(mimic, "multiplier", 1.0)
        offset = number(mimic, "offset", 0.0) - factor * number(mimic, "reference", 0.0)
        self._couple(connection, leader, connection.name, factor, offset)

    def _couple(
        self,
        stated: Connection,
        leader: str,
        follower: str,
        factor: float,
        offset: float,
        *,
        motor: bool = False,
    ) -> None:
        if follower in self.leaders or leader == follower or self._leads(follower, leader):
            raise stated.element.error(
                f"couples joints '{leader}' and '{follower}', which others couple already"
            )
        self.leaders[follower] = leader
        coupling = follow(follower, {leader: factor}, offset, motor=motor, source=stated.source)
        self.couplings.append(coupling)

    def _leads(self, leader: str, joint: str) -> bool:
        """Whether `joint` follows `leader`, perhaps by way of others."""
        while joint in self.leaders:
            joint = self.leaders[joint]
            if joint == leader:
                return True
        return False

    def _angle(
        self, gearbox: Connection, reference: str, link: str, axis: Axis
    ) -> tuple[str, float]:
        """The joint between the reference body and a link, and the sense in which it counts."""
        for connection in self.carrier.values():
            between = {connection.parent, connection.child} == {reference, link}
            if between and connection.type in ("revolute", "continuous"):
                cosine = float(axis.direction @ connection.axes[0].direction)
                if abs(cosine) < 0.999:
                    raise gearbox.element.error(
                        f"turns about another axis than '{connection.name}'"
                    )
                sense = 1.0 if connection.parent == reference else -1.0
                return connection.name, math.copysign(sense, sense * cosine)
        raise gearbox.element.error(
            f"needs a revolute joint between its reference body '{reference}' and link '{link}'"
        )
