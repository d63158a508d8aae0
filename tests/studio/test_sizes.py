"""Bodies of other sizes: as if they were added so, with the density and motion that they had."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tarsus.studio import Stage
from tarsus.studio.client_updates import scene

SOLIDS = {
    "box": ("-size .4 .2 .1", "-size .5 .1 .3"),
    "plate": ("-size .6 .4 .02", "-size .3 .4 .05"),
    "foot": ("-size .2 .08 .03", "-size .3 .1 .05"),
    "rod": ("-length 1 -radius .02", "-length .7 -radius .03"),
    "wheel": ("-radius .2 -width .05", "-radius .3 -width .1"),
    "capsule": ("-length .5 -radius .05", "-length .8 -radius .03"),
    "sphere": ("-radius .1", "-radius .17"),
}


def numbers(stage: Stage, name: str) -> tuple[float, np.ndarray, np.ndarray]:
    body = next(each for each in stage.document.description.bodies if each.name == name)
    return body.mass, body.com, body.inertia


@pytest.mark.parametrize("kind", SOLIDS)
def test_a_body_of_another_size_is_one_that_was_added_so(kind: str) -> None:
    first, second = SOLIDS[kind]
    stage = Stage()
    stage.run([f"add {kind} a {first} -density 1300 -t 0 0 2", f"set a {second}"])
    stage.run([f"add {kind} b {second} -density 1300 -t 1 0 2"])
    for one, other in zip(numbers(stage, "a"), numbers(stage, "b"), strict=True):
        assert one == pytest.approx(other, rel=1e-12, abs=1e-15)
    shapes = [
        [(x.role, x.kind, x.size) for x in stage.document.description.shapes if x.body == name]
        for name in "ab"
    ]
    assert shapes[0] == shapes[1]
    fields = {each["name"]: each["fields"] for each in scene(stage)["bodies"]}
    for field, content in fields["b"].items():
        assert fields["a"][field]["value"] == pytest.approx(content["value"])


def test_a_stated_inertia_is_stretched_like_dust() -> None:
    """Eight grains of dust with any masses: their moments after each of them was moved."""
    random = np.random.default_rng(3)
    grains, masses = random.normal(size=(8, 3)), random.uniform(1, 2, 8)
    grains -= masses @ grains / masses.sum()

    def inertia(points: np.ndarray) -> np.ndarray:
        squares = np.einsum("k,ki,kj->ij", masses, points, points)
        return np.trace(squares) * np.eye(3) - squares

    axes = np.linalg.eigh(inertia(grains))[1]
    grains = grains @ axes
    stage = Stage()
    moments = " ".join(repr(float(x)) for x in np.diag(inertia(grains)))
    stage.run(
        [
            "add box a -size 1 1 1 -t 0 0 3",
            f"set a -m {float(masses.sum())!r}",
            f"set a -in {moments}",
        ]
    )
    stage.run(["set a -size 2 .5 3"])
    mass, _, found = numbers(stage, "a")
    assert mass == pytest.approx(3 * masses.sum())
    assert found == pytest.approx(3 * inertia(grains * [2, 0.5, 3]), abs=1e-9)


def test_a_mesh_is_scaled(tmp_path: Path) -> None:
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)]
    text = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a} {b} {c}" for a, b, c in faces]
    (tmp_path / "corner.obj").write_text("\n".join(text))
    stage = Stage(root=tmp_path)
    stage.run(["add mesh a -file corner.obj -t 0 0 2", "set a -scale .5"])
    mass, com, _ = numbers(stage, "a")
    assert mass == pytest.approx(700 / 6 / 8)  # wood; a corner of a cube of .5 m
    assert com == pytest.approx([0.125] * 3)


def test_edits_while_it_moves_keep_the_motion() -> None:
    stage = Stage()
    stage.run(
        "set ground -on off\nadd rod a -length 1 -t .5 0 2\nadd rod b -length 1 -t 1.5 0 2\n"
        "add revolute h -a world 0 0 2 -b a -.5 0 0\nadd revolute k -a a .5 0 0 -b b -.5 0 0\n"
        "advance 400"
    )
    q, v, t = stage.machine.q, stage.machine.v, stage.t
    stage.run(["set a -length 1.3"])
    assert stage.machine.q == pytest.approx(q, abs=1e-12) and stage.t == t
    assert stage.machine.v == pytest.approx(v, abs=1e-12)
    # hinges stay at the ends: those of a rod of 1.3 m
    ends = [stage.machine.pose("a") @ [x, 0, 0, 1] for x in (-0.65, 0.65)]
    assert ends[0][:3] == pytest.approx([0, 0, 2], abs=1e-12)
    assert ends[1] == pytest.approx(stage.machine.pose("b") @ [-0.5, 0, 0, 1], abs=1e-12)


def test_a_longer_coupler_of_a_four_bar() -> None:
    """Its hinges are as far apart as it is long; one that cannot be closed is refused."""
    stage = Stage()
    stage.run(
        "set ground -on off\n"
        "add rod crank -length .35 -t .0599 0 .7644 -E .8192 0 -.5736 0\n"
        "add revolute pivot -a world 0 0 .6 -b crank -.175 0 0\n"
        "add rod coupler -length 1 -t .5759 0 1.1336 -E .9778 0 -.2093 0\n"
        "add revolute pin -a crank .175 0 0 -b coupler -.5 0 0\n"
        "add rod rocker -length .75 -t .966 0 .9691 -E .6418 0 .7668 0\n"
        "add revolute elbow -a coupler .5 0 0 -b rocker -.375 0 0\n"
        "add revolute closure -a world .9 0 .6 -b rocker .375 0 0\n"
        "add spring coil -a coupler .5 0 0 -b world 0 0 2 -stiffness 10\nadvance 300\n"
        "set coupler -length 1.1"
    )
    assert stage.machine.model.nv == 1
    tip = (stage.machine.pose("crank") @ [0.175, 0, 0, 1])[:3]
    top = (stage.machine.pose("rocker") @ [-0.375, 0, 0, 1])[:3]
    assert np.linalg.norm(tip - top) == pytest.approx(1.1, abs=1e-9)
    assert stage.document.parts["coil"].a == ("coupler", pytest.approx((0.55, 0, 0)))  # type: ignore[attr-defined]
    document = stage.document
    answer = stage.do("set coupler -length 3")
    assert not answer.ok and "cannot be closed" in answer.text and "start" not in answer.text
    assert stage.document is document


def test_what_grows_on_the_ground_stands_on_it() -> None:
    stage = Stage()
    stage.run(["add box b -size .4 .2 .1 -t 0 0 .05", "advance 300", "set b -size .4 .2 .3"])
    assert stage.machine.pose("b")[2, 3] == pytest.approx(0.15, abs=1e-4)
    stage.run(["advance 300"])
    assert stage.machine.pose("b")[2, 3] == pytest.approx(0.15, abs=1e-3)


@pytest.mark.parametrize(
    ("line", "field", "told"),
    [
        ("set b -size 1 2", "-size", "3 numbers"),
        ("set b -size 1 2 0", "-size", "positive"),
        ("set b -radius 1", "-radius", "-size"),
        ("set s -radius big", "-radius", "no number"),
    ],
)
def test_wrong_sizes_name_the_option(line: str, field: str, told: str) -> None:
    stage = Stage()
    stage.run(["add box b -t 0 0 1", "add sphere s -t 1 0 1"])
    document = stage.document
    answer = stage.do(line)
    assert not answer.ok and answer.field == field and told in answer.text
    assert stage.document is document
