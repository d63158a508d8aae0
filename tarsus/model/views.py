"""Read-only views of joints, bodies, frames and clusters of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.description import (
    COORDINATE_FIELDS,
    FLOATING,
    KINDS,
    NONHOLONOMIC,
    QUASI_VELOCITIES,
    Record,
    SurfaceStatement,
)
from tarsus.model.loops import n_rows
from tarsus.model.tree import DEPENDENT, FOLLOWER, INDEPENDENT, Tree

# What `Model.joint`, `.body` and `.frame` return: read-only records.


class View(Record):
    """A record that can be a member of a set, which Python asks of what cannot change."""

    name: str

    def __hash__(self) -> int:
        return hash((type(self), self.name))


@dataclass(frozen=True, eq=False, repr=False)
class JointView(View):
    """A moving joint: where its coordinates live, and what was stated about it.

    `q[..., q_slice]` and `v[..., v_slice]` are its coordinates. A joint that follows others by a
    coupling has none of its own; one that depends on others by a loop has its position in q (it
    tells the branch) but not in v, or not all its velocities: `own_velocities` numbers those
    that are. `dependent` is "coupling", "loop" or empty.
    `position_slice` and `velocity_slice` tell where the joint is among all joints, in what
    `Model.joint_positions` and `joint_velocities` return. `lower`, `upper` and `rest` have nq
    entries, the other arrays nv; ±inf stands for no limit. `parent` is the body as stated, which
    may be welded to another; `placement` (4, 4) is the pose of the child in the neutral
    configuration, seen from the moving body that carries it, or from the world.
    """

    name: str
    kind: str
    parent: str
    child: str
    index: int
    q_slice: slice
    v_slice: slice
    position_slice: slice
    velocity_slice: slice
    own_velocities: tuple[int, ...]
    dependent: str
    placement: Array
    axis: Array
    second_axis: Array
    pitch: float
    radius: float
    track: float
    surface: SurfaceStatement | None
    ground: SurfaceStatement | None
    lower: Array
    upper: Array
    velocity_limit: Array
    effort_limit: Array
    damping: Array
    friction: Array
    armature: Array
    stiffness: Array
    rest: Array

    def __repr__(self) -> str:
        q, v = (f"{part.start}:{part.stop}" for part in (self.q_slice, self.v_slice))
        name = f"{self.name!r}: {self.kind}, {self.parent!r} -> {self.child!r}"
        dependent = f", dependent by a {self.dependent}" if self.dependent else ""
        return f"<tarsus.JointView {name}, q[{q}], v[{v}]{dependent}>"

    @property
    def nq(self) -> int:
        """Number of positions of the joint, whether they are the user's coordinates or not."""
        return KINDS[self.kind][0]

    @property
    def nv(self) -> int:
        """Number of velocities of the joint, whether they are the user's coordinates or not."""
        return KINDS[self.kind][1]


@dataclass(frozen=True, eq=False)
class BodyView(View):
    """A moving body with all that is welded to it.

    Mass [kg], centre of mass [m] and inertia about it [kg m²] in body axes. `parent` is the
    index of the moving body that carries it, −1 for the world.
    """

    name: str
    index: int
    parent: int
    joint: str
    mass: float
    com: Array
    inertia: Array


@dataclass(frozen=True, eq=False)
class FrameView(View):
    """A frame at `placement` (4, 4) on the moving body `body`, or on the world."""

    name: str
    index: int
    body: str
    placement: Array


COPIED = (
    *("name", "kind", "parent", "child", "axis", "second_axis", "pitch", "radius", "track"),
    *("surface", "ground"),
    *COORDINATE_FIELDS,
)
"""What a `JointView` takes over from a joint."""


def joint_views(tree: Tree) -> dict[str, JointView]:
    """Return the moving joints by name, with their coordinates numbered in order."""
    views = {}
    q = v = position = velocity = 0
    for index, (joint, roles) in enumerate(zip(tree.joints, tree.roles, strict=True)):
        nq, nv = KINDS[joint.kind]
        own = tuple(k for k, role in enumerate(roles) if role == INDEPENDENT)
        own_nq = 0 if FOLLOWER in roles else nq
        views[joint.name] = JointView(
            index=index,
            q_slice=slice(q, q + own_nq),
            v_slice=slice(v, v + len(own)),
            position_slice=slice(position, position + nq),
            velocity_slice=slice(velocity, velocity + nv),
            own_velocities=own,
            dependent="coupling" if FOLLOWER in roles else "loop" if DEPENDENT in roles else "",
            placement=tree.placements[index],
            **{key: getattr(joint, key) for key in COPIED},
        )
        q, v, position, velocity = q + own_nq, v + len(own), position + nq, velocity + nv
    return views


def body_views(tree: Tree) -> dict[str, BodyView]:
    """Return the moving bodies by name."""
    return {
        body.name: BodyView(body.name, index, parent, joint.name, body.mass, body.com, body.inertia)
        for index, (body, joint, parent) in enumerate(
            zip(tree.bodies, tree.joints, tree.parents, strict=True)
        )
    }


def frame_views(tree: Tree) -> dict[str, FrameView]:
    """Return all frames by name."""
    return {
        frame.name: FrameView(frame.name, index, frame.body, frame.placement)
        for index, frame in enumerate(tree.frames)
    }


# What `Model.clusters` and `Model.constraints` hold: which joints move together, and how.


@dataclass(frozen=True)
class Cluster:
    """The smallest group of bodies that move, relative to their parent, by own coordinates.

    `parent` is the body that carries the cluster, or the world. `kind` is "joint" for a single
    body on a single joint, else what couples its joints: "gear", "coupling", "loop" or several of
    them, as in "gear + loop". `independent` are the joints whose velocities, or some of them, are
    the coordinates v[..., v_slice]. `closure` tells how the others follow: "linear", the name of
    a closed form, "function", or "implicit" (loops that are closed by Newton's method).
    """

    index: int
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    parent: str
    q_slice: slice
    v_slice: slice
    kind: str = "joint"
    independent: tuple[str, ...] = ()
    closure: str = ""


@dataclass(frozen=True)
class Constraint:
    """A loop that is in no cluster: forward dynamics finds its forces, `rows` of them.

    `bodies` are those with frame a and frame b, `reason` says why it is no part of a cluster.
    """

    name: str
    kind: str
    bodies: tuple[str, str]
    rows: int
    reason: str


def clusters(tree: Tree, joints: dict[str, JointView]) -> tuple[Cluster, ...]:
    """Return the clusters, each after that of its parent."""
    views, names = list(joints.values()), [body.name for body in tree.bodies]
    closures = _closures(tree)
    found = []
    for index, bodies in enumerate(tree.clusters):
        members = views[bodies.start : bodies.stop]
        first, last = members[0], members[-1]
        parent = tree.parents[bodies.start]
        kinds, forms = closures.get(index, ({"joint": None}, {}))
        found.append(
            Cluster(
                index=index,
                bodies=tuple(names[bodies.start : bodies.stop]),
                joints=tuple(member.name for member in members),
                parent=names[parent] if parent >= 0 else WORLD,
                q_slice=slice(first.q_slice.start, last.q_slice.stop),
                v_slice=slice(first.v_slice.start, last.v_slice.stop),
                kind=" + ".join(kinds),
                independent=tuple(member.name for member in members if member.own_velocities),
                closure=" + ".join(forms),
            )
        )
    return tuple(found)


def constraints(tree: Tree) -> tuple[Constraint, ...]:
    """Return the loops that are in no cluster."""
    return tuple(
        Constraint(loop.name, loop.kind, (loop.body_a, loop.body_b), n_rows(loop.kind), reason)
        for loop, reason in zip(tree.loops, tree.reasons, strict=True)
        if reason
    )


Words = dict[str, None]  # an ordered set


def _closures(tree: Tree) -> dict[int, tuple[Words, Words]]:
    """Return for each cluster with couplings or loops what couples it, and how."""
    cluster_of = {i: c for c, bodies in enumerate(tree.clusters) for i in bodies}
    found: dict[int, tuple[Words, Words]] = {}

    def note(body: int, kind: str, form: str) -> None:
        kinds, forms = found.setdefault(cluster_of[body], ({}, {}))
        kinds[kind] = forms[form] = None

    number, index = tree.joint_index, tree.index
    for coupling in tree.couplings:
        gear = coupling.kind == "linear" and coupling.motor
        note(number[coupling.followers[0]], "gear" if gear else "coupling", coupling.kind)
    for loop, reason in zip(tree.loops, tree.reasons, strict=True):
        if not reason:
            note(max(index[loop.body_a], index[loop.body_b]), "loop", "implicit")
    return found


# What coordinates mean to users: the base, what can have a drive, rates of positions.


def base_of(joints: Sequence[JointView], bodies: Sequence[BodyView]) -> JointView | None:
    """Return the joint by which a machine floats: the first free or planar one on the world."""
    roots = (joint for joint, body in zip(joints, bodies, strict=True) if body.parent < 0)
    return next((joint for joint in roots if joint.kind in FLOATING), None)


def driven_velocities(
    joints: Sequence[JointView], base: JointView | None, nv: int
) -> NDArray[np.bool_]:
    """Return which velocities (nv,) can have a drive: all but those of the base and free joints."""
    mask = np.ones(nv, bool)
    for joint in joints:
        if joint is base or joint.kind == "free":
            mask[joint.v_slice] = False
    mask.setflags(write=False)
    return mask


def rate_indices(joints: Sequence[JointView], nq: int) -> NDArray[np.int64]:
    """Return for each position (nq,) which velocity is its rate, −1 where none is.

    None is where a joint is on a group (free, planar, spherical) or rolls, and where a loop
    decides.
    """
    found = np.full(nq, -1)
    for joint in joints:
        if joint.kind not in (*QUASI_VELOCITIES, *NONHOLONOMIC):
            for place, own in enumerate(joint.own_velocities):
                found[joint.q_slice.start + own] = joint.v_slice.start + place
    found.setflags(write=False)
    return found
