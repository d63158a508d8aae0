"""Commands that build and move."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.description import Description, Loop
from tarsus.model.editor import Editor
from tarsus.model.loops import LOOP_KINDS
from tarsus.model.model import Model
from tarsus.parts.constraints import CONSTRAINTS
from tarsus.parts.forces import FORCES
from tarsus.parts.part import Part
from tarsus.spatial import pose
from tarsus.studio import adding
from tarsus.studio import editing as setting
from tarsus.studio.adding import SOLIDS, add_coupling, check_new
from tarsus.studio.assembly import close_all, try_again
from tarsus.studio.commands.command import command
from tarsus.studio.commands.copy import named_bodies
from tarsus.studio.commands.time import count
from tarsus.studio.copies import Image, copied_part, linkage_of
from tarsus.studio.document import carriers
from tarsus.studio.language import Line, LineError, one_of
from tarsus.studio.wires import add_mesh, add_wire

if TYPE_CHECKING:
    from tarsus.studio.edit_history import Edit
    from tarsus.studio.session import Stage

# To build: `add`, `set`, `delete`, `rename`, `group`.


COUPLINGS = ("gear", "rotor")
KINDS = list(
    dict.fromkeys(
        [*SOLIDS, "wire", "mesh", *LOOP_KINDS, "screw", *COUPLINGS, *FORCES, *CONSTRAINTS]
    )
)
"""All that can be added. Joints of two places win over constraints of the same name."""


@command("add KIND NAME -option value…", files=lambda line: line.words[:1] == ["mesh"])
def add(stage: Stage, line: Line) -> str:
    """Add a part, a joint, a force or a constraint."""
    line.expect(["KIND", "NAME"], line.options)
    kind, name = line.words
    one_of(kind, KINDS, "kind")
    adding.check_new(stage, name)
    said = f"add {kind} {name}"
    if kind in ("mesh", "wire"):
        return (add_mesh if kind == "mesh" else add_wire)(stage, name, line, said)
    if kind in SOLIDS:
        return adding.add_body(stage, kind, name, line, said)
    if kind in COUPLINGS:
        return add_coupling(stage, kind, name, line, said)
    if kind in LOOP_KINDS:
        return adding.add_joint(stage, kind, name, line, said)
    if kind in FORCES or kind in CONSTRAINTS:
        return adding.add_part(stage, kind, name, line, said)
    raise LineError(f"add: {kind} is not between two places; joints of files have it", "KIND")


@command("set NAME… -field value…")
def set_fields(stage: Stage, line: Line) -> str:
    """Change numbers of bodies, joints, parts, `ground` or `world`."""
    line.expect(["NAME"], line.options, more=True)
    said = [
        setting.change(stage, name, Line(line.verb, [name], dict(line.options)))
        for name in dict.fromkeys(line.words)
    ]
    return "; ".join(text for text in said if text)


@command("delete NAME…")
def delete(stage: Stage, line: Line) -> str:
    """Take things away: with a body go its joints and what is attached to it."""
    line.expect(["NAME"], more=True)
    document, names = stage.document, stage.document.names
    editor, parts, left_out = Editor(stage.machine.model), dict(document.parts), document.left_out
    edited = False
    for name in dict.fromkeys(line.words):
        what = names[one_of(name, names, "name")]
        if what == "part":
            del parts[name]
        elif what == "left out":
            left_out = tuple(loop for loop in left_out if loop.name != name)
        else:
            editor.cut(name) if what == "joint" else editor.remove(what, name)
            edited = True
    _without_idle_carriers(editor, document.description, line.words)
    said = f"delete {' '.join(line.words)}"
    document = document.but(parts=parts, left_out=left_out)
    if edited:
        setting.rebuilt(stage, document, editor.build(), said)
        try_again(stage, said)
    else:
        stage.become(document, said)
    return f"{', '.join(line.words)} taken away"


def _without_idle_carriers(editor: Editor, stated: Description, gone: Iterable[str]) -> None:
    """Take away carriers of which all that they carried has gone."""
    gone = set(gone)
    for carrier in carriers(stated):
        carried = {joint.child for joint in stated.joints if joint.parent == carrier}
        if carried <= gone:
            editor.remove("body", carrier)


@command("rename OLD NEW")
def rename(stage: Stage, line: Line) -> str:
    """Give something another name."""
    line.expect(["OLD", "NEW"])
    return renamed(stage, *line.words)


@command("group NAME BODY…")
def group(stage: Stage, line: Line) -> str:
    """Call some bodies by one name; without any, the name goes and the bodies stay."""
    line.expect(["NAME"], more=True)
    name, *bodies = line.words
    for body in bodies:
        one_of(body, [each.name for each in stage.machine.bodies()], "body")
    groups = {key: own for key, own in stage.document.groups.items() if key != name}
    if not bodies:
        one_of(name, stage.document.groups, "group")
    start = stage.machine.q, stage.machine.v
    document = stage.document.but(groups=groups | ({name: tuple(bodies)} if bodies else {}))
    stage.become(document, f"group {name}", start=start)
    return f"{name}: {', '.join(bodies)}" if bodies else f"{name} is no group any more"


@command("assemble")
def assemble(stage: Stage, line: Line) -> str:
    """Close all joints that are still flying together, at once."""
    line.expect([])
    return close_all(stage)


@command("undo N")
def undo(stage: Stage, line: Line) -> str:
    """Take the last edit back, or the last N; all of a script at once."""
    return f"taken back: {_repeated(stage, line, stage.edits, stage.take_back)}"


@command("redo N")
def redo(stage: Stage, line: Line) -> str:
    """Do the edit again that was taken back, or the last N."""
    return f"done again: {_repeated(stage, line, stage.undone, stage.do_again)}"


def _repeated(stage: Stage, line: Line, edits: list[Edit], do: Callable[[], str]) -> str:
    """Do something with so many edits as a line says, or with those that belong together."""
    line.expect([], more=True)
    line.expect(line.words[:1])
    number = count(line.words[0], "N") if line.words else _together(edits)
    # a take says how many, because a script is the lines of which it was made
    stage.understood = line.verb if number == 1 else f"{line.verb} {number}"
    return "; ".join([do() for _ in range(number)])


def _together(edits: list[Edit]) -> int:
    number = edits[-1].together if edits else 0
    own = itertools.takewhile(lambda edit: edit.together == number, reversed(edits))
    return sum(1 for _ in own) if number else 1


# To move: `move` puts bodies elsewhere, with all that hangs on them.


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
    model = Model(moved, strict=stage.machine.model.strict)
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


# Other names for things, also in all that refers to them.


def renamed(stage: Stage, old: str, new: str) -> str:
    """Give something another name, also in all that refers to it."""
    document = stage.document
    what = document.names[one_of(old, document.names, "name")]
    check_new(stage, new)
    said = f"rename {old} {new}"
    if what == "part":
        parts = {
            (new if name == old else name): replace(part, name=new) if name == old else part
            for name, part in document.parts.items()
        }
        resting = frozenset(new if name == old else name for name in document.resting)
        stage.become(document.but(parts=parts, resting=resting), said)
        return f"{old} is {new} now"
    left_out = tuple(_loop_of(loop, old, new) for loop in document.left_out)
    if what == "left out":
        stage.become(document.but(left_out=left_out), said)
        return f"{old} is {new} now"
    editor = Editor(stage.machine.model).change(what, old, name=new)
    if what == "body" and any(joint.name == old for joint in document.description.joints):
        editor.change("joint", old, name=new)
    parts = {name: _with_body_renamed(part, old, new) for name, part in document.parts.items()}
    start = stage.machine.q, stage.machine.v
    model = editor.build()
    groups = {
        name: tuple(new if body == old else body for body in bodies)
        for name, bodies in document.groups.items()
    }
    document = document.but(
        description=model.description, parts=parts, left_out=left_out, groups=groups
    )
    stage.become(document, said, model=model, start=start)
    return f"{old} is {new} now"


def _loop_of(loop: Loop, old: str, new: str) -> Loop:
    """Return a loop joint in which something has its new name."""
    names: dict[str, Any] = {
        key: new for key in ("name", "body_a", "body_b") if getattr(loop, key) == old
    }
    return replace(loop, **names)


def _with_body_renamed(part: Part, old: str, new: str) -> Part:
    """Return a part whose places on a body have the body's new name."""
    changed: dict[str, Any] = {}
    for field in fields(part):
        value = getattr(part, field.name)
        if value == old if isinstance(value, str) else False:
            changed[field.name] = new
        elif (
            isinstance(value, tuple)
            and len(value) == 2
            and isinstance(value[0], str)
            and value[0] == old
        ):
            changed[field.name] = (new, value[1])
    changed.pop("name", None)
    return replace(part, **changed) if changed else part
