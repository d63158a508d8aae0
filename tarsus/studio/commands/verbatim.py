"""The commands of the Virtual Erector Set, as they were (P. Schröder, MIT 1990, section 6.6).

Here are those of bodies and links: `ib`, `il`, `ilc`, `sb`, `sl`. Their world has no ground and no
gravity unless forces say so: the first body of an empty stage makes it so.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.constraint import MoveTo, Nail
from tarsus.kit import carry
from tarsus.model import WORLD, Model
from tarsus.model.editor import Editor
from tarsus.parts import Part
from tarsus.scenes.looks import COLORS
from tarsus.spatial import inverse, pose
from tarsus.studio.adding import check_new, placement_of
from tarsus.studio.commands.command import command
from tarsus.studio.commands.verbatim_forces import bodies_of, insert_force, toggle_force
from tarsus.studio.language import Line, LineError, one_of
from tarsus.studio.links import Link, axis_of, link_between, moved
from tarsus.studio.placing import put

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

STATE = ("-vl", "-vr", "-t", "-E")
PLACES = ("-pjt", "-pjE", "-djt", "-djE")
ENDS = ("free", "nail", "move_to_point")
TIME_CONSTANT = 0.2
"""How fast a body comes to its point [s]."""
BOX = ".box"
"""How the name of the shape ends that shows the inertia of a body."""


@command("ib NAME")
def insert_body(stage: Stage, line: Line) -> str:
    """Make a body: 1 kg, inertia 1 1 1, at the origin, at rest."""
    line.expect(["NAME"])
    name = line.words[0]
    check_new(stage, name)
    editor, told = _begun(stage)
    _generic(editor, name)
    editor.joint(name, "free", WORLD, name)
    _built(stage, editor, f"ib {name}")
    return f"{name}: 1 kg{told}"


@command("il PARENT NAME")
def insert_link(stage: Stage, line: Line) -> str:
    """Make a body on another one, by a joint that turns about z of both."""
    line.expect(["PARENT", "NAME"])
    parent, name = line.words
    one_of(parent, bodies_of(stage), "body")
    check_new(stage, name)
    carrier, fixed = f"{name}.joint", f"{name}_fixed"
    check_new(stage, carrier)
    editor = Editor(stage.machine.model)
    _generic(editor, name)
    editor.body(carrier, 0.0)
    editor.joint(name, "revolute", parent, carrier, axis=(0.0, 0.0, 1.0))
    editor.joint(fixed, "fixed", carrier, name)
    _built(stage, editor, f"il {parent} {name}")
    return f"{name} turns on {parent}"


@command("ilc BODY free|nail|move_to_point")
def constrain(stage: Stage, line: Line) -> str:
    """Nail a body where it is, let its centre be brought to a point, or let it go again."""
    line.expect(["BODY", "TYPE"])
    body, kind = line.words
    one_of(body, bodies_of(stage), "body")
    one_of(kind, ENDS, "type")
    name = f"{body}.end"
    document = stage.document.without_part(name)
    part: Part | None = None
    if kind == "nail":
        part = Nail(body, pose=True, name=name)
    elif kind == "move_to_point":
        here = tuple(stage.machine.pose(body)[:3, 3].tolist())
        part = MoveTo(body, here, time_constant=TIME_CONSTANT, name=name)
    stage.become(document if part is None else document.with_part(part), f"ilc {body} {kind}")
    if kind == "move_to_point":
        return f"{body} comes to a point: set {name} -target x y z"
    return f"{body} is {'free' if part is None else 'nailed'}"


@command("sb BODY -vl 3 -vr 3 -t 3 -E w x y z -in 3 -m -if KIND NAME -f NAME")
def set_body(stage: Stage, line: Line) -> str:
    """Set a body: how it moves in its own axes, where it is, its inertia; forces on it."""
    line.expect(["BODY"], [*STATE, "-in", "-m", "-if", "-f"])
    body, options = line.words[0], line.options
    one_of(body, bodies_of(stage), "body")
    said = f"sb {body} {' '.join(options)}"
    if "-in" in options or "-m" in options:
        _set_inertia(stage, body, line, said)
    state = {option: options[option] for option in STATE if option in options}
    if state:
        put(stage, body, Line("sb", [body], state), said)
    document = stage.document
    if "-if" in options:
        document = insert_force(stage, document, body, options["-if"])
    if "-f" in options:
        document = toggle_force(stage, document, body, options["-f"])
    if document is not stage.document:
        stage.become(document, said)
    return ""


@command("sl PARENT CHILD -s 6 -q -qdot -pjt 3 -pjE w x y z -djt 3 -djE w x y z")
def set_link(stage: Stage, line: Line) -> str:
    """Set a link: the axis of its joint (ω; v), position, rate, its place in child and parent."""
    line.expect(["PARENT", "CHILD"], ["-s", "-q", "-qdot", *PLACES])
    link = link_between(stage, *line.words)
    old = stage.machine.model
    model, told = _relinked(old, link, line)
    carried = carry(old, model, stage.machine.q, stage.machine.v)
    q, v = carried.q.copy(), carried.v.copy()
    joint = model.joint(link.joint.name)
    if joint.nv != 1 or not joint.own_velocities:
        raise LineError(f"sl: {joint.name} is not alone: a loop or a gear moves it", "CHILD")
    if joint.kind != link.joint.kind:
        q[joint.q_slice], v[joint.v_slice] = 0.0, 0.0
    if "-q" in line.options:
        q[joint.q_slice] = line.number("-q")
    if "-qdot" in line.options:
        v[joint.v_slice] = line.number("-qdot")
    document = stage.document.but(description=model.description)
    said = f"sl {' '.join([*line.words, *line.options])}"
    stage.become(document, said, model=model, start=(q, v))
    return told


def _relinked(model: Model, link: Link, line: Line) -> tuple[Model, str]:
    """Return the model with the joint of a link where a line puts it, and what to tell."""
    distal, proximal, told = link.joint.placement, link.proximal, ""
    places = {}
    for name, place in (("-dj", distal), ("-pj", proximal)):
        at = line.numbers(f"{name}t", 3) if f"{name}t" in line.options else None
        words = line.options.get(f"{name}E")
        turn = None if words is None else _turn(words, f"{name}E")
        places[name] = moved(place, at, turn)
    fields: dict[str, Any] = {}
    if "-s" in line.options:
        axis = axis_of(line.numbers("-s", 6))
        fields = axis.fields
        told = f"{line.words[1]} is on a {axis.kind} joint"
        if np.abs(axis.point).max() > 0.0:
            places = {name: place @ pose(axis.point) for name, place in places.items()}
            told += ", whose places are on its axis now"
    if link.fixed is None and not np.array_equal(places["-pj"], np.eye(4)):
        raise LineError(
            f"sl: the joint of {line.words[1]} is at its origin, as a file states it", "-pjt"
        )
    if set(line.options) <= {"-q", "-qdot"}:
        return model, told
    editor = Editor(model).change("joint", link.joint.name, placement=places["-dj"], **fields)
    if link.fixed is not None:
        editor.change("joint", link.fixed.name, placement=inverse(places["-pj"]))
    return editor.build(), told


def _turn(words: list[str], option: str) -> np.ndarray:
    try:
        return placement_of(Line("sl", [], {"-E": words}), (0, 0, 0))[:3, :3]
    except LineError as error:
        raise LineError(str(error).replace("-E", option), option) from None


def _begun(stage: Stage) -> tuple[Editor, str]:
    """Return an editor, and what to tell; an empty stage becomes the world of these commands."""
    document = stage.document
    if document.description.bodies or document.parts:
        return Editor(stage.machine.model), ""
    stated = dataclasses.replace(document.description, gravity=np.zeros(3))
    stage.become(document.but(description=stated, ground=None), "ib")
    return (
        Editor(stage.machine.model),
        "; this world has no ground and no gravity but what forces say",
    )


def _generic(editor: Editor, name: str) -> None:
    """Add a generic body, shown as the box that has its inertia."""
    color = COLORS[len(editor.description().bodies) % len(COLORS)]
    editor.body(name, 1.0, inertia=(1.0, 1.0, 1.0))
    editor.shape(name, "box", _sides(1.0, np.ones(3)), role="visual", color=color, name=name + BOX)


def _set_inertia(stage: Stage, name: str, line: Line, said: str) -> None:
    body = next(each for each in stage.document.description.bodies if each.name == name)
    mass = line.number("-m") if "-m" in line.options else body.mass
    if not mass > 0.0:
        raise LineError("-m must be positive", "-m")
    moments = line.numbers("-in", 3) if "-in" in line.options else None
    if moments is not None and not (moments > 0.0).all():
        raise LineError("-in must be positive", "-in")
    inertia = body.inertia if moments is None else np.diag(moments)
    editor = Editor(stage.machine.model).change("body", name, mass=mass, inertia=inertia)
    for shape in stage.document.description.shapes:
        if shape.body == name and shape.name.endswith(BOX):
            editor.change("shape", shape.name, size=_sides(mass, np.diag(inertia)))
    _built(stage, editor, said)


def _sides(mass: float, moments: np.ndarray) -> tuple[float, ...]:
    """Return the sides of the homogeneous box that has this mass and these moments."""
    sides = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / mass, 0.0))
    return tuple(np.maximum(sides, 0.02 * max(float(sides.max()), 0.05)).tolist())


def _built(stage: Stage, editor: Editor, said: str) -> None:
    model = editor.build()
    stage.become(stage.document.but(description=model.description), said, model=model)
