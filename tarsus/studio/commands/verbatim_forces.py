"""Forces of the Virtual Erector Set: `ir`, `sf`, `pf`, and `-if`, `-f` of `sb`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.forces import Rubber
from tarsus.parts import Part
from tarsus.parts.place import split
from tarsus.studio import thesis_forces as forces
from tarsus.studio.adding import check_new
from tarsus.studio.commands.command import command
from tarsus.studio.document import Document
from tarsus.studio.language import Line, LineError, one_of

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage


@command("ir NAME BODY BODY -k -l -e -lone x y z -ltwo x y z")
def insert_rubber(stage: Stage, line: Line) -> str:
    """Tie a rubber string between two bodies: stiffness, rest length, what it returns with."""
    line.expect(["NAME", "BODY", "BODY"], forces.STRING)
    name, one, two = line.words
    check_new(stage, name)
    for body in (one, two):
        one_of(body, bodies_of(stage), "body")
    if one == two:
        raise LineError(f"ir: a string needs two bodies, both are {one!r}", "BODY")
    part = forces.rubber(one, two, forces.stated(line, forces.STRING), name)
    stage.become(stage.document.with_part(part), f"ir {name}")
    return f"{name} pulls {one} and {two}"


@command("sf BODY FORCE -g -d -k -s -f -t -E -l -e -lone -ltwo …")
def set_force(stage: Stage, line: Line) -> str:
    """Set numbers of a force on a body, by the letters of its kind."""
    line.expect(["BODY", "FORCE"], line.options)
    body, force = line.words
    part = force_on(stage, body, force)
    if isinstance(part, Rubber):
        values = forces.values_of_rubber(part)
        line.expect(["BODY", "FORCE"], values)
        changed: Part = forces.rubber(
            *(split(part.a)[0], split(part.b)[0], forces.stated(line, values)),
            *(part.name, part.smoothing),
        )
    else:
        law = forces.LAWS[forces.law_of(part)]
        line.expect(["BODY", "FORCE"], law.usual)
        values = forces.stated(line, law.values(part))
        changed = law.part(body, values, part.name)
    stage.become(stage.document.with_part(changed), f"sf {body} {force}")
    return _printed(stage.document, changed, force)


@command("pf BODY FORCE", noted=False)
def print_forces(stage: Stage, line: Line) -> str:
    """Print the forces of all bodies, of one body, or one of them."""
    line.expect([], more=True)
    if len(line.words) > 2:
        raise LineError(f"pf: {line.words[2]!r} is one word too many", line.words[2])
    bodies = line.words[:1] or bodies_of(stage)
    text = []
    for body in bodies:
        one_of(body, bodies_of(stage), "body")
        found = forces_on(stage.document, body)
        if len(line.words) == 2:
            part = force_on(stage, body, line.words[1])
            found = {line.words[1]: part}
        own = [_printed(stage.document, part, name) for name, part in found.items()]
        text += [f"{body}: {each}" for each in own]
    return "\n".join(text) or "no forces"


def insert_force(stage: Stage, document: Document, body: str, words: list[str]) -> Document:
    """Return a document with `-if KIND NAME` on a body, as generic as forces begin."""
    if len(words) != 2:
        raise LineError("-if needs a kind and a name, as in -if damping d", "-if")
    kind, force = words
    if kind not in forces.LAWS:
        valid = ", ".join(forces.LAWS)
        raise LineError(f"-if: there is no kind {kind!r}; there are {valid}", "-if")
    name = f"{body}.{force}"
    check_new(stage, name)
    law = forces.LAWS[kind]
    return document.with_part(law.part(body, law.usual, name))


def toggle_force(stage: Stage, document: Document, body: str, words: list[str]) -> Document:
    """Return a document in which a force of a body acts no more, or acts again."""
    if len(words) != 1:
        raise LineError("-f needs the name of a force of the body", "-f")
    name = force_on(stage, body, words[0], document).name
    resting = document.resting - {name} if name in document.resting else document.resting | {name}
    return document.but(resting=resting)


def forces_on(document: Document, body: str) -> dict[str, Part]:
    """Return the thesis' forces on a body by the names that it knows them by."""
    found: dict[str, Part] = {}
    for name, part in document.parts.items():
        if isinstance(part, Rubber):
            if body in (split(part.a)[0], split(part.b)[0]):
                found[name] = part
        elif forces.law_of(part) and split(part.where)[0] == body:  # type: ignore[attr-defined]
            found[name.removeprefix(f"{body}.")] = part
    return found


def force_on(stage: Stage, body: str, force: str, document: Document | None = None) -> Part:
    """Return a force of a body by its name."""
    one_of(body, bodies_of(stage), "body")
    found = forces_on(document or stage.document, body)
    found |= {part.name: part for part in found.values()}
    return found[one_of(force, found, "force")]


def bodies_of(stage: Stage) -> list[str]:
    """Return the names of bodies that people know."""
    return [body.name for body in stage.machine.bodies()]


def _printed(document: Document, part: Part, name: str) -> str:
    values = (
        forces.values_of_rubber(part)
        if isinstance(part, Rubber)
        else forces.LAWS[forces.law_of(part)].values(part)
    )
    kind = "rubber" if isinstance(part, Rubber) else forces.law_of(part)
    off = " (off)" if part.name in document.resting else ""
    # as `ir` ties it: without both bodies nobody sees what is tied to what
    ends = f" {split(part.a)[0]} {split(part.b)[0]}" if isinstance(part, Rubber) else ""
    return f"{kind} {name}{ends} {forces.text_of(values)}{off}"
