"""Forces of the Virtual Erector Set by their own letters (P. Schröder, MIT 1990, section 6.6).

    gravity  -g          motor    -f 6 -t 3 -E 4     damping  -d
    support  -d -k -s 3  brake    -d -t 3            rubber   -k -l -e -lone 3 -ltwo 3

A force belongs to a body, so that those of two bodies may have one name: in the document the force
`damping` of `stick0` is the part `stick0.damping`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.parts.body_forces import Brake, Damping, Weight, Wrench
from tarsus.parts.forces import Rubber, Support
from tarsus.parts.part import Part, placement_of, split
from tarsus.spatial import pose, quaternion_from_rotation, rotation_from_quaternion
from tarsus.studio.adding import check_new
from tarsus.studio.commands.command import command
from tarsus.studio.document import Document
from tarsus.studio.language import Line, LineError, one_of

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


Values = dict[str, tuple[float, ...]]
SMOOTHING = 0.2
"""Speeds over which rubber changes from pulling to returning [m/s]; the thesis leaves them open."""


@dataclass(frozen=True)
class Law:
    """A force by its options with their usual values, how a part is made of them, and back."""

    usual: Values
    part: Callable[[str, Values, str], Part]
    values: Callable[[Any], Values]
    kind: type[Part]


def _point(where: Any) -> tuple[float, ...]:
    return tuple(placement_of(split(where)[1], "where")[:3, 3].tolist())


def _motor(body: str, values: Values, name: str) -> Part:
    w, x, y, z = unit(values["-E"])
    at = pose(np.array(values["-t"]), rotation_from_quaternion(np.array([x, y, z, w])))
    force, torque = values["-f"][:3], values["-f"][3:]
    return Wrench((body, at), force, torque, axes="local", name=name)


def _of_motor(part: Wrench) -> Values:
    at = placement_of(split(part.where)[1], "where")
    x, y, z, w = quaternion_from_rotation(at[:3, :3]).tolist()
    numbers = (*np.ravel(part.force).tolist(), *np.ravel(part.torque).tolist())
    return {"-f": numbers, "-t": _point(part.where), "-E": (w, x, y, z)}


ORIGIN, UPRIGHT = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
LAWS: Mapping[str, Law] = {
    "gravity": Law(
        {"-g": (9.81,)},
        lambda body, x, name: Weight(body, *x["-g"], name=name),
        lambda part: {"-g": (part.acceleration,)},
        Weight,
    ),
    "motor": Law({"-f": (0.0,) * 6, "-t": ORIGIN, "-E": UPRIGHT}, _motor, _of_motor, Wrench),
    "damping": Law(
        {"-d": (0.0,)},
        lambda body, x, name: Damping((body, ORIGIN), *x["-d"], name=name),
        lambda part: {"-d": (part.linear,)},
        Damping,
    ),
    "support": Law(
        {"-d": (0.0,), "-k": (0.0,), "-s": ORIGIN},
        lambda body, x, name: Support((body, x["-s"]), *x["-k"], *x["-d"], name=name),
        lambda part: {"-d": (part.damping,), "-k": (part.stiffness,), "-s": _point(part.where)},
        Support,
    ),
    "brake": Law(
        {"-d": (0.0,), "-t": ORIGIN},
        lambda body, x, name: Brake((body, x["-t"]), *x["-d"], name=name),
        lambda part: {"-d": (part.damping,), "-t": _point(part.where)},
        Brake,
    ),
}
"""What `sb BODY -if KIND NAME` makes."""

STRING: Values = {"-k": (1.0,), "-l": (1.0,), "-e": (0.1,), "-lone": ORIGIN, "-ltwo": ORIGIN}
"""The usual numbers of a rubber string, which is between two bodies."""


def rubber(one: str, two: str, values: Values, name: str, smoothing: float = SMOOTHING) -> Rubber:
    """Return a rubber string between two bodies."""
    (stiffness,), (length,), (ratio,) = values["-k"], values["-l"], values["-e"]
    ends = (one, values["-lone"]), (two, values["-ltwo"])
    return Rubber(*ends, stiffness, length, ratio, smoothing, name=name)


def values_of_rubber(part: Rubber) -> Values:
    """Return the numbers of a string by their letters."""
    return {
        "-k": (part.stiffness,),
        "-l": (float(part.rest_length or 0.0),),
        "-e": (part.return_ratio,),
        "-lone": _point(part.a),
        "-ltwo": _point(part.b),
    }


def law_of(part: Part) -> str:
    """Return which force of the thesis a part is, empty if none."""
    if isinstance(part, Wrench) and part.axes != "local":
        return ""
    return next((name for name, law in LAWS.items() if type(part) is law.kind), "")


def stated(line: Line, values: Values) -> Values:
    """Return values with those that a line states in their places."""
    found = dict(values)
    for option in line.options:
        found[option] = tuple(line.numbers(option, len(values[option])).tolist())
    return found


def unit(quaternion: tuple[float, ...]) -> tuple[float, ...]:
    """Return w x y z with a length of one."""
    length = float(np.linalg.norm(quaternion))
    if not length > 0.0:
        raise LineError("-E must not be zero", "-E")
    return tuple((np.array(quaternion) / length).tolist())


def text_of(values: Values) -> str:
    """Return values as options of a line."""
    return " ".join(f"{option} {' '.join(f'{x:g}' for x in own)}" for option, own in values.items())


# Forces of the Virtual Erector Set: `ir`, `sf`, `pf`, and `-if`, `-f` of `sb`.


@command("ir NAME BODY BODY -k -l -e -lone x y z -ltwo x y z")
def insert_rubber(stage: Stage, line: Line) -> str:
    """Tie a rubber string between two bodies: stiffness, rest length, what it returns with."""
    line.expect(["NAME", "BODY", "BODY"], STRING)
    name, one, two = line.words
    check_new(stage, name)
    for body in (one, two):
        one_of(body, bodies_of(stage), "body")
    if one == two:
        raise LineError(f"ir: a string needs two bodies, both are {one!r}", "BODY")
    part = rubber(one, two, stated(line, STRING), name)
    stage.become(stage.document.with_part(part), f"ir {name}")
    return f"{name} pulls {one} and {two}"


@command("sf BODY FORCE -g -d -k -s -f -t -E -l -e -lone -ltwo …")
def set_force(stage: Stage, line: Line) -> str:
    """Set numbers of a force on a body, by the letters of its kind."""
    line.expect(["BODY", "FORCE"], line.options)
    body, force = line.words
    part = force_on(stage, body, force)
    if isinstance(part, Rubber):
        values = values_of_rubber(part)
        line.expect(["BODY", "FORCE"], values)
        changed: Part = rubber(
            *(split(part.a)[0], split(part.b)[0], stated(line, values)),
            *(part.name, part.smoothing),
        )
    else:
        law = LAWS[law_of(part)]
        line.expect(["BODY", "FORCE"], law.usual)
        values = stated(line, law.values(part))
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
    if kind not in LAWS:
        valid = ", ".join(LAWS)
        raise LineError(f"-if: there is no kind {kind!r}; there are {valid}", "-if")
    name = f"{body}.{force}"
    check_new(stage, name)
    law = LAWS[kind]
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
        elif law_of(part) and split(part.where)[0] == body:  # type: ignore[attr-defined]
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
    values = values_of_rubber(part) if isinstance(part, Rubber) else LAWS[law_of(part)].values(part)
    kind = "rubber" if isinstance(part, Rubber) else law_of(part)
    off = " (off)" if part.name in document.resting else ""
    # as `ir` ties it: without both bodies nobody sees what is tied to what
    ends = f" {split(part.a)[0]} {split(part.b)[0]}" if isinstance(part, Rubber) else ""
    return f"{kind} {name}{ends} {text_of(values)}{off}"
