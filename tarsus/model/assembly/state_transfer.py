"""`ts.carry`: the state of a model transferred to an edited model, by names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import checked_state, expect
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.assembly.close_loops import AssemblyError, snap
from tarsus.model.assembly.spanning_tree import spanning
from tarsus.model.dependents import EXACT
from tarsus.model.description import Body
from tarsus.model.joint_coordinates import joint_coordinates
from tarsus.model.loops import n_rows
from tarsus.model.model import Model
from tarsus.model.views import JointView
from tarsus.spatial import inverse, vector_from_rotation

# `tarsus.carry`: take a state over from one model to another, by names.
#
# Joints that are the same keep their coordinates to the bit. What was cut, hung elsewhere or is of
# another kind now gets them from where its body was and how it moved. New bodies begin at rest on
# what carries them. Where the new model cannot follow, because a loop or a coupling was added or a
# joint moves in fewer ways, positions go to the nearest that it can have, and velocities to what a
# plastic impact leaves: momentum is kept as far as the new joints let it, and the loss is told.


def carry(old: Model, new: Model, q: ArrayLike, v: ArrayLike | None = None) -> Carried:
    """Return the state q (…, nq), v (…, nv) of the model `old` as one of the model `new`.

    Bodies and joints are the same where their names are. v is at rest by default.
    """
    expect(old, Model, "old")
    expect(new, Model, "new")
    q, v = checked_state(old, q, v)
    return _Carrying(old, new, q, v).run()


class _Carrying:
    """The way of states from one model to another, over the new one's tree of joints.

    x and w are positions and velocities of all joints of the tree, `aims` (…, n, 6) the velocities
    that its bodies should have, in their own frames. Pieces are all bodies as they were stated,
    also welded ones.
    """

    def __init__(self, old: Model, new: Model, q: Array, v: Array) -> None:
        self._old, self._new, self._q, self._v = old, new, q, v
        self._tree = spanning(new)
        self._match = match(old, new)
        self._pieces = new.description.bodies
        lead = q.shape[:-1]
        self._x = np.tile(self._tree.neutral(), (*lead, 1))
        self._w = np.zeros((*lead, self._tree.nv))
        self._aims = np.zeros((*lead, self._tree.n_bodies, 6))

    def run(self) -> Carried:
        """Return the new state with the report."""
        self._place()
        poses = self._tree.forward_kinematics(self._x)
        self._aim(poses)
        q, v = self._of_new()
        q = self._closed(q)
        places, aims = self._piece_aims(poses)
        follows = self._follows(q, v, aims)
        if not follows.all():
            v = np.where(follows[..., None], v, self._after_impact(q, aims))
        return self._report(q, v, places, aims)

    def _place(self) -> None:
        """Set the positions of all joints, parents first."""
        old = np.asarray(self._old.joint_positions(self._q))
        for joint in self._tree.joints:
            if joint.name in self._match.kept:
                same = self._match.kept[joint.name]
                self._x[..., joint.q_slice] = old[..., same.position_slice]
            elif joint.name in self._match.found:
                source = self._match.found[joint.name]
                pose = self._old.frame_pose(self._q, source.frame) @ source.placement
                parent = self._parent_pose(joint)
                seen = inverse(parent @ joint.placement) @ pose
                self._x[..., joint.q_slice] = joint_coordinates(joint, seen)

    def _parent_pose(self, joint: JointView) -> Array:
        parent = self._tree.bodies[joint.index].parent
        if parent < 0:
            return np.eye(4)
        return np.asarray(self._tree.frame_pose(self._x, self._tree.body_names[parent]))

    def _aim(self, poses: Array) -> None:
        """Set the velocities of all joints and bodies, parents first."""
        old = np.asarray(self._old.joint_velocities(self._q, self._v))
        for joint, body in zip(self._tree.joints, self._tree.bodies, strict=True):
            jacobian = self._tree.frame_jacobian(self._x, body.name)[..., joint.v_slice]
            carried = np.zeros_like(self._aims[..., 0, :])
            if body.parent >= 0:
                seen = inverse(poses[..., body.parent, :, :]) @ poses[..., body.index, :, :]
                carried = twist_across(seen, self._aims[..., body.parent, :])
            if joint.name in self._match.found:
                source = self._match.found[joint.name]
                velocity = self._old.frame_velocity(self._q, self._v, source.frame)
                aim = twist_across(source.placement, np.asarray(velocity))
                inside = np.linalg.pinv(jacobian, rcond=1e-10) @ (aim - carried)[..., None]
                self._w[..., joint.v_slice] = inside[..., 0]
            else:
                if joint.name in self._match.kept:
                    same = self._match.kept[joint.name]
                    self._w[..., joint.v_slice] = old[..., same.velocity_slice]
                own = self._w[..., joint.v_slice]
                aim = carried + (jacobian @ own[..., None])[..., 0]
            self._aims[..., body.index, :] = aim

    def _of_new(self) -> tuple[Array, Array]:
        """Return q and v of the new model from positions and velocities of all joints."""
        lead = self._x.shape[:-1]
        q, v = np.zeros((*lead, self._new.nq)), np.zeros((*lead, self._new.nv))
        for joint in self._new.joints:
            same = self._tree.joint(joint.name)
            if joint.dependent != "coupling":
                q[..., joint.q_slice] = self._x[..., same.q_slice]
            own = [same.v_slice.start + k for k in joint.own_velocities]
            v[..., joint.v_slice] = self._w[..., own]
        return q, v

    def _closed(self, q: Array) -> Array:
        """Return q with all loops closed; states in which they are stay as they are."""
        loops = self._new.description.loops
        dropped = [self._new._left_out.get(loop.name, ()) for loop in loops]
        rows = zip(loops, dropped, strict=True)
        kept = [k not in out for loop, out in rows for k in range(n_rows(loop.kind))]
        gaps = np.asarray(self._new.loop_gaps(q))[..., kept]
        loose = np.abs(gaps).max(axis=-1, initial=0.0) > EXACT
        if loose.any():
            found = snap(self._new, q[loose], strict=False)
            if not found.closed:
                number = np.flatnonzero(loose)[found.worst]
                raise AssemblyError(f"{self._new.name!r}, state {number}: {found.reason}", found)
            q[loose] = found.q
        return q

    def _piece_aims(self, poses: Array) -> tuple[Array, Array]:
        """Return where the pieces should be (…, m, 4, 4) and how they should move (…, m, 6)."""
        places, twists = [], []
        at = self._aimed_poses(poses)
        for body in self._pieces:
            frame = self._new.frame(body.name)
            if body.name in self._match.welded:
                was = self._match.welded[body.name]
                places.append(self._old.frame_pose(self._q, was))
                twists.append(self._old.frame_velocity(self._q, self._v, was))
            elif frame.body == WORLD:
                places.append(np.broadcast_to(frame.placement, (*self._q.shape[:-1], 4, 4)))
                twists.append(np.zeros((*self._q.shape[:-1], 6)))
            else:
                carrier = self._tree.body(frame.body).index
                places.append(at[..., carrier, :, :] @ frame.placement)
                twists.append(twist_across(frame.placement, self._aims[..., carrier, :]))
        lead = self._q.shape[:-1]
        return (
            np.stack([np.zeros((*lead, 4, 4)), *places], axis=-3)[..., 1:, :, :],
            np.stack([np.zeros((*lead, 6)), *twists], axis=-2)[..., 1:, :],
        )

    def _aimed_poses(self, poses: Array) -> Array:
        """Return where moving bodies should be: where they were, or where their joints put them."""
        aims = np.array(poses)
        for name, source in self._match.found.items():
            was = self._old.frame_pose(self._q, source.frame) @ source.placement
            aims[..., self._tree.joint(name).index, :, :] = was
        return aims

    def _twists(self, q: Array, v: Array) -> Array:
        """Return the velocities (…, m, 6) of the pieces of the new model."""
        twists = [self._new.frame_velocity(q, v, body.name) for body in self._pieces]
        return np.stack([np.zeros((*q.shape[:-1], 6)), *twists], axis=-2)[..., 1:, :]

    def _follows(self, q: Array, v: Array, aims: Array) -> Array:
        """Return for each state whether the pieces of the new model move as they should."""
        off = np.abs(self._twists(q, v) - aims).max(axis=(-2, -1), initial=0.0)
        rows = (self._new.constraint_jacobian(q) @ v[..., None])[..., 0]
        off = np.maximum(off, np.abs(rows).max(axis=-1, initial=0.0))
        return np.asarray(off <= SAME * np.abs(aims).max(axis=(-2, -1), initial=1.0))

    def _after_impact(self, q: Array, aims: Array) -> Array:
        """Return H⁻¹ Σ Jᵀ (momentum of a piece that moves as it should), loops held.

        Momenta in the place of wrenches make forward dynamics return a velocity.
        """
        new, zero = self._new, np.zeros((*q.shape[:-1], self._new.nv))
        momenta = np.zeros((*q.shape[:-1], new.n_bodies, 6))
        for k, body in enumerate(self._pieces):
            frame = new.frame(body.name)
            if frame.body != WORLD:
                momenta[..., new.body(frame.body).index, :] += _momentum(
                    body, frame.placement, aims[..., k, :]
                )
        spins = np.zeros((*q.shape[:-1], sum(joint.nv for joint in new.joints)))
        for joint in new.joints:
            own = self._w[..., self._tree.joint(joint.name).v_slice]
            spins[..., joint.velocity_slice] = joint.armature * own
        tau = (np.swapaxes(new.coupling_matrix(q), -1, -2) @ spins[..., None])[..., 0]
        still = new.forward_dynamics(q, zero, zero)
        return np.asarray(new.forward_dynamics(q, zero, tau, momenta) - still)

    def _report(self, q: Array, v: Array, places: Array, aims: Array) -> Carried:
        """Return the state with what changed on the way to it."""
        now = [self._new.frame_pose(q, body.name) for body in self._pieces]
        at = np.stack([np.zeros((*q.shape[:-1], 4, 4)), *now], axis=-3)[..., 1:, :, :]
        apart = np.swapaxes(places[..., :3, :3], -1, -2) @ at[..., :3, :3]
        distances = np.linalg.norm(at[..., :3, 3] - places[..., :3, 3], axis=-1)
        angles = np.linalg.norm(vector_from_rotation(apart), axis=-1)
        found, states = self._match, ((self._old, self._q, self._v), (self._new, q, v))
        return Carried(
            q,
            v,
            tuple(found.kept),
            tuple(found.found),
            found.fresh,
            found.gone,
            distances.max(axis=-1, initial=0.0),
            angles.max(axis=-1, initial=0.0),
            np.abs(self._twists(q, v) - aims).max(axis=(-2, -1), initial=0.0),
            *(np.asarray(m.centroidal_momentum(*state)) for m, *state in states),
            *(_energy(*state) for state in states),
        )


def _momentum(body: Body, placement: Array, twists: Array) -> Array:
    """Return the momentum (…, 6) of a body on a carrier, in the carrier's frame at its origin."""
    linear = body.mass * (twists[..., :3] + np.cross(twists[..., 3:], body.com))
    angular = twists[..., 3:] @ body.inertia.T + np.cross(body.com, linear)
    force, moment = linear @ placement[:3, :3].T, angular @ placement[:3, :3].T
    return np.concatenate([force, moment + np.cross(placement[:3, 3], force)], axis=-1)


def _energy(model: Model, q: Array, v: Array) -> Array:
    """Return kinetic and potential energy (…, 2), springs of joints included."""
    stored = np.asarray(model.potential_energy(q)) + model.elastic_energy(q)
    return np.stack([model.kinetic_energy(q, v), stored], axis=-1)


# What `tarsus.carry` returns: a state of the new model, and what became of the old one.


SAME = 1e-9
"""Velocities [m/s, rad/s], relative to the fastest, up to which a model follows."""


@dataclass(frozen=True, eq=False)
class Carried:
    """A state of the new model, and what became of the old one.

    `q` (…, nq) and `v` (…, nv). Joints that `kept` their coordinates, that were `found` from poses
    and that are `fresh`; bodies that are `gone`. `shift` (…) [m] and `turn` (…) [rad] is the most
    by which a body is elsewhere than it was, or than its joint's coordinates put it; `jump` (…) by
    how much the velocity of one has changed [m/s, rad/s]. Momentum (…, 6), linear and angular about
    the centre of mass, and energy (…, 2), kinetic and potential, before and after.
    """

    q: Array
    v: Array
    kept: tuple[str, ...]
    found: tuple[str, ...]
    fresh: tuple[str, ...]
    gone: tuple[str, ...]
    shift: Array
    turn: Array
    jump: Array
    momentum_before: Array
    momentum_after: Array
    energy_before: Array
    energy_after: Array

    @property
    def exact(self) -> bool:
        """Whether every body that is still there is where it was and moves as it did."""
        small = max(part.max(initial=0.0) for part in (self.shift, self.turn, self.jump))
        return bool(small <= 10.0 * SAME)

    def __str__(self) -> str:
        lines = [f"{len(self.kept)} joints keep their coordinates"]
        for title, names in (
            ("found from where their bodies were", self.found),
            ("new, at rest on their parents", self.fresh),
            ("gone", self.gone),
        ):
            lines += [f"{title}: {', '.join(names)}"] if names else []
        if not self.exact:
            moved, turned, changed = (x.max() for x in (self.shift, self.turn, self.jump))
            lines.append(
                f"bodies moved by up to {moved:.3g} m and {turned:.3g} rad, "
                f"velocities changed by up to {changed:.3g}"
            )
        for what, before, after in (
            ("momentum", self.momentum_before, self.momentum_after),
            ("energy", self.energy_before, self.energy_after),
        ):
            change = np.abs(after - before).max(initial=0.0)
            if change > 1e-9 * np.abs(before).max(initial=1.0):
                lines.append(f"{what} changed by up to {change:.3g}")
        return "\n".join(lines)


# What is the same in two models, by names: bodies, and the joints that carry them.


@dataclass(frozen=True)
class Source:
    """Where a moving body was: on `frame` of the old model, at `placement` (4, 4)."""

    frame: str
    placement: Array


@dataclass(frozen=True)
class Match:
    """For each joint of the new model what gives its coordinates.

    `kept` maps joints to those of the old model whose coordinates they take over, `found` to where
    their bodies were; `fresh` start at their neutral position. `welded` maps bodies that are newly
    welded to the frames that they were. `gone` are bodies of the old model that the new one does
    not have.
    """

    kept: dict[str, JointView]
    found: dict[str, Source]
    fresh: tuple[str, ...]
    welded: dict[str, str]
    gone: tuple[str, ...]


def match(old: Model, new: Model) -> Match:
    """Return what the joints of the new model take over from the old one.

    A joint is the same if it carries the same body on the same body by the same kind. A body that
    has a new name is known by its joint, if that has kept its own.
    """
    before = _same_bodies(old, new)
    carried = {joint.child: joint for joint in old.joints}
    on: dict[str, list[str]] = {}
    for body in new.description.bodies:
        on.setdefault(new.frame(body.name).body, []).append(body.name)
    kept: dict[str, JointView] = {}
    found: dict[str, Source] = {}
    fresh = []
    for joint in new.joints:
        same = carried.get(before.get(joint.child, ""))
        if same is not None and _is_same(same, joint, before):
            kept[joint.name] = same
            continue
        known = [name for name in on[joint.child] if name in before]
        if known:
            first = joint.child if joint.child in before else known[0]
            back = inverse(new.frame(first).placement)
            found[joint.name] = Source(before[first], back)
        else:
            fresh.append(joint.name)
    gone = {body.name for body in old.description.bodies} - set(before.values())
    names = [body.name for body in old.description.bodies if body.name in gone]
    return Match(kept, found, tuple(fresh), _newly_welded(old, new, before), tuple(names))


def _newly_welded(old: Model, new: Model, before: dict[str, str]) -> dict[str, str]:
    """Return bodies on fixed joints that hung on something else, with the names that they had."""
    on = {joint.child: (joint.kind, joint.parent) for joint in old.description.joints}
    fixed = [joint for joint in new.description.joints if joint.kind == "fixed"]
    return {
        joint.child: before[joint.child]
        for joint in fixed
        if joint.child in before
        if on[before[joint.child]] != ("fixed", before.get(joint.parent))
        if new.frame(joint.child).body in before
    }


def _is_same(old: JointView, new: JointView, before: dict[str, str]) -> bool:
    return old.kind == new.kind and before.get(new.parent) == old.parent


def _same_bodies(old: Model, new: Model) -> dict[str, str]:
    """Return the old name of each stated body of the new model that was there, and the world's."""
    stated = {body.name for body in old.description.bodies}
    before = {name: name for name in (body.name for body in new.description.bodies)}
    before = {new_name: name for new_name, name in before.items() if name in stated}
    names = set(new.frame_names)
    by_joint = {joint.name: joint for joint in old.description.joints}
    for joint in new.description.joints:
        other = by_joint.get(joint.name)
        renamed = other is not None and other.kind == joint.kind and other.child not in names
        if joint.child not in before and renamed and other is not None:
            before[joint.child] = other.child
    return {WORLD: WORLD, **before}


def twist_across(poses: Array, twists: Array) -> Array:
    """Return twists (…, 6) of a frame at another one, whose poses (…, 4, 4) it sees; own axes."""
    back = np.swapaxes(poses[..., :3, :3], -1, -2)
    moving = twists[..., :3] + np.cross(twists[..., 3:], poses[..., :3, 3])
    parts = [(back @ part[..., None])[..., 0] for part in (moving, twists[..., 3:])]
    return np.concatenate(parts, axis=-1)
