"""Links of the Virtual Erector Set: a child on a joint whose place is stated in both bodies.

    parent X child = DJ · exp(ŝ q) · PJ⁻¹

DJ is the distal joint in the parent, PJ the proximal joint in the child, ŝ = (ω; v) an axis in the
joint's frame: a revolute, a prismatic or a screw joint (P. Schröder, MIT 1990, section 6.6). In the
model a body without mass is on the axis, and the child is fixed to it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.assembly.state_transfer import carry
from tarsus.model.description import Joint
from tarsus.model.editor import Editor
from tarsus.model.model import Model
from tarsus.parts.motions import MoveTo
from tarsus.parts.part import Part
from tarsus.parts.rigid_constraints import Nail
from tarsus.scenes.scene import COLORS
from tarsus.spatial import inverse, pose
from tarsus.studio import recording as frames
from tarsus.studio.adding import check_new, placement_of
from tarsus.studio.assembly import put
from tarsus.studio.commands.command import command
from tarsus.studio.commands.time import count
from tarsus.studio.language import Line, LineError, numbers, one_of, shown, to_write
from tarsus.studio.recording import HEADER, Drawing
from tarsus_lab.erector.forces import bodies_of, insert_force, toggle_force

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Link:
    """A joint of a child, with the fixed one between, if there is one."""

    joint: Joint
    fixed: Joint | None

    @property
    def proximal(self) -> Array:
        """The place of the joint in the child (4, 4)."""
        return np.eye(4) if self.fixed is None else inverse(self.fixed.placement)


@dataclass(frozen=True, eq=False)
class Axis:
    """A spatial axis as a kind of joint: its direction, a point of it (3,), its pitch [m/rad]."""

    kind: str
    direction: Array
    point: Array
    pitch: float

    @property
    def fields(self) -> dict[str, Any]:
        """What a joint states of it."""
        return {"kind": self.kind, "axis": self.direction, "pitch": self.pitch}


def axis_of(numbers: Array) -> Axis:
    """Return what ŝ = (ω; v) (6,) stands for; its length does not count."""
    turn, slide = numbers[:3], numbers[3:]
    rate, speed = float(np.linalg.norm(turn)), float(np.linalg.norm(slide))
    if not max(rate, speed) > 0.0:
        raise LineError("-s must not be zero", "-s")
    if rate <= TOLERANCE * speed:
        return Axis("prismatic", slide / speed, np.zeros(3), 0.0)
    direction, moment = turn / rate, slide / rate
    point, pitch = np.cross(direction, moment), float(direction @ moment)
    straight = abs(pitch) <= TOLERANCE * max(1.0, speed / rate)
    return Axis("revolute" if straight else "screw", direction, point, 0.0 if straight else pitch)


def link_between(stage: Stage, parent: str, child: str) -> Link:
    """Return the joint that carries a child on its parent."""
    stated = stage.document.description
    bodies = {body.name: body for body in stated.bodies}
    for body in (parent, child):
        one_of(body, bodies, "body")
    carried = {joint.child: joint for joint in stated.joints}
    joint, fixed = carried[child], None
    if joint.kind == "fixed" and joint.parent in carried and bodies[joint.parent].mass == 0.0:
        joint, fixed = carried[joint.parent], joint
    if joint.parent != parent:
        raise LineError(f"sl: {child} is no child of {parent}, it hangs on {joint.parent}", "CHILD")
    return Link(joint, fixed)


def moved(place: Array, at: Array | None, rotation: Array | None) -> Array:
    """Return a place with another position or another orientation."""
    return pose(place[:3, 3] if at is None else at, place[:3, :3] if rotation is None else rotation)


# The commands of the Virtual Erector Set, as they were (P. Schröder, MIT 1990, section 6.6).
#
# Here are those of bodies and links: `ib`, `il`, `ilc`, `sb`, `sl`. Their world has no ground and
# no gravity unless forces say so: the first body of an empty stage makes it so.


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


# Time in the Virtual Erector Set: `step`, `rtime`, `stime`, frames, accuracy, `rlsode`, `draw`.


SHORTEST, LONGEST = 1e-6, 3600.0
"""Of frames [s]."""
MOST_FRAMES = 1_000_000
ACCURACIES = (1e-13, 0.1)
CORPUS = (".csv", ".txt", ".corpus")
USUAL = (1e-6, 1e-7)
"""Relative and absolute accuracy of the thesis."""


@command("step N")
def step(stage: Stage, line: Line) -> str:
    """Go on by N frames of the time that sstepsize set, and draw each."""
    line.expect(["N"])
    wanted = count(line.words[0], "N")
    if wanted > MOST_FRAMES:
        raise LineError(f"N is {wanted}, at most {MOST_FRAMES} frames are made at once", "N")
    told = frames.go_on(stage, wanted)
    return "; ".join([f"t = {stage.t:.9g} s", *([told] if told else [])])


@command("rtime", noted=False)
def read_time(stage: Stage, line: Line) -> str:
    """Read the clock [s]."""
    line.expect([])
    return f"{stage.t:.9g}"


@command("stime T")
def set_time(stage: Stage, line: Line) -> str:
    """Set the clock [s]; the machine stays as it is."""
    line.expect(["T"])
    t = float(numbers(line.words, "T", 1)[0])
    stage.begin_at(stage.machine.q, stage.machine.v, t)
    return f"t = {stage.t:.9g} s"


@command("rstepsize", noted=False)
def read_frame(stage: Stage, line: Line) -> str:
    """Read the time from one frame to the next [s]."""
    line.expect([])
    return f"{stage.document.frame:.9g}"


@command("sstepsize T")
def set_frame(stage: Stage, line: Line) -> str:
    """Set the time from one frame to the next [s]; steps of the world become a part of it."""
    line.expect(["T"])
    frame = float(numbers(line.words, "T", 1)[0])
    if not SHORTEST <= frame <= LONGEST:
        raise LineError(f"T is {frame:g} s, must be from {SHORTEST:g} to {LONGEST:g} s", "T")
    stage.look_different(stage.document.but(frame=frame))
    return frames.fit(stage) if stage.document.accuracy is None else ""


@command("sacc -r X -a X")
def set_accuracy(stage: Stage, line: Line) -> str:
    """Let step integrate with Adams' method to an accuracy; without any, by fixed steps again."""
    line.expect([], ["-r", "-a"])
    if not line.options:
        stage.look_different(stage.document.but(accuracy=None))
        return "step makes fixed steps"
    relative, absolute = stage.document.accuracy or USUAL
    relative = line.number("-r") if "-r" in line.options else relative
    absolute = line.number("-a") if "-a" in line.options else absolute
    for option, value in (("-r", relative), ("-a", absolute)):
        if not ACCURACIES[0] <= value <= ACCURACIES[1]:
            low, high = ACCURACIES
            raise LineError(f"{option} is {value:g}, must be from {low:g} to {high:g}", option)
    frames.check_smooth(stage)
    stage.look_different(stage.document.but(accuracy=(relative, absolute)))
    return (
        f"step integrates with Adams' method: relative {relative:g}, absolute {absolute:g}; "
        "play and advance make fixed steps"
    )


@command("rlsode", noted=False)
def read_integrator(stage: Stage, line: Line) -> str:
    """Read what the integrator did: steps, calls, order, accuracy."""
    line.expect([])
    return frames.report(stage)


@command("draw bolio|corpus FILE N|null", files=True)
def draw(stage: Stage, line: Line) -> str:
    """Draw frames of step for pages (bolio), each N-th to a file of poses (corpus), or not."""
    line.expect(["CONVENTION"], more=True)
    kind, *words = line.words
    one_of(kind, ("bolio", "corpus", "null"), "convention")
    if kind != "corpus":
        line.expect(["CONVENTION"])
        stage.drawing = Drawing(kind)
        return ""
    line.expect(["CONVENTION", "FILE"], more=True)
    if len(words) > 2:
        raise LineError(f"draw: {words[2]!r} is one word too many", words[2])
    every = count(words[1], "N") if len(words) == 2 else 1
    if every < 1:
        raise LineError("N must be at least 1", "N")
    (path,) = to_write(stage, [words[0]], CORPUS, HEADER)
    stage.drawing = Drawing(kind, path, every)
    stage.drawing.begin(stage)
    return f"each {every}. frame goes to {shown(stage, path)}"
