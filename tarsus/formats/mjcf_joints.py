"""Joints and equality constraints of MJCF files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus._lib.errors import Source
from tarsus._lib.files import Array
from tarsus.formats.couplings import follow
from tarsus.formats.xml import unlimited
from tarsus.model.description import Coupling, DescriptionDraft, Joint, Loop
from tarsus.spatial import pose, rotation_from_quaternion, rotation_from_vector, scalar_last

# Joints of a compiled MuJoCo model, with the coordinates that MuJoCo gives them.


# by MuJoCo's number of the type: kind, nq, nv
TYPES = [("free", 7, 6), ("spherical", 4, 3), ("prismatic", 1, 1), ("revolute", 1, 1)]


def joint_kind(model: Any, index: int) -> str:
    """Our name of a joint's kind."""
    return TYPES[int(model.jnt_type[index])][0]


def read_joint(
    model: Any, index: int, placement: Array, ignored: Counter[str]
) -> tuple[dict[str, Any], Array]:
    """A joint's fields but its names, and the place of its anchor in the body's frame (3,).

    `placement` (4, 4) is the body's pose, as stated, in the frame that carries the joint.
    """
    kind, _, nv = TYPES[model.jnt_type[index]]
    start = int(model.jnt_dofadr[index])
    dofs = slice(start, start + nv)
    joint: dict[str, Any] = {"kind": kind}
    anchor = np.zeros(3)
    if kind in ("revolute", "spherical"):
        anchor = np.array(model.jnt_pos[index])
    joint["placement"] = np.eye(4) if kind == "free" else placement @ pose(anchor)
    if kind in ("revolute", "prismatic"):
        joint["axis"] = np.array(model.jnt_axis[index])
        # the body stands as stated at the reference position, not at zero
        reference = float(initial_position(model, index)[0])
        joint["placement"] = joint["placement"] @ motion(kind, joint["axis"], -reference)
    joint["damping"] = np.array(model.dof_damping[dofs])
    joint["friction"] = np.array(model.dof_frictionloss[dofs])
    joint["armature"] = np.array(model.dof_armature[dofs])
    _read_spring(model, index, joint, ignored)
    _read_limits(model, index, joint, ignored)
    return joint, anchor


def motion(kind: str, axis: Array, amount: float) -> Array:
    """The pose (4, 4) after a "prismatic" joint or a revolute one has moved by `amount`."""
    if kind == "prismatic":
        return pose(amount * axis)
    return pose(rotation=rotation_from_vector(amount * axis))


def mujoco_pose(position: Array, quaternion: Array) -> Array:
    """The pose (4, 4) of a position and a quaternion [w x y z] of MuJoCo."""
    return pose(position, rotation_from_quaternion(scalar_last(quaternion)))


def initial_position(model: Any, index: int) -> Array:
    """The coordinates of a joint in the configuration that the file states (nq,)."""
    return _coordinates(model, index, model.qpos0)


def reorder(qpos: Array) -> Array:
    """Coordinates of one joint, with the quaternion [w x y z] of MuJoCo as [x y z w]."""
    split = {7: 3, 4: 0}.get(len(qpos))
    if split is None:
        return np.array(qpos)
    return np.concatenate([qpos[:split], scalar_last(qpos[split:])])


def _coordinates(model: Any, index: int, qpos: Array) -> Array:
    start = int(model.jnt_qposadr[index])
    return reorder(qpos[start : start + TYPES[model.jnt_type[index]][1]])


def _read_spring(model: Any, index: int, joint: dict[str, Any], ignored: Counter[str]) -> None:
    stiffness = float(model.jnt_stiffness[index])
    if stiffness and joint["kind"] == "free":
        ignored["springs of free joints"] += 1
    elif stiffness:
        joint["stiffness"] = np.full(TYPES[model.jnt_type[index]][2], stiffness)
        joint["rest"] = _coordinates(model, index, model.qpos_spring)
    # MuJoCo before version 4 has no such coefficients
    if hasattr(model, "jnt_stiffnesspoly") and model.jnt_stiffnesspoly[index].any():
        ignored["non-linear springs of joints"] += 1
    if hasattr(model, "jnt_springyield") and model.jnt_springyield[index]:
        ignored["yields of springs of joints"] += 1


def _read_limits(model: Any, index: int, joint: dict[str, Any], ignored: Counter[str]) -> None:
    if model.jnt_limited[index] and joint["kind"] == "spherical":
        ignored["ranges of ball joints"] += 1
    elif model.jnt_limited[index]:
        lower, upper = map(unlimited, model.jnt_range[index].tolist())
        joint["lower"], joint["upper"] = np.array([lower]), np.array([upper])
    if model.jnt_actfrclimited[index] and joint["kind"] in ("revolute", "prismatic"):
        joint["effort_limit"] = np.array([np.abs(model.jnt_actfrcrange[index]).max()])


# Equality constraints of a compiled MuJoCo model: loops and couplings.
#
# MuJoCo holds them by stiff springs, here they hold exactly. `<connect>` is a spherical loop
# joint, `<weld>` a weld, `<joint>` a coupling in which the first joint follows the second; alone
# it is held in its place. Constraints of tendons and flexible bodies, and those that are not
# active, are left out.


CONNECT, WELD, JOINT = 0, 1, 2
COUPLED = "equality constraints of joints that others hold already"


class Equalities:
    """Adds the constraints of one model to its description."""

    def __init__(
        self,
        mujoco: Any,
        model: Any,
        description: DescriptionDraft,
        body_names: Sequence[str],
        joint_names: Sequence[str],
        source: Callable[[str, int], Source],
    ) -> None:
        self.model, self.description = model, description
        self.site = int(mujoco.mjtObj.mjOBJ_SITE)
        self.body_names, self.joint_names, self.source = body_names, joint_names, source
        self.joints = {joint.name: joint for joint in description.joints}
        self.leaders: dict[str, str] = {}
        self.independent: set[str] = set()

    def read(self, ignored: Counter[str]) -> None:
        """Append a loop or a coupling for each constraint; count the others."""
        loops: list[tuple[int, int]] = []
        for index in range(self.model.neq):
            kind = int(self.model.eq_type[index])
            if not self.model.eq_active0[index]:
                ignored["equality constraints that are not active"] += 1
            elif kind in (CONNECT, WELD):
                loops.append((index, kind))
            elif kind != JOINT:
                ignored["equality constraints of tendons and flexible bodies"] += 1
            elif self.model.eq_obj2id[index] < 0:
                self._hold(index, ignored)
            else:
                self._couple(index, ignored)
        # last, as they start where joints with coordinates of their own are
        self.description.loops += [self._loop(index, kind) for index, kind in loops]

    def _loop(self, index: int, kind: int) -> Loop:
        model, data = self.model, np.array(self.model.eq_data[index])
        ids = [int(model.eq_obj1id[index]), int(model.eq_obj2id[index])]
        if int(model.eq_objtype[index]) == self.site:
            bodies = [int(model.site_bodyid[site]) for site in ids]
            ends = [mujoco_pose(model.site_pos[site], model.site_quat[site]) for site in ids]
        elif kind == CONNECT:
            bodies, ends = ids, [pose(data[:3]), pose(data[3:6])]
        else:
            # the anchor is on the second body, the pose that it is to have on the first
            bodies, ends = ids, [mujoco_pose(data[3:6], data[6:10]), pose(data[:3])]
        tag, turns = ("weld", data[10] > 0) if kind == WELD else ("connect", False)
        name, source = self._name(index, tag)
        body_a, body_b = (self.body_names[i] for i in bodies)
        made, start = "weld" if turns else "spherical", self._start(bodies)
        return Loop(name, made, body_a, body_b, ends[0], ends[1], start=start, source=source)

    def _start(self, bodies: list[int]) -> dict[str, float]:
        """Where the joints around a loop stand when it is closed, if that is not at zero.

        Joints that are held or follow others have no coordinates that could start anywhere.
        """
        model = self.model
        ways = [_ancestors(model, body) for body in bodies]
        around = [body for way in ways for body in way if not all(body in way for way in ways)]
        start: dict[str, float] = {}
        for body in around:
            first = int(model.body_jntadr[body])
            for joint in range(first, first + int(model.body_jntnum[body])):
                name, position = self.joint_names[joint], initial_position(model, joint)
                moves = self.joints[name].kind != "fixed" and name not in self.leaders
                if moves and len(position) == 1 and position[0]:
                    start[name] = float(position[0])
        return start

    def _hold(self, index: int, ignored: Counter[str]) -> None:
        """Fix a joint in the place that the constraint states."""
        number = int(self.model.eq_obj1id[index])
        joint = self.joints[self.joint_names[number]]
        if joint.axis is None or joint.name in {*self.leaders, *self.leaders.values()}:
            ignored[COUPLED] += 1
            return
        amount = float(initial_position(self.model, number)[0] + self.model.eq_data[index][0])
        placement = joint.placement @ motion(joint.kind, joint.axis, amount)
        ends = joint.parent, joint.child
        fixed = Joint(joint.name, "fixed", *ends, placement, source=joint.source)
        self.description.joints[self.description.joints.index(joint)] = fixed
        self.joints[joint.name] = fixed
        del self.description.metadata["initial_configuration"][joint.name]
        self.description.warnings.append(f"joint '{joint.name}' is fixed by an equality constraint")

    def _couple(self, index: int, ignored: Counter[str]) -> None:
        model = self.model
        ids = [int(model.eq_obj1id[index]), int(model.eq_obj2id[index])]
        follower, leader = (self.joint_names[i] for i in ids)
        first, second = (float(initial_position(model, i)[0]) for i in ids)
        factors = np.array(model.eq_data[index][:5])
        linear = not factors[2:].any()
        if linear and factors[1] and self._is_bound(follower):
            # x1 = r1 + c0 + c1 (x2 − r2) is x2 = r2 − c0 / c1 + (x1 − r1) / c1
            factors[:2] = -factors[0] / factors[1], 1 / factors[1]
            follower, leader, first, second = leader, follower, second, first
        held = any(self.joints[name].kind == "fixed" for name in (follower, leader))
        chain = not linear and leader in self.leaders
        if held or chain or self._is_bound(follower) or self._follows(leader, follower):
            ignored[COUPLED] += 1
            return
        self.leaders[follower] = leader
        name, source = self._name(index, "equality")
        if linear:
            slope, offset = float(factors[1]), float(first + factors[0] - factors[1] * second)
            coupling = follow(follower, {leader: slope}, offset, name=name, source=source)
        else:
            function = Polynomial(tuple(factors.tolist()), first, second)
            names = (leader,), (follower,)
            coupling = Coupling(name, "function", *names, function=function, source=source)
            self.independent.add(leader)
            self.description.warnings.append(
                f"equality constraint '{name}' is a polynomial: our own files cannot keep it"
            )
        self.description.couplings.append(coupling)

    def _is_bound(self, joint: str) -> bool:
        """Whether a joint follows another already, or must not since a function leads with it."""
        return joint in self.leaders or joint in self.independent

    def _follows(self, joint: str, leader: str) -> bool:
        """Whether `joint` is `leader` or follows it, perhaps by way of others."""
        while joint != leader and joint in self.leaders:
            joint = self.leaders[joint]
        return joint == leader

    def _name(self, index: int, tag: str) -> tuple[str, Source]:
        stated = str(self.model.equality(index).name)
        return stated or f"equality{index}", self.source(tag, index)


@dataclass(frozen=True)
class Polynomial:
    """x = first + Σ factors[k] (y − second)ᵏ of joint positions, with its derivatives."""

    factors: tuple[float, ...]
    first: float
    second: float

    def __call__(self, y: Array) -> tuple[Array, ...]:
        """Return x (1,) and its first (1, 1), second and third derivatives at y (1,)."""
        polynomial, step = np.polynomial.Polynomial(self.factors), np.asarray(y) - self.second
        value = self.first + polynomial(step)
        slopes = [polynomial.deriv(order)(step).reshape((1,) * (1 + order)) for order in (1, 2, 3)]
        return value, *slopes


def _ancestors(model: Any, body: int) -> list[int]:
    """The body and those that carry it, without the world."""
    way = []
    while body > 0:
        way.append(body)
        body = int(model.body_parentid[body])
    return way
