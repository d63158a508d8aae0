"""Files that mean harm, and files that are broken: errors, never a crash, hang or leak."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tarsus._lib.errors import ModelError, Source
from tarsus.formats import xml
from tarsus.formats.mjcf import read_mjcf
from tarsus.formats.paths import Folders
from tarsus.formats.sdf import read_sdf
from tarsus.formats.urdf import read_urdf
from tarsus.formats.xml import parse_xml, read_xml
from tarsus.model.description import Description

Write = Callable[..., Path]
DATA = Path(__file__).parent / "data"
HERE = Source("test.urdf", 1)


def test_elements_have_lines_text_and_children() -> None:
    root = parse_xml(b'<a>\n  <b x="1">one</b><!-- no -->\n  <c/>\n</a>', "f.xml")
    assert [(child.tag, child.source.line) for child in root.children] == [("b", 2), ("c", 3)]
    assert root.children[0].text == "one"
    assert root.children[0].parent is root
    assert [element.tag for element in root.walk()] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "text",
    [
        "<!DOCTYPE a><a/>",
        '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        '<!DOCTYPE a SYSTEM "http://localhost/a.dtd"><a/>',
        '<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><a/>',
        '<!DOCTYPE a [<!ENTITY a "1"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><a>&b;</a>',
    ],
)
def test_document_types_and_entities_are_refused(text: str) -> None:
    with pytest.raises(ModelError, match=r"f.xml:1: document types and entities are not read"):
        parse_xml(text.encode(), "f.xml")


@pytest.mark.parametrize("reader", [read_urdf, read_mjcf, read_sdf])
def test_readers_refuse_entities(reader: Callable[[Path], object], write: Write) -> None:
    with pytest.raises(ModelError, match="entities are not read"):
        reader(write('<!DOCTYPE a [<!ENTITY x "y">]>\n<robot name="&x;"/>', "bad.xml"))


def test_an_undefined_entity_is_malformed() -> None:
    with pytest.raises(ModelError, match="malformed XML: undefined entity"):
        parse_xml(b"<a>&x;</a>", "f.xml")


def test_limits_on_depth_size_and_count(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = b"<a>" * 1001 + b"</a>" * 1001
    with pytest.raises(ModelError, match="nested more than 1000 deep"):
        parse_xml(deep, "f.xml")
    monkeypatch.setattr(xml, "MAX_ELEMENTS", 10)
    with pytest.raises(ModelError, match="more than 10 elements"):
        parse_xml(b"<a>" + b"<b/>" * 10 + b"</a>", "f.xml")
    monkeypatch.setattr(xml, "MAX_BYTES", 100)
    with pytest.raises(ModelError, match="more than 100 bytes"):
        parse_xml(b" " * 101, "f.xml")


def test_unknown_encodings_are_an_error() -> None:
    for encoding in ("nonsense", "utf-7", "shift_jis"):
        with pytest.raises(ModelError, match=r"f\.xml"):
            parse_xml(f'<?xml version="1.0" encoding="{encoding}"?><a>\xff</a>'.encode(), "f.xml")


def test_other_encodings_are_read() -> None:
    for encoding in ("utf-16", "latin-1"):
        data = f'<?xml version="1.0" encoding="{encoding}"?><a b="ü"/>'.encode(encoding)
        assert parse_xml(data, "f.xml").attributes == {"b": "ü"}


def test_unlimited_files_are_not_read_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml, "MAX_BYTES", 1000)
    with pytest.raises(ModelError, match="more than 1000 bytes"):
        read_xml("/dev/zero")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with a mesh, inside a folder that also holds a secret."""
    folder = tmp_path / "bot_description"
    (folder / "urdf").mkdir(parents=True)
    (folder / "meshes").mkdir()
    (folder / "meshes" / "a.stl").touch()
    (folder / "package.xml").write_text("<package><name>bot</name></package>")
    (tmp_path / "secret.txt").touch()
    (folder / "meshes" / "link.stl").symlink_to(tmp_path / "secret.txt")
    return folder


@pytest.mark.parametrize(
    "reference",
    [
        "../meshes/a.stl",
        "package://bot/meshes/a.stl",
        "package://bot_description/meshes/a.stl",
        "package:///bot/meshes/a.stl",
        "model://bot/meshes/a.stl",
        "{folder}/meshes/a.stl",
        "file://{folder}/meshes/a.stl",
        "..\\meshes\\a.stl",
    ],
)
def test_meshes_are_found(package: Path, reference: str) -> None:
    folders = Folders(package / "urdf" / "bot.urdf")
    found = folders.find(reference.format(folder=package), HERE)
    assert found == package / "meshes" / "a.stl"


@pytest.mark.parametrize(
    "reference",
    [
        "../../secret.txt",
        "../../not_there.txt",
        "../meshes/link.stl",
        "/etc/passwd",
        "file:///etc/passwd",
        "package://bot/../secret.txt",
        "package://bot/meshes/link.stl",
        "model://bot/../secret.txt",
        "{folder}/../secret.txt",
        "..\\..\\secret.txt",
    ],
)
def test_paths_that_leave_the_folder_are_refused(package: Path, reference: str) -> None:
    folders = Folders(package / "urdf" / "bot.urdf")
    with pytest.raises(ModelError, match=r"test.urdf:1: .* leaves the"):
        folders.find(reference.format(folder=package), HERE)


@pytest.mark.parametrize(
    "reference",
    [
        "package://other/a.stl",
        "package://../secret.txt",
        "package://./secret.txt",
        "package://etc/passwd",
        "model://etc/passwd",
        "package://",
        "http://example.org/a.stl",
        "/not/there/a.stl",
        "a.stl",
    ],
)
def test_what_is_not_there_is_not_found(package: Path, reference: str) -> None:
    assert Folders(package / "urdf" / "bot.urdf").find(reference, HERE) is None


def test_unusable_paths_are_an_error(package: Path) -> None:
    (package / "loop").symlink_to(package / "loop")
    folders = Folders(package / "urdf" / "bot.urdf")
    for reference in ("a" * 5000, "../loop/a.stl", "a\0b"):
        try:
            assert folders.find(reference, HERE) is None
        except ModelError as error:
            assert "not a usable path" in str(error)


def test_packages_are_looked_for_where_told(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "elsewhere" / "bot.urdf"
    model.parent.mkdir()
    reference, mesh = "package://bot_description/meshes/a.stl", package / "meshes" / "a.stl"
    assert Folders(model).find(reference, HERE) is None
    assert Folders(model, [tmp_path]).find(reference, HERE) == mesh
    assert Folders(model, [package]).find(reference, HERE) == mesh
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/not/there:{tmp_path}")
    assert Folders(model).find(reference, HERE) == mesh
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    package.rename(tmp_path / "share")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    assert Folders(model).find("package://bot/meshes/a.stl", HERE) is not None


def test_a_mesh_that_leaves_the_folder_names_its_line(write: Write) -> None:
    mesh = '<visual><geometry>\n<mesh filename="/etc/passwd"/></geometry></visual>'
    with pytest.raises(ModelError, match=r"robot.urdf:2: .*leaves the model's folder"):
        read_urdf(write(f'<robot><link name="a">{mesh}</link></robot>'))


def test_a_mesh_of_an_sdf_that_leaves_the_folder_names_its_line(write: Write) -> None:
    mesh = '<visual name="v"><geometry>\n<mesh><uri>file:///etc/passwd</uri></mesh></geometry>'
    text = f'<sdf version="1.6"><model name="m"><link name="a">{mesh}</visual></link></model></sdf>'
    with pytest.raises(ModelError, match=r"robot.sdf:2: .*leaves the model's folder"):
        read_sdf(write(text, "robot.sdf"))


@pytest.mark.parametrize(
    "text",
    [
        '<include file="../evil.xml"/>',
        '<include file="/etc/passwd"/>',
        '<asset><mesh file="../evil.stl"/></asset>',
        '<compiler meshdir="/etc"/><asset><mesh file="passwd"/></asset>',
        '<compiler assetdir="../.."/><asset><mesh file="a.stl"/></asset>',
        '<compiler meshdir="a"/><asset><mesh file="../../evil.stl"/></asset>',
        '<asset><model file="../evil.xml"/></asset>',
    ],
)
def test_mjcf_may_not_leave_its_folder(write: Write, text: str) -> None:
    write("<mujocoinclude/>", "evil.xml")
    with pytest.raises(ModelError, match=r"model.xml:1: .*leaves the model's folder"):
        read_mjcf(write(f"<mujoco>{text}</mujoco>", "inside/model.xml"))


def test_included_files_are_checked_too(write: Write) -> None:
    write('<mujocoinclude>\n<include file="/etc/passwd"/></mujocoinclude>', "part.xml")
    with pytest.raises(ModelError, match=r"part.xml:2: .*leaves the model's folder"):
        read_mjcf(write('<mujoco><include file="part.xml"/></mujoco>', "model.xml"))
    write('<!DOCTYPE a [<!ENTITY x "y">]><mujocoinclude/>', "part.xml")
    with pytest.raises(ModelError, match=r"part.xml:1: .*entities"):
        read_mjcf(write('<mujoco><include file="part.xml"/></mujoco>', "model.xml"))


def test_files_that_include_each_other_are_an_error(write: Write) -> None:
    write('<mujocoinclude><include file="model.xml"/></mujocoinclude>', "part.xml")
    with pytest.raises(ModelError):
        read_mjcf(write('<mujoco><include file="part.xml"/></mujoco>', "model.xml"))


# Mutations of good files: the result is a description or a ModelError, nothing else.

VALUES = [
    *("", "nan", "inf", "-inf", "-1", "0", "1e308", "-1e308", "1e-320", "99999999999999999999"),
    *("0 0 0", "nan nan nan", "1 2", "x", "world", "\ud7ff", "../..", "true", "fixed", "mesh"),
]


def mutate(text: str, randomness: random.Random) -> bytes:
    """Delete, double or replace an attribute, an element, a text or some bytes."""
    attributes = list(re.finditer(r'\s([\w:]+)="([^"]*)"', text))
    texts = [match for match in re.finditer(r">([^<>]+)<", text) if match[1].strip()]
    tags = list(re.finditer(r"<[^>]*>", text))
    choice = randomness.randrange(9 if texts else 8)
    if choice == 8:
        match, other = randomness.choice(texts), randomness.choice(texts)[1]
        new = f">{randomness.choice([*VALUES, other, other])}<"
        return (text[: match.start()] + new + text[match.end() :]).encode()
    if choice <= 3:
        match = randomness.choice(attributes)
        value = randomness.choice(VALUES)
        new = ["", match[0] * 2, f' {match[1]}="{value}"', f' {value or "x"}="{match[2]}"'][choice]
        return (text[: match.start()] + new + text[match.end() :]).encode()
    if choice == 4:
        first, second = sorted(randomness.sample(tags, 2), key=re.Match.start)
        return (text[: first.start()] + second[0] + text[first.end() :]).encode()
    if choice == 5:
        match = randomness.choice(tags)
        return (text[: match.start()] + text[match.end() :]).encode()
    data = bytearray(text.encode())
    if choice == 6:
        return bytes(data[: randomness.randrange(len(data))])
    for _ in range(randomness.randrange(1, 20)):
        data[randomness.randrange(len(data))] = randomness.randrange(256)
    return bytes(data)


fuzz = settings(
    max_examples=300,
    deadline=5000,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def survives(read: Callable[[Path], Description], path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        assert isinstance(read(path), Description)
    except ModelError as error:
        assert path.name in str(error) or "included" in str(error)


@pytest.mark.parametrize("name", ["arm.urdf", "loops.urdf"])
@pytest.mark.parametrize("base", ["fixed", "free"])
@fuzz
@given(data=st.data())
def test_mutated_urdf(tmp_path: Path, base: str, name: str, data: st.DataObject) -> None:
    text = (DATA / name).read_text()
    mutant = mutate(text, data.draw(st.randoms(use_true_random=False)))
    survives(lambda path: read_urdf(path, base=base), tmp_path / name, mutant)


@pytest.mark.parametrize("base", [None, "fixed", "free"])
@fuzz
@given(data=st.data())
def test_mutated_sdf(tmp_path: Path, base: str | None, data: st.DataObject) -> None:
    text = (DATA / "machine.sdf").read_text()
    mutant = mutate(text, data.draw(st.randoms(use_true_random=False)))
    survives(lambda path: read_sdf(path, base=base), tmp_path / "machine.sdf", mutant)


@fuzz
@given(data=st.data())
def test_mutated_mjcf(tmp_path: Path, data: st.DataObject) -> None:
    text = (DATA / "mixed.xml").read_text()
    for name in ("mixed_limb.xml", "wedge.obj"):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    mutant = mutate(text, data.draw(st.randoms(use_true_random=False)))
    survives(read_mjcf, tmp_path / "mixed.xml", mutant)


@fuzz
@given(garbage=st.binary(max_size=200))
def test_garbage(tmp_path: Path, garbage: bytes) -> None:
    survives(read_urdf, tmp_path / "a.urdf", garbage)
    survives(read_mjcf, tmp_path / "a.xml", garbage)
    survives(read_sdf, tmp_path / "a.sdf", garbage)
    survives(read_sdf, tmp_path / "a.sdf", b'<sdf version="1.6">' + garbage + b"</sdf>")
    survives(read_urdf, tmp_path / "a.urdf", b"<robot>" + garbage + b"</robot>")


@pytest.mark.parametrize("name", ["arm.urdf", "loops.urdf", "machine.sdf", "mixed.xml", "arm.json"])
@fuzz
@given(data=st.data())
def test_mutated_models_compile_or_are_refused(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    import tarsus as ts

    if name == "arm.json":
        ts.save(ts.Model(read_urdf(DATA / "arm.urdf")), tmp_path / name)
        text = (tmp_path / name).read_text()
        mutant = mutate_json(text, data.draw(st.randoms(use_true_random=False)))
    else:
        text = (DATA / name).read_text()
        mutant = mutate(text, data.draw(st.randoms(use_true_random=False)))
    (tmp_path / name).write_bytes(mutant)
    with contextlib.suppress(ModelError):
        assert isinstance(ts.load(tmp_path / name), ts.Model)


def mutate_json(text: str, randomness: random.Random) -> bytes:
    """Delete, double or replace a token, or some bytes."""
    tokens = list(re.finditer(r'"[^"]*"|[-\d.eE+]+|[\[\]{},:]', text))
    match = randomness.choice(tokens)
    values = [
        *VALUES,
        "null",
        "[]",
        "{}",
        '"x"',
        "NaN",
        "-Infinity",
        "1e999",
        "[" * 5000,
        match[0] * 2,
    ]
    data = bytearray(
        (text[: match.start()] + randomness.choice(values) + text[match.end() :]).encode()
    )
    if randomness.randrange(4) == 0:
        data = data[: randomness.randrange(len(data))]
    return bytes(data)
