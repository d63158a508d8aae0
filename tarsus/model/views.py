"""What `Model.joint`, `.body`, `.frame` and `.clusters` return: read-only records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tarsus.model.description import Array, Record
from tarsus.model.validation import KINDS

if TYPE_CHECKING:
    from tarsus.model.compile import Tree


class View(Record):
    """A record that can be a member of a set, which Python asks of what cannot change."""

    name: str

    def __hash__(self) -> int:
        return hash((type(self), self.name))


@dataclass(frozen=True, eq=False, repr=False)
class JointView(View):
    """A moving joint: where its coordinates live, and what was stated about it.

    `q[..., q_slice]` and `v[..., v_slice]` are its coordinates. `lower`, `upper` and `rest`
    have nq entries, the other arrays nv; ±inf stands for no limit. `parent` is the body as
    stated, which may be welded to another; `placement` (4, 4) is the pose of the child in the
    neutral configuration, seen from the moving body that carries it, or from the world.
    """

    name: str
    kind: str
    parent: str
    child: str
    index: int
    q_slice: slice
    v_slice: slice
    placement: Array
    axis: Array
    second_axis: Array
    pitch: float
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
        return f"<tarsus.JointView {name}, q[{q}], v[{v}]>"

    @property
    def nq(self) -> int:
        """Number of configuration coordinates."""
        return int(self.q_slice.stop - self.q_slice.start)

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        return int(self.v_slice.stop - self.v_slice.start)


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


@dataclass(frozen=True)
class Cluster:
    """The smallest group of bodies that move, relative to their parent, by own coordinates.

    `kind` is "joint" for a single body on a single joint.
    """

    index: int
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    q_slice: slice
    v_slice: slice
    kind: str = "joint"


COPIED = (
    *("name", "kind", "parent", "child", "axis", "second_axis", "pitch", "lower", "upper"),
    *("velocity_limit", "effort_limit", "damping", "friction", "armature", "stiffness", "rest"),
)
"""What a `JointView` takes over from a joint."""


def joint_views(tree: Tree) -> dict[str, JointView]:
    """Return the moving joints by name, with their coordinates numbered in order."""
    views, q, v = {}, 0, 0
    for index, (joint, placement) in enumerate(zip(tree.joints, tree.placements, strict=True)):
        nq, nv = KINDS[joint.kind]
        views[joint.name] = JointView(
            index=index,
            q_slice=slice(q, q + nq),
            v_slice=slice(v, v + nv),
            placement=placement,
            **{key: getattr(joint, key) for key in COPIED},
        )
        q, v = q + nq, v + nv
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


def clusters(tree: Tree, joints: dict[str, JointView]) -> tuple[Cluster, ...]:
    """Return the clusters: a joint and the body that it carries form one."""
    return tuple(
        Cluster(joint.index, (body.name,), (joint.name,), joint.q_slice, joint.v_slice)
        for body, joint in zip(tree.bodies, joints.values(), strict=True)
    )
