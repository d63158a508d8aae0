"""Our own format: what is written comes back with the same bits, and bad files are refused."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tarsus as ts
from tarsus.formats import read
from tarsus.formats.native import from_data, to_data

SUFFIXES = (".yaml", ".yml", ".json")
SMALL = {
    "format": "tarsus",
    "version": 1,
    "name": "pendulum",
    "bodies": [{"name": "rod", "mass": 1.0}],
    "joints": [{"name": "hinge", "kind": "revolute", "parent": "world", "child": "rod"}],
}


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
    description = model.description
    limited = next(joint for joint in description.joints if joint.kind == "translation")
    limited.lower = np.array([-np.inf, 1e-300, -0.0])
    limited.upper = np.array([np.inf, 0.1 + 0.2, 1e22])
    limited.velocity_limit = np.array([np.inf, 1.0, 2.0])
    limited.effort_limit = np.full(3, np.inf)
    description.bodies[0].com = np.array([-0.0, 1e-5, 123456789.123456789])
    description.bodies[1].name = "ünïcode: [yes] \u2028 # 'quoted' \"twice\"\n"
    for joint in description.joints:
        joint.parent = description.bodies[1].name if joint.parent == "body_1" else joint.parent
        joint.child = description.bodies[1].name if joint.child == "body_1" else joint.child
    for frame in description.frames:
        frame.body = description.bodies[1].name if frame.body == "body_1" else frame.body
    for name in ("null", "1e5", "true", "007", "~", "- a", "*a", "on"):
        description.frames.append(ts.Frame(name, "body_0"))
    color = (0.1, 0.2, 0.3, 1.0)
    mesh = ts.Shape("body_0", "visual", "mesh", (1.0, 1.0, -1.0), file="/a/b c.stl", color=color)
    sphere = ts.Shape("body_2", "collision", "sphere", (0.1,), name="ball")
    description.shapes += [mesh, sphere]
    description.warnings = ["tendons (3) are not taken over", "7"]
    description.metadata = {"author": "me", "nested": {"a b": [1, 2.5, None, True, "x"]}}
    return description


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
    model.save(path)
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
    model.save(path)
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
    model.save(path)
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


BAD_DATA: dict[str, tuple[dict[str, Any], str]] = {
    "format": ({"format": "urdf"}, "must be format 'tarsus', version 1"),
    "version": ({"version": 2}, "version 2"),
    "key": ({"bodys": []}, "unknown key 'bodys'; did you mean 'bodies'.*gravity"),
    "list": ({"bodies": {"rod": 1}}, "bodies must be a list"),
    "entry": ({"bodies": ["rod"]}, "entry 1 of bodies must be a mapping with the keys name, mass"),
    "field": ({"bodies": [{"name": "rod", "weight": 1}]}, "unknown key 'weight'.*mass, com"),
    "missing": ({"joints": [{"name": "hinge"}]}, "entry 1 of joints has no 'kind'"),
    "name": ({"bodies": [{"name": 7}]}, "name must be a string, not 7"),
    "text": ({"bodies": [{"name": "rod", "mass": "1"}]}, "'rod': mass is not an array of numbers"),
    "boolean": ({"bodies": [{"name": "rod", "mass": True}]}, "'rod': mass is not an array"),
    "vector": ({"bodies": [{"name": "rod", "com": 3}]}, "'rod': com must be a list"),
    "length": ({"bodies": [{"name": "rod", "com": [1]}]}, "'rod': com has shape"),
    "inertia": ({"bodies": [{"name": "rod", "inertia": [1, 2]}]}, "'rod': inertia has shape"),
    "gravity": ({"gravity": [0, 0]}, "gravity has shape"),
    "metadata": ({"metadata": [1]}, "metadata must be a mapping"),
    "names": (
        {"couplings": [{"name": "c", "kind": "linear", "leaders": "a", "followers": ["b"]}]},
        "coupling 'c': leaders must be a list",
    ),
    "ragged matrix": (
        {
            "couplings": [
                {
                    "name": "c",
                    "kind": "linear",
                    "leaders": ["hinge"],
                    "followers": ["b"],
                    "matrix": [[1], [2, 3]],
                }
            ]
        },
        "coupling 'c': matrix is not an array of numbers",
    ),
    "parameters": (
        {
            "couplings": [
                {
                    "name": "c",
                    "kind": "spindle",
                    "leaders": ["hinge"],
                    "followers": ["b"],
                    "parameters": [1],
                }
            ]
        },
        "coupling 'c': parameters must be a mapping",
    ),
    "truth": (
        {
            "loops": [
                {"name": "l", "kind": "weld", "body_a": "rod", "body_b": "world", "constraint": 1}
            ]
        },
        "loop 'l': constraint must be true or false, not 1",
    ),
    "end of a loop": (
        {"loops": [{"name": "l", "kind": "weld"}]},
        "entry 1 of loops has no 'body_a'",
    ),
    "function": (
        {
            "couplings": [
                {
                    "name": "c",
                    "kind": "function",
                    "leaders": ["hinge"],
                    "followers": ["b"],
                    "function": "f",
                }
            ]
        },
        "entry 1 of couplings has an unknown key 'function'",
    ),
    "overflow": ({"bodies": [{"name": "rod", "mass": 10**400}]}, "'rod': mass"),
}


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data(tmp_path: Path, case: str, suffix: str) -> None:
    change, message = BAD_DATA[case]
    path = tmp_path / f"bad{suffix}"
    path.write_text(json.dumps(SMALL | change))
    with pytest.raises(ts.ModelError, match=message) as caught:
        ts.load(path)
    assert str(path) in str(caught.value)


BAD_TEXT = {
    "empty.yaml": ("", "must be a mapping"),
    "list.yaml": ("- 1\n- 2\n", "must be a mapping"),
    "broken.yaml": ("name: [1, 2\nbodies: {", r"broken.yaml:\d+: malformed YAML"),
    "tab.yaml": ("name:\n\t- a", r"tab.yaml:2: malformed YAML"),
    "twice.yaml": ("name: a\nname: b\n", r"twice.yaml:2: .*'name' comes twice"),
    "key.yaml": ("1: a\n", "the key 1 is not a string"),
    "anchor.yaml": ("name: &a b\nbodies: *a\n", "anchors, aliases and tags are not allowed"),
    "tag.yaml": ("name: !!python/name:os.system x\n", "anchors, aliases and tags"),
    "documents.yaml": ("name: a\n---\nname: b\n", "a second document"),
    "deep.yaml": ("[" * 5000, "malformed YAML"),
    "nested.yaml": ("name: " + "[" * 100 + "]" * 100, "nested too deeply"),
    "control.yaml": ("name: \x01\n", "malformed YAML"),
    "empty.json": ("", "empty.json:1: malformed JSON"),
    "broken.json": ('{"name":\n "a",\n}', r"broken.json:3: malformed JSON"),
    "twice.json": ('{"name": 1, "name": 2}', "'name' comes twice"),
    "nan.json": ('{"name": NaN}', "NaN is not a number"),
    "deep.json": ("[" * 200000, "nested too deeply"),
    "digits.json": ('{"name": ' + "1" * 5000 + "}", "malformed JSON"),
}


@pytest.mark.parametrize("name", BAD_TEXT)
def test_bad_text(tmp_path: Path, name: str) -> None:
    text, message = BAD_TEXT[name]
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ts.ModelError, match=message) as caught:
        ts.load(path)
    assert str(path) in str(caught.value)


def test_alias_bombs_stay_small(tmp_path: Path) -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 40)]
    path = tmp_path / "bomb.yaml"
    path.write_text("\n".join(levels))
    with pytest.raises(ts.ModelError, match=r"bomb.yaml:1: .*anchors"):
        ts.load(path)


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    path = tmp_path / "binary.yaml"
    path.write_bytes(b"\xff\xfe\x00name")
    with pytest.raises(ts.ModelError, match="not UTF-8"):
        ts.load(path)


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=60), suffix=st.sampled_from([".yaml", ".json"]))
def test_any_text_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, text: str, suffix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"fuzz{suffix}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ts.ModelError):
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
    description.bodies[0].mass = value
    for suffix in (".yaml", ".json"):
        path = tmp_path_factory.getbasetemp() / f"number{suffix}"
        ts.save(description, path)
        assert repr(read(path).bodies[0].mass) == repr(value)


def test_metadata_that_a_file_cannot_keep(tmp_path: Path) -> None:
    description = from_data(SMALL, "small")
    for metadata in ({"a": (1, 2)}, {"a": np.zeros(3)}, {"a": {1: 2}}, {"a": float("inf")}):
        description.metadata = metadata
        with pytest.raises(ValueError, match="metadata"):
            ts.save(description, tmp_path / "model.yaml")


def test_which_files_can_be_read_and_written(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file .*missing.urdf"):
        ts.load(tmp_path / "missing.urdf")
    with pytest.raises(ValueError, match=r"must be one of .urdf, .sdf, .world, .xml, .mjcf"):
        ts.load(tmp_path / "model.stl")
    with pytest.raises(ValueError, match=r"must be one of .yaml, .yml, .json"):
        ts.robots.dill(1).save(tmp_path / "model.urdf")
    ts.robots.dill(1).save(tmp_path / "dill.json")
    with pytest.raises(ValueError, match="leave out base='free'"):
        ts.load(tmp_path / "dill.json", base="free")
    with pytest.raises(ValueError, match="base is 'floating'"):
        ts.load(tmp_path / "dill.json", base="floating")  # type: ignore[arg-type]


def test_xml_files_are_told_apart_by_their_root(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text('<robot name="r"><link name="a"/></robot>')
    assert ts.load(path).frame_names == ("a",)
    path.write_text('<mujoco model="m"><worldbody><body name="b"/></worldbody></mujoco>')
    assert "b" in ts.load(path).frame_names
    path.write_text("<html/>")
    with pytest.raises(ts.ModelError, match=r"model.xml: the root element is <html>"):
        ts.load(path)


def test_missing_yaml_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    ts.robots.dill(1).save(tmp_path / "dill.yaml")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match=r"pip install 'tarsus\[io\]'"):
        ts.load(tmp_path / "dill.yaml")
