"""Worlds that are saved and loaded are the same, to the bit; files are told what is wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from worlds import bits, built

import tarsus as ts
from tarsus import scenes
from tarsus._lib.data import decode, encode
from tarsus._lib.errors import Source
from tarsus.geometry import Ground, HeightField, Profile, SmoothGround, Space, Steps
from tarsus.geometry.surfaces import Paraboloid, Sinusoid
from tarsus.model.name_references import plain as made_plain
from tarsus.parts.constraints import CONSTRAINTS
from tarsus.parts.forces import FORCES
from tarsus.simulation.contact import Compliant, Exact, Hertz, Lemke, Penalty, Saturation
from tarsus.studio import Stage
from tarsus.studio.document import Document, Guide
from tarsus.studio.document_files import KINDS, document_data, read_document

GROUNDS = (
    None,
    Ground(friction=1 / 3, slope=0.1, torsion=0.01),
    Space(restitution=0.5),
    Steps(rise=-0.1, depth=0.25, count=7, start=1 / 3),
    Profile(np.array([[0.0, 0.0], [1.0, 0.1], [1.0, 0.3]]), rolling=0.002),
    HeightField(np.sin(np.arange(12.0)).reshape(3, 4), 0.3, np.array([-1.0, 1 / 7])),
    SmoothGround(Paraboloid(0.3, 0.4)),
    SmoothGround(Sinusoid(0.1, 2.0)),
)
LAWS = (
    "exact",
    Exact(tolerance=1e-8),
    Lemke(facets=6),
    Penalty(stiffness=1e4),
    Compliant(law=Hertz(), slip=Saturation(angle=math.inf)),
)


@pytest.mark.parametrize("ground", GROUNDS, ids=lambda each: type(each).__name__)
def test_every_ground_comes_back(ground: ts.Terrain | None) -> None:
    found = decode(json.loads(json.dumps(encode(ground, "ground", KINDS))), "ground", KINDS)
    assert type(found) is type(ground) and found == ground
    if ground is not None:
        assert found.numbers.tobytes() == ground.numbers.tobytes()
        assert found.parameters.tobytes() == ground.parameters.tobytes()


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_every_law_comes_back(law: object) -> None:
    found = decode(json.loads(json.dumps(encode(law, "contact", KINDS))), "contact", KINDS)
    assert found == law


def test_a_world_comes_back_to_the_bit(tmp_path: Path) -> None:
    stage = built(Stage(root=tmp_path))
    stage.run("advance 300\nset soft -on off")
    assert stage.do("save a.json").ok
    before = bits(stage)
    other = Stage(root=tmp_path)
    assert other.do("load a.json").ok
    after = bits(other)
    for name in ("document", "q", "v", "t"):
        assert after[name] == before[name], name
    assert not other.machine.simulation.parts["soft"].on
    assert other.document.description == stage.document.description
    assert dict(other.document.parts) == dict(stage.document.parts)
    # and it is saved to the same text again
    assert other.do("save b.json").ok
    assert (tmp_path / "b.json").read_text() == (tmp_path / "a.json").read_text()


def test_saved_worlds_move_alike(tmp_path: Path) -> None:
    """Two that are loaded from one file make the same bits, and so does one that was edited."""
    stage = built(Stage(root=tmp_path))
    stage.run("advance 100\nsave a.json")
    ends = []
    for _ in range(2):
        other = Stage(root=tmp_path)
        other.run("load a.json\nadvance 400")
        ends.append((other.machine.q.tobytes(), other.machine.v.tobytes()))
    assert ends[0] == ends[1]


EVERY_PART = (
    ts.constraint.BodyMotion("a", np.eye(4), name="1"),
    ts.constraint.Distance("a", ("b", (0.1, 1 / 3, 0.0)), name="2"),
    ts.constraint.Grab("a", (0.0, 1.0, 2.0), 30.0, name="3"),
    ts.constraint.Joint("revolute", "a", ("b", np.eye(4)), time_constant=0.1, name="4"),
    ts.constraint.JointMotion("j", 0.5, name="5"),
    ts.constraint.MoveTo("a", (1.0, 0.0, -0.0), name="6"),
    ts.constraint.Nail(("a", (0.0, 0.0, 0.1)), pose=True, name="7"),
    ts.constraint.Orientation("a", of="b", name="8"),
    ts.constraint.PointInPlane("a", (0.0, 1.0, 0.0), name="9"),
    ts.constraint.PointOnPath("a", np.arange(9.0).reshape(3, 3), name="10"),
    ts.constraint.PointToPoint("a", "b", limit=3.0, name="11"),
    ts.forces.Weight("a", 3.0, name="w"),
    ts.constraint.Weld("a", "b", where_they_are=False, name="12"),
    ts.forces.Brake("a", 0.1, name="13"),
    ts.forces.Damper("a", "b", 0.1, name="14"),
    ts.forces.Damping("a", 0.1, 0.2, name="15"),
    ts.forces.Drag("a", 0.1, name="16"),
    ts.forces.GravityField((0.0, 0.0, 1.0), name="17"),
    ts.forces.JointSpring({"j": 1.0, "k": -0.5}, 10.0, rest=None, name="18"),
    ts.forces.Motor("j", 0.1, 2.0, voltage=12.0, name="19"),
    ts.forces.Rubber("a", (0.0, 0.0, 1.0), 10.0, name="20"),
    ts.forces.Spring("a", "b", 10.0, 1 / 3, name="21"),
    ts.forces.String("a", "b", 10.0, name="22"),
    ts.forces.Support("a", 100.0, name="23"),
    ts.forces.Weight("a", 3.7, name="25"),
    ts.forces.Wrench("a", (1.0, 0.0, 0.0), axes="local", name="24"),
)


def test_every_kind_of_part_comes_back() -> None:
    assert {part.kind for part in EVERY_PART} == {*FORCES, *CONSTRAINTS}
    document = Document(parts={part.name: part for part in EVERY_PART})
    data, lost = document_data(document)
    found = read_document(json.loads(json.dumps(data)), Source("file"))
    again, _ = document_data(found)
    assert not lost and again == data
    for name, part in document.parts.items():
        stated = {f: getattr(part, f) for f in part.__dataclass_fields__ if f != "source"}
        for field, value in stated.items():
            assert made_plain(getattr(found.parts[name], field)) == made_plain(value), (name, field)


@pytest.mark.parametrize("name", scenes.names())
def test_scenes_come_back_with_who_drives(name: str, tmp_path: Path) -> None:
    """The motion from a file is that of the scene, bit by bit: controllers and contact points."""
    stage = Stage(root=tmp_path)
    stage.run(f"load {name}\nsave scene.json")
    other = Stage(root=tmp_path)
    other.run("load scene.json")
    for each in (stage, other):
        each.run("advance 20")
    assert bits(other)["document"] == bits(stage)["document"]
    assert other.machine.q.tobytes() == stage.machine.q.tobytes()
    assert other.machine.v.tobytes() == stage.machine.v.tobytes()


def test_what_python_made_is_told(tmp_path: Path) -> None:
    stage = Stage(scenes.drop(), root=tmp_path)
    answer = stage.do("save scene.json")
    assert answer.ok and "not kept: its controller" in answer.text


def test_guides_come_back(tmp_path: Path) -> None:
    guide = Guide("a title", "text", ("one", "two"), ("three",), "why?", "because")
    stage = Stage(Document(guide=guide), root=tmp_path)
    stage.run("save g.json")
    other = Stage(root=tmp_path)
    other.run("load g.json")
    assert other.document.guide == guide


def test_load_takes_files_of_other_formats(tmp_path: Path) -> None:
    model = ts.robots.four_bar()
    model_file = tmp_path / "sub"
    model_file.mkdir()
    ts.save(model, model_file / "four_bar.yaml")
    ts.save(model, model_file / "four_bar.json")
    for file in ("sub/four_bar.yaml", "sub/four_bar.json", str(model_file / "four_bar.json")):
        stage = Stage(root=tmp_path)
        assert stage.do(f'load "{file}"').ok
        assert stage.machine.model == model
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(
        '<robot name="arm"><link name="a"/><link name="b"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
        '<axis xyz="0 1 0"/></joint></robot>'
    )
    stage = Stage(root=tmp_path)
    assert stage.do("load arm.urdf").ok and stage.machine.model.joint_names == ("j",)


@pytest.mark.parametrize("name", ["quadruped", "chain(5)", "four_bar"])
def test_load_takes_names_of_robots(name: str) -> None:
    stage = Stage()
    assert stage.do(f"load {name}").ok
    assert stage.do("advance 5").ok


def test_new_and_load_are_undone() -> None:
    stage = built(Stage())
    stage.run("advance 50")
    before = bits(stage)
    stage.run("new")
    assert not stage.document.description.bodies and stage.t == 0.0
    stage.run("load chain(3)\nadvance 20\nundo\nundo")
    after = bits(stage)
    for name in ("document", "q", "v", "t"):
        assert after[name] == before[name], name
    stage.run("redo\nredo")
    assert stage.machine.model.n_bodies == 3 and stage.t == pytest.approx(0.02)


BEGIN = '{"format": "tarsus studio", "version": 2, "name": "x", '
BROKEN = {
    "{": "malformed JSON",
    '{"format": "tarsus studio", "version": 1, "name": "x"}': "version 2",
    '{"more": 1}': "'more'",
    '{"parts": [{"kind": "sprong"}]}': "spring",
    '{"ground": {"$kind": "Popen"}}': "Popen",
    '{"ground": {"$kind": "Exact"}}': "ground",
    '{"charts": 3}': "charts",
    '{"sliders": {"a": {}}}': "slider 'a'",
    '{"dt": "now"}': "dt",
    '{"scene": "os.system"}': "no scene",
    '{"state": {"q": [1], "v": []}}': "state",
    '{"bindings": {"a": 1}}': "must be a word",
    '{"settings": {"dt": 1}}': "dt",
    '{"settings": {"evil": 1}}': "evil",
}


@pytest.mark.parametrize("text", BROKEN)
def test_broken_scenes_are_told_and_change_nothing(text: str, tmp_path: Path) -> None:
    stage = built(Stage(root=tmp_path))
    before = bits(stage)
    whole = text if text == "{" or "format" in text else BEGIN + text[1:]
    (tmp_path / "broken.json").write_text(whole)
    answer = stage.do("load broken.json")
    assert not answer.ok and BROKEN[text] in answer.text and "\n" not in answer.text
    assert bits(stage) == before
