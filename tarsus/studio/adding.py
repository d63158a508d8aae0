"""What `add` makes from a line: bodies, joints between places, parts, gears."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.constraint import CONSTRAINTS
from tarsus.forces import FORCES
from tarsus.model import WORLD
from tarsus.model.checks import suggestion
from tarsus.model.description import Loop
from tarsus.model.editor import Editor
from tarsus.parts import Part
from tarsus.spatial import inverse, pose, rotation_along, rotation_from_quaternion
from tarsus.studio import setting
from tarsus.studio.assembly import connect
from tarsus.studio.language import Line, LineError, numbers, one_of
from tarsus.studio.solids import DENSITY, SOLIDS

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

PLACED = ("-t", "-E", "-m", "-density", "-color", "-touches")
NAME = re.compile(r"[^\s;'\"/\\.-][^\s;'\"/\\]{0,63}")
TURNED = {"z": (0.0, 0.0, 0.0), "x": (0.0, np.pi / 2, 0.0), "y": (np.pi / 2, 0.0, 0.0)}
"""Roll, pitch and yaw that lay the axis of a shape along x or y."""


def check_new(stage: Stage, name: str) -> None:
    """Raise unless something new may have this name."""
    if not NAME.fullmatch(name) or name == WORLD:
        raise LineError(f"{name!r} is no name: letters, digits, _ and the like", "NAME")
    taken = stage.document.taken
    if name in taken:
        raise LineError(f"there is a {taken[name]} {name!r} already", "NAME")


def add_body(stage: Stage, kind: str, name: str, line: Line, said: str) -> str:
    """Add a free body with a shape."""
    solid = SOLIDS[kind]
    line.expect(["KIND", "NAME"], [*PLACED, *(f"-{option}" for option in solid.options)])
    size = {option: _size(line, option, default) for option, default in solid.options.items()}
    mass = mass_of(line, solid.volume(**size))
    inertia = tuple(mass * moment for moment in solid.inertia(**size))
    color = (*line.numbers("-color", 3), 1.0) if "-color" in line.options else None
    editor = Editor(stage.machine.model)
    editor.body(name, mass, inertia=inertia)
    editor.joint(name, "free", WORLD, name, placement=placement_of(line, (0, 0, 0.5)))
    for role in ("visual", "collision"):
        if role == "visual" or line.options.get("-touches", ["on"]) == ["on"]:
            editor.shape(
                *(name, solid.kind, solid.size(**size)),
                role=role,
                rotation=TURNED[solid.turned],
                color=color,
            )
    setting.rebuilt(stage, stage.document, editor.build(), said)
    return f"{name}: {mass:.4g} kg"


def add_joint(stage: Stage, kind: str, name: str, line: Line, said: str) -> str:
    """Join two places by a joint, about or along an axis of a."""
    line.expect(["KIND", "NAME"], ["-a", "-b", "-axis", "-length", "-fly"])
    (body_a, at_a), (body_b, at_b) = place(stage, line, "-a"), place(stage, line, "-b")
    if body_a == body_b:
        raise LineError(f"-b: a joint needs two bodies, both are {body_a!r}", "-b")
    axis = line.numbers("-axis", 3) if "-axis" in line.options else np.array([0.0, 1.0, 0.0])
    if not np.linalg.norm(axis) > 0.0:
        raise LineError("-axis must not be zero", "-axis")
    a = pose(at_a, rotation_along(axis / np.linalg.norm(axis)))
    # frame b is turned as frame a is now, so that nothing has to turn that need not
    turn = inverse(stage.machine.pose(body_b)) @ stage.machine.pose(body_a) @ a
    b = pose(at_b, turn[:3, :3])
    if kind == "universal":
        b = b @ pose(None, rotation_along(np.array([0.0, 1.0, 0.0])))
    length = _length(stage, line, (body_a, a), (body_b, b)) if kind == "distance" else 0.0
    loop = Loop(name, kind, body_a, body_b, a, b, length=length)
    stated = " ".join(line.options.get("-fly", ["on" if stage.playing else "off"]))
    fly = one_of(stated, ("on", "off"), "-fly") == "on"
    if fly and "-fly" not in line.options:
        # a take does not know whether the clock ran
        stage.understood = f"{line} -fly on"
    return connect(stage, loop, said, fly=fly)


def add_part(stage: Stage, kind: str, name: str, line: Line, said: str) -> str:
    """Put a force or a constraint on, its options are its fields."""
    made = FORCES.get(kind) or CONSTRAINTS[kind]
    fields = {
        each.name: each for each in dataclasses.fields(made) if each.name not in ("name", "source")
    }
    line.expect(["KIND", "NAME"], [f"-{field}" for field in fields])
    values = {
        option[1:]: value_of(stage, fields[option[1:]], line, option) for option in line.options
    }
    missing = [
        field
        for field, each in fields.items()
        if field not in values
        and each.default is dataclasses.MISSING
        and each.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise LineError(f"add {kind}: -{missing[0]} is missing", f"-{missing[0]}")
    part: Part = made(**values, name=name)
    stage.become(stage.document.with_part(part), said)
    return f"{name} acts"


def place(stage: Stage, line: Line, option: str) -> tuple[str, Array]:
    """Return the body and the point (3,) in it that an option states: `-a plank .5 0 0`."""
    if option not in line.options:
        raise LineError(f"{line.verb}: {option} is missing, as in {option} BODY x y z", option)
    words = line.options[option]
    if not words:
        raise LineError(f"{option} needs a body and a point, as in {option} BODY x y z", option)
    names = [WORLD, *stage.machine.frame_names]
    if words[0] not in names:
        raise LineError(
            f"{option}: there is no body {words[0]!r}{suggestion(words[0], names)}", option
        )
    point = numbers(words[1:], option, 3) if len(words) > 1 else np.zeros(3)
    return words[0], point


def value_of(stage: Stage, field: Any, line: Line, option: str) -> Any:
    """Return what an option says of a field of a part, by the type of the field."""
    words, kind = line.options[option], str(field.type)
    if "Where" in kind:
        return place(stage, line, option)
    if "Mapping" in kind:
        return _ratios(words, option)
    if "bool" in kind:
        return one_of(" ".join(words), ("on", "off"), option) == "on"
    if "ArrayLike" in kind:
        return _array(numbers(words, option), option)
    if kind.startswith("float"):
        return line.number(option)
    if kind.startswith("str"):
        return " ".join(words)
    return words[0] if len(words) == 1 else tuple(words)


def placement_of(line: Line, default: tuple[float, float, float]) -> Array:
    """Return the pose (4, 4) of `-t x y z` and `-E w x y z`, which need not be a unit."""
    at = line.numbers("-t", 3) if "-t" in line.options else np.array(default, float)
    if "-E" not in line.options:
        return pose(at)
    w, x, y, z = line.numbers("-E", 4)
    length = float(np.linalg.norm((w, x, y, z)))
    if not length > 0.0:
        raise LineError("-E must not be zero", "-E")
    return pose(at, rotation_from_quaternion(np.array([x, y, z, w]) / length))


def _ratios(words: list[str], option: str) -> dict[str, float]:
    """Return names with numbers: `-joints knee 1 hip -2`, or one name alone."""
    if len(words) == 1:
        return {words[0]: 1.0}
    if len(words) % 2 or not words:
        raise LineError(f"{option} needs names with numbers, as in {option} knee 1 hip -2", option)
    return dict(zip(words[::2], numbers(words[1::2], option).tolist(), strict=True))


def _array(values: Array, option: str) -> Any:
    if len(values) == 3:
        return tuple(values.tolist())
    if len(values) == 16:
        return values.reshape(4, 4)
    if len(values) and len(values) % 3 == 0:
        return values.reshape(-1, 3)
    raise LineError(f"{option} needs points of three numbers each", option)


def _size(line: Line, option: str, default: tuple[float, ...]) -> tuple[float, ...]:
    if f"-{option}" not in line.options:
        return default
    found = line.numbers(f"-{option}", len(default))
    if not (found > 0.0).all():
        raise LineError(f"-{option} must be positive", f"-{option}")
    return tuple(found.tolist())


def mass_of(line: Line, volume: float) -> float:
    """Return the mass that `-m` or `-density` says [kg], or that of wood."""
    option = "-m" if "-m" in line.options else "-density"
    if option not in line.options:
        return DENSITY * volume
    value = line.number(option)
    if not value > 0.0:
        raise LineError(f"{option} must be positive", option)
    return value if option == "-m" else value * volume


def _length(stage: Stage, line: Line, a: tuple[str, Array], b: tuple[str, Array]) -> float:
    if "-length" in line.options:
        return line.number("-length")
    here, there = (stage.machine.pose(body) @ at for body, at in (a, b))
    return float(np.linalg.norm(here[:3, 3] - there[:3, 3]))
