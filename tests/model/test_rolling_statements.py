"""What a rolling joint states: surfaces in every way, what is refused, files and edits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tarsus as ts
from tarsus.formats.native import to_data
from tarsus.model.description import SurfaceStatement
from tarsus.model.rolling import BODIES, GROUNDS, NUMBERS

BALL = {"kind": "sphere", "numbers": [0.2]}


@dataclass(frozen=True)
class Egg:
    """A surface of somebody else."""

    kind: str = "ellipsoid"
    numbers: tuple[float, ...] = (0.1, 0.2, 0.3)


def one(kind: str = "rolling", **joint: Any) -> ts.Model:
    b = ts.Builder("one").body("body", 1.0, inertia=(1, 1, 1))
    return b.joint("root", kind, "world", "body", **joint).build()


def test_the_core_and_python_know_the_same_surfaces() -> None:
    kinds = ts._core.surface_kinds()
    assert {kind: len(names) for kind, names in NUMBERS.items()} == {
        kind: numbers for kind, (numbers, _, _) in kinds.items()
    }
    assert set(BODIES) | set(GROUNDS) == set(kinds)


@pytest.mark.parametrize(
    "surface",
    [
        Egg(),
        {"kind": "ellipsoid", "numbers": np.array([0.1, 0.2, 0.3])},
        SurfaceStatement("ellipsoid", (0.1, 0.2, 0.3)),
    ],
)
def test_surfaces_are_mappings_or_have_kind_and_numbers(surface: Any) -> None:
    model = one(surface=surface)
    joint = model.joint("root")
    assert joint.surface == SurfaceStatement("ellipsoid", (0.1, 0.2, 0.3))
    assert joint.ground == SurfaceStatement("plane")
    assert (model.nq, model.nv) == (6, 3) and model.neutral().tolist() == [0, 0, 0, 0, 0, 1]
    assert np.allclose(model.forward_kinematics(model.neutral())[0, :3, 3], [0, 0, 0.3])
    assert one(surface=Egg()) == model != one(surface=BALL)


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        ({}, "needs a surface.*sphere, ellipsoid, disc, torus"),
        ({"surface": {"kind": "spher", "numbers": [0.1]}}, "surface is of kind 'spher'.*sphere"),
        ({"surface": {"kind": "plane"}}, "surface is of kind 'plane'"),
        ({"surface": {"kind": "paraboloid", "numbers": [1, 1]}}, "'paraboloid'"),
        ({"surface": {"kind": "cylinder", "numbers": [1]}}, "'cylinder'"),
        ({"surface": BALL, "ground": {"kind": "torus", "numbers": [1, 0.1]}}, "ground.*'torus'"),
        ({"surface": {"kind": "sphere", "numbers": [0.0]}}, "above zero, not radius 0"),
        ({"surface": {"kind": "ellipsoid", "numbers": [1, -1, 1]}}, "ry -1"),
        ({"surface": {"kind": "ellipsoid", "numbers": [1, 1]}}, "shape.*rx, ry, rz"),
        ({"surface": {"kind": "sphere", "numbers": [np.nan]}}, "not finite"),
        ({"surface": {"kind": "sphere", "numbers": ["big"]}}, "not an array of numbers"),
        ({"surface": {"kind": "sphere", "radius": 1}}, "unknown key 'radius'"),
        ({"surface": {"kind": 3, "numbers": [1]}}, "must be a surface"),
        ({"surface": 0.3}, "must be a surface"),
        ({"surface": BALL, "radius": 0.2}, "radius is for"),
        ({"surface": BALL, "stiffness": 1.0}, "stiffness"),
        ({"surface": BALL, "ground": {"kind": "paraboloid", "numbers": [2.5, 0]}}, "does not fit"),
        ({"surface": BALL, "ground": {"kind": "sinusoid", "numbers": [1, 1]}}, "does not fit"),
        ({"kind": "rolling_ball", "radius": 0.2, "surface": BALL}, "surface is for rolling"),
        ({"kind": "revolute", "ground": {"kind": "plane"}}, "ground is for rolling"),
        ({"kind": "rolling_cylinder"}, "radius"),
    ],
)
def test_wrong_surfaces_are_refused(joint: dict[str, Any], message: str) -> None:
    with pytest.raises(ts.ModelError, match=f"joint 'root'.*{message}"):
        one(**joint)


def test_the_core_refuses_what_it_has_no_formula_for() -> None:
    from tarsus.model.compile import core_arguments
    from tarsus.model.tree import build_tree

    model = one(surface=BALL)
    arguments = core_arguments(build_tree(model.description, strict=True), model.gravity)
    for kinds, message in (
        ([["plane", "plane"]], "a plane cannot roll on a plane"),
        ([["sphere", "torus"]], "a sphere cannot roll on a torus"),
        ([["sphere", "moon"]], "no surface is named 'moon'"),
        ([["sphere"]], "two for each joint"),
        ([], "differ in length"),
    ):
        with pytest.raises(ValueError, match=message):
            ts._core.Model(**arguments | {"surface_kinds": kinds})


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_files_keep_surfaces(tmp_path: Path, suffix: str) -> None:
    ground = {"kind": "paraboloid", "numbers": [0.1 + 0.2, -0.0]}
    model = one(surface=Egg(), ground=ground)
    path = tmp_path / f"egg{suffix}"
    ts.save(model, path)
    again = ts.load(path)
    assert again == model
    q = model.random_configuration(0)
    assert np.array_equal(again.mass_matrix(q), model.mass_matrix(q))
    assert to_data(model.description)["joints"][0]["surface"] == {
        "kind": "ellipsoid",
        "numbers": [0.1, 0.2, 0.3],
    }


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ("[sphere, 0.2]", "surface must be a mapping"),
        ("{numbers: [0.2]}", "has no 'kind'"),
        ("{kind: sphere, radius: 0.2}", "unknown key 'radius'"),
        ("{kind: [sphere], numbers: [0.2]}", "must be a string"),
        ("{kind: sphere, numbers: 0.2}", "must be a list"),
        ("{kind: sphere, numbers: [.inf]}", "not an array of numbers"),
        ("{kind: sphere, numbers: [0.2, 0.3]}", "shape"),
        ("{kind: moon, numbers: [0.2]}", "'moon'"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, stated: str, message: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(
        "format: tarsus\nversion: 1\nname: bad\nbodies:\n- {name: body, mass: 1.0}\njoints:\n"
        f"- {{name: root, kind: rolling, parent: world, child: body, surface: {stated}}}\n"
    )
    with pytest.raises(ts.ModelError, match=message):
        ts.load(path)


def test_a_joint_that_becomes_another_forgets_its_surfaces() -> None:
    editor = ts.Editor(one(surface=Egg(), ground={"kind": "sinusoid", "numbers": [0.01, 1]}))
    changed = editor.change("joint", "root", kind="spherical").build()
    assert changed.joint("root").surface is None and changed.joint("root").ground is None


def test_tarsus_info_tells_what_rolls_on_what(capsys: pytest.CaptureFixture[str]) -> None:
    from tarsus.cli.info import _motion

    assert _motion(one(surface=Egg()).joint("root")) == "rolling ellipsoid on plane"
