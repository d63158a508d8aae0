"""Joints that other formats express as chains of joints, and coordinates with another zero."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from tarsus import _core
from tarsus._lib.checks import unused
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.formats.couplings import follow
from tarsus.formats.export.losses import LeftOuts
from tarsus.formats.mjcf_joints import Polynomial, motion
from tarsus.model.defaults import filled, neutral
from tarsus.model.description import (
    COORDINATE_FIELDS,
    KINDS,
    NON_NEGATIVE_FIELDS,
    NONHOLONOMIC,
    Body,
    Coupling,
    Description,
    Joint,
)
from tarsus.model.keyframes import INITIAL
from tarsus.model.model import Model
from tarsus.spatial import (
    pose,
    quaternion_conjugate,
    quaternion_product,
    rotation_from_quaternion,
    rpy_from_quaternion,
)

# Joints that a format does not have as chains of those that it has, with the same motion.
#
# A universal joint is two revolute ones, a cylindrical joint one that turns and one that slides, a
# screw is both with the second coupled to the first. Bodies without mass stand between them. What
# such a chain does not have of the joint is told.


X, Y, Z = np.eye(3)
LIMITS = ("velocity_limit", "effort_limit")
PASSIVE = [key for key in NON_NEGATIVE_FIELDS if key not in LIMITS]
ROLLING = (*NONHOLONOMIC, "rolling_cylinder")
Positions = dict[str, Array]
"""Where joints stand, by name."""


@dataclass
class ChainJoint:
    """One joint of a chain: what it is, and which coordinates of the whole it has."""

    kind: str
    axis: Array
    coordinates: slice
    has_numbers: bool = True
    """Whether limits and forces of these coordinates are those of the whole."""
    position: Array = field(default_factory=lambda: np.zeros(0))


class JointChain:
    """Replaces joints of a description, those of kinds that are not among `keeps`.

    `format_name` is how the format is called in reasons. `positions` are those of all joints in
    one configuration, and afterwards those of the joints of chains, too.
    """

    def __init__(
        self,
        stated: Description,
        keeps: Collection[str],
        positions: Mapping[str, Array],
        left_out: LeftOuts,
        format_name: str,
    ) -> None:
        self.stated, self.keeps, self.left_out = stated, keeps, left_out
        self.format_name, self.positions = format_name, dict(positions)
        self.links = {body.name for body in stated.bodies}
        self.links |= {frame.name for frame in stated.frames}
        self.names = {joint.name for joint in stated.joints}
        self.chains: dict[str, tuple[str, ...]] = {}
        self.bodies, self.couplings = list(stated.bodies), list(stated.couplings)

    def replaced(self) -> Description:
        """Return the description with joints of the kinds that are kept, all defaults filled."""
        joints: list[Joint] = []
        for joint in self.stated.joints:
            joints += self._chain(self._without_rolling(filled(joint)))
        loops = [
            dataclasses.replace(loop, independent=self._independent(loop.independent))
            for loop in self.stated.loops
        ]
        return dataclasses.replace(
            self.stated, bodies=self.bodies, joints=joints, couplings=self.couplings, loops=loops
        )

    def _independent(self, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if names is None:
            return None
        return tuple(new for name in names for new in self.chains.get(name, (name,)))

    def _without_rolling(self, joint: Joint) -> Joint:
        if joint.kind not in ROLLING:
            return joint
        reason = f"is {joint.kind}, which {self.format_name} has not: written as free to move"
        self.left_out.add("joint", joint.name, reason)
        self.positions.pop(joint.name, None)
        free = Joint(joint.name, "free", joint.parent, joint.child, joint.placement)
        return filled(free)

    def _chain(self, joint: Joint) -> list[Joint]:
        free_root = joint.kind == "free" and joint.parent == WORLD
        if joint.kind in self.keeps and (joint.kind != "free" or free_root or "any" in self.keeps):
            return [joint]
        stages = self._stages(joint)
        joints, parent, placement = [], joint.parent, joint.placement
        for number, stage in enumerate(stages, 1):
            last = number == len(stages)
            screw = joint.kind == "screw"
            name = joint.name if screw and number == 1 else f"{joint.name}_{number}"
            name = name if name == joint.name else unused(name, self.names)
            child = joint.child if last else unused(f"{joint.child}.{name}", self.links)
            numbers = COORDINATE_FIELDS if stage.has_numbers else ()
            stated = {key: getattr(joint, key)[stage.coordinates] for key in numbers}
            own = Joint(name, stage.kind, parent, child, placement, stage.axis, **stated)
            if len(stage.position):
                self.positions[name] = stage.position
            joints.append(filled(own))
            if not last:
                self.bodies.append(Body(child))
            parent, placement = child, np.eye(4)
        if joint.kind == "screw":
            turn, slide = joints[0].name, joints[1].name
            self.couplings.append(follow(slide, {turn: joint.pitch}))
        self.chains[joint.name] = tuple(each.name for each in joints)
        return joints

    def _stages(self, joint: Joint) -> list[ChainJoint]:
        stated = self.positions.pop(joint.name, None)
        stages = STAGES[joint.kind](joint)
        if joint.kind == "spherical":
            self._tell_spherical(joint)
            stated = None if stated is None else rpy_from_quaternion(stated)[::-1]
        elif joint.kind in ("planar", "free"):
            self._tell_quasi(joint)
        if stated is None:
            return stages
        for stage in stages:
            stage.position = stated[stage.coordinates]
        if joint.kind == "screw":
            stages[1].position = joint.pitch * stated
        return stages

    def _tell_spherical(self, joint: Joint) -> None:
        reason = f"is spherical, which {self.format_name} has not: written as turns about z, y, x"
        self.left_out.add("joint", joint.name, reason)
        self._tell_passive(joint)

    def _tell_quasi(self, joint: Joint) -> None:
        where = "" if joint.kind == "planar" else " on a body"
        chain = "slides and a turn" if joint.kind == "planar" else "slides and a ball"
        reason = (
            f"is {joint.kind}{where}, which {self.format_name} has not: written as {chain}, whose "
            "velocities are along the axes of the parent"
        )
        self.left_out.add("joint", joint.name, reason)
        self._tell_passive(joint)

    def _tell_passive(self, joint: Joint) -> None:
        for key in PASSIVE:
            if getattr(joint, key).any():
                reason = "belongs to coordinates that the file has not"
                self.left_out.add(f"{key} of joint", joint.name, reason)


def _turns(*axes: Array, numbers: bool = True) -> list[ChainJoint]:
    return [ChainJoint("revolute", axis, slice(k, k + 1), numbers) for k, axis in enumerate(axes)]


def _slides(*axes: Array) -> list[ChainJoint]:
    return [ChainJoint("prismatic", axis, slice(k, k + 1)) for k, axis in enumerate(axes)]


def _planar(joint: Joint) -> list[ChainJoint]:
    assert joint.axis is not None
    axes = np.array(_core.axis_rotation(joint.axis))
    slides = [ChainJoint("prismatic", axes[:, k], slice(k, k + 1), False) for k in range(2)]
    return [*slides, ChainJoint("revolute", axes[:, 2], slice(2, 3), False)]


def _free(joint: Joint) -> list[ChainJoint]:
    slides = [
        ChainJoint("prismatic", axis, slice(k, k + 1), False) for k, axis in enumerate((X, Y, Z))
    ]
    return [*slides, ChainJoint("spherical", Z, slice(3, 7), False)]


STAGES = {
    "universal": lambda joint: _turns(joint.axis, joint.second_axis),
    "cylindrical": lambda joint: [
        ChainJoint("revolute", joint.axis, slice(0, 1)),
        ChainJoint("prismatic", joint.axis, slice(1, 2)),
    ],
    "screw": lambda joint: [
        ChainJoint("revolute", joint.axis, slice(0, 1)),
        ChainJoint("prismatic", joint.axis, slice(0, 1), False),
    ],
    "spherical_zyx": lambda joint: _turns(Z, Y, X),
    "translation": lambda joint: _slides(X, Y, Z),
    "spherical": lambda joint: _turns(Z, Y, X, numbers=False),
    "planar": _planar,
    "free": _free,
}
"""Chains of joints with the motion of a joint, by its kind."""

assert STAGES.keys() <= KINDS.keys()


# The same machine with its zero elsewhere: joints count from where its loops are closed.
#
# Files state bodies where all joints are at zero, and many readers close loops from there. The
# branch in which a loop is closed is thus said by where zero is.


ONE = ("revolute", "prismatic", "screw")


def neutral_positions(model: Model) -> dict[str, Array]:
    """Return where all moving joints stand in the neutral configuration, with loops closed."""
    return _positions(model, model.neutral())


def initial_positions(model: Model) -> dict[str, Array]:
    """Return where all moving joints stand at the start; balls, which have no `ref`, as neutral.

    Where loops move balls, all are as neutral.
    """
    balls = [joint for joint in model.joints if joint.kind == "spherical"]
    if balls and model.description.loops:
        return neutral_positions(model)
    q, neutral = model.initial_configuration, model.neutral()
    for joint in balls:
        q[joint.q_slice] = neutral[joint.q_slice]
    return _positions(model, q)


def _positions(model: Model, q: Array) -> dict[str, Array]:
    positions = np.asarray(model.joint_positions(q))
    return {joint.name: positions[joint.position_slice] for joint in model.joints}


def moved_zero(stated: Description, positions: Mapping[str, Array]) -> Description:
    """Return the description with zero where the joints are at these positions.

    Joints of one coordinate and balls are moved; free ones start where they are.
    """
    joints = [_moved(joint, positions) for joint in stated.joints]
    couplings = [_moved_coupling(coupling, positions) for coupling in stated.couplings]
    return dataclasses.replace(stated, joints=joints, couplings=couplings)


def free_pose(joint: Joint, stated: Description, positions: Mapping[str, Array]) -> Array:
    """Return where a free body stands at first (4, 4), from the place of its joint.

    With loops it is where they are closed, without where the file said that it came from.
    """
    start = None if stated.loops else stated.metadata.get(INITIAL, {}).get(joint.name)
    if start is None:
        start = positions.get(joint.name, neutral("free"))
    at = np.asarray(start, np.float64)
    return pose(at[:3], rotation_from_quaternion(at[3:]))


def _moved(joint: Joint, positions: Mapping[str, Array]) -> Joint:
    at = positions.get(joint.name)
    if at is None or joint.kind not in (*ONE, "spherical"):
        return joint
    if joint.kind == "spherical":
        if np.array_equal(at, [0.0, 0.0, 0.0, 1.0]):
            return joint
        assert joint.rest is not None
        rest = quaternion_product(quaternion_conjugate(at), joint.rest)
        placement = joint.placement @ pose(rotation=rotation_from_quaternion(at))
        return dataclasses.replace(joint, placement=placement, rest=rest)
    if not at.any():
        return joint
    assert joint.axis is not None
    step = motion(joint.kind, joint.axis, float(at[0]))
    if joint.kind == "screw":
        step = step @ pose(joint.pitch * float(at[0]) * joint.axis)
    values = {key: getattr(joint, key) - at for key in ("lower", "upper", "rest")}
    return dataclasses.replace(joint, placement=joint.placement @ step, **values)


def _moved_coupling(coupling: Coupling, positions: Mapping[str, Array]) -> Coupling:
    names = (*coupling.leaders, *coupling.followers)
    if not all(name in positions for name in names):
        return coupling
    leaders = np.concatenate([positions[name] for name in coupling.leaders])
    followers = np.concatenate([positions[name] for name in coupling.followers])
    if coupling.kind == "linear":
        assert coupling.matrix is not None
        offset = 0.0 if coupling.offset is None else coupling.offset
        moved = offset + coupling.matrix @ leaders - followers
        return dataclasses.replace(coupling, offset=moved)
    if isinstance(coupling.function, Polynomial):
        about = coupling.function
        function = Polynomial(
            about.factors, about.first - float(followers[0]), about.second - float(leaders[0])
        )
        return dataclasses.replace(coupling, function=function)
    return coupling
