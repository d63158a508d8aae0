"""What `Model.joint`, `.body` and `.frame` return: read-only records."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.arrays import Array
from tarsus.model.description import Record, SurfaceStatement
from tarsus.model.kinds import COORDINATE_FIELDS, KINDS
from tarsus.model.tree import DEPENDENT, FOLLOWER, INDEPENDENT, Tree


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
