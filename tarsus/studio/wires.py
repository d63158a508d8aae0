"""Wires and meshes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.formats.mesh_files import KINDS, read_mesh
from tarsus.geometry.meshes import enclosed
from tarsus.model.description import Loop
from tarsus.model.editor import Editor
from tarsus.spatial import inverse, pose
from tarsus.studio import editing as setting
from tarsus.studio.adding import PLACED, SOLIDS, TURNED, check_new, mass_of, place, placement_of
from tarsus.studio.assembly import join
from tarsus.studio.language import Line, LineError, one_of, to_read

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


# Wires: chains of short links from point to point, which hang, bend and pull, and never push.
#
# A wire of n links has n − 1 balls between them, and one at each end that is tied. One that is
# longer than its way hangs in an arc of a circle at first, and finds its own shape when time goes
# on.


LINKS, MOST_LINKS = 8, 60
RADIUS, DENSITY = 0.006, 2000.0
"""Of a link [m]; of a wire with its coat [kg/m³]."""
SLACK = 1.1
"""How much longer than its way a wire is that is tied at both ends."""
CALMING = 0.5
"""Damping of its balls, for the mass and the squared length of a link [1/s]."""
COLOR = (0.25, 0.27, 0.3)


def add_wire(stage: Stage, name: str, line: Line, said: str) -> str:
    """Add a wire between two places: `-a car -.4 0 0 -b can 0 0 .1 -length .6 -links 8`.

    `-free a`, `b` or `both` says which of its ends are not tied.
    """
    own = ("-a", "-b", "-length", "-links", "-radius", "-free")
    line.expect(["KIND", "NAME"], [*own, "-m", "-density", "-color", "-touches"])
    free = one_of(
        " ".join(line.options.get("-free", ["none"])), ("a", "b", "both", "none"), "-free"
    )
    ends = [place(stage, line, option) for option in ("-a", "-b")]
    tied = [free not in ("a", "both"), free not in ("b", "both")]
    if tied == [False, True]:
        ends, tied = ends[::-1], tied[::-1]
    start, end = (_in_world(stage, *each) for each in ends)
    count = _links(line)
    length = _length(line, start, end, slack=all(tied))
    points = arc(start, end, length, count)
    if _is_in_ground(stage, points, _radius(line)):
        points = arc(start, end, length, count, level=True)
    links = [f"{name}_{k}" for k in range(1, count + 1)]
    for link in links:
        check_new(stage, link)
    editor = Editor(stage.machine.model)
    on = ends[0] if tied[0] else None
    mass = _hang(stage, editor, links, points, on, line)
    document = stage.document
    document = document.but(
        description=editor.build().description, groups={**document.groups, name: tuple(links)}
    )
    loops = []
    if tied[1]:
        tip = pose((float(np.linalg.norm(points[1] - points[0])), 0.0, 0.0))
        loops = [Loop(f"{name}_end", "spherical", links[-1], ends[1][0], tip, pose(ends[1][1]))]
    join(stage, document, loops, said)
    return f"{name}: {count} links, {count * mass:.4g} kg"


def arc(start: Array, end: Array, length: float, count: int, *, level: bool = False) -> Array:
    """Return the ends (count + 1, 3) of links of a wire that hangs from one point to another.

    They lie on an arc of a circle, upright or `level`: with the angle θ between links, a way of d
    is l sin(n θ / 2) / sin(θ / 2) for n links of the length l.
    """
    way, link = float(np.linalg.norm(end - start)), length / count
    low, high = 0.0, 2.0 * np.pi / count
    for _ in range(60):
        middle = (low + high) / 2
        reach = link * np.sin(count * middle / 2) / np.sin(middle / 2)
        low, high = (middle, high) if reach > way else (low, middle)
    angle = (low + high) / 2 if way < (1.0 - 1e-9) * length else 0.0
    along = (end - start) / way if way > 0.0 else np.array([1.0, 0.0, 0.0])
    up = np.eye(3)[2] - along[2] * along
    up = up if np.linalg.norm(up) > 1e-6 else np.eye(3)[0]
    turns = angle * (np.arange(count) - (count - 1) / 2)
    side = (np.cross(along, up) if level else up) / np.linalg.norm(up)
    steps = link * (np.cos(turns)[:, None] * along + np.sin(turns)[:, None] * side)
    return np.concatenate([start[None], start + np.cumsum(steps, axis=0)])


def _hang(
    stage: Stage,
    editor: Editor,
    links: list[str],
    points: Array,
    on: tuple[str, Array] | None,
    line: Line,
) -> float:
    """State the links, each on the one before; return the mass of one [kg]."""
    length = float(np.linalg.norm(points[1] - points[0]))
    solid = {"length": (length,), "radius": (_radius(line),)}
    mass = _mass(line, SOLIDS["rod"].volume(**solid), len(links))
    inertia = tuple(mass * moment for moment in SOLIDS["rod"].inertia(**solid))
    color = (*(line.numbers("-color", 3) if "-color" in line.options else COLOR), 1.0)
    roles = ("visual", "collision")[: 2 if line.options.get("-touches", ["on"]) == ["on"] else 1]
    carrier = on[0] if on else WORLD
    below = stage.machine.pose(carrier)
    for k, link in enumerate(links):
        at = pose(points[k], _along(points[k + 1] - points[k]))
        editor.body(link, mass, (length / 2, 0.0, 0.0), inertia)
        kind = "spherical" if on or k else "free"
        damping = CALMING * mass * length**2 if kind == "spherical" else None
        joint = f"{link}_ball" if kind == "spherical" else link
        editor.joint(joint, kind, carrier, link, placement=inverse(below) @ at, damping=damping)
        for role in roles:
            editor.shape(
                *(link, "capsule", (solid["radius"][0], length)),
                role=role,
                position=(length / 2, 0.0, 0.0),
                rotation=TURNED["x"],
                color=color,
            )
        carrier, below = link, at
    return mass


def _along(way: Array) -> Array:
    """Return a rotation (3, 3) whose first column lies along a way, its second level if it can."""
    x = way / np.linalg.norm(way)
    y = np.cross([0.0, 0.0, 1.0] if abs(x[2]) < 0.9 else [0.0, 1.0, 0.0], x)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def _is_in_ground(stage: Stage, points: Array, radius: float) -> bool:
    ground = stage.document.ground
    if ground is None:
        return False
    return bool((points[:, 2] < ground.height(points[:, 0], points[:, 1]) + radius).any())


def _in_world(stage: Stage, body: str, point: Array) -> Array:
    at = stage.machine.pose(body)
    return np.asarray(at[:3, :3] @ point + at[:3, 3])


def _mass(line: Line, volume: float, count: int) -> float:
    """Return the mass of a link [kg]; `-m` is that of the whole wire."""
    if "-m" in line.options:
        return mass_of(line, volume) / count
    stated = line.options.get("-density", [str(DENSITY)])
    return mass_of(Line("add", [], {"-density": stated}), volume)


def _links(line: Line) -> int:
    count = line.number("-links") if "-links" in line.options else float(LINKS)
    if not count.is_integer() or not 1 <= count <= MOST_LINKS:
        raise LineError(f"-links must be a whole number from 1 to {MOST_LINKS}", "-links")
    return int(count)


def _radius(line: Line) -> float:
    radius = line.number("-radius") if "-radius" in line.options else RADIUS
    if not radius > 0.0:
        raise LineError("-radius must be positive", "-radius")
    return radius


def _length(line: Line, start: Array, end: Array, *, slack: bool) -> float:
    way = float(np.linalg.norm(end - start))
    if "-length" not in line.options:
        if not way > 0.0:
            raise LineError("-length is missing: both ends are at one point", "-length")
        return SLACK * way if slack else way
    length = line.number("-length")
    if not length > 0.0 or length < way:
        raise LineError(f"-length is {length:g} m, and its ends are {way:.4g} m apart", "-length")
    return length


# Bodies of mesh files: mass, centre and inertia from the volume that a mesh encloses.


MOST_BYTES, MOST_TRIANGLES = 32 * 1024 * 1024, 200_000
"""Of a mesh that is read."""


def add_mesh(stage: Stage, name: str, line: Line, said: str) -> str:
    """Add a free body with the shape of a mesh: `-file bunny.stl -scale .001 -density 700`.

    The file's unit is the metre unless `-scale` says otherwise.
    """
    line.expect(["KIND", "NAME"], [*PLACED, "-file", "-scale"])
    words = line.options.get("-file", [])
    if len(words) != 1:
        raise LineError("add mesh: -file needs the name of a file", "-file")
    path = to_read(stage, words[0], KINDS, most=MOST_BYTES)
    scale = line.number("-scale") if "-scale" in line.options else 1.0
    if not scale > 0.0:
        raise LineError(f"-scale is {scale:g}, must be positive", "-scale")
    try:
        vertices, triangles = read_mesh(path, merge=True)
        if len(triangles) > MOST_TRIANGLES:
            raise ValueError(f"it has {len(triangles)} triangles, at most {MOST_TRIANGLES}")
        found = enclosed(scale * vertices, triangles)
    except ValueError as error:
        raise LineError(f"-file {words[0]}: {error}", "-file") from None
    mass = mass_of(line, found.volume)
    inertia = mass / found.volume * found.inertia
    color = (*line.numbers("-color", 3), 1.0) if "-color" in line.options else None
    editor = Editor(stage.machine.model)
    editor.body(name, mass, found.center, inertia)
    editor.joint(name, "free", WORLD, name, placement=placement_of(line, (0, 0, 0.5)))
    for role in ("visual", "collision"):
        if role == "visual" or line.options.get("-touches", ["on"]) == ["on"]:
            editor.shape(name, "mesh", (scale,) * 3, role=role, file=str(path), color=color)
    setting.rebuilt(stage, stage.document, editor.build(), said)
    center = " ".join(f"{x:.4g}" for x in np.asarray(found.center))
    return f"{name}: {mass:.4g} kg, {found.volume:.4g} m³, centre at {center}"
