"""Changes of values; sliders."""

from __future__ import annotations

import dataclasses
import fnmatch
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.files import Array
from tarsus.geometry.grounds import Ground
from tarsus.model.editor import Editor
from tarsus.model.model import Model
from tarsus.parts.part import Part
from tarsus.parts.rigid_constraints import Rigid
from tarsus.studio.document import Document
from tarsus.studio.language import Line, LineError, one_of

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


# What `set` changes: fields of bodies, joints and parts, of the ground and of the world.


JOINT_FIELDS = (
    *("lower", "upper", "damping", "friction", "armature", "stiffness", "rest"),
    *("velocity_limit", "effort_limit"),
)
GROUND_FIELDS = ("friction", "restitution", "slope", "torsion", "rolling")
FOLLOWING = 0.08
"""How fast something follows its nail, or another hold, when that is put elsewhere [s]."""
STATE_FIELDS = ("-t", "-E", "-vl", "-vr")


def change(stage: Stage, name: str, line: Line) -> str:
    """Change fields of something, and return what was said."""
    if not line.options:
        raise LineError("set: say what, as in set NAME -field value", "-field")
    said = f"set {name} {' '.join(line.options)}"
    if name == "ground":
        return _change_ground(stage, line, said)
    if name == "world":
        return _change_world(stage, line, said)
    names = stage.document.names
    if "*" in name:
        return _change_parts(stage, name, line, said)
    what = names[one_of(name, [*names, "ground", "world"], "name")]
    return CHANGES[what](stage, name, line, said)


def rebuilt(
    stage: Stage,
    document: Document,
    model: Model,
    said: str,
    start: tuple[Array, Array] | None = None,
) -> None:
    """Go on with an edited model; parts whose places are gone go, too."""
    parts = {}
    for name, part in document.parts.items():
        try:
            part.statement(model)
        except (LookupError, ValueError) as error:
            stage.tell(f"{name} is gone: {error}")
        else:
            parts[name] = part
    document = document.but(description=model.description, parts=parts)
    stage.become(document, said, model=model, start=start)


def _change_body(stage: Stage, name: str, line: Line, said: str) -> str:
    """Change sizes, mass, inertia or colour of a body, or where it is and how it moves."""
    from tarsus.studio.sizing import SIZES, resize

    line.expect(["NAME"], ["-m", "-in", "-color", *SIZES, *STATE_FIELDS])
    if set(SIZES) & set(line.options):
        resize(stage, name, line, said)
    line.options = {key: own for key, own in line.options.items() if key not in SIZES}
    state = {option: line.options.pop(option) for option in STATE_FIELDS if option in line.options}
    editor = Editor(stage.machine.model)
    body = next(each for each in stage.document.description.bodies if each.name == name)
    if "-m" in line.options:
        mass = line.number("-m")
        if not mass > 0.0:
            raise LineError("-m must be positive", "-m")
        scale = mass / body.mass if body.mass > 0.0 else 1.0
        editor.change("body", name, mass=mass, inertia=scale * body.inertia)
    if "-in" in line.options:
        editor.change("body", name, inertia=np.diag(line.numbers("-in", 3)))
    if line.options:
        model = _colored(editor, name, line, stage.machine.model.strict)
        rebuilt(stage, stage.document, model, said)
    if state:
        from tarsus.studio.assembly import put

        put(stage, name, Line("set", [name], state), said)
    return ""


def _colored(editor: Editor, name: str, line: Line, strict: bool) -> Model:
    """Return the model, with the shapes of a body in another colour if one is stated."""
    if "-color" not in line.options:
        return editor.build()
    red, green, blue = line.numbers("-color", 3).tolist()
    stated = editor.description()
    shapes = [
        dataclasses.replace(each, color=(red, green, blue, 1.0)) if each.body == name else each
        for each in stated.shapes
    ]
    return Model(dataclasses.replace(stated, shapes=shapes), strict=strict)


def _change_joint(stage: Stage, name: str, line: Line, said: str) -> str:
    """Change limits, damping, friction, spring of a joint, position `-q`, rate `-qdot`."""
    line.expect(["NAME"], [*(f"-{field}" for field in JOINT_FIELDS), "-q", "-qdot"])
    joint = stage.machine.model.joint(name)
    fields = {
        option[1:]: line.numbers(option) for option in line.options if option not in ("-q", "-qdot")
    }
    if fields:
        editor = Editor(stage.machine.model).change(
            "joint",
            name,
            **{key: x.tolist() if len(x) > 1 else float(x[0]) for key, x in fields.items()},
        )
        rebuilt(stage, stage.document, editor.build(), said)
    q, v = stage.machine.q.copy(), stage.machine.v.copy()
    if "-q" in line.options:
        q[joint.q_slice] = line.numbers("-q", joint.nq)
    if "-qdot" in line.options:
        v[joint.v_slice] = line.numbers("-qdot", joint.nv)
    if {"-q", "-qdot"} & set(line.options):
        stage.become(stage.document, said, start=(q, v))
    return ""


def _change_parts(stage: Stage, pattern: str, line: Line, said: str) -> str:
    """Change numbers of all parts whose names match, such as `string*`."""
    chosen = [name for name in stage.document.parts if fnmatch.fnmatchcase(name, pattern)]
    if not chosen:
        raise LineError(f"NAME: no part is called {pattern!r}", "NAME")
    changed = {name: _changed(stage, name, line) for name in chosen}
    stage.become(stage.document.but(parts={**stage.document.parts, **changed}), said)
    return f"{len(chosen)} parts"


def _change_part(stage: Stage, name: str, line: Line, said: str) -> str:
    """Change numbers of a part while it acts; `-on off` lets it rest."""
    document = stage.document
    if "-on" in line.options:
        on = one_of(" ".join(line.options.pop("-on")), ("on", "off"), "-on") == "on"
        resting = document.resting - {name} if on else document.resting | {name}
        document = document.but(resting=resting)
    if line.options:
        document = document.with_part(_changed(stage, name, line))
    stage.become(document, said)
    return ""


def following(part: Part) -> Part:
    """Return a hold that what it holds follows within a time: one that jumps would hurl it."""
    if isinstance(part, Rigid) and part.time_constant == 0.0:
        return dataclasses.replace(part, time_constant=FOLLOWING)
    return part


def _changed(stage: Stage, name: str, line: Line) -> Part:
    """Return a part with other numbers, if it may have them."""
    from tarsus.studio.adding import value_of

    part = stage.document.parts[name]
    fields = {
        each.name: each for each in dataclasses.fields(part) if each.name not in ("name", "source")
    }
    valid = [f"-{field}{axis}" for field in fields for axis in ("", *(f".{x}" for x in AXES))]
    if any("." not in option and option not in valid for option in line.options):
        valid = [f"-{field}" for field in fields]  # no one is helped by a list of all axes
    line.expect(["NAME"], valid)
    values: dict[str, Any] = {}
    for option in line.options:
        field, _, axis = option[1:].partition(".")
        now = values.get(field, getattr(part, field))
        values[field] = (
            moved(now, axis, line.number(option), option)
            if axis
            else value_of(stage, fields[field], line, option)
        )
    changed = dataclasses.replace(part, **values)
    if "target" in values and "time_constant" not in values:
        changed = following(changed)
    changed.statement(stage.machine.model)
    return changed


def _change_ground(stage: Stage, line: Line, said: str) -> str:
    """Change how the ground rubs, bounces and slopes; `-on off` takes it away."""
    line.expect(["NAME"], [*(f"-{field}" for field in GROUND_FIELDS), "-on"])
    ground = stage.document.ground
    if line.options.pop("-on", ["on"]) == ["off"]:
        stage.become(stage.document.but(ground=None), said)
        return "there is no ground"
    values = {option[1:]: line.number(option) for option in line.options}
    if ground is None:
        ground = Ground()
    if "slope" in values and not isinstance(ground, Ground):
        raise LineError(f"-slope: the ground is a {type(ground).__name__}", "-slope")
    stage.become(stage.document.but(ground=dataclasses.replace(ground, **values)), said)
    return ""


def _change_world(stage: Stage, line: Line, said: str) -> str:
    """Change gravity, the step of time, the contact law."""
    along = [f"-gravity.{axis}" for axis in AXES]
    line.expect(["NAME"], ["-gravity", *along, "-dt", "-contact"])
    document = stage.document
    if "-dt" in line.options:
        document = document.but(dt=line.number("-dt"))
    if "-contact" in line.options:
        document = document.but(contact=" ".join(line.options["-contact"]))
    gravity = document.description.gravity
    if "-gravity" in line.options:
        gravity = line.numbers("-gravity", 3)
    for option in (each for each in along if each in line.options):
        gravity = moved(gravity, option[-1], line.number(option), option)
    document = document.but(
        description=dataclasses.replace(document.description, gravity=np.array(gravity))
    )
    stage.become(document, said, start=(stage.machine.q, stage.machine.v))
    return ""


def _change_other(stage: Stage, name: str, line: Line, said: str) -> str:
    raise LineError(
        f"set: {name} is a {stage.document.names[name]}, which has nothing to set", "NAME"
    )


CHANGES = {
    "body": _change_body,
    "joint": _change_joint,
    "part": _change_part,
    "loop": _change_other,
    "left out": _change_other,
    "coupling": _change_other,
    "frame": _change_other,
}


# Numbers that sliders move: `spring1.stiffness`, `nail1.target.x`, `world.gravity.z`.
#
# A target is a name, a dot and a field of what is called so; x, y or z after it is one number of a
# point, or of where a pose is.


AXES = ("x", "y", "z")


def split_target(target: str) -> tuple[str, str]:
    """Return the name and the field of a target: `nail1.target.x` is `target.x` of nail1."""
    stem, _, axis = target.rpartition(".")
    if axis not in AXES:
        stem, axis = target, ""
    name, _, field = stem.rpartition(".")
    return (name, f"{field}.{axis}" if axis else field) if name else ("", target)


def number_at(stage: Stage, target: str) -> float | None:
    """Return the number that a target names, None if there is no such number."""
    name, field = split_target(target)
    field, _, axis = field.partition(".")
    value = _stated(stage, name, field)
    if axis:
        point = np.array([]) if value is None else _point(value)
        return float(point[AXES.index(axis)]) if point.shape == (3,) else None
    if isinstance(value, bool) or np.size(value) != 1 or isinstance(value, str) or value is None:
        return None
    return float(np.ravel(value)[0])


def moved(value: Any, axis: str, number: float, option: str) -> Any:
    """Return a point (3,), or a pose (4, 4), with one number of its place changed."""
    point = np.array([]) if value is None else _point(value)
    if point.shape != (3,):
        raise LineError(f"{option}: this is no point, which has x, y and z", option)
    if np.shape(value) == (4, 4):
        whole = np.array(value, float)
        whole[AXES.index(axis), 3] = number
        return whole
    point[AXES.index(axis)] = number
    return tuple(point.tolist())


def _point(value: Any) -> Any:
    found = np.array(value, dtype=object)
    return (found[:3, 3] if found.shape == (4, 4) else found).astype(float, copy=True)


def _stated(stage: Stage, name: str, field: str) -> Any:
    """Return what a document says of a field, None if it says nothing."""
    document = stage.document
    name = next((each for each in document.parts if fnmatch.fnmatchcase(each, name)), name)
    if name in document.parts:
        return getattr(document.parts[name], field, None)
    if name == "ground":
        return getattr(document.ground, field, None)
    if name == "world":
        return {"gravity": document.description.gravity, "dt": document.dt}.get(field)
    if document.names.get(name) == "joint":
        return getattr(stage.machine.model.joint(name), field, None)
    masses = {body.name: body.mass for body in document.description.bodies}
    return masses.get(name) if field == "m" else None
