"""A model seen from another root, and the reaction of the ground on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import checked_state, expect, numbers, reals, suggestion
from tarsus._lib.checks import pose as checked_pose
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.assembly.spanning_tree import spanning
from tarsus.model.builder import Builder
from tarsus.model.description import COORDINATE_FIELDS, KINDS, Body, Joint
from tarsus.model.description_builder import placement_of
from tarsus.model.model import Model
from tarsus.model.reroot import path_to, rerooted, with_independent
from tarsus.model.reroot_map import RootedState, RootStates
from tarsus.spatial import inverse

# `tarsus.Rooted`: the same machine on another root, and states of one as states of the other.
#
# Joints that are not on the path to the new root keep their coordinates to the bit, and so do most
# of those that are turned round (`joint_coordinates.py`). What is found from poses and velocities
# are the coordinates of the two roots: the joint on which the machine stands, and that by which it
# floated.


OF_ROOTS = (
    *("axis", "second_axis", "pitch", "radius", "track", "surface", "ground"),
    *COORDINATE_FIELDS,
)
"""What can be stated about the joint at the root, as for `Builder.joint`."""


class Rooted(Model):
    """A model that stands on one of its bodies; `Model.rooted_at` returns it.

    `original` is the model that it was made from, `root_frame` the frame that stands, by the joint
    `root_joint` (a fixed one has no coordinates), and `at` (4, 4) where in the world that joint is.
    `machine` are the names of the bodies that stand on it.
    """

    original: Model
    root_frame: str
    root_joint: str
    at: Array
    machine: frozenset[str]
    _states: RootStates
    _asked: tuple[str, dict[str, Any]]

    def __init__(
        self,
        model: Model,
        body: str,
        joint: str = "fixed",
        *,
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        placement: ArrayLike | None = None,
        at: ArrayLike | None = None,
        release: str | None = None,
        **parameters: Any,
    ) -> None:
        expect(model, Model, "model")
        stated = model.description
        inside = placement_of("rooted_at", position, rotation, placement)
        inside = checked_pose(inside, "rooted_at")
        path = path_to(stated, body, inside, release)
        root, neutral = _root(joint, parameters)
        if at is None:
            at = model.frame_pose(model.neutral(), body) @ inside @ inverse(neutral)
        at = checked_pose(at, "rooted_at, at")
        stated = with_independent(model, [each.name for each in path.base])
        new = rerooted(stated, path, body, root, at)
        super().__init__(new.description, strict=model.strict)
        asked = {"joint": joint, "placement": inside, "at": at, "release": release, **parameters}
        self.__dict__.update(
            original=model,
            root_frame=new.frame,
            root_joint=new.joint,
            machine=new.machine,
            at=at,
            _states=RootStates(self, model, path, new, at),
            _asked=(body, asked),
        )

    def from_original(
        self, q: ArrayLike, v: ArrayLike | None = None, *, at: ArrayLike | None = None
    ) -> RootedState:
        """Return a state q (…, nq), v (…, nv) of the original as one of this model.

        `at` (…, 4, 4) is where the root's joint is in the original's world, by default where this
        model has it: a foot that was set down elsewhere is so without a `shift`.
        Angles of the root are within ±π.
        """
        return self._states.onto_root(*checked_state(self.original, q, v), self._place(at))

    def to_original(
        self, q: ArrayLike, v: ArrayLike | None = None, *, at: ArrayLike | None = None
    ) -> RootedState:
        """Return a state q (…, nq), v (…, nv) of this model as one of the original.

        `at` as for `from_original`. Angles of the base are within ±π.
        """
        return self._states.onto_base(*checked_state(self, q, v), self._place(at))

    def original_jacobian(self, q: ArrayLike) -> Array:
        """Return J (…, original.nv, nv): velocities of the original are J v."""
        q, _ = checked_state(self, q, None)
        rows = self.to_original(q[..., None, :], np.eye(self.nv)).v
        return np.swapaxes(rows, -1, -2)

    def reaction(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: ArrayLike | None = None,
        *,
        normal: ArrayLike | None = None,
    ) -> RootReaction:
        """Return what the ground does to the body at the root: force, friction, pressure, torsion.

        Accelerations a (…, nv), external wrenches (…, n_bodies, 6) on bodies. `normal` (3,) points
        out of the ground, by default along z of `at`; the ground's plane goes through there.
        """
        return root_reaction(self, q, v, a, external, normal)

    def rooted_at(self, body: str, joint: str = "fixed", **parameters: Any) -> Rooted:
        """Return the original on another root, with the arguments of `Model.rooted_at`."""
        return Rooted(self.original, body, joint, **parameters)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.original, *self._asked)

    def _place(self, at: ArrayLike | None) -> Array:
        if at is None:
            return self.at
        place = reals(at, "at")
        if place.shape[-2:] != (4, 4):
            raise ValueError(f"at has shape {place.shape}, must be (…, 4, 4)")
        return place


def _rebuild(model: Model, body: str, asked: dict[str, Any]) -> Rooted:
    return Rooted(model, body, **asked)


def _root(kind: str, parameters: dict[str, Any]) -> tuple[Joint, Array]:
    """Return the checked joint at the root, and where its child is (4, 4) when it is neutral."""
    if kind not in KINDS:
        raise ValueError(f"joint is {kind!r}{suggestion(kind, KINDS)}")
    for key in parameters:
        if key not in OF_ROOTS:
            raise TypeError(f"rooted_at: no parameter {key!r}{suggestion(key, OF_ROOTS)}")
    builder = Builder("root").body("root", 1.0, inertia=(1.0, 1.0, 1.0))
    alone = builder.joint("root", kind, WORLD, "root", **parameters).build()
    return alone.description.joints[0], np.asarray(alone.frame_pose(alone.neutral(), "root"))


# What the ground does to the body on which a machine stands.
#
# The wrench on it is what its joint transmits; if it is welded to the world, what it passes on to
# the joints that it carries, and its own weight. With the force f and the moment m about a point
# that is h above the ground with the normal n, the pressure on the ground has its centre at
#
#     r = (n × m − h f) / (n · f)
#
# from that point, where only a torsion about n is left of the moment.


@dataclass(frozen=True, eq=False)
class RootReaction:
    """Forces of the ground on the body at the root, in world axes, for states (…)."""

    force: Array
    """(…, 3) [N]."""
    moment: Array
    """About the origin of the root's frame (…, 3) [N m]."""
    normal_force: Array
    """What presses on the ground (…) [N]; below zero the ground would have to pull."""
    friction: Array
    """Friction that is needed (…): tangential over normal force, infinite where nothing presses."""
    pressure: Array
    """Centre of pressure (…, 3) [m] in the root's frame, NaN where nothing presses."""
    torsion: Array
    """Moment about the normal at the centre of pressure (…) [N m], NaN where nothing presses."""

    @property
    def lifts(self) -> NDArray[np.bool_]:
        """Whether the body would leave the ground (…)."""
        return np.asarray(self.normal_force <= 0.0)


def root_reaction(
    model: Rooted,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    external: ArrayLike | None,
    normal: ArrayLike | None,
) -> RootReaction:
    """Return the reaction; the arguments are those of `Rooted.reaction`."""
    up = model.at[:3, 2] if normal is None else numbers(normal, (3,), "normal")
    if not up.any():
        raise ValueError("normal is zero: it has no direction")
    up = up / np.linalg.norm(up)
    _check_alone(model, external)
    frame = np.asarray(model.frame_pose(q, model.root_frame))
    origin = frame[..., :3, 3]
    force, moment = _wrench(model, q, v, a, external, origin)
    push = (force * up).sum(axis=-1)
    along = force - push[..., None] * up
    height = ((origin - model.at[:3, 3]) * up).sum(axis=-1)
    pressed = np.where(push > 0.0, push, np.nan)
    arm = (np.cross(up, moment) - height[..., None] * force) / pressed[..., None]
    needed = np.linalg.norm(along, axis=-1) / pressed
    return RootReaction(
        force=force,
        moment=moment,
        normal_force=push,
        friction=np.where(push > 0.0, needed, np.inf),
        pressure=(np.swapaxes(frame[..., :3, :3], -1, -2) @ arm[..., None])[..., 0],
        torsion=((moment - np.cross(arm, force)) * up).sum(axis=-1),
    )


def _wrench(
    model: Rooted,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    external: ArrayLike | None,
    origin: Array,
) -> tuple[Array, Array]:
    """Return force and moment about `origin` (…, 3) of the ground on the machine, world axes.

    Forces within the machine cancel, those of its loops too, so that the open tree tells them.
    """
    tree, own = spanning(model), model.machine
    x, w = model.joint_positions(q), model.joint_velocities(q, v)
    rates = model.joint_accelerations(q, v, a)
    positions, velocities = _in_order_of(tree, model)
    if external is not None:
        external = np.asarray(external)[..., [model.body(n).index for n in tree.body_names], :]
    x = np.asarray(x)[..., positions]
    w, rates = (np.asarray(part)[..., velocities] for part in (w, rates))
    wrenches = np.asarray(tree.reaction_wrenches(x, w, rates, external))
    carried = [body.index for body in tree.bodies if body.parent < 0 and body.name in own]
    poses = np.asarray(tree.forward_kinematics(x))[..., carried, :, :]
    forces, moments = (
        (poses[..., :3, :3] @ part[..., None])[..., 0]
        for part in (wrenches[..., carried, :3], wrenches[..., carried, 3:])
    )
    arms = poses[..., :3, 3] - origin[..., None, :]
    force = forces.sum(axis=-2)
    moment = (moments + np.cross(arms, forces)).sum(axis=-2)
    for body in _welded(model):
        at = model.frame(body.name).placement
        weight = -body.mass * model.gravity
        centre = at[:3, :3] @ body.com + at[:3, 3]
        force = force + weight
        moment = moment + np.cross(centre - origin, weight)
    return force, moment


def _in_order_of(tree: Model, model: Model) -> tuple[list[int], list[int]]:
    """Return where the model has positions and velocities of the joints of its open tree."""
    joints = [model.joint(name) for name in tree.joint_names]
    slices = [[j.position_slice for j in joints], [j.velocity_slice for j in joints]]
    positions, velocities = (
        [k for part in parts for k in range(part.start, part.stop)] for parts in slices
    )
    return positions, velocities


def _welded(model: Rooted) -> list[Body]:
    """Return bodies of the machine that are part of the world."""
    own = [body for body in model.description.bodies if body.name in model.machine]
    return [body for body in own if model.frame(body.name).body == WORLD]


def _check_alone(model: Rooted, external: ArrayLike | None) -> None:
    """Raise if something else holds the machine, unless its forces are given."""
    for loop in model.description.loops:
        if WORLD in (loop.body_a, loop.body_b) and external is None:
            raise ValueError(
                f"loop {loop.name!r} holds the machine, too: state what it does, as external"
            )
