"""All of the palette is clicked: what was said is in the console, what was made in the model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import click_at, eventually, until, visit
from stories import take

from tarsus.studio import Stage
from tarsus.studio.server import open_studio

Point = tuple[float, float, float]
A, B, FAR, FARTHER = (-0.5, 0.0, 1.0), (0.5, 0.0, 1.0), (0.0, 0.0, 1.5), (0.6, 0.0, 1.6)
TWO = "add box a -size .2 .2 .2 -t -.5 0 1\nadd box b -size .2 .2 .2 -t .5 0 1"
TURNING = (
    "add box a -size .2 .2 .2 -t -.5 0 1\nadd box b -size .2 .2 .2 -t .5 0 1\n"
    "add revolute left -a world -.5 0 1 -b a 0 0 0\n"
    "add revolute right -a world .5 0 1 -b b 0 0 0"
)
PLACE = r"-t( \S+){3}"
BETWEEN = r"-a a 0 0 0 -b b 0 0 0"
AXIS = BETWEEN + r" -axis( -?\d+){3}"
HERE = r"-where a 0 0 0"
LOOK = """new Promise(seen => requestAnimationFrame(() => requestAnimationFrame(() => {
  const { camera } = studio.scene
  Object.assign(camera.goal, { azimuth: -1.2, elevation: 0.2, distance: 9, target: [0, 0, 1] })
  camera.jump()
  studio.scene.dirty = true
  requestAnimationFrame(() => requestAnimationFrame(seen))
})))"""
"""Look from a place where everything is in sight, when the machine has been drawn."""
TETRAHEDRON = """v 0 0 0
v .2 0 0
v 0 .2 0
v 0 0 .2
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""

PARTS = {
    "box": ((FAR,), PLACE),
    "plate": ((FAR,), PLACE),
    "sphere": ((FAR,), PLACE),
    "wheel": ((FAR,), PLACE),
    "foot": ((FAR,), PLACE),
    "rod": ((FAR, FARTHER), rf"{PLACE} -E( \S+){{4}} -length \S+ -radius \S+"),
    "capsule": ((FAR, FARTHER), rf"{PLACE} -E( \S+){{4}} -length \S+ -radius \S+"),
    "wire": ((A, B), BETWEEN),
}
JOINTS = {
    **dict.fromkeys(("revolute", "prismatic", "universal", "cylindrical", "planar"), AXIS),
    **dict.fromkeys(("spherical", "weld"), BETWEEN),
}
FORCES = {
    "spring": rf"{BETWEEN} -stiffness 200 -damping 1",
    "damper": rf"{BETWEEN} -damping 10",
    "string": rf"{BETWEEN} -stiffness 5000 -damping 20",
    "rubber": rf"{BETWEEN} -stiffness 200",
    "wrench": rf"{HERE} -force 0 0 5",
    "brake": rf"{HERE} -damping 5",
    "support": rf"{HERE} -stiffness 2000 -damping 20",
    "damping": rf"{HERE} -linear 0.5",
    "drag": rf"{HERE} -quadratic 0.2",
}
HOLDS = {
    "nail": HERE,
    "point_to_point": BETWEEN,
    "distance": BETWEEN,
    "point_in_plane": rf"{HERE} -normal 0 1 0",
    "orientation": HERE,
}


@pytest.fixture(scope="module")
def opened(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A stage, and a page that shows it."""
    folder = tmp_path_factory.mktemp("palette")
    (Path(folder) / "corner.obj").write_text(TETRAHEDRON)
    with open_studio(Stage(root=folder), port=0) as studio:
        page = visit(chromium, studio.url)
        yield studio.stage, page
        assert not page.errors
        page.context.close()


def begin(stage: Stage, page: Any, lines: str) -> None:
    """Begin a world anew, and wait until the page shows it and stands still."""
    page.evaluate("studio.drop()")
    stage.run(["new", *lines.splitlines()])
    until(page, f"studio.world.frame.revision === {stage.revision}", "the new world")
    page.evaluate(LOOK)


def click(page: Any, points: tuple[Point, ...]) -> None:
    for point in points:
        click_at(page, point)


def said(page: Any, pattern: str) -> str:
    """Wait for a line in the console that is exactly this."""
    lines = page.locator(".entry code")

    def last() -> str:
        text = lines.last.inner_text() if lines.count() else ""
        return text if re.fullmatch(pattern, text) else ""

    return str(eventually(page, last, f"a line as {pattern} after {lines.all_inner_texts()[-3:]}"))


@pytest.mark.parametrize("kind", PARTS)
def test_parts(opened: Any, kind: str) -> None:
    stage, page = opened
    begin(stage, page, TWO)
    take(page, "Parts", kind)
    points, pattern = PARTS[kind]
    click(page, points)
    said(page, rf"add {kind} {kind}1 {pattern}")
    names = {body.name for body in stage.machine.bodies()}
    assert len(names) == 3 + 7 * (kind == "wire")
    page.keyboard.press("Escape")


def test_a_mesh(opened: Any) -> None:
    stage, page = opened
    begin(stage, page, TWO)
    take(page, "Parts", "mesh")
    page.fill("#asked", "corner.obj")
    page.keyboard.press("Enter")
    until(page, "!document.querySelector('dialog[open]')")
    click(page, (FAR,))
    said(page, rf"add mesh mesh1 {PLACE} -file corner.obj")
    mass = {body.name: body.mass for body in stage.document.description.bodies}["mesh1"]
    assert mass == pytest.approx(700 * 0.2**3 / 6)


@pytest.mark.parametrize("kind", JOINTS)
def test_joints(opened: Any, kind: str) -> None:
    stage, page = opened
    begin(stage, page, TWO)
    take(page, "Joints", kind)
    click(page, (A, B))
    said(page, rf"add {kind} {kind}1 {JOINTS[kind]}")
    (joint,) = (x for x in stage.document.description.joints if x.name == f"{kind}1")
    assert joint.kind == {"weld": "fixed"}.get(kind, kind)
    freedoms = {"revolute": 1, "prismatic": 1, "weld": 0, "spherical": 3, "planar": 3}
    assert stage.machine.model.nv == 6 + freedoms.get(kind, 2)
    until(page, f"studio.selected === '{kind}1' && studio.isResting")


def test_a_hinge_to_the_world(opened: Any) -> None:
    stage, page = opened
    begin(stage, page, TWO)
    take(page, "Joints", "revolute")
    click(page, (A,))
    page.keyboard.press("a")  # turns the axis
    page.keyboard.press("w")
    said(page, r"add revolute revolute1 -a a 0 0 0 -b world -0.5 0 1 -axis( -?\d+){3}")
    assert stage.machine.model.nv == 6 + 1


@pytest.mark.parametrize("kind", {**FORCES, **HOLDS})
def test_forces_and_holds(opened: Any, kind: str) -> None:
    stage, page = opened
    begin(stage, page, TWO)
    take(page, "Forces" if kind in FORCES else "Holds", kind)
    pattern = {**FORCES, **HOLDS}[kind]
    click(page, (A, B) if pattern.startswith("-a") else (A,))
    said(page, rf"add {kind} {kind}1 {pattern}")
    names = {**stage.document.names}
    assert names[f"{kind}1"] in ("part", "loop", "joint")
    until(page, f"studio.selected === '{kind}1' && studio.isResting")


def test_a_path(opened: Any) -> None:
    stage, page = opened
    begin(stage, page, TWO)
    take(page, "Holds", "point_on_path")
    click(page, (A, FAR, FARTHER))
    page.keyboard.press("Enter")
    said(page, r"add point_on_path path1 -where a 0 0 0 -path -0.5 0 1( \S+){6}")
    assert stage.document.parts["path1"].kind == "point_on_path"


@pytest.mark.parametrize(
    ("group", "kind", "points", "options"),
    [
        ("Joints", "gear", (A, B), "-leader left -follower right -ratio -2"),
        ("Joints", "rotor", (A,), "-joint left -ratio 10 -inertia 0.0001"),
        ("Forces", "motor", (A,), "-joint left -constant 0.5 -resistance 1 -voltage 6"),
    ],
)
def test_what_acts_on_joints(
    opened: Any, group: str, kind: str, points: tuple[Point, ...], options: str
) -> None:
    stage, page = opened
    begin(stage, page, TURNING)
    take(page, group, kind)
    click(page, points)
    said(page, re.escape(f"add {kind} {kind}1 {options}"))
    assert stage.machine.model.nv == (1 if kind == "gear" else 2)
    if kind == "motor":
        assert stage.document.parts["motor1"].kind == "motor"


def test_the_palette_has_nothing_else(opened: Any) -> None:
    _, page = opened
    kinds = set(page.evaluate("import('./page/kinds.js').then(m => [...m.KINDS.keys()])"))
    clicked = {*PARTS, "mesh", *JOINTS, *FORCES, *HOLDS, "point_on_path", "gear", "rotor", "motor"}
    assert kinds == clicked


def test_copies_and_groups(opened: Any) -> None:
    stage, page = opened
    begin(stage, page, TWO)
    page.evaluate("studio.select('a')")
    page.click(".actions [aria-label^=Duplicate]")
    said(page, "duplicate a a1")
    until(page, "studio.selected === 'a1'")
    page.evaluate("studio.selectAll(['a', 'b'])")
    page.click(".actions [aria-label^=Mirror]")
    said(page, "mirror a b copy1 -plane y")
    until(page, "studio.selection.join() === 'copy1_a,copy1_b'")
    page.click(".actions [aria-label^=Group]")
    said(page, "group group1 copy1_a copy1_b")
    assert stage.document.groups["group1"] == ("copy1_a", "copy1_b")
    assert {body.name for body in stage.machine.bodies()} == {"a", "b", "a1", "copy1_a", "copy1_b"}
