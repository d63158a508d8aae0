"""To move: `move` puts bodies elsewhere, with all that hangs on them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tarsus.arrays import Array
from tarsus.model import WORLD, Model
from tarsus.model.description import Loop
from tarsus.spatial import pose
from tarsus.studio.commands.command import command
from tarsus.studio.commands.copying import named_bodies
from tarsus.studio.copied_parts import copied_part
from tarsus.studio.copies import Image, linkage_of
from tarsus.studio.language import Line, LineError

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage


@command("move NAME… -by x y z")
def move(stage: Stage, line: Line) -> str:
    """Put bodies or groups elsewhere, with all that hangs on them and holds them to the world."""
    line.expect(["NAME"], ["-by"], more=True)
    if "-by" not in line.options:
        raise LineError("move: -by is missing, as in -by x y z", "-by")
    shift = pose(line.numbers("-by", 3))
    document, stated = stage.document, stage.document.description
    bodies = set().union(
        *(linkage_of(stated, body) for body in named_bodies(stage, line.words)),
    )
    joints = [
        replace(joint, placement=shift @ joint.placement)
        if joint.parent == WORLD and joint.child in bodies
        else joint
        for joint in stated.joints
    ]
    moved = replace(stated, joints=joints, loops=[_moved(x, bodies, shift) for x in stated.loops])
    model = Model(moved, strict=stage.machine.model._strict)
    carried = {joint.name for joint in joints if joint.child in bodies}
    frames = {frame.name for frame in stated.frames if frame.body in bodies}
    image = Image(shift, {name: name for name in (*bodies, *carried, *frames)})
    parts = {key: copied_part(part, image, key, ()) or part for key, part in document.parts.items()}
    stage.become(
        document.but(
            description=model.description,
            parts=parts,
            left_out=tuple(_moved(loop, bodies, shift) for loop in document.left_out),
        ),
        f"move {' '.join(line.words)}",
        model=model,
        start=(stage.machine.q, stage.machine.v),
    )
    return ""


def _moved(loop: Loop, bodies: set[str], shift: Array) -> Loop:
    """Return a loop whose place in the world goes along with the body that it holds."""
    changed: dict[str, Any] = {}
    for own, other, at in (
        ("body_a", "body_b", "placement_a"),
        ("body_b", "body_a", "placement_b"),
    ):
        if getattr(loop, own) == WORLD and getattr(loop, other) in bodies:
            changed[at] = shift @ getattr(loop, at)
    return replace(loop, **changed) if changed else loop
