"""To build: `add`, `set`, `delete`, `rename`, `group`."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

from tarsus.constraint import CONSTRAINTS
from tarsus.forces import FORCES
from tarsus.model.editor import Editor
from tarsus.model.loops import LOOP_KINDS
from tarsus.studio import adding, setting
from tarsus.studio.assembly import close_all
from tarsus.studio.commands.command import command
from tarsus.studio.commands.timing import count
from tarsus.studio.language import Line, LineError, one_of
from tarsus.studio.meshes import add_mesh
from tarsus.studio.solids import SOLIDS

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage
    from tarsus.studio.world import Edit

COUPLINGS = ("gear", "rotor")
KINDS = list(
    dict.fromkeys([*SOLIDS, "mesh", *LOOP_KINDS, "screw", *COUPLINGS, *FORCES, *CONSTRAINTS])
)
"""All that can be added. Joints of two places win over constraints of the same name."""


@command("add KIND NAME -option value…")
def add(stage: Stage, line: Line) -> str:
    """Add a part, a joint, a force or a constraint."""
    line.expect(["KIND", "NAME"], line.options)
    kind, name = line.words
    one_of(kind, KINDS, "kind")
    adding.check_new(stage, name)
    said = f"add {kind} {name}"
    if kind == "mesh":
        return add_mesh(stage, name, line, said)
    if kind in SOLIDS:
        return adding.add_body(stage, kind, name, line, said)
    if kind in COUPLINGS:
        return adding.add_coupling(stage, kind, name, line, said)
    if kind in LOOP_KINDS:
        return adding.add_joint(stage, kind, name, line, said)
    if kind in FORCES or kind in CONSTRAINTS:
        return adding.add_part(stage, kind, name, line, said)
    raise LineError(f"add: {kind} is not between two places; joints of files have it", "KIND")


@command("set NAME -field value…")
def set_fields(stage: Stage, line: Line) -> str:
    """Change numbers of a body, a joint, a part, `ground` or `world`."""
    line.expect(["NAME"], line.options)
    return setting.change(stage, line.words[0], line)


@command("delete NAME…")
def delete(stage: Stage, line: Line) -> str:
    """Take things away: with a body go its joints and what is attached to it."""
    line.expect(["NAME"], more=True)
    document, names = stage.document, stage.document.names
    editor, parts = Editor(stage.machine.model), dict(document.parts)
    edited = False
    for name in line.words:
        what = names[one_of(name, names, "name")]
        if what == "part":
            del parts[name]
        elif what == "joint":
            editor.cut(name)
            edited = True
        else:
            editor.remove(what, name)
            edited = True
    said, document = f"delete {' '.join(line.words)}", document.but(parts=parts)
    if edited:
        setting.rebuilt(stage, document, editor.build(), said)
    else:
        stage.become(document, said)
    return f"{', '.join(line.words)} taken away"


@command("rename OLD NEW")
def rename(stage: Stage, line: Line) -> str:
    """Give something another name."""
    line.expect(["OLD", "NEW"])
    return setting.renamed(stage, *line.words)


@command("group NAME BODY…")
def group(stage: Stage, line: Line) -> str:
    """Call some bodies by one name."""
    line.expect(["NAME", "BODY"], more=True)
    name, *bodies = line.words
    for body in bodies:
        one_of(body, [each.name for each in stage.machine.bodies()], "body")
    document = stage.document
    stage.look_different(document.but(groups={**document.groups, name: tuple(bodies)}))
    return f"{name}: {', '.join(bodies)}"


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
