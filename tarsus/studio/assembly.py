"""Assembly of loose bodies: placement, structure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.assembly.assemble import Assembled, assemble, cuts_of, without_implied
from tarsus.model.assembly.close_loops import AssemblyError
from tarsus.model.assembly.free_bodies import take_apart
from tarsus.model.assembly.state_transfer import carry
from tarsus.model.description import QUATERNION, Description, Joint, Loop
from tarsus.model.loops import EQUATIONS
from tarsus.model.model import Model
from tarsus.parts.part import split
from tarsus.parts.rigid_constraints import Joint as HeldJoint
from tarsus.simulation.errors import SimulationError
from tarsus.spatial import inverse, quaternion_from_rotation
from tarsus.studio.document import Document, helpers
from tarsus.studio.language import Line, LineError
from tarsus.studio.live_model import Machine

if TYPE_CHECKING:
    from tarsus.studio.edit_history import World
    from tarsus.studio.session import Stage


# Joints between places: parts that touch are joined at once, others fly together first.
#
# While the clock runs, a joint between places that are apart is a constraint that closes by a time
# constant. As soon as it is closed, and whenever the clock stands still, it becomes a joint of the
# tree, or a loop of a cluster (P. Schröder, "The Virtual Erector Set", MIT 1990, 1.5 and 5.2).


TIME_CONSTANT = 0.08
"""How fast parts come together [s]."""
LEFT_OUT = "repeats what other joints hold already, and is left out"
TOUCHING = 1e-3
"""Gaps below this share of the machine's size are closed at once [m or rad]."""


def connect(stage: World, loop: Loop, line: str, *, fly: bool) -> str:
    """Join two places, at once or let them `fly` together; return what became of it."""
    document = stage.document
    if fly and loop.kind in EQUATIONS and _gap(stage, loop) > TOUCHING:
        pulling = HeldJoint(
            loop.kind,
            (loop.body_a, loop.placement_a),
            (loop.body_b, loop.placement_b),
            time_constant=TIME_CONSTANT,
            name=loop.name,
        )
        stage.become(document.with_part(pulling), line)
        return f"{loop.name} pulls its parts together"
    return join(stage, document, [loop], line)


def flying(document: Document) -> dict[str, HeldJoint]:
    """Return the joints that still pull their parts together."""
    return {
        name: part
        for name, part in document.parts.items()
        if isinstance(part, HeldJoint) and part.time_constant == TIME_CONSTANT
    }


def come_together(stage: World) -> None:
    """Make joints of those that have been closed on the way, and tell."""
    document, handles = stage.document, stage.machine.simulation.parts
    closed = {
        name: part
        for name, part in flying(document).items()
        if np.abs(handles[name].gap).max() < TOUCHING
    }
    if not closed:
        return
    parts = {name: part for name, part in document.parts.items() if name not in closed}
    edits, undone = list(stage.edits), list(stage.undone)
    try:
        join(stage, document.but(parts=parts), [_loop_of(x) for x in closed.values()], "")
    except (ValueError, SimulationError) as error:
        stage.tell(f"{', '.join(closed)} stays a constraint: {error}")
        kept = {name: replace(part, time_constant=0.0) for name, part in closed.items()}
        stage.become(document.but(parts={**document.parts, **kept}), "")
    else:
        stage.tell(f"joined: {', '.join(closed)}")
    # this was no edit of anybody
    stage.edits[:], stage.undone[:] = edits, undone


def join(stage: World, document: Document, loops: list[Loop], line: str) -> str:
    """Close loops and put all together as a tree; those that repeat others are left out."""
    stated = document.description
    both = replace(stated, loops=[*stated.loops, *loops])
    needed = {loop.name for loop in without_implied(both).loops}
    tied = [loop for loop in loops if loop.name in needed]
    kit = Model(replace(stated, loops=[*stated.loops, *tied]), strict=stage.machine.model.strict)
    carried = carry(stage.machine.model, kit, stage.machine.q, stage.machine.v)
    found = _assembled(kit, carried.q, carried.v, [loop.name for loop in tied])
    idle = [loop for loop in loops if loop not in tied or loop.name in found.implied]
    stage.become(
        document.but(description=found.model.description, left_out=(*document.left_out, *idle)),
        line,
        model=found.model,
        start=(found.q, found.v),
    )
    told = [f"{cut}" for cut in found.cuts if cut.name in {loop.name for loop in tied}]
    hung = [f"{loop.name} is a joint of the tree" for loop in tied if loop.name in found.joints]
    return "; ".join([*hung, *told, *(f"{loop.name} {LEFT_OUT}" for loop in idle)])


def try_again(stage: World, line: str) -> None:
    """Join those that were left out, if something else went that held what they hold."""
    document = stage.document
    bodies = {WORLD, *(body.name for body in document.description.bodies)}
    waiting = [loop for loop in document.left_out if {loop.body_a, loop.body_b} <= bodies]
    if document.left_out:
        join(stage, document.but(left_out=()), waiting, line)


def _assembled(model: Model, q: Array, v: Array, names: list[str]) -> Assembled:
    """Return the tree of a kit that has the fewest velocities.

    A linkage that floats has its root where it was built; joined to another it may need another
    one, which it finds when it is taken apart first.
    """
    try:
        found = assemble(model, q, v)
        if any(cut.reason for cut in found.cuts):
            loose = take_apart(model)
            other = assemble(loose.model, *loose.to_kit(q, v))
            found = min(found, other, key=lambda each: each.model.nv)
    except AssemblyError as error:
        raise ValueError(f"{', '.join(names)} cannot be closed: {error}") from None
    return found


def _gap(stage: World, loop: Loop) -> float:
    """Return how far two places are from where a joint wants them [m or sine of an angle]."""
    pose = stage.machine.pose
    a, b = pose(loop.body_a) @ loop.placement_a, pose(loop.body_b) @ loop.placement_b
    relative = inverse(a) @ b
    positions, axes = EQUATIONS[loop.kind]
    turns = [relative[i, j] for i, j in axes]
    return float(np.abs([*relative[list(positions), 3], *turns]).max(initial=0.0))


def _loop_of(part: HeldJoint) -> Loop:
    (body_a, at_a), (body_b, at_b) = split(part.a), split(part.b)
    return Loop(part.name, part.joint, body_a, body_b, at_a, at_b)


def close_all(stage: World) -> str:
    """Join at once what is still flying together; return what became of it."""
    document = stage.document
    loose = flying(document)
    if not loose:
        return "all is joined"
    parts = {name: part for name, part in document.parts.items() if name not in loose}
    return join(stage, document.but(parts=parts), [_loop_of(x) for x in loose.values()], "assemble")


# Bodies put where a person wants them, or made to move: states of free bodies and of linkages.


def put(stage: Stage, body: str, line: Line, said: str) -> None:
    """Put a body that is on a free joint to `-t`, turned as `-E` (w x y z), moving by `-vl`, `-vr`.

    Velocities are in axes of the body, linear and angular.
    """
    model = stage.machine.model
    carrier = model.frame(body).body
    joint = next((each for each in model.joints if each.child == carrier), None)
    if joint is None or joint.kind != "free":
        kind = "the world" if joint is None else f"{joint.name} ({joint.kind})"
        raise LineError(
            f"{body} hangs on {kind}: it is free no more; set its joint, or drag it", "-t"
        )
    q, v = stage.machine.q.copy(), stage.machine.v.copy()
    wanted = model.frame_pose(q, body).copy()
    if "-t" in line.options:
        wanted[:3, 3] = line.numbers("-t", 3)
    if "-E" in line.options:
        from tarsus.studio.adding import placement_of

        wanted[:3, :3] = placement_of(line, (0, 0, 0))[:3, :3]
    whole = np.linalg.inv(joint.placement) @ wanted @ np.linalg.inv(model.frame(body).placement)
    coordinates = q[joint.q_slice]
    coordinates[:3] = whole[:3, 3]
    coordinates[QUATERNION["free"]] = quaternion_from_rotation(whole[:3, :3])
    speeds = v[joint.v_slice]
    if "-vl" in line.options:
        speeds[:3] = line.numbers("-vl", 3)
    if "-vr" in line.options:
        speeds[3:] = line.numbers("-vr", 3)
    stage.become(stage.document, said, start=(q, v))


# What a machine is made of: clusters with their freedoms, loops with their ranks.


def clusters(machine: Machine) -> list[dict[str, Any]]:
    """Return the clusters of a machine as plain data, by the names that people gave its bodies."""
    on: dict[int, list[str]] = {}
    for body in machine.bodies():
        on.setdefault(body.index, []).append(body.name)
    welds = welds_of(machine.model.description)
    found = []
    for cluster in machine.model.clusters:
        bodies = [
            known for name in cluster.bodies for known in on.get(machine.model.body(name).index, [])
        ]
        own = [joint.name for joint in welds if joint.child in bodies]
        found.append(
            {
                "name": bodies[0] if bodies else cluster.bodies[0],
                "bodies": bodies,
                "joints": [*cluster.joints, *own],
                "kind": cluster.kind,
                "nv": cluster.v_slice.stop - cluster.v_slice.start,
            }
        )
    if fast := on.get(-1):
        own = [joint.name for joint in welds if joint.child in fast]
        found.append({"name": "world", "bodies": fast, "joints": own, "kind": "world", "nv": 0})
    return found


def welds_of(stated: Description) -> list[Joint]:
    """Return the welds of a description; fixed joints of carriers are none."""
    hidden = helpers(stated)
    return [joint for joint in stated.joints if joint.kind == "fixed" and joint.name not in hidden]


def loops(machine: Machine) -> list[dict[str, Any]]:
    """Return the loops of a machine: rows, how many count beside those before, why so."""
    return [
        {"name": cut.name, "rows": cut.rows, "rank": cut.rank, "reason": cut.reason}
        for cut in cuts_of(machine.model, machine.q)
    ]
