"""Other names for things, also in all that refers to them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from tarsus.model.description import Loop
from tarsus.model.editor import Editor
from tarsus.parts.part import Part
from tarsus.studio.adding import check_new
from tarsus.studio.language import one_of

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


def renamed(stage: Stage, old: str, new: str) -> str:
    """Give something another name, also in all that refers to it."""
    document = stage.document
    what = document.names[one_of(old, document.names, "name")]
    check_new(stage, new)
    said = f"rename {old} {new}"
    if what == "part":
        parts = {
            (new if name == old else name): dataclasses.replace(part, name=new)
            if name == old
            else part
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
    parts = {name: _moved(part, old, new) for name, part in document.parts.items()}
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
    return dataclasses.replace(loop, **names)


def _moved(part: Part, old: str, new: str) -> Part:
    """Return a part whose places on a body have the body's new name."""
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(part):
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
    return dataclasses.replace(part, **changed) if changed else part
