"""Our own format: what is written comes back with the same bits, and bad files are refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native_texts import SMALL, SUFFIXES

import tarsus as ts
from tarsus.formats.native import from_data, to_data
from tarsus.formats.readers import read
from tarsus.model.description import DescriptionDraft


def identical(a: Any, b: Any) -> bool:
    """Whether two descriptions have the same bits, but for where they were stated."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return type(a) is type(b) and a.shape == b.shape and a.tobytes() == b.tobytes()
    if dataclasses.is_dataclass(a):
        names = [field.name for field in dataclasses.fields(a) if field.name != "source"]
        return all(identical(getattr(a, name), getattr(b, name)) for name in names)
    if type(a) is dict and type(b) is dict:
        return a.keys() == b.keys() and all(identical(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(identical, a, b))
    return type(a) is type(b) and repr(a) == repr(b)


def everything() -> ts.Description:
    """A description that uses every field, with awkward numbers and names."""
    model = ts.robots.random_mechanism(0, 24, armature=True, springs=True, limits=True)
    description = DescriptionDraft.of(model.description)
    description.change(
        next(joint for joint in description.joints if joint.kind == "translation"),
        lower=np.array([-np.inf, 1e-300, -0.0]),
        upper=np.array([np.inf, 0.1 + 0.2, 1e22]),
        velocity_limit=np.array([np.inf, 1.0, 2.0]),
        effort_limit=np.full(3, np.inf),
    )
    paraboloid = ts.model.description.SurfaceStatement("paraboloid", (-0.0, 0.1 + 0.2))
    rolls = next(joint for joint in description.joints if joint.kind == "rolling")
    description.change(rolls, ground=paraboloid)
    description.change(description.bodies[0], com=np.array([-0.0, 1e-5, 123456789.123456789]))
    name = "ünïcode: [yes] \u2028 # 'quoted' \"twice\"\n"
    description.change(description.bodies[1], name=name)
    for joint in list(description.joints):
        ends = {key: getattr(joint, key) for key in ("parent", "child")}
        description.change(joint, **{key: name for key, end in ends.items() if end == "body_1"})
    for frame in list(description.frames):
        if frame.body == "body_1":
            description.change(frame, body=name)
    for name in ("null", "1e5", "true", "007", "~", "- a", "*a", "on"):
        description.frames.append(ts.Frame(name, "body_0"))
    color = (0.1, 0.2, 0.3, 1.0)
    mesh = ts.Shape("body_0", "visual", "mesh", (1.0, 1.0, -1.0), file="/a/b c.stl", color=color)
    sphere = ts.Shape("body_2", "collision", "sphere", (0.1,), name="ball")
    description.shapes += [mesh, sphere]
    description.warnings = ["tendons (3) are not taken over", "7"]
    description.metadata = {"author": "me", "nested": {"a b": [1, 2.5, None, True, "x"]}}
    return description.build()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_nothing_is_lost(tmp_path: Path, suffix: str) -> None:
    description = ts.Model(everything()).description
    path = tmp_path / f"model{suffix}"
    ts.save(description, path)
    again = read(path)
    assert identical(description, again)
    assert ts.load(path) == ts.Model(description)


def coupled() -> ts.Builder:
    """A mechanism with every field of couplings and loops."""
    builder = ts.Builder("coupled")
    for name in ("crank", "rod", "slider", "left", "right", "foot", "toe", "screw"):
        builder.body(name, 1.0, (0.1, 0.0, 0.0), (0.1, 0.1, 0.1))
    builder.joint("turn", "revolute", "world", "crank").joint("bend", "revolute", "crank", "rod")
    builder.joint("slide", "prismatic", "world", "slider", axis="x")
    pins = ("rod", (0.3, -0.0, 0.1 + 0.2), "slider", np.diag([1.0, -1.0, -1.0, 1.0]))
    start = {"slide": 0.4, "bend": 1e-3}
    builder.close_loop(
        *("point_on_line", *pins),
        name="pin",
        independent=("turn",),
        start=start,
        constraint=False,
    )
    builder.joint("ankle", "revolute", "world", "foot", axis="y")
    builder.joint("ball", "revolute", "foot", "toe", axis="x")
    builder.close_loop(
        "distance", "toe", (1, 0, 0), "world", (1, 0, 1), name="rope", length=1.0, constraint=True
    )
    builder.gear("turn", -7.25, "left", damping=0.1)
    builder.joint("lift", "revolute", "world", "right", axis="y")
    builder.couple(["ankle", "lift"], [[1], [0.1]], offset=[0, -0.0]).joint(
        "spin", "revolute", "right", "screw"
    )
    forms = {"pivot": (0.02, 0, -0.33), "nut": (-0.07, 0, 0.01), "lead": 0.01}
    return builder.transmission("spindle", "ankle", "spin", name="knee", motor=True, **forms)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_couplings_and_loops_are_kept(tmp_path: Path, suffix: str) -> None:
    model = coupled().build()
    path = tmp_path / f"coupled{suffix}"
    ts.save(model, path)
    assert identical(read(path), model.description)
    again = ts.load(path)
    assert again == model
    assert (again.clusters, again.constraints, again.motors) == (
        *(model.clusters, model.constraints),
        model.motors,
    )
    assert np.array_equal(again.neutral(), model.neutral())


def test_couplings_and_loops_in_words() -> None:
    data = to_data(coupled().description())
    gear = {
        "name": "left_joint",
        "kind": "linear",
        "leaders": ["turn"],
        "followers": ["left_joint"],
    }
    assert data["couplings"][0] == gear | {"matrix": [[-7.25]], "motor": True}
    pin = data["loops"][0]
    assert pin["position_a"] == [0.3, -0.0, 0.1 + 0.2]
    assert "rotation_a" not in pin
    assert "position_b" not in pin
    assert pin["rotation_b"] == np.diag([1.0, -1.0, -1.0]).tolist()
    assert (pin["independent"], pin["constraint"]) == (["turn"], False)
    assert data["couplings"][2]["parameters"]["lead"] == 0.01


def test_functions_cannot_be_saved(tmp_path: Path) -> None:
    builder = ts.Builder("x").body("a", 1.0).body("b", 1.0)
    builder.joint("ja", "revolute", "world", "a").joint("jb", "revolute", "a", "b")
    builder.transmission("function", "ja", "jb", name="own", function=lambda y: (y, y, y))
    with pytest.raises(ts.ModelError, match="coupling 'own' is a function of your own"):
        ts.save(builder.description(), tmp_path / "own.yaml")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_model_saves_itself(tmp_path: Path, suffix: str) -> None:
    model = ts.robots.dill(3)
    path = tmp_path / f"dill{suffix}"
    ts.save(model, path)
    again = ts.load(path)
    assert again == model
    q, v = np.full(8, 0.3), np.ones(8)
    assert np.array_equal(again.mass_matrix(q), model.mass_matrix(q))
    assert np.array_equal(again.bias_forces(q, v), model.bias_forces(q, v))


def test_defaults_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    ts.save(from_data(SMALL, "small"), path)
    assert path.read_text() == (
        "format: tarsus\nversion: 1\nname: pendulum\n"
        "bodies:\n- name: rod\n  mass: 1.0\n"
        "joints:\n- name: hinge\n  kind: revolute\n  parent: world\n  child: rod\n"
    )


def test_other_readers_of_yaml_understand_it(tmp_path: Path) -> None:
    import yaml

    model = ts.robots.random_mechanism(0, 24, springs=True, limits=True)
    path = tmp_path / "model.yaml"
    ts.save(model, path)
    assert yaml.safe_load(path.read_text()) == to_data(model.description)


def test_people_may_write_numbers_as_they_like(tmp_path: Path) -> None:
    path = tmp_path / "hand.yaml"
    path.write_text(
        "# a comment\nformat: tarsus\nversion: 1\nname: p\ngravity: [0, 0, -1e1]\n"
        "bodies:\n  - {name: rod, mass: 1, com: [.5, 1.e-1, +2]}\n"
        'joints:\n  - {name: "1", kind: free, parent: world, child: rod}\n'
    )
    model = ts.load(path)
    assert model.gravity.tolist() == [0.0, 0.0, -10.0]
    assert model.body("rod").com.tolist() == [0.5, 0.1, 2.0]
    assert model.joint_names == ("1",)


def test_elements_know_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(
        "format: tarsus\nversion: 1\nname: p\nbodies:\n- name: rod\n  mass: -1.0\n"
        "joints:\n- name: j\n  kind: free\n  parent: world\n  child: rod\n"
    )
    with pytest.raises(ts.ModelError, match=r"bad.yaml:5: body 'rod': mass is -1.0"):
        ts.load(path)


@settings(max_examples=100, deadline=None)
@given(name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_any_name_comes_back(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    description = from_data(SMALL | {"name": name}, "small")
    for suffix in (".yaml", ".json"):
        path = tmp_path_factory.getbasetemp() / f"name{suffix}"
        ts.save(description, path)
        assert read(path).name == name


@settings(max_examples=200, deadline=None)
@given(value=st.floats(0.0, 1e99))
def test_any_number_comes_back(tmp_path_factory: pytest.TempPathFactory, value: float) -> None:
    description = from_data(SMALL, "small")
    body, *others = description.bodies
    bodies = [dataclasses.replace(body, mass=value), *others]
    description = dataclasses.replace(description, bodies=bodies)
    for suffix in (".yaml", ".json"):
        path = tmp_path_factory.getbasetemp() / f"number{suffix}"
        ts.save(description, path)
        assert repr(read(path).bodies[0].mass) == repr(value)
