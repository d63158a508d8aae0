"""New bodies, solids and couplings."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.description import Loop
from tarsus.model.editor import Editor
from tarsus.parts.constraints import CONSTRAINTS
from tarsus.parts.forces import FORCES
from tarsus.parts.part import Part
from tarsus.robots.building import box as box_inertia
from tarsus.spatial import inverse, pose, rotation_along, rotation_from_quaternion
from tarsus.studio import editing as setting
from tarsus.studio.assembly import connect
from tarsus.studio.language import Line, LineError, numbers, one_of

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


# What `add` makes from a line: bodies, joints between places, parts, gears.


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


# Parts of the palette: shapes by their numbers, with volumes and inertias.


Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Solid:
    """A part as a shape: its options with their defaults [m], the shape, volume, inertia of 1 kg.

    `turned` says that the shape's axis, z, lies along x of the part ("x") or along y ("y").
    """

    kind: str
    options: Mapping[str, tuple[float, ...]]
    size: Callable[..., tuple[float, ...]]
    volume: Callable[..., float]
    inertia: Callable[..., Triple]
    turned: str = "z"


def _cylinder(radius: float, length: float, axis: str) -> Triple:
    """Return the inertia of a cylinder of 1 kg about its centre, with its axis along x, y or z."""
    along, across = radius**2 / 2, radius**2 / 4 + length**2 / 12
    return tuple(along if letter == axis else across for letter in "xyz")  # type: ignore[return-value]


def _capsule(radius: float, length: float) -> tuple[float, Triple]:
    """Return volume, and inertia of 1 kg, of a capsule along x whose straight part has a length."""
    tube, ball = math.pi * radius**2 * length, 4 / 3 * math.pi * radius**3
    volume = tube + ball
    along = (tube * radius**2 / 2 + ball * 0.4 * radius**2) / volume
    # each half ball has its centre 3/8 r beyond the end of the tube
    far = length**2 / 4 + 3 / 8 * length * radius
    across = tube * (radius**2 / 4 + length**2 / 12) + ball * (0.4 * radius**2 + far)
    return volume, (along, across / volume, across / volume)


def _box(x: float, y: float, z: float) -> Solid:
    return Solid(
        "box",
        {"size": (x, y, z)},
        lambda size: tuple(size),
        lambda size: math.prod(size),
        lambda size: box_inertia(1.0, tuple(size)),
    )


SOLIDS: Mapping[str, Solid] = {
    "box": _box(0.4, 0.2, 0.1),
    "plate": _box(0.6, 0.4, 0.02),
    "foot": _box(0.2, 0.08, 0.03),
    "rod": Solid(
        "cylinder",
        {"length": (1.0,), "radius": (0.02,)},
        lambda length, radius: (radius[0], length[0]),
        lambda length, radius: math.pi * radius[0] ** 2 * length[0],
        lambda length, radius: _cylinder(radius[0], length[0], "x"),
        "x",
    ),
    "capsule": Solid(
        "capsule",
        {"length": (0.5,), "radius": (0.05,)},
        lambda length, radius: (radius[0], length[0]),
        lambda length, radius: _capsule(radius[0], length[0])[0],
        lambda length, radius: _capsule(radius[0], length[0])[1],
        "x",
    ),
    "wheel": Solid(
        "cylinder",
        {"radius": (0.2,), "width": (0.05,)},
        lambda radius, width: (radius[0], width[0]),
        lambda radius, width: math.pi * radius[0] ** 2 * width[0],
        lambda radius, width: _cylinder(radius[0], width[0], "y"),
        "y",
    ),
    "sphere": Solid(
        "sphere",
        {"radius": (0.1,)},
        lambda radius: (radius[0],),
        lambda radius: 4 / 3 * math.pi * radius[0] ** 3,
        lambda radius: (0.4 * radius[0] ** 2,) * 3,
    ),
}
"""The palette of parts by name."""

DENSITY = 700.0
"""Of wood [kg/m³], for parts that state neither mass nor density."""


# Gears and rotors: joints that follow others.


UNBALANCE = 1e-9
"""Of bodies that follow gears, as a share of their inertia."""


def add_coupling(stage: Stage, kind: str, name: str, line: Line, said: str) -> str:
    """Let a joint follow another, or give a joint a rotor."""
    joints = [joint.name for joint in stage.machine.model.joints if joint.nv == 1]
    editor = Editor(stage.machine.model)
    if kind == "gear":
        line.expect(["KIND", "NAME"], ["-leader", "-follower", "-ratio"])
        leader, follower = (
            _word(line, option, joints, "joint") for option in ("-leader", "-follower")
        )
        editor.couple([leader, follower], [[1.0], [line.number("-ratio")]], name=name)
        _unbalance(stage, editor, follower)
    else:
        line.expect(["KIND", "NAME"], ["-joint", "-ratio", "-inertia", "-m"])
        joint = _word(line, "-joint", joints, "joint")
        axial = line.number("-inertia")
        mass = line.number("-m") if "-m" in line.options else 0.1
        across = axial / 2 + 1e-6
        editor.body(name, mass, inertia=(across, across, axial))
        editor.gear(joint, line.number("-ratio"), name)
    setting.rebuilt(stage, stage.document, editor.build(), said)
    return f"{name}: {stage.machine.model.nv} velocities"


def _unbalance(stage: Stage, editor: Editor, follower: str) -> None:
    """Let what follows a gear touch: a rotor of perfect symmetry spins, and touches nothing."""
    stated = stage.document.description
    joint = next(each for each in stated.joints if each.name == follower)
    name = stage.machine.owner(joint.child)
    body = next(each for each in stated.bodies if each.name == name)
    axis = np.array([0.0, 0.0, 1.0]) if joint.axis is None else np.asarray(joint.axis)
    seat = stage.machine.model.frame(name).placement[:3, :3]
    across = rotation_along(seat.T @ axis / np.linalg.norm(axis))[:, 0]
    more = UNBALANCE * np.trace(body.inertia) * np.outer(across, across)
    editor.change("body", name, inertia=body.inertia + more)


def _word(line: Line, option: str, valid: list[str], what: str) -> str:
    if len(line.options.get(option, [])) != 1:
        raise LineError(f"{option} needs a {what}", option)
    word = line.options[option][0]
    if word not in valid:
        raise LineError(f"{option}: there is no {what} {word!r}{suggestion(word, valid)}", option)
    return word
