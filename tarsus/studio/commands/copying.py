"""To copy: `duplicate` and `mirror` bodies, groups and whole linkages, with what is on them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.kit.joint_coordinates import joint_coordinates
from tarsus.model import WORLD, Model
from tarsus.spatial import inverse, pose
from tarsus.studio.adding import check_new
from tarsus.studio.commands.command import command
from tarsus.studio.copied_parts import copied_part
from tarsus.studio.copies import Image, chosen_with_carriers, copied, linkage_of
from tarsus.studio.language import Line, LineError, one_of

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

PLANES = {"x": 0, "y": 1, "z": 2}
BESIDE = (0.0, 0.3, 0.0)
"""Where a copy goes, unless stated [m]."""


@command("duplicate NAME… NEW -t x y z -whole on|off")
def duplicate(stage: Stage, line: Line) -> str:
    """Copy bodies or groups with joints and parts between; -whole on takes all that hangs on it."""
    line.expect(["NAME", "NEW"], ["-t", "-whole"], more=True)
    shift = line.numbers("-t", 3) if "-t" in line.options else np.array(BESIDE)
    return _copy(stage, line, pose(shift), np.eye(4))


@command("mirror NAME… NEW -plane x|y|z -at X -whole on|off")
def mirror(stage: Stage, line: Line) -> str:
    """Copy bodies or groups as images in a plane across an axis of the world, at X on it."""
    line.expect(["NAME", "NEW"], ["-plane", "-at", "-whole"], more=True)
    axis = PLANES[one_of(" ".join(line.options.get("-plane", ["y"])), PLANES, "-plane")]
    local = np.eye(4)
    local[axis, axis] = -1.0
    world = local.copy()
    world[axis, 3] = 2.0 * (line.number("-at") if "-at" in line.options else 0.0)
    return _copy(stage, line, world, local)


def _copy(stage: Stage, line: Line, world: Array, local: Array) -> str:
    """Add copies of what a line names, where they are and as they move."""
    *old, new = line.words
    check_new(stage, new)
    bodies = _chosen(stage, old, line)
    image = Image(world, _names(stage, bodies, old, new), local)
    document, machine = stage.document, stage.machine
    stated = document.description
    loose = {
        joint.name: joint.child
        for joint in stated.joints
        if joint.child in bodies and joint.parent not in (WORLD, *bodies)
    }
    places = {body: image.in_world(machine.pose(body)) for body in loose.values()}
    copies = copied(stated, image, places)
    lists = ("bodies", "joints", "couplings", "loops", "frames", "shapes")
    both: dict[str, Any] = {
        name: [*getattr(stated, name), *getattr(copies, name)] for name in lists
    }
    model = Model(replace(stated, **both), strict=machine.model._strict)
    parts, resting = dict(document.parts), set(document.resting)
    for name, part in document.parts.items():
        if copy := copied_part(part, image, _part_name(name, bodies, image, new), loose):
            check_new(stage, copy.name)
            parts[copy.name] = copy
            resting |= {copy.name} if name in resting else set()
    groups = dict(document.groups)
    known = [body.name for body in machine.bodies() if body.name in bodies]
    if len(known) > 1:
        groups[new] = tuple(image.names[body] for body in known)
    document = document.but(
        description=model.description, parts=parts, resting=frozenset(resting), groups=groups
    )
    start = _state(stage, model, image)
    stage.become(document, f"{line.verb} {' '.join(line.words)}", model=model, start=start)
    told = f"{new}: {', '.join(image.names[body] for body in known)}"
    return f"{told}; free, without {', '.join(loose)}" if loose else told


def _chosen(stage: Stage, names: list[str], line: Line) -> set[str]:
    """Return the bodies that names of bodies and groups stand for, with their carriers."""
    bodies = named_bodies(stage, names)
    if one_of(" ".join(line.options.get("-whole", ["off"])), ("on", "off"), "-whole") == "on":
        bodies = set().union(*(linkage_of(stage.document.description, body) for body in bodies))
    return chosen_with_carriers(stage.document.description, bodies)


def named_bodies(stage: Stage, names: list[str]) -> set[str]:
    """Return the bodies that names of bodies and groups stand for."""
    document = stage.document
    known = [body.name for body in stage.machine.bodies()]
    found: set[str] = set()
    for name in names:
        one_of(name, [*document.groups, *known], "body")
        bodies = {body for body in document.groups.get(name, (name,)) if body in known}
        if not bodies:
            raise LineError(f"group {name} has no bodies any more", "NAME")
        found |= bodies
    return found


def _names(stage: Stage, bodies: set[str], old: list[str], new: str) -> dict[str, str]:
    """Return what copies of bodies and of all between them are called."""
    stated = stage.document.description
    alone = len([body for body in stage.machine.bodies() if body.name in bodies]) == 1
    known = {body.name for body in stage.machine.bodies()}

    def called(name: str) -> str:
        return new if alone and (name in old or name in bodies & known) else f"{new}_{name}"

    found = {body.name: called(body.name) for body in stated.bodies if body.name in bodies}
    carried = [joint for joint in stated.joints if joint.child in bodies]
    inside = {*bodies, WORLD}
    own: list[Any] = [
        *carried,
        *(frame for frame in stated.frames if frame.body in bodies),
        *(loop for loop in stated.loops if inside >= {loop.body_a, loop.body_b}),
        *(c for c in stated.couplings if {*c.leaders, *c.followers} <= {j.name for j in carried}),
    ]
    for each in own:
        found.setdefault(each.name, called(each.name))
    taken = {*stage.document.taken, *(joint.name for joint in stated.joints)}
    for name in found.values():
        if name in taken:
            raise LineError(f"there is something called {name!r} already", "NEW")
    return found


def _part_name(name: str, bodies: set[str], image: Image, new: str) -> str:
    """Return what the copy of a part is called; a body's own follows the body."""
    body, dot, own = name.partition(".")
    return f"{image.names[body]}.{own}" if dot and body in bodies else f"{new}_{name}"


def _state(stage: Stage, model: Model, image: Image) -> tuple[Array, Array]:
    """Return the state in which copies are and move as images of what they are copies of."""
    machine = stage.machine
    old, q, v = machine.model, model.neutral(), np.zeros(model.nv)
    back = {new: name for name, new in image.names.items()}
    others = []
    moving = {joint.name: joint for joint in old.joints}
    for joint in model.joints:
        # the copy of a body that was welded to another is free
        source = moving.get(back.get(joint.name, joint.name))
        alike = source is not None and joint.kind == source.kind and joint.nq == joint.nv == 1
        if source is not None and (joint.name not in back or alike):
            q[joint.q_slice] = machine.q[source.q_slice]
            v[joint.v_slice] = machine.v[source.v_slice]
            continue
        others.append(joint)
        parent = model.bodies[joint.index].parent
        at = np.eye(4)
        if parent >= 0:
            at = image.in_world(machine.pose(back[model.body_names[parent]]))
        seen = inverse(at @ joint.placement) @ image.in_world(machine.pose(back[joint.child]))
        q[joint.q_slice] = joint_coordinates(joint, seen)
    for joint in others:
        aim = image.twist(old.frame_velocity(machine.q, machine.v, back[joint.child]))
        jacobian = model.frame_jacobian(q, joint.child)
        left = aim - jacobian @ v
        v[joint.v_slice] += np.linalg.pinv(jacobian[:, joint.v_slice], rcond=1e-10) @ left
    return q, v
