"""Small files that ask for much: refused at once, with the file's name and the limit."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

import tarsus as ts
from tarsus._lib.errors import ModelError
from tarsus.formats import mjcf_document, mjcf_shapes, sdf_includes, text
from tarsus.formats.mjcf import read_mjcf

Write = Callable[..., Path]


def keys(count: int) -> str:
    return ",".join(f'"{k}":0' for k in range(count))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{" + keys(100_000) + ',"99999":0}', "the key '99999' comes twice"),  # minutes, once
        ('{"metadata": [' + "[]," * 5_000_000 + "[]]}", "more than 4000000 values"),
        ('{"format": "tarsus", "metadata": ' + "[" * 300 + "]" * 300 + "}", "more than 50 deep"),
        ("[" * 100_000, "nested too deeply"),
    ],
    ids=["keys", "lists", "deep", "deeper"],
)
def test_json_stays_small(write: Write, content: str, message: str) -> None:
    with pytest.raises(ModelError, match=rf"model\.json: .*{message}"):
        ts.load(write(content, "model.json"))


def test_yaml_stays_small(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_VALUES", 1000)
    with pytest.raises(ModelError, match=r"model\.yaml:1: .*more than 1000 values"):
        ts.load(write("metadata: [" + "a, " * 1000 + "]", "model.yaml"))
    monkeypatch.setattr(text, "MAX_BYTES", 100)
    for name in ("model.yaml", "model.json"):
        with pytest.raises(ModelError, match=rf"{name}: the file is larger than 100 bytes"):
            ts.load(write(" " * 101, name))


def test_deep_metadata_that_are_allowed_are_read(write: Write) -> None:
    data = {"format": "tarsus", "version": 1, "name": "m", "metadata": {"a": 0}}
    data["metadata"]["a"] = json.loads("[" * 48 + "]" * 48)
    found = ts.load(write(json.dumps(data), "model.json")).description.metadata
    assert json.loads(json.dumps(found)) == data["metadata"]


def test_a_model_that_is_too_large_names_its_file(write: Write) -> None:
    data = {
        "bodies": [{"name": f"b{k}", "mass": 1, "inertia": [1, 1, 1]} for k in range(3000)],
        "joints": [
            {"name": f"j{k}", "kind": "free", "parent": "world", "child": f"b{k}"}
            for k in range(3000)
        ],
    }
    file = write(json.dumps({"format": "tarsus", "version": 1, "name": "m", **data}), "big.json")
    with pytest.raises(ModelError, match=r"big\.json: the mechanism is too large"):
        ts.load(file)


# MuJoCo builds whatever it is asked for, and ends the process if it cannot.

FREE = '<body><freejoint/><geom size="1"/></body>'
MODELS = '<mujoco><asset><model name="a" file="{0}"/><model name="b" file="{0}"/></asset></mujoco>'


@pytest.mark.parametrize(
    "inside",
    [
        f'<worldbody><replicate count="9999">{FREE}</replicate></worldbody>',
        "<worldbody>" + f'<replicate count="99">{FREE}</replicate>' * 50 + "</worldbody>",
        '<asset><mesh name="m" builtin="supertorus" params="5000 .2 1 1"/></asset>',
        '<asset><mesh name="m" builtin="cone" params="9000000 .2"/></asset>',
    ],
)
def test_mjcf_may_not_multiply_itself(write: Write, inside: str) -> None:
    with pytest.raises(ModelError, match=r"model\.xml:1: .*asks for more than 10000 elements"):
        read_mjcf(write(f"<mujoco>{inside}</mujoco>", "model.xml"))


def test_attached_models_count_as_often_as_they_are_attached(write: Write) -> None:
    write('<mujoco><worldbody><body name="b">' + '<geom size="1"/>' * 200 + "</body>"
          "</worldbody></mujoco>", "part.xml")  # fmt: skip
    attached = "".join(f'<attach model="a" body="b" prefix="x{k}"/>' for k in range(100))
    asset = '<asset><model name="a" file="part.xml"/></asset>'
    with pytest.raises(ModelError, match="asks for more than 10000 elements"):
        read_mjcf(write(f"<mujoco>{asset}<worldbody>{attached}</worldbody></mujoco>", "model.xml"))
    few = '<attach model="a" body="b" prefix="x"/>'
    model = read_mjcf(write(f"<mujoco>{asset}<worldbody>{few}</worldbody></mujoco>", "model.xml"))
    assert len(model.shapes) == 200


def test_models_of_one_included_file_count_in_another(write: Write) -> None:
    write(
        '<mujoco><worldbody><body name="b">' + "<site/>" * 200 + "</body></worldbody></mujoco>",
        "p.xml",
    )
    write('<mujoco><asset><model name="a" file="p.xml"/></asset></mujoco>', "assets.xml")
    attached = "".join(f'<attach model="a" body="b" prefix="x{k}"/>' for k in range(100))
    write(f"<mujoco><worldbody>{attached}</worldbody></mujoco>", "bodies.xml")
    parts = '<include file="bodies.xml"/><include file="assets.xml"/>'
    with pytest.raises(ModelError, match=r"bodies\.xml:1: .*asks for more than 10000 elements"):
        read_mjcf(write(f"<mujoco>{parts}</mujoco>", "model.xml"))


def test_models_that_each_hold_two_are_refused(write: Write) -> None:
    for k in range(30):
        write(MODELS.format(f"{k + 1}.xml"), f"{k}.xml")
    write("<mujoco/>", "30.xml")
    with pytest.raises(ModelError, match="asks for more than 10000 elements"):
        read_mjcf(write(MODELS.format("0.xml"), "model.xml"))


@pytest.mark.parametrize("how", ["include", "model"])
def test_a_file_that_contains_itself_is_named(write: Write, how: str) -> None:
    inside = {
        "include": '<include file="{}"/>',
        "model": '<asset><model name="a" file="{}"/></asset>',
    }[how]
    alone = write(f"<mujoco>{inside.format('alone.xml')}</mujoco>", "alone.xml")
    with pytest.raises(
        ModelError, match=r"alone\.xml: the file contains itself: alone.xml → alone"
    ):
        read_mjcf(alone)
    write(f"<mujoco>{inside.format('two.xml')}</mujoco>", "one.xml")
    write('<mujoco><include file="one.xml"/></mujoco>', "two.xml")
    with pytest.raises(
        ModelError, match=r"itself: (one.xml → two.xml → one|two.xml → one.xml → t)"
    ):
        read_mjcf(write(f"<mujoco>{inside.format('one.xml')}</mujoco>", "model.xml"))


def png(width: int, height: int) -> bytes:
    """The begin of a picture of that size."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))


def test_what_is_not_taken_over_is_not_made(write: Write) -> None:
    # terabytes, if MuJoCo made them
    write(png(100_000, 100_000), "large.png")
    file = write(
        """<mujoco><size nuser_body="100000000" nuser_geom="1000000000" memory="1000G"
        nuserdata="1000000000" nkey="100000000" nconmax="2000000000"/><asset>
        <texture name="t" type="2d" builtin="checker" width="19000" height="190000"/>
        <texture type="skybox" builtin="gradient" width="20000" height="120000"/>
        <texture type="2d" file="large.png"/><texture name="cube" type="cube" fileup="large.png"/>
        <hfield name="h" file="large.png" size="1 1 1 1"/>
        <hfield name="i" nrow="1000000" ncol="1000000" size="1 1 1 1"/>
        <material name="red" texture="t" rgba="1 0 0 1"/><material name="m" texture="large"/>
        </asset><worldbody><geom type="hfield" hfield="h"/>
        <body><geom size="1" user="1 2 3" material="red"/><geom size="1" material="m"/>
        <joint name="j"/><flexcomp name="f" count="999 999 999"/></body></worldbody>
        <sensor><user name="s" dim="1000000000"/></sensor>
        <actuator><general name="a" joint="j" dyntype="user" actdim="1000000000"/></actuator>
        <custom><numeric name="n" size="400"/><tuple name="t"><element objtype="actuator"
        objname="a"/></tuple></custom><keyframe><key qpos="1"/></keyframe></mujoco>""",
        "model.xml",
    )
    description = read_mjcf(file)
    assert [shape.color for shape in description.shapes] == [(1, 0, 0, 1), (1, 1, 1, 1)]
    assert list(description.warnings) == [
        "hfield geoms (1) are not taken over",
        "flexible bodies (1) are not taken over",
        "controls of actuators (1) are not taken over, which have a state of their own: a",
        "sensors (1) are not taken over: s (user)",
    ]


def test_files_that_mujoco_would_read_have_a_largest_size(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("v 0 0 0\n" * 10, "a.obj")
    mesh = '<mesh name="{}" file="a.obj"/>'
    text = f"<mujoco><asset>{mesh.format('a')}{mesh.format('b')}</asset></mujoco>"
    monkeypatch.setattr(mjcf_document, "MAX_BYTES_OF_ALL_MESHES", 100)
    with pytest.raises(ModelError, match=r"model\.xml:1: mesh 'b' is beyond 100 bytes of meshes"):
        read_mjcf(write(text, "model.xml"))
    monkeypatch.setattr(mjcf_document, "MAX_MESH_BYTES", 10)
    with pytest.raises(ModelError, match=r"model\.xml:1: .*a\.obj, which is larger than 10 bytes"):
        read_mjcf(write(text, "model.xml"))


def test_pairs_that_never_touch_have_a_largest_number(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = '<body name="{}"><freejoint/><geom size="1" contype="1" conaffinity="{}"/></body>'
    inside = "".join(bodies.format(f"b{k}", k % 2) for k in range(4))
    file = write(f"<mujoco><worldbody>{inside}</worldbody></mujoco>", "model.xml")
    assert read_mjcf(file).metadata["excluded_contacts"] == (("b0", "b2"),)
    monkeypatch.setattr(mjcf_shapes, "MAX_PAIRS", 1)
    with pytest.raises(ModelError, match=r"model\.xml: more than 1 pairs of bodies never touch"):
        read_mjcf(file)


def test_frictions_of_geoms_are_told_by_name(write: Write) -> None:
    inside = (
        '<geom name="floor" type="plane" size="1 1 1" friction="0.3"/>'
        '<body name="leg"><freejoint/><geom name="foot" size="1" friction="0.8 0.01 0.001"/>'
        '<geom size="1" friction="0.5"/><geom name="plain" size="1"/>'
        '<geom name="skin" size="1" friction="2" contype="0" conaffinity="0"/></body>'
    )
    pair = '<contact><pair geom1="floor" geom2="foot" friction="1 1 1 1 1"/></contact>'
    file = write(f"<mujoco><worldbody>{inside}</worldbody>{pair}</mujoco>", "model.xml")
    assert read_mjcf(file).metadata["pair_frictions"] == (("ground", "foot", 1.0),)
    assert list(read_mjcf(file).warnings) == [
        "of contact pairs (1) only the friction is taken over",
        "plane geoms (1) are not taken over",
        "frictions of planes (1) are not taken over, grounds state their own: floor (0.3)",
    ]
    touching = [shape for shape in read_mjcf(file).shapes if shape.role == "collision"]
    stated = [(shape.friction, shape.torsion) for shape in touching]
    assert stated == [(0.8, None), (0.5, None), (None, None)]


def test_elements_of_included_sdf_files_have_a_largest_number(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = "".join(f'<link name="l{k}"/>' for k in range(20))
    write(f'<sdf version="1.7"><model name="m">{links}</model></sdf>', "part.sdf")
    includes = "".join(
        f"<include><uri>part.sdf</uri><name>m{k}</name></include>" for k in range(10)
    )
    text = f'<sdf version="1.7"><world name="w">{includes}</world></sdf>'
    monkeypatch.setattr(sdf_includes, "MAX_ELEMENTS", 100)
    with pytest.raises(ModelError, match=r"world\.sdf:1: .*more than 100 elements"):
        ts.load(write(text, "world.sdf"))
