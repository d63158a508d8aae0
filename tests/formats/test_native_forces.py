"""Forces in our own format: every kind comes back with the same bits, bad ones are refused."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native_texts import SMALL, SUFFIXES

import tarsus as ts
from tarsus.formats.native import from_data, to_data
from tarsus.formats.readers import read
from tarsus.parts import Part, Statement
from tarsus.parts.forces import FORCES

Write = Callable[..., Path]

POSE = np.array(
    [[0.0, -1.0, 0.0, 0.1 + 0.2], [1.0, 0.0, 0.0, -0.0], [0, 0, 1.0, 1e-300], [0, 0, 0, 1]]
)
ENDS: dict[str, Any] = {"a": ("rod", (0.1 + 0.2, -0.0, 1e-5)), "b": "rod"}
EVERYTHING: dict[str, dict[str, Any]] = {
    "brake": {"where": ("rod", POSE), "damping": 1 / 3},
    "damper": {**ENDS, "damping": 0.1, "limit": 7.5},
    "damping": {"where": "rod", "linear": 1e-7, "angular": 2},
    "drag": {"where": (1, 2, 3), "quadratic": 1e22, "linear": 5e-324},
    "gravity": {"acceleration": [0, -0.0, 1], "center": np.arange(3), "mu": 3.986e14},
    "joint_spring": {
        "joints": {"hinge": -1 / 3},
        "stiffness": 1e5,
        "damping": 2.0,
        "rest": None,
        "limit": 90.0,
    },
    "motor": {
        "joint": "hinge",
        "constant": 0.05,
        "resistance": 1 / 3,
        "inductance": 1e-4,
        "ratio": 100,
        "voltage": 12.0,
        "voltage_limit": 24.0,
        "current_limit": 30.0,
        "viscous": 0.1,
        "coulomb": 0.2,
        "load": 0.05,
        "thermal_resistance": 2.0,
        "thermal_capacity": 50.0,
        "warming": 0.004,
    },
    "rubber": {**ENDS, "stiffness": 3.0, "rest_length": 0.0, "return_ratio": 0.5, "smoothing": 0.1},
    "spring": {**ENDS, "stiffness": 3.0, "rest_length": 0.7, "damping": 1, "limit": 9},
    "string": {**ENDS, "stiffness": np.float32(0.1), "rest_length": 1e-3, "damping": 0.3},
    "support": {"where": "rod", "stiffness": 1e4, "damping": 10.0, "height": -0.25},
    "weight": {"where": "rod", "acceleration": 1.62},
    "wrench": {"where": "rod", "force": (1, 2, 3), "torque": [4, 5, 6], "axes": "local"},
}
"""All that each kind can state, other than its defaults."""


def with_forces(*forces: Any) -> ts.Description:
    description = from_data(SMALL, "small")
    return dataclasses.replace(description, forces=forces)


def test_every_kind_is_tried_with_all_that_it_states() -> None:
    assert set(EVERYTHING) == set(FORCES)
    for kind, values in EVERYTHING.items():
        fields = {field.name: field for field in dataclasses.fields(FORCES[kind])}
        assert set(values) == set(fields) - {"name", "source"}
        assert all(fields[name].default is not value for name, value in values.items())


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_kind_of_force_comes_back(tmp_path: Path, suffix: str) -> None:
    forces = [FORCES[kind](**values, name=f"the {kind}") for kind, values in EVERYTHING.items()]
    plain = [FORCES[kind](**needed(kind)) for kind in FORCES]
    model = ts.Model(with_forces(*forces, *plain), strict=False)
    path = tmp_path / f"model{suffix}"
    ts.save(model, path)
    again = read(path)
    # by their texts, which tell −0.0 from 0.0 and hold all digits
    assert repr(again.forces) == repr(model.description.forces)
    assert ts.load(path) == model
    assert [force.source.file for force in again.forces] == [str(path)] * len(again.forces)


def needed(kind: str) -> dict[str, Any]:
    """What a kind of force cannot do without."""
    fields = dataclasses.fields(FORCES[kind])
    required = [field.name for field in fields if field.default is dataclasses.MISSING]
    return {name: EVERYTHING[kind][name] for name in required}


def test_defaults_are_left_out() -> None:
    spring = ts.forces.Spring("rod", (0, 0, 1), 5, name="s")
    assert to_data(with_forces(spring))["forces"] == [
        {"kind": "spring", "name": "s", "a": "rod", "b": [0.0, 0.0, 1.0], "stiffness": 5.0}
    ]
    assert "forces" not in to_data(with_forces())


def test_people_may_write_forces_as_they_like(write: Write) -> None:
    text = """
    forces:
    - {kind: spring, a: rod, b: [rod, [1, 0, 0.5]], stiffness: 10, limit: null}
    - {stiffness: 1, joints: {hinge: -2}, rest: ~, kind: joint_spring, name: "1"}
    """.replace("\n    ", "\n")
    header = "\n".join(f"{key}: {json.dumps(value)}" for key, value in SMALL.items())
    spring, joint_spring = ts.load(write(header + text, "model.yaml"), strict=False).forces
    assert spring == ts.forces.Spring("rod", ("rod", (1.0, 0.0, 0.5)), 10.0)
    assert joint_spring == ts.forces.JointSpring({"hinge": -2.0}, 1.0, rest=None, name="1")


def spring(**change: Any) -> dict[str, Any]:
    return {"kind": "spring", "name": "s", "a": "rod", "b": [0, 0, 1], "stiffness": 1, **change}


BAD_FORCES: dict[str, tuple[Any, str]] = {
    "list": ({"kind": "spring"}, "forces must be a list"),
    "entry": (["spring"], "entry 1 of forces is no mapping.*valid: brake, damper"),
    "no kind": ([{"a": "rod"}], "entry 1 of forces has the kind None .*valid: brake"),
    "kind": (
        [spring(kind="sprin")],
        "entry 1 of forces has the kind 'sprin'; did you mean 'spring'",
    ),
    "odd kind": ([spring(kind=["spring"])], r"entry 1 of forces has the kind \['spring'\]"),
    "constraint": ([{"kind": "nail", "where": "rod"}], "has the kind 'nail'"),
    "key": ([spring(stifness=1)], "entry 1 of forces has an unknown key 'stifness'; did you mean"),
    "source": ([spring(source="here")], "unknown key 'source'"),
    "missing": ([{"kind": "spring", "a": "rod"}], "entry 1 of forces has no 'b'"),
    "name": ([spring(name=7)], "name is 7.0, must be a word"),
    "text": ([spring(stiffness="much")], "force 's': stiffness is not an array of numbers"),
    "boolean": ([spring(stiffness=True)], "force 's': stiffness is not an array of numbers"),
    "negative": ([spring(stiffness=-1)], "force 's': stiffness is -1, must be at least 0"),
    "overflow": ([spring(stiffness=10**400)], "force 's': stiffness is not "),
    "large": ([spring(stiffness=1e300)], "force 's': stiffness is not finite"),
    "none": ([spring(stiffness=None)], "force 's': stiffness is not an array"),
    "frame": ([spring(a="rob")], "force 's': a: there is no frame 'rob'; did you mean 'rod'"),
    "nameless": ([spring(name="", a="x")], r"force 1 \(a spring\): a: there is no frame 'x'"),
    "point": ([spring(b=[0, 0])], r"force 's': b has shape \(2,\)"),
    "words": ([spring(b=["rod", "rod"])], "force 's': b is not an array of numbers: 'rod'"),
    "deep": ([spring(b=[[[[1]]]])], "force 's': b has shape"),
    "ragged": ([spring(b=["rod", [[1, 2], [3]]])], "force 's': b is not an array of numbers"),
    "mapping": ([spring(b={"x": 1})], "force 's': b is not an array of numbers"),
    "null": ([spring(b=None)], "force 's': b is not an array of numbers: None"),
    "null in a frame": ([spring(b=["rod", None])], "force 's': b is not an array of numbers"),
    "joints": ([{"kind": "joint_spring", "joints": ["hinge"], "stiffness": 1}], "must be ratios"),
    "ratio": (
        [{"kind": "joint_spring", "joints": {"hinge": [1]}, "stiffness": 1}],
        r"joints\['hinge'\] has shape \(1,\)",
    ),
    "joint": (
        [{"kind": "joint_spring", "joints": {"hing": 1}, "stiffness": 1}],
        "there is no joint 'hing'",
    ),
    "axes": ([{"kind": "wrench", "where": "rod", "axes": "body"}], "unknown axes 'body'"),
    "vector": ([{"kind": "wrench", "where": "rod", "force": [1, "2", 3]}], "force is not an array"),
    "twice": ([spring(), spring()], "the force name 's' is used twice"),
}


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
@pytest.mark.parametrize("case", BAD_FORCES)
def test_bad_forces(tmp_path: Path, case: str, suffix: str) -> None:
    forces, message = BAD_FORCES[case]
    path = tmp_path / f"bad{suffix}"
    path.write_text(json.dumps({**SMALL, "forces": forces}))
    with pytest.raises(ts.ModelError, match=message) as caught:
        ts.load(path)
    assert str(path) in str(caught.value)


def test_forces_know_their_lines(write: Write) -> None:
    header = "\n".join(f"{key}: {json.dumps(value)}" for key, value in SMALL.items())
    text = "\nforces:\n- kind: brake\n  where: tip\n  damping: 1\n"
    file = write(header + text, "model.yaml")
    with pytest.raises(ts.ModelError, match=r"model\.yaml:7: force 1 \(a brake\): where: there is"):
        ts.load(file)


@dataclass(frozen=True, eq=False, repr=False)
class Own(Part):
    """A force that no file knows."""

    kind: ClassVar[str] = "own"

    def statement(self, model: ts.Model) -> Statement:
        return Statement("field", "gravity")


@dataclass(frozen=True, eq=False, repr=False)
class Heavier(ts.forces.Spring):
    """A force that is called like one of ours."""


def test_what_no_file_can_keep_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    for force, name in (
        (Own(name="mine"), "Own"),
        (Heavier("rod", "rod", 1.0, name="mine"), "Heav"),
    ):
        with pytest.raises(
            ts.ModelError, match=f"force 'mine' is a {name}.*, files keep only brake"
        ):
            ts.save(with_forces(force), path)
    assert not path.exists()


def test_a_side_file_adds_forces(write: Write) -> None:
    urdf = write(
        '<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/><inertia '
        'ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" '
        'type="continuous"><parent link="base"/><child link="arm"/></joint></robot>'
    )
    side = write("forces:\n- {kind: spring, a: arm, b: base, stiffness: 3}\n", "side.yaml")
    model = ts.load(urdf, complete=side)
    assert model.forces == (ts.forces.Spring("arm", "base", 3.0),)
    side.write_text("forces:\n- {kind: spring, a: leg, b: base, stiffness: 3}\n")
    with pytest.raises(ts.ModelError, match=r"side\.yaml:2: force 1 .*there is no frame 'leg'"):
        ts.load(urdf, complete=side)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
keys = sorted({key for values in EVERYTHING.values() for key in values} | {"name", "source"})


@settings(max_examples=300, deadline=None)
@given(
    kind=st.sampled_from(sorted(FORCES)),
    change=st.dictionaries(st.sampled_from(keys), plain, max_size=3),
)
def test_any_entry_is_a_force_or_an_error(kind: str, change: dict[str, Any]) -> None:
    description = ts.Model(with_forces(FORCES[kind](**needed(kind))), strict=False).description
    entry = to_data(description)["forces"][0] | change
    try:
        model = ts.Model(from_data({**SMALL, "forces": [entry]}, "file"), strict=False)
    except ts.ModelError as error:
        assert "file" in str(error)
    else:
        again = from_data(to_data(model.description), "file")
        assert repr(again.forces) == repr(model.description.forces)
