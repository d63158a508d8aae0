"""Commands for copies, files, galleries and scripts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.joint_coordinates import joint_coordinates
from tarsus.model.model import Model
from tarsus.spatial import inverse, pose
from tarsus.studio.adding import check_new
from tarsus.studio.bindings import plan_of
from tarsus.studio.commands.command import command
from tarsus.studio.copies import Image, chosen_with_carriers, copied, copied_part, linkage_of
from tarsus.studio.document import Document
from tarsus.studio.document_files import HEADER, KIND, write_scene
from tarsus.studio.exporting import export, loaded
from tarsus.studio.gallery import ENTRIES
from tarsus.studio.language import Line, LineError, one_of, shown, to_read, to_write
from tarsus.studio.opening import opened

if TYPE_CHECKING:
    from tarsus.studio.session import Stage

# To copy: `duplicate` and `mirror` bodies, groups and whole linkages, with what is on them.


PLANES = {"x": 0, "y": 1, "z": 2}
BESIDE = (0.0, 0.3, 0.0)
"""Where a copy goes, unless stated [m]."""


@command("duplicate NAME… NEW -t x y z -whole on|off")
def duplicate(stage: Stage, line: Line) -> str:
    """Copy bodies or groups with joints and parts between; -whole on takes all that hangs on it."""
    line.expect(["NAME", "NEW"], ["-t", "-whole"], more=True)
    shift = line.numbers("-t", 3) if "-t" in line.options else np.array(BESIDE)
    return _copy(stage, line, pose(shift), np.eye(4))


@command("mirror NAME… NEW -plane x|y|z -at X -whole on|off")
def mirror(stage: Stage, line: Line) -> str:
    """Copy bodies or groups as images in a plane across an axis of the world, at X on it."""
    line.expect(["NAME", "NEW"], ["-plane", "-at", "-whole"], more=True)
    axis = PLANES[one_of(" ".join(line.options.get("-plane", ["y"])), PLANES, "-plane")]
    local = np.eye(4)
    local[axis, axis] = -1.0
    world = local.copy()
    world[axis, 3] = 2.0 * (line.number("-at") if "-at" in line.options else 0.0)
    return _copy(stage, line, world, local)


def _copy(stage: Stage, line: Line, world: Array, local: Array) -> str:
    """Add copies of what a line names, where they are and as they move."""
    *old, new = line.words
    check_new(stage, new)
    bodies = _chosen(stage, old, line)
    image = Image(world, _names(stage, bodies, old, new), local)
    document, machine = stage.document, stage.machine
    stated = document.description
    loose = {
        joint.name: joint.child
        for joint in stated.joints
        if joint.child in bodies and joint.parent not in (WORLD, *bodies)
    }
    places = {body: image.in_world(machine.pose(body)) for body in loose.values()}
    copies = copied(stated, image, places)
    lists = ("bodies", "joints", "couplings", "loops", "frames", "shapes")
    both: dict[str, Any] = {
        name: [*getattr(stated, name), *getattr(copies, name)] for name in lists
    }
    model = Model(replace(stated, **both), strict=machine.model.strict)
    parts, resting = dict(document.parts), set(document.resting)
    for name, part in document.parts.items():
        if copy := copied_part(part, image, _part_name(name, bodies, image, new), loose):
            check_new(stage, copy.name)
            parts[copy.name] = copy
            resting |= {copy.name} if name in resting else set()
    groups = dict(document.groups)
    known = [body.name for body in machine.bodies() if body.name in bodies]
    if len(known) > 1:
        groups[new] = tuple(image.names[body] for body in known)
    document = document.but(
        description=model.description, parts=parts, resting=frozenset(resting), groups=groups
    )
    start = _state(stage, model, image)
    stage.become(document, f"{line.verb} {' '.join(line.words)}", model=model, start=start)
    told = f"{new}: {', '.join(image.names[body] for body in known)}"
    return f"{told}; free, without {', '.join(loose)}" if loose else told


def _chosen(stage: Stage, names: list[str], line: Line) -> set[str]:
    """Return the bodies that names of bodies and groups stand for, with their carriers."""
    bodies = named_bodies(stage, names)
    if one_of(" ".join(line.options.get("-whole", ["off"])), ("on", "off"), "-whole") == "on":
        bodies = set().union(*(linkage_of(stage.document.description, body) for body in bodies))
    return chosen_with_carriers(stage.document.description, bodies)


def named_bodies(stage: Stage, names: list[str]) -> set[str]:
    """Return the bodies that names of bodies and groups stand for."""
    document = stage.document
    known = [body.name for body in stage.machine.bodies()]
    found: set[str] = set()
    for name in names:
        one_of(name, [*document.groups, *known], "body")
        bodies = {body for body in document.groups.get(name, (name,)) if body in known}
        if not bodies:
            raise LineError(f"group {name} has no bodies any more", "NAME")
        found |= bodies
    return found


def _names(stage: Stage, bodies: set[str], old: list[str], new: str) -> dict[str, str]:
    """Return what copies of bodies and of all between them are called."""
    stated = stage.document.description
    alone = len([body for body in stage.machine.bodies() if body.name in bodies]) == 1
    known = {body.name for body in stage.machine.bodies()}

    def called(name: str) -> str:
        return new if alone and (name in old or name in bodies & known) else f"{new}_{name}"

    found = {body.name: called(body.name) for body in stated.bodies if body.name in bodies}
    carried = [joint for joint in stated.joints if joint.child in bodies]
    inside = {*bodies, WORLD}
    own: list[Any] = [
        *carried,
        *(frame for frame in stated.frames if frame.body in bodies),
        *(loop for loop in stated.loops if inside >= {loop.body_a, loop.body_b}),
        *(c for c in stated.couplings if {*c.leaders, *c.followers} <= {j.name for j in carried}),
    ]
    for each in own:
        found.setdefault(each.name, called(each.name))
    taken = {*stage.document.taken, *(joint.name for joint in stated.joints)}
    for name in found.values():
        if name in taken:
            raise LineError(f"there is something called {name!r} already", "NEW")
    return found


def _part_name(name: str, bodies: set[str], image: Image, new: str) -> str:
    """Return what the copy of a part is called; a body's own follows the body."""
    body, dot, own = name.partition(".")
    return f"{image.names[body]}.{own}" if dot and body in bodies else f"{new}_{name}"


def _state(stage: Stage, model: Model, image: Image) -> tuple[Array, Array]:
    """Return the state in which copies are and move as images of what they are copies of."""
    machine = stage.machine
    old, q, v = machine.model, model.neutral(), np.zeros(model.nv)
    back = {new: name for name, new in image.names.items()}
    others = []
    moving = {joint.name: joint for joint in old.joints}
    for joint in model.joints:
        # the copy of a body that was welded to another is free
        source = moving.get(back.get(joint.name, joint.name))
        alike = source is not None and joint.kind == source.kind and joint.nq == joint.nv == 1
        if source is not None and (joint.name not in back or alike):
            q[joint.q_slice] = machine.q[source.q_slice]
            v[joint.v_slice] = machine.v[source.v_slice]
            continue
        others.append(joint)
        parent = model.bodies[joint.index].parent
        at = np.eye(4)
        if parent >= 0:
            at = image.in_world(machine.pose(back[model.body_names[parent]]))
        seen = inverse(at @ joint.placement) @ image.in_world(machine.pose(back[joint.child]))
        q[joint.q_slice] = joint_coordinates(joint, seen)
    for joint in others:
        aim = image.twist(old.frame_velocity(machine.q, machine.v, back[joint.child]))
        jacobian = model.frame_jacobian(q, joint.child)
        left = aim - jacobian @ v
        v[joint.v_slice] += np.linalg.pinv(jacobian[:, joint.v_slice], rcond=1e-10) @ left
    return q, v


# Files: `new`, `load`, `save`, `export`.


@command("new")
def new(stage: Stage, line: Line) -> str:
    """Begin with nothing; undo brings back what was there."""
    line.expect([])
    stage.begin(Document(), "new")
    return "an empty world"


@command("load FILE_OR_NAME", files=True)
def load(stage: Stage, line: Line) -> str:
    """Open a file (URDF, SDF, MJCF, YAML, JSON, a scene), or a robot or a scene by name."""
    line.expect(["FILE_OR_NAME"])
    word = line.words[0]
    world = loaded(stage, word)
    start = world.q, world.v
    stage.begin(world.document, f"load {word}", model=world.model, start=start, t=world.t)
    for text in (*world.notes, *world.model.warnings):
        stage.tell(text)
    return f"{world.document.description.name}: {world.model.n_bodies} bodies"


@command("save FILE", noted=False, files=True)
def save(stage: Stage, line: Line) -> str:
    """Write the world as it is now to a studio scene (.json)."""
    line.expect(["FILE"])
    (path,) = to_write(stage, [line.words[0]], (KIND,), HEADER)
    with stage.guard.writing(path, HEADER) as part:
        lost = write_scene(stage, part)
    return "; ".join([f"saved to {shown(stage, path)}", *(f"not kept: {each}" for each in lost)])


@command("export FILE -fps n -speed x -size w h -whole on|off", noted=False, files=True)
def export_file(stage: Stage, line: Line) -> str:
    """Write a model, the recording, a picture, a film or a page; the ending chooses."""
    line.expect(["FILE"], ["-fps", "-speed", "-size", "-whole"])
    return export(stage, line.words[0], line)


# The gallery: `open` a scene, or list them.


@command("open SCENE", files=True)
def open_scene(stage: Stage, line: Line) -> str:
    """Open a scene of the gallery; without a name, say which there are."""
    line.expect([], more=True)
    if not line.words:
        return "\n".join(f"{name}: {entry.invite}" for name, entry in ENTRIES.items())
    entry = ENTRIES[one_of(line.words[0], ENTRIES, "scene")]
    document, model, start = opened(entry.make())
    document = document.but(
        guide=entry.guide, charts=entry.charts, sliders=entry.bound(), scene=entry.name
    )
    stage.begin(document, f"open {entry.name}", model=model, start=start)
    told = [stage.answered(each) for each in entry.lines]
    return "\n".join([entry.invite, *told])


# Scripts as parts: `run FILE name=value…`.


KINDS = (".ves", ".txt")
MOST_BYTES = 4 * 1024 * 1024
FOLDERS: list[Traversable] = []
"""Folders of scripts that come with installed packages."""


@command("run FILE name=value…", noted=False, files=True)
def run(stage: Stage, line: Line) -> str:
    """Do all lines of a script, with values in the places of $name; all of them or none."""
    line.expect(["FILE"], more=True)
    name, *words = line.words
    lines = lines_of(script_text(stage, name), values_of(words))
    if stage.depth >= DEEPEST:
        raise LineError(f"run: scripts run scripts more than {DEEPEST} deep", "FILE")
    stage.depth += 1
    try:
        answers = [
            _said(stage, text, f"{name}, line {number}") for number, text in enumerate(lines, 1)
        ]
    finally:
        stage.depth -= 1
    return "\n".join(answer for answer in answers if answer)


def script_text(stage: Stage, name: str) -> str:
    """Return a script below the stage's folder, or one that comes with an installed package."""
    for folder in FOLDERS if name.isidentifier() else ():
        script = folder.joinpath(f"{name}.ves")
        if script.is_file():
            return script.read_text("utf-8")
    path = to_read(stage, name, KINDS, most=MOST_BYTES)
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise LineError(f"{name} is no text: {error}", "FILE") from None


def _said(stage: Stage, text: str, where: str) -> str:
    try:
        answer = stage.answered(text, noted=True)
    except LineError as error:
        message = f"{where}, {text.strip()!r}: {error}"
        raise LineError(message, error.field, error.confirm) from None
    if stage.work.stopping:
        raise LineError(f"{where}, {text.strip()!r}: the script was stopped, and is taken back")
    return answer


# Scripts: files of lines, also with numbers that are stated when they run.
#
#     ; wheel.ves: a wheel on a hinge
#     ; default radius=.2
#     add wheel $name -radius $radius -t $x 0 $radius
#
# `run wheel.ves name=left x=1` puts words in the places of `$name` and `$x`. So a script is a part
# that can be had again and again. A word may be a number, or an expression of numbers in braces:
# `${2*radius+.1}`.


NAME = re.compile(r"[A-Za-z_]\w*")
PLACE = re.compile(r"\$(?:(?P<name>[A-Za-z_]\w*)|\{(?P<expression>[^{}]*)\})")
DEFAULT = re.compile(r"\s*;\s*default\s+(?P<words>.*)")
FORBIDDEN = re.compile(r"[\s;'\"$]")
MOST_LINES = 100_000
DEEPEST = 8
"""Scripts that run scripts."""


def values_of(words: Sequence[str]) -> dict[str, str]:
    """Return words such as radius=.2 as values by name."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not NAME.fullmatch(name):
            raise LineError(f"{word!r} is no value: it must be name=value", "name=value")
        if FORBIDDEN.search(value):
            raise LineError(f"{name}: {value!r} must be one word", "name=value")
        if name in found:
            raise LineError(f"{name} is stated twice", "name=value")
        found[name] = value
    return found


def lines_of(script: str, values: Mapping[str, str]) -> list[str]:
    """Return the lines of a script with values in their places; all stated ones must be used."""
    lines = script.splitlines()
    if len(lines) > MOST_LINES:
        raise LineError(f"the script has {len(lines)} lines, at most {MOST_LINES} are read", "FILE")
    defaults: dict[str, str] = {}
    for line in lines:
        if match := DEFAULT.fullmatch(line):
            defaults |= values_of(match["words"].split())
    used: set[str] = set()
    known = {**defaults, **values}
    found = [_filled(line, number, known, used) for number, line in enumerate(lines, 1)]
    unused = [name for name in values if name not in used and name not in defaults]
    if unused:
        there = sorted({*defaults, *used})
        raise LineError(f"the script has no ${unused[0]}{suggestion(unused[0], there)}", unused[0])
    return found


def _filled(line: str, number: int, values: Mapping[str, str], used: set[str]) -> str:
    """Return a line with values in the places of names and expressions; comments stay."""
    if line.lstrip().startswith(";"):
        return line

    def value(match: re.Match[str]) -> str:
        if match["expression"] is not None:
            return _computed(match["expression"], number, values, used)
        return _known(match["name"], number, values, used)

    return PLACE.sub(value, line)


def _known(name: str, number: int, values: Mapping[str, str], used: set[str]) -> str:
    if name not in values:
        raise LineError(f"line {number}: ${name} has no value, say {name}=…", name)
    used.add(name)
    return values[name]


def _computed(expression: str, number: int, values: Mapping[str, str], used: set[str]) -> str:
    """Return the number that an expression has, with values in the places of names."""

    def put(match: re.Match[str]) -> str:
        if match[0] not in values:
            return match[0]
        return f"({_known(match[0], number, values, used)})"

    try:
        return repr(plan_of(NAME.sub(put, expression))(0.0))
    except ValueError as error:
        raise LineError(f"line {number}: {error}", expression) from None
