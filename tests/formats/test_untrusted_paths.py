"""Models from elsewhere: their files stay in their folders, in every format."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import tarsus as ts
from tarsus._lib.errors import ModelError, Source
from tarsus.formats.mjcf import read_mjcf
from tarsus.formats.paths import Folders
from tarsus.formats.readers import read
from tarsus.formats.urdf import read_urdf
from tarsus.geometry.meshes import mesh_corners

Write = Callable[..., Path]
HERE = Source("test.urdf", 1)
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n"
HEADER = {"format": "tarsus", "version": 1, "name": "m"}


def native(file: str) -> str:
    """A body with one mesh in our own format."""
    data = {
        "bodies": [{"name": "a", "mass": 1.0, "inertia": [1.0, 1.0, 1.0]}],
        "joints": [{"name": "j", "kind": "free", "parent": "world", "child": "a"}],
        "shapes": [{"body": "a", "role": "collision", "kind": "mesh", "size": [1.0, 1.0, 1.0]}],
    }
    data["shapes"][0]["file"] = file
    return json.dumps(HEADER | data)


def test_the_name_of_a_folder_around_opens_nothing(tmp_path: Path) -> None:
    model = tmp_path / "projects" / "bot" / "robot" / "bot.urdf"
    model.parent.mkdir(parents=True)
    secret = tmp_path / "projects" / "secret.stl"
    secret.touch()
    folders = Folders(model)
    for name in ("projects", "bot", tmp_path.name):
        assert folders.find(f"package://{name}/secret.stl", HERE) is None
    assert folders.hint("package://projects/secret.stl") == f"'{secret.parent}'"
    assert Folders(model, [tmp_path]).find("package://projects/secret.stl", HERE) == secret
    assert Folders(model, [secret.parent]).find("package://projects/secret.stl", HERE) == secret


def test_the_warning_says_what_package_dirs_lacks(write: Write, tmp_path: Path) -> None:
    mesh = '<visual><geometry><mesh filename="package://up/a.stl"/></geometry></visual>'
    file = write(f'<robot><link name="a">{mesh}</link></robot>', "up/two/three/bot.urdf")
    (warning,) = read_urdf(file).warnings
    assert warning.endswith(f"package://up/a.stl; package_dirs lacks '{tmp_path / 'up'}'")


def test_folders_inside_the_package_are_packages(tmp_path: Path) -> None:
    # as in example-robot-data: one manifest for all, folders that files call packages
    model = tmp_path / "data" / "robots" / "b1" / "urdf" / "b1.urdf"
    mesh = model.parents[1] / "meshes" / "a.stl"
    for file in (model, mesh):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / "data" / "package.xml").write_text("<package><name>all</name></package>")
    folders = Folders(model)
    for reference in ("package://b1/meshes/a.stl", "package://all/robots/b1/meshes/a.stl"):
        assert folders.find(reference, HERE) == mesh


def test_a_package_around_the_package_is_found_by_its_manifest(tmp_path: Path) -> None:
    model = tmp_path / "outer" / "inner" / "urdf" / "a.urdf"
    mesh = tmp_path / "outer" / "shared" / "a.stl"
    for file in (model, mesh):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / "outer" / "inner" / "package.xml").write_text("<package/>")
    assert Folders(model).find("package://outer/shared/a.stl", HERE) is None
    (tmp_path / "outer" / "package.xml").write_text("<package/>")
    assert Folders(model).find("package://outer/shared/a.stl", HERE) == mesh


def test_packages_beside_may_not_be_links_elsewhere(tmp_path: Path) -> None:
    for package in ("src/bot", "src/tools", "private"):
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "package.xml").write_text("<package/>")
        (tmp_path / package / "a.stl").touch()
    (tmp_path / "src" / "linked").symlink_to(tmp_path / "private")
    model = tmp_path / "src" / "bot" / "bot.urdf"
    tools = tmp_path / "src" / "tools" / "a.stl"
    assert Folders(model).find("package://tools/a.stl", HERE) == tools
    assert Folders(model).find("package://linked/a.stl", HERE) is None
    told = Folders(model, [tmp_path / "src"])
    assert told.find("package://linked/a.stl", HERE) == tmp_path / "private" / "a.stl"


def test_the_user_s_own_folder_is_no_model_s_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "package.xml").write_text("<package><name>me</name></package>")
    (tmp_path / "secret.stl").touch()
    folders = Folders(tmp_path / "urdf" / "bot.urdf")
    assert folders.home == tmp_path / "urdf"
    assert folders.find("package://me/secret.stl", HERE) is None
    with pytest.raises(ModelError, match=rf"package_dirs=\['{tmp_path}'\] would allow it"):
        folders.find("../secret.stl", HERE)


def test_links_to_a_named_folder_are_followed(tmp_path: Path) -> None:
    # colcon's symlink install: the package holds links into the sources
    for folder in ("install/share/bot", "src/bot"):
        (tmp_path / folder).mkdir(parents=True)
    mesh = tmp_path / "src" / "bot" / "a.stl"
    mesh.touch()
    (tmp_path / "install/share/bot/a.stl").symlink_to(mesh)
    model, share = tmp_path / "elsewhere" / "bot.urdf", tmp_path / "install" / "share"
    with pytest.raises(ModelError, match=rf"package_dirs=\['{mesh.parent}'\]"):
        Folders(model, [share]).find("package://bot/a.stl", HERE)
    assert Folders(model, [share, mesh.parent]).find("package://bot/a.stl", HERE) == mesh


@pytest.mark.parametrize("name", ["model.json", "model.yaml"])
def test_meshes_of_our_own_files_are_beside_them(write: Write, name: str, tmp_path: Path) -> None:
    mesh = write(TRIANGLE, "meshes/a.obj")
    for reference in ("meshes/a.obj", str(mesh), mesh.as_uri()):
        (shape,) = ts.load(write(native(reference), name)).shapes
        assert shape.file == str(mesh)
        assert len(mesh_corners(shape)) == 4


@pytest.mark.parametrize("reference", ["../secret.obj", "link.obj", "model://../secret.obj", "a\0"])
def test_our_own_files_may_not_leave_their_folder(write: Write, reference: str) -> None:
    secret = write(TRIANGLE, "secret.obj")
    model = write(native(reference), "inside/model.json")
    (model.parent / "link.obj").symlink_to(secret)
    try:
        (shape,) = read(model).shapes
    except ModelError as error:
        assert "model.json" in str(error)
    else:
        assert shape.file == "model://../secret.obj" and not Path(shape.file).exists()


def test_a_mesh_far_away_is_told_and_not_opened(write: Write, tmp_path: Path) -> None:
    mesh = write(TRIANGLE, "robots/a b.obj")
    model = ts.load(write(native(str(mesh)), "saved/model.json"))
    (shape,) = model.shapes
    assert shape.file == mesh.as_uri()
    (warning,) = model.warnings
    assert "lie outside the model's folder" in warning
    assert f"package_dirs=['{mesh.parent}'] would allow them" in warning
    with pytest.raises(ModelError, match=r"a%20b\.obj.*package_dirs"):
        mesh_corners(shape)
    ts.save(model, tmp_path / "saved" / "again.json")
    again = ts.load(tmp_path / "saved" / "again.json")
    assert again == model and again.warnings == model.warnings
    for file in ("model.json", "again.json"):
        allowed = ts.load(tmp_path / "saved" / file, package_dirs=[mesh.parent])
        assert allowed.shapes[0].file == str(mesh)


def test_a_missing_mesh_is_not_looked_for_where_python_runs(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(TRIANGLE, "work/a.obj")
    mesh = '<collision><geometry><mesh filename="a.obj"/></geometry></collision>'
    urdf = write(f'<robot><link name="a">{mesh}</link></robot>', "models/bot.urdf")
    monkeypatch.chdir(tmp_path / "work")
    for model in (urdf, write(native("a.obj"), "models/bot.json")):
        (shape,) = read(model).shapes
        with pytest.raises(ModelError, match="is not there"):
            mesh_corners(shape)


def test_relative_paths_mean_the_same_after_saving(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesh = write(TRIANGLE, "saved/meshes/a.obj")
    monkeypatch.chdir(tmp_path)
    b = ts.Builder("m").body("a", 1.0, inertia=(1.0, 1.0, 1.0)).joint("j", "free", "world", "a")
    built = b.shape("a", "mesh", file="saved/meshes/a.obj").build()
    write(
        '<mujoco><compiler meshdir="meshes"/><asset><mesh name="a" file="a.obj"/></asset>'
        '<worldbody><body><geom type="mesh" mesh="a"/></body></worldbody></mujoco>',
        "saved/m.xml",
    )
    for model in (built, ts.load("saved/m.xml")):
        ts.save(model, "saved/model.json")
        assert ts.load("saved/model.json").shapes[0].file == str(mesh)


def test_mjcf_takes_package_dirs(write: Write, tmp_path: Path) -> None:
    write(TRIANGLE, "assets/a.obj")
    text = (
        '<mujoco><compiler meshdir="../assets"/><asset><mesh name="a" file="a.obj"/></asset>'
        '<worldbody><body><geom type="mesh" mesh="a"/></body></worldbody></mujoco>'
    )
    model = write(text, "models/bot.xml")
    folder = tmp_path / "assets"
    with pytest.raises(ModelError, match=rf"package_dirs=\['{folder}'\] would allow it"):
        read(model)
    (shape,) = read(model, package_dirs=[tmp_path / "assets"]).shapes
    assert os.path.samefile(str(shape.file), tmp_path / "assets" / "a.obj")


def test_attached_models_have_paths_of_their_own(write: Write) -> None:
    mesh = write(TRIANGLE, "assets/a.obj")
    part = (
        '<mujoco><compiler meshdir="{meshes}"/><asset><mesh name="a" file="a.obj"/></asset>'
        '<worldbody><body name="b"><geom type="mesh" mesh="a"/></body></worldbody></mujoco>'
    )
    main = (
        '<mujoco><asset><model name="part" file="parts/part.xml"/></asset>'
        '<worldbody><attach model="part" body="b" prefix="p_"/></worldbody></mujoco>'
    )
    write(part.format(meshes="../assets"), "parts/part.xml")
    (shape,) = read_mjcf(write(main, "main.xml")).shapes
    assert os.path.samefile(str(shape.file), mesh)
    write(part.format(meshes="../.."), "parts/part.xml")
    with pytest.raises(ModelError, match=r"part\.xml:1: .*leaves the model's folder"):
        read_mjcf(write(main, "main.xml"))


# Separators, hosts, drives, links, encodings: what one program takes for a name, another may take
# for a path.

SECRET = "secret.obj"
OUTSIDE = [
    "../secret.obj",
    "..\\secret.obj",
    ".\\..\\secret.obj",
    "./..\\secret.obj",
    "sub\\..\\..\\secret.obj",
    "{parent}/secret.obj",
    "{backslashes}\\secret.obj",
    "link.obj",
    "folder_link/secret.obj",
    "folder_link\\secret.obj",
]
"""Paths of a file outside the model's folder."""

NOWHERE = [
    "\\\\host\\share\\secret.obj",
    "//host/share/secret.obj",
    "\\\\?\\C:\\secret.obj",
    "C:\\secret.obj",
    "C:secret.obj",
    "%2e%2e%2fsecret.obj",
    "%2e%2e/secret.obj",
    "..%5csecret.obj",
    "http://host/secret.obj",
    "http:secret.obj",
]
"""References that are no file of this computer."""

URLS = ["file://..%2fsecret.obj", "file://%2e%2e%5csecret.obj", "file://{parent}/secret.obj"]
"""Addresses of the secret, for the formats that have addresses."""


@pytest.fixture
def folder(write: Write) -> Path:
    """A model's folder beside a secret, with links to it."""
    folder = write(TRIANGLE, SECRET).parent / "model"
    (folder / "sub").mkdir(parents=True)
    (folder / "link.obj").symlink_to(folder.parent / SECRET)
    (folder / "folder_link").symlink_to(folder.parent)
    return folder


def stated(reference: str, folder: Path) -> str:
    parent = str(folder.parent)
    return reference.format(parent=parent, backslashes=parent.replace("/", "\\"))


NAMING = {
    "mesh": '<asset><mesh name="m" file="{}"/></asset>',
    "mesh in folder": '<compiler meshdir="sub/.."/><asset><mesh name="m" file="{}"/></asset>',
    "include": '<include file="{}"/>',
    "model": '<asset><model name="m" file="{}"/></asset>',
}
"""Ways in which an MJCF file names others."""


@pytest.mark.parametrize("reference", OUTSIDE)
@pytest.mark.parametrize("inside", NAMING.values(), ids=NAMING)
def test_mjcf_reads_nothing_outside_its_folder(folder: Path, inside: str, reference: str) -> None:
    file = folder / "model.xml"
    file.write_text(f"<mujoco>{inside.format(stated(reference, folder))}</mujoco>")
    with pytest.raises(ModelError, match=r"model\.xml:1: .* leaves the model's folder"):
        read_mjcf(file)


@pytest.mark.parametrize("attribute", ["meshdir", "assetdir"])
@pytest.mark.parametrize("name", ["..", "..\\", "sub\\..\\..", "sub/..\\..", "folder_link"])
def test_folders_of_mjcf_meshes_stay_inside(folder: Path, attribute: str, name: str) -> None:
    file = folder / "model.xml"
    mesh = f'<compiler {attribute}="{name}"/><asset><mesh file="{SECRET}"/></asset>'
    file.write_text(f"<mujoco>{mesh}</mujoco>")
    with pytest.raises(ModelError, match=r"model\.xml:1: .* leaves the model's folder"):
        read_mjcf(file)


@pytest.mark.parametrize("reference", [*NOWHERE, *URLS])
@pytest.mark.parametrize("inside", ["mesh", "include", "model"])
def test_mjcf_reads_only_files_of_this_computer(folder: Path, inside: str, reference: str) -> None:
    file = folder / "model.xml"
    file.write_text(f"<mujoco>{NAMING[inside].format(stated(reference, folder))}</mujoco>")
    with pytest.raises(ModelError, match=r"model\.xml:1: .*names .*(not there|another computer)"):
        read_mjcf(file)


def test_mjcf_takes_backslashes_as_separators(write: Write) -> None:
    mesh = write(TRIANGLE, "sub/deep/a.obj")
    write('<mujoco><asset><mesh file="deep\\a.obj"/></asset></mujoco>', "sub/part.xml")
    text = (
        '<mujoco><compiler meshdir=".\\sub"/><include file="sub\\part.xml"/>'
        '<worldbody><body><geom type="mesh" mesh="a"/></body></worldbody></mujoco>'
    )
    (shape,) = read_mjcf(write(text, "model.xml")).shapes
    assert shape.file == str(mesh)


def test_limits_of_mjcf_hold_for_includes_with_backslashes(write: Write) -> None:
    many = '<replicate count="20001" offset="1 0 0"><body><geom size=".1"/></body></replicate>'
    write(f"<mujocoinclude>{many}</mujocoinclude>", "many.xml")
    for name in ("many.xml", ".\\many.xml", "sub\\..\\many.xml"):
        text = f'<mujoco><worldbody><include file="{name}"/></worldbody></mujoco>'
        with pytest.raises(ModelError, match=r"many\.xml:1: .*more than 10000 elements"):
            read_mjcf(write(text, "model.xml"))


def test_files_that_mjcf_names_and_tarsus_ignores_are_not_opened(write: Write) -> None:
    text = (
        '<mujoco><compiler texturedir="/etc"/><asset><texture name="t" type="2d" file="passwd"/>'
        '<texture name="c" type="cube" fileup="../a" fileright="/dev/zero"/>'
        '<hfield name="h" file="/dev/zero" size="1 1 1 1"/><skin name="s" file="/dev/zero"/>'
        '</asset><worldbody><flexcomp name="f" type="mesh" file="/dev/zero"/></worldbody></mujoco>'
    )
    assert list(read_mjcf(write(text, "model.xml")).warnings) == [
        "skins (1) are not taken over",
        "flexible bodies (1) are not taken over",
    ]


def test_included_meshes_are_found_beside_the_model_or_the_included_file(write: Write) -> None:
    mesh = '<mesh name="m" file="a.obj"/>'
    include = f'<mujocoinclude><include file="deep/b.xml"/><asset>{mesh}</asset></mujocoinclude>'
    write(include, "sub/a.xml")
    write("<mujocoinclude><worldbody/></mujocoinclude>", "sub/deep/b.xml")
    text = (
        '<mujoco><include file="sub/a.xml"/><worldbody><body><geom type="mesh" mesh="m"/></body>'
        "</worldbody></mujoco>"
    )
    model = write(text, "model.xml")
    beside = write(TRIANGLE, "sub/a.obj")
    assert read_mjcf(model).shapes[0].file == str(beside)
    first = write(TRIANGLE, "a.obj")
    assert read_mjcf(model).shapes[0].file == str(first)


def test_mjcf_includes_each_file_once(write: Write) -> None:
    write("<mujocoinclude><worldbody/></mujocoinclude>", "part.xml")
    text = '<mujoco>\n<include file="part.xml"/>\n<include file="./part.xml"/></mujoco>'
    with pytest.raises(ModelError, match=r"model\.xml:3: .*includes part\.xml again"):
        read_mjcf(write(text, "model.xml"))


URDF = (
    '<robot><link name="a"><visual><geometry><mesh filename="{}"/></geometry></visual></link>'
    "</robot>"
)
SDF = (
    '<sdf version="1.7"><model name="m"><link name="a"><visual name="v"><geometry><mesh><uri>{}'
    "</uri></mesh></geometry></visual></link></model></sdf>"
)
INCLUDE = '<sdf version="1.7"><world name="w"><include><uri>{}</uri></include></world></sdf>'
FORMATS = {"bot.urdf": URDF, "bot.sdf": SDF, "bot.json": "json"}


@pytest.mark.parametrize("reference", [*OUTSIDE, *URLS])
@pytest.mark.parametrize("name", FORMATS)
def test_no_format_reads_meshes_outside_the_folder(folder: Path, name: str, reference: str) -> None:
    file, path = folder / name, stated(reference, folder)
    file.write_text(native(path) if name == "bot.json" else FORMATS[name].format(path))
    try:
        (shape,) = read(file).shapes
    except ModelError as error:
        assert name in str(error) and "leaves the model's folder" in str(error)
    else:  # our own files may be far from the meshes of the model that they were made from
        assert name == "bot.json" and shape.file == (folder.parent / SECRET).as_uri()


@pytest.mark.parametrize("reference", NOWHERE)
@pytest.mark.parametrize("name", FORMATS)
def test_references_to_nothing_are_missing_meshes(folder: Path, name: str, reference: str) -> None:
    file = folder / name
    file.write_text(native(reference) if name == "bot.json" else FORMATS[name].format(reference))
    (shape,) = read(file).shapes
    assert shape.file is not None and not Path(shape.file).exists()


def test_sdf_includes_nothing_outside_its_folder(folder: Path) -> None:
    (folder.parent / "model.sdf").write_text(SDF.format("a.obj"))
    (folder / "link.sdf").symlink_to(folder.parent / "model.sdf")
    for reference in ("../model.sdf", "..\\model.sdf", "..", "..\\", "link.sdf"):
        file = folder / "bot.sdf"
        file.write_text(INCLUDE.format(reference))
        with pytest.raises(ModelError, match=r"bot\.sdf:1: .* leaves the model's folder"):
            read(file)


@pytest.mark.parametrize("reference", ["a\0.obj", "a\n.obj", "\x7f"])
def test_control_characters_in_paths_are_an_error(write: Write, reference: str) -> None:
    with pytest.raises(ModelError, match="not a usable path: it has control characters"):
        read(write(native(reference), "bot.json"))
