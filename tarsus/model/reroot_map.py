"""States of a machine on two roots: one that floats, one that stands.

Both are computed over all joints of the trees, those that follow by couplings and loops included.
Joints beside the path keep their positions and velocities to the bit, joints that were turned round
map them. Only the joints at the roots are found from where the body on them is and how it moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus._lib.files import Array
from tarsus.model.assembly.spanning_tree import spanning
from tarsus.model.assembly.state_transfer import SAME, twist_across
from tarsus.model.joint_coordinates import (
    joint_coordinates,
    reversed_positions,
    reversed_velocities,
)
from tarsus.model.model import Model
from tarsus.model.reroot import Path, Rerooted
from tarsus.model.views import JointView
from tarsus.spatial import inverse, twist_from_pose, vector_from_rotation

STEPS = 50
ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class RootedState:
    """A state on another root: `q` (…, nq), `v` (…, nv), and what the new root cannot follow.

    `shift` (…) [m] and `turn` (…) [rad] say how far the body at the root is from where it was,
    `slip` (…, 6), linear and angular in its axes [m/s, rad/s], what is missing of its velocity.
    """

    q: Array
    v: Array
    shift: Array
    turn: Array
    slip: Array

    @property
    def exact(self) -> bool:
        """Whether the machine is where it was and moves as it did."""
        parts = (self.shift, self.turn, np.abs(self.slip))
        return bool(max(np.max(part, initial=0.0) for part in parts) <= 10.0 * SAME)

    def __str__(self) -> str:
        if self.exact:
            return "the same state on another root"
        parts = (self.shift, self.turn, np.abs(self.slip))
        shift, turn, slip = (np.max(part, initial=0.0) for part in parts)
        return f"the root is off by up to {shift:.3g} m and {turn:.3g} rad, and slips by {slip:.3g}"


class RootStates:
    """The ways of states between a machine that stands and the original that floats."""

    def __init__(
        self, standing: Model, floating: Model, path: Path, root: Rerooted, at: Array
    ) -> None:
        self._standing, self._floating, self._path, self._at = standing, floating, path, at
        self._root = (root.joint,) if root.joint in standing.joint_names else ()
        self._frame = root.frame

    def onto_root(self, q: Array, v: Array, at: Array) -> RootedState:
        """Return a state of the machine that floats as one of that which stands, its joint `at`."""
        old, path, tree = self._floating, self._path, spanning(self._standing)
        x, w = self._turned(old, q, v, tree)
        foot = old.frame_pose(q, path.body) @ path.seat
        twist = twist_across(path.seat, np.asarray(old.frame_velocity(q, v, path.body)))
        aim = self._at @ inverse(at) @ foot
        return self._settled(self._standing, x, w, self._root, self._frame, aim, twist)

    def onto_base(self, q: Array, v: Array, at: Array) -> RootedState:
        """Return a state of the machine that stands as one of that which floats."""
        new, body = self._standing, self._path.loose
        x, w = self._turned(new, q, v, spanning(self._floating))
        aim = at @ inverse(self._at) @ new.frame_pose(q, body)
        twist = np.asarray(new.frame_velocity(q, v, body))
        base = [joint.name for joint in self._path.base]
        return self._settled(self._floating, x, w, base, body, aim, twist)

    def _turned(self, old: Model, q: Array, v: Array, tree: Model) -> tuple[Array, Array]:
        """Return positions and velocities of all joints of the other tree, at its root neutral."""
        kinds = {joint.name: joint.kind for joint in self._path.turned}
        positions, velocities = old.joint_positions(q), old.joint_velocities(q, v)
        x = np.tile(tree.neutral(), (*q.shape[:-1], 1))
        w = np.zeros((*q.shape[:-1], tree.nv))
        here = set(old.joint_names)
        for joint in tree.joints:
            if joint.name in here:
                same, kind = old.joint(joint.name), kinds.get(joint.name, "")
                own = positions[..., same.position_slice]
                moving = velocities[..., same.velocity_slice]
                x[..., joint.q_slice] = reversed_positions(kind, own)
                w[..., joint.v_slice] = reversed_velocities(kind, own, moving)
        return x, w

    @staticmethod
    def _settled(
        model: Model,
        x: Array,
        w: Array,
        names: Sequence[str],
        body: str,
        aim: Array,
        twist: Array,
    ) -> RootedState:
        """Return the state in which the joints at the root bring a body to `aim` with a `twist`."""
        tree = spanning(model)
        joints = [tree.joint(name) for name in names]
        x = np.broadcast_to(x, (*np.broadcast_shapes(x.shape[:-1], aim.shape[:-2]), x.shape[-1]))
        x = x.copy()
        if len(joints) == 1:
            child = aim @ inverse(tree.frame(body).placement)
            seen = inverse(joints[0].placement) @ child
            x[..., joints[0].q_slice] = joint_coordinates(joints[0], seen)
        elif joints:
            x = _along_chain(tree, joints, x, body, aim)
        there = np.asarray(tree.frame_pose(x, body))
        columns = [k for j in joints for k in range(j.v_slice.start, j.v_slice.stop)]
        w = np.broadcast_to(w, (*x.shape[:-1], tree.nv)).copy()
        jacobian = np.asarray(tree.frame_jacobian(x, body))[..., columns]
        w[..., columns] = (_pseudo_inverse(jacobian) @ twist[..., None])[..., 0]
        slip = twist - (jacobian @ w[..., columns, None])[..., 0]
        apart = np.swapaxes(aim[..., :3, :3], -1, -2) @ there[..., :3, :3]
        shift = np.linalg.norm(there[..., :3, 3] - aim[..., :3, 3], axis=-1)
        turn = np.linalg.norm(vector_from_rotation(apart), axis=-1)
        return RootedState(*_own(model, tree, x, w), shift, turn, slip)


def _own(model: Model, tree: Model, x: Array, w: Array) -> tuple[Array, Array]:
    """Return q and v of the model from positions and velocities of all joints of its tree."""
    q, v = np.zeros((*x.shape[:-1], model.nq)), np.zeros((*x.shape[:-1], model.nv))
    for joint in model.joints:
        same = tree.joint(joint.name)
        if joint.dependent != "coupling":
            q[..., joint.q_slice] = x[..., same.q_slice]
        v[..., joint.v_slice] = w[..., [same.v_slice.start + k for k in joint.own_velocities]]
    return q, v


def _pseudo_inverse(jacobian: Array) -> Array:
    """Return pseudo-inverses (…, n, 6) of jacobians (…, 6, n)."""
    one = jacobian[(0,) * (jacobian.ndim - 2)] if jacobian.size else jacobian
    # that of a free joint is the same everywhere, and inverses are most of the work
    same = (jacobian == one).all()
    return np.asarray(np.linalg.pinv(one if same else jacobian, rcond=1e-10))


def _along_chain(
    model: Model, joints: Sequence[JointView], x: Array, body: str, aim: Array
) -> Array:
    """Return x with joints that follow one another so that `body` is at `aim`: Newton's method.

    Turns that are given by a single joint are there after one step, slides after another.
    """
    columns = [k for j in joints for k in range(j.v_slice.start, j.v_slice.stop)]
    for _ in range(STEPS):
        miss = twist_from_pose(inverse(model.frame_pose(x, body)) @ aim)
        jacobian = np.asarray(model.frame_jacobian(x, body))[..., columns]
        step = np.zeros((*x.shape[:-1], model.nv))
        step[..., columns] = (_pseudo_inverse(jacobian) @ miss[..., None])[..., 0]
        moved = np.asarray(model.integrate(x, step))
        for joint in joints:
            x[..., joint.q_slice] = moved[..., joint.q_slice]
        if not (np.abs(step) > ROUNDING * (1.0 + np.abs(x).max())).any():
            break
    return x
