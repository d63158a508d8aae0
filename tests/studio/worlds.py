"""What tests compare of worlds: all bits of documents and states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tarsus.studio import Stage
from tarsus.studio.autosave import TakeJournal
from tarsus.studio.document_files import document_data
from tarsus.studio.session_file import user_sealer
from tarsus.studio.session_folder import TAKE

MACHINE = """
add box cart -size .4 .2 .1 -t 0 0 .3 -color .2 .4 .8
add rod pole -length .8 -t 0 0 .9
add wheel disc -radius .15 -t 1 0 .5
add revolute hinge -a cart 0 0 .05 -b pole -.4 0 0 -axis 0 1 0
add spring soft -a pole .4 0 0 -b world 1 0 2 -stiffness 40 -damping .5
add rubber band -a pole 0 0 0 -b disc 0 0 0 -stiffness 12
add nail hold -where disc 0 0 .1
add distance wire -a cart .2 0 0 -b disc 0 0 0
add damping air -where disc 0 0 0 -linear .1 -angular .01
add joint_motion drive -joint hinge
bind drive.target 0.3*sin(2*t)
slider stiff soft.stiffness 1 100
group wheels disc
chart energy:total q:hinge
show velocities on
set ground -friction .5 -slope .02
set world -gravity 0 .1 -9.7 -dt .002
"""
THEN = """advance 123
grab pole .4 0 0 -to 0 1 1 -k 50
advance 77
delete air
set soft -stiffness 55
undo"""
"""What is done then: it moves with a hand on it, and is edited."""


def built(stage: Stage) -> Stage:
    """Build a machine with all that a document has."""
    stage.run([line for line in MACHINE.splitlines() if line])
    return stage


def append_rows(folder: Path, *lines: str) -> None:
    """Append lines to the take of a session as the studio does when it has done them."""
    journal = TakeJournal(folder / TAKE, user_sealer())
    take, rows = journal.read(10**9, 0)
    assert not rows
    assert journal.write([*take.lines, *lines])


def bits(stage: Stage) -> dict[str, Any]:
    """Return all of a world that must be kept: the document as text, states as bytes."""
    machine = stage.machine
    return {
        "document": json.dumps(document_data(stage.document)[0]),
        "q": machine.q.tobytes(),
        "v": machine.v.tobytes(),
        "t": stage.t,
        "undo": [edit.line for edit in stage.edits],
        "redo": [edit.line for edit in stage.undone],
        "take": stage.take.script(),
    }
