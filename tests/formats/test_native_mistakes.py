"""Files of our own format that are wrong, hostile or not to be had."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native_texts import SMALL

import tarsus as ts
from tarsus.formats.native import from_data

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


def test_metadata_that_a_file_cannot_keep(tmp_path: Path) -> None:
    description = from_data(SMALL, "small")
    wrong: list[Any] = [{"a": np.zeros(3)}, {"a": {1: 2}}, {"a": float("inf")}, {"a": {3}}]
    for metadata in wrong:
        with pytest.raises(ValueError, match="metadata"):
            ts.save(replace(description, metadata=metadata), tmp_path / "model.yaml")


def test_which_files_can_be_read_and_written(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file .*missing.urdf"):
        ts.load(tmp_path / "missing.urdf")
    with pytest.raises(ValueError, match=r"must be one of .urdf, .sdf, .world, .xml, .mjcf"):
        ts.load(tmp_path / "model.stl")
    with pytest.raises(ValueError, match=r"must be one of .yaml, .yml, .json, .urdf"):
        ts.save(ts.robots.dill(1), tmp_path / "model.stl")
    ts.save(ts.robots.dill(1), tmp_path / "dill.json")
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

    ts.save(ts.robots.dill(1), tmp_path / "dill.yaml")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match=r"pip install 'tarsus\[io\]'"):
        ts.load(tmp_path / "dill.yaml")


def test_metadata_of_a_name_that_is_nearly_read_are_told(tmp_path: Path) -> None:
    description = ts.robots.chain(2).description
    metadata = {"keyframe": {}, "author": "me"}
    ts.save(ts.Model(replace(description, metadata=metadata)), tmp_path / "chain.yaml")
    model = ts.load(tmp_path / "chain.yaml")
    assert model.warnings == (
        "nothing reads 'keyframe' of the metadata; did you mean 'keyframes'?",
    )
    ts.save(model, tmp_path / "again.yaml")
    assert ts.load(tmp_path / "again.yaml").warnings == model.warnings
