"""The description of a mechanism on another root, with the same independent joints."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus._lib.checks import UnknownNameError, suggestion, unused
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.model.assembly.spanning_tree import has_forces
from tarsus.model.description import FLOATING, Body, Description, Frame, Joint
from tarsus.model.joint_coordinates import (
    check_reversible,
    reversed_fields,
    reversed_positions,
    reversed_seat,
)
from tarsus.model.keyframes import INITIAL, KEYFRAMES
from tarsus.model.model import Model
from tarsus.model.name_references import consistent, joints_of, without_body
from tarsus.model.views import Cluster
from tarsus.spatial import inverse

# A description on another root: the path from the old root is turned round.
#
# The joint by which the machine floats is let go. It may be one free or planar joint, or several
# that follow one another on bodies without mass, as slides of planar walkers do; those bodies go
# with it. What hangs beside the path stays as it is, and so do bodies, frames, shapes, loops and
# couplings. A body whose joint is now off its own frame is fixed on a new one, without mass, at the
# joint.


SLIDES = ("prismatic", "cylindrical", "translation", "planar", "free")
"""Of several joints without mass between them, one that moves in place makes the machine float."""


@dataclass(frozen=True)
class Path:
    """The joints from the world to the new root: `base`, which is let go, and `turned` ones.

    `loose` is the body that the base carried, `seat` (4, 4) where the root is on its body.
    """

    base: tuple[Joint, ...]
    turned: tuple[Joint, ...]
    loose: str
    body: str
    seat: Array


def path_to(stated: Description, name: str, inside: Array, release: str | None) -> Path:
    """Return the path to a body or a frame of one; `release` names a joint that may be let go.

    The root is at the placement `inside` (4, 4) of what has this name.
    """
    body, seat = _place(stated, name)
    carried = {joint.child: joint for joint in stated.joints}
    joints: list[Joint] = []
    while body != WORLD and (not joints or joints[-1].parent != WORLD):
        joints.append(carried[joints[-1].parent if joints else body])
    joints.reverse()
    start = next((k for k, joint in enumerate(joints) if joint.kind != "fixed"), None)
    if start is None:
        raise ModelError(f"{name!r} is part of the world already: it cannot be another root")
    end = _end_of_base(stated, joints, start)
    base, turned = tuple(joints[start:end]), tuple(joints[end:])
    _check_base(stated, base, name, release)
    for joint in turned:
        check_reversible(joint)
    return Path(base, turned, base[-1].child, body, seat @ inside)


def _place(stated: Description, name: str) -> tuple[str, Array]:
    """Return the body that a name stands for, and where on it."""
    for frame in stated.frames:
        if frame.name == name:
            return frame.body, np.asarray(frame.placement)
    names = [body.name for body in stated.bodies]
    if name not in names:
        names += [frame.name for frame in stated.frames]
        raise UnknownNameError(f"there is no body or frame {name!r}{suggestion(name, names)}")
    return name, np.eye(4)


def _end_of_base(stated: Description, joints: Sequence[Joint], start: int) -> int:
    """Return which joint of the path is the first that stays."""
    end = start + 1
    light = {body.name for body in stated.bodies if not body.mass and not body.inertia.any()}
    while end < len(joints) and joints[start].kind not in FLOATING:
        carrier = joints[end].parent
        alone = [joint.name for joint in stated.joints if joint.parent == carrier]
        if carrier not in light or len(alone) > 1 or joints[end].kind == "fixed":
            break
        end += 1
    return end


def _check_base(stated: Description, base: Sequence[Joint], name: str, release: str | None) -> None:
    """Raise unless letting the base go takes nothing away from the machine."""
    first = base[0]
    if release is not None and release != first.name:
        hint = suggestion(release, [first.name])
        raise ModelError(f"release: {name!r} does not hang on the world by {release!r}{hint}")
    many = len(base) > 1 and any(joint.kind in SLIDES for joint in base)
    if release is None and first.kind not in FLOATING and not many:
        raise ModelError(
            f"{stated.name!r} does not float: it stands on {first.parent!r} by joint "
            f"{first.name!r} ({first.kind}); release={first.name!r} lets it go"
        )
    for joint in base:
        if release is None and has_forces(joint):
            raise ModelError(
                f"joint {joint.name!r}, by which {stated.name!r} floats, has forces or limits that "
                f"would be lost; release={first.name!r} lets it go"
            )
        for coupling in stated.couplings:
            if joint.name in (*coupling.leaders, *coupling.followers):
                raise ModelError(
                    f"joint {joint.name!r}, by which {stated.name!r} floats, is part of coupling "
                    f"{coupling.name!r} and cannot be let go"
                )
        for force in stated.forces:
            if joint.name in joints_of(force):
                raise ModelError(
                    f"joint {joint.name!r}, by which {stated.name!r} floats, has the force "
                    f"{force.name or force.kind!r} and cannot be let go"
                )
        for actuator in stated.actuators:
            if joint.name in actuator.joints:
                raise ModelError(
                    f"joint {joint.name!r}, by which {stated.name!r} floats, has the actuator "
                    f"{actuator.name!r} and cannot be let go"
                )


@dataclass(frozen=True)
class Rerooted:
    """A description on its new root; `joint` and `frame` are the names of what it stands by.

    `machine` are the bodies that stand there, of all that the description has.
    """

    description: Description
    joint: str
    frame: str
    machine: frozenset[str]


def rerooted(stated: Description, path: Path, name: str, root: Joint, at: Array) -> Rerooted:
    """Return the description whose path is turned round, on a `root` joint at `at` (4, 4).

    `name` is the body or frame that was asked for; the joint is at `path.seat` on its body.
    """
    taken = {joint.name for joint in stated.joints} - {joint.name for joint in path.base}
    used = {body.name for body in stated.bodies} | {frame.name for frame in stated.frames}
    used |= {WORLD}
    standing = dataclasses.replace(root, name=unused(f"{name}_root", taken), parent=WORLD)
    bodies: list[Body] = []

    def hung(joint: Joint, child: str, offset: Array | None) -> list[Joint]:
        """Return the joint with its child, fixed on a body of its own if there is an offset."""
        if offset is None:
            return [dataclasses.replace(joint, child=child)]
        under = unused(f"{child}.{joint.name}", used)
        bodies.append(Body(under, source=joint.source))
        fixed = Joint(unused(f"{child}_fixed", taken), "fixed", under, child, offset, None)
        return [dataclasses.replace(joint, child=under), fixed]

    back = inverse(path.seat)
    here = np.array_equal(path.seat, np.eye(4))
    if root.kind == "fixed":
        first = hung(dataclasses.replace(standing, placement=at @ back), path.body, None)
    else:
        standing = dataclasses.replace(standing, placement=at)
        first = hung(standing, path.body, None if here else back)
    joints = {path.base[0].name: first} | {joint.name: [] for joint in path.base[1:]}
    for joint in path.turned:
        seat = reversed_seat(joint)
        turned = dataclasses.replace(
            joint,
            parent=joint.child,
            placement=seat.placement,
            axis=seat.axis,
            second_axis=seat.second_axis,
            **reversed_fields(joint),
        )
        joints[joint.name] = hung(turned, joint.parent, seat.offset)
    frames, frame = list(stated.frames), name
    if not np.array_equal(path.seat, _place(stated, name)[1]):
        frame = unused(f"{name}.{standing.name}", used)
        frames.append(Frame(frame, path.body, path.seat))
    listed = [new for joint in stated.joints for new in joints.get(joint.name, [joint])]
    whole = dataclasses.replace(
        stated,
        bodies=[*stated.bodies, *bodies],
        joints=listed,
        frames=frames,
        metadata=_with_initial(stated, path),
        warnings=[*stated.warnings, *_lost_velocities(stated)],
    )
    machine = _carried_by(first[0].child, listed)
    return Rerooted(consistent(_without_carriers(whole, path)), standing.name, frame, machine)


def _carried_by(body: str, joints: Sequence[Joint]) -> frozenset[str]:
    """Return the body and everything that hangs on it."""
    on: dict[str, list[str]] = {}
    for joint in joints:
        on.setdefault(joint.parent, []).append(joint.child)
    found, above = {body}, [body]
    while above:
        children = on.get(above.pop(), [])
        found.update(children)
        above += children
    return frozenset(found)


def _without_carriers(stated: Description, path: Path) -> Description:
    """Return the description without the bodies that only carried the base."""
    gone = [joint.child for joint in path.base[:-1]]
    after = stated
    for name in gone:
        after = without_body(after, name)
    loops, forces = {loop.name for loop in after.loops}, {id(force) for force in after.forces}
    lost = [f"loop {loop.name!r}" for loop in stated.loops if loop.name not in loops]
    lost += [f"force {f.name or f.kind!r}" for f in stated.forces if id(f) not in forces]
    if lost:
        raise ModelError(
            f"{lost[0]} is on a body that only carries the base of {stated.name!r} "
            f"({', '.join(gone)}), and cannot go with it"
        )
    if not gone:
        return after
    note = f"bodies without mass that only carried the base are gone: {', '.join(gone)}"
    return dataclasses.replace(after, warnings=[*after.warnings, note])


def _lost_velocities(stated: Description) -> list[str]:
    """Return which keyframes lose their velocities, which are of the old root."""
    keys = stated.metadata.get(KEYFRAMES, {})
    lost = [name for name, key in keys.items() if key.get("v")]
    return [f"keyframes without their velocities: {', '.join(lost)}"] if lost else []


def _with_initial(stated: Description, path: Path) -> dict[str, object]:
    """Return the metadata with positions of joints as they are now."""
    metadata = dict(stated.metadata)
    kinds = {joint.name: joint.kind for joint in path.turned}
    base = {joint.name for joint in path.base}

    def turned(positions: Mapping[str, Any]) -> dict[str, Any]:
        return {
            joint: reversed_positions(kinds.get(joint, ""), np.array(x)).tolist()
            for joint, x in positions.items()
            if joint not in base
        }

    if INITIAL in metadata:
        metadata[INITIAL] = turned(metadata[INITIAL])
    if KEYFRAMES in metadata:
        metadata[KEYFRAMES] = {
            name: {"q": turned(key.get("q", {}))} | ({"u": key["u"]} if "u" in key else {})
            for name, key in metadata[KEYFRAMES].items()
        }
    return metadata


# Loops whose joints stay independent, whatever root the machine stands on.
#
# Which joints of a loop depend on the others is chosen from where the root is. On another root the
# choice would be another one, and states of legs that were images of each other would not be any
# more: the loops of a machine on a new root are told which joints were independent before.


def with_independent(model: Model, gone: Collection[str]) -> Description:
    """Return the description of a model whose loops name the joints that are independent.

    A joint of which only some velocities are, such as a rod that spins between two balls, cannot be
    named; and of clusters with joints that are `gone` on the new root none are.
    """
    stated = model.description
    cluster = {body: each for each in model.clusters for body in each.bodies}
    constraints = {each.name for each in model.constraints}
    loops = []
    for loop in stated.loops:
        ends = [model._welded.get(body, body) for body in (loop.body_a, loop.body_b)]
        inside = [cluster[body] for body in ends if body in cluster]
        last = max(inside, key=lambda each: each.index, default=None)
        if last is not None and loop.name not in constraints and not set(last.joints) & set(gone):
            loop = dataclasses.replace(loop, independent=_named(model, last))
        loops.append(loop)
    return dataclasses.replace(stated, loops=loops)


def _named(model: Model, cluster: Cluster) -> tuple[str, ...]:
    """Return the joints of a cluster all of whose velocities are independent."""
    views = [model.joint(name) for name in cluster.independent]
    return tuple(view.name for view in views if len(view.own_velocities) == view.nv)
